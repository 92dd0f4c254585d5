"""``tacit verify`` as a person types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tacit.cli import main
from tests.faults.releases import publish_small


def test_a_refused_release_is_shown_check_by_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = publish_small(tmp_path / "out").folder
    (folder / "qit.csv").write_text("another")
    assert main(["verify", str(folder), "--json"]) == 7
    printed = json.loads(capsys.readouterr().out)
    assert printed["ok"] is False
    assert [check["name"] for check in printed["checks"] if not check["ok"]] == ["file qit.csv"]
    assert main(["verify", str(folder)]) == 7
    text = capsys.readouterr().out
    assert "FAIL  file qit.csv: has 7 bytes" in text
    assert text.endswith("The release is refused.\n")
