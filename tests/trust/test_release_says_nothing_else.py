"""A release holds nothing that changes from run to run, and its order and numbers carry nothing."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tacit.surface.cli import main
from tests.trust.making import RELEASES, arguments, write_inputs


@pytest.mark.parametrize("kind", RELEASES)
def test_no_time_no_path_no_name(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_inputs(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("USER", "arthur-dent")
    assert main([*arguments(kind, "out"), "--quiet"]) == 0
    text = (tmp_path / "out" / "release.json").read_text()
    manifest = json.loads(text)
    assert str(datetime.now(UTC).year) + "-" not in text
    assert not re.search(r"\d\d:\d\d", text)
    assert not re.search(r"(?<!\d)/|/(?!\d)", json.dumps(manifest["parameters"]))  # 19/20 is a share
    for word in (str(tmp_path), tmp_path.name, "arthur-dent", "seconds", "elapsed", "hostname", "key_id"):
        assert word not in text
    assert manifest["not_for_publication"] is False


@pytest.mark.parametrize("method", ["injector", "anatomy"])
def test_numbers_of_groups_follow_their_content(
    method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_inputs(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert main([*arguments(f"bucketize {method} qit", "out"), "--quiet"]) == 0
    lines = [line.split(",") for line in (tmp_path / "out" / "qit.csv").read_text().splitlines()[1:]]
    groups: dict[int, list[tuple[str, ...]]] = {}
    for *known, group in lines:
        groups.setdefault(int(group), []).append(tuple(known))
    assert sorted(groups) == list(range(1, len(groups) + 1))
    contents = [sorted(groups[number]) for number in sorted(groups)]
    assert contents == sorted(contents)
    assert lines == sorted(lines, key=lambda line: (*line[:-1], int(line[-1])))
