"""A dry run says how long the whole command will take, and how much memory."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tacit.surface.cli import main

TABLE = ("sample:hospital:300", "--quasi", "zip,age,sex", "--sensitive", "disease")


@pytest.mark.parametrize(
    "command",
    [
        ("bucketize", *TABLE, "-l", "3"),
        ("generalize", *TABLE, "-k", "3"),
        ("generalize", "sample:supermarket", "-k", "5", "-m", "2"),
        ("disclose", *TABLE, "--min-support", "0.1", "--min-confidence", "0.5"),
    ],
    ids=lambda command: f"{command[0]} {command[1]}",
)
def test_it_says_what_it_takes(command: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*command, "--dry-run"]) == 0
    found = re.search(r"[Aa]bout (\d+) s and ([\d,]+) MB", " ".join(capsys.readouterr().out.split()))
    assert found is not None
    assert 1 <= int(found[1]) < 60, "seconds of a command on a sample, its start included"
    assert 100 <= int(found[2].replace(",", "")) < 1000


def test_what_is_refused_is_refused_by_a_dry_run_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    baskets = tmp_path / "x.dat"
    baskets.write_text("1 2\n2 3\n", encoding="utf-8")
    assert main(["generalize", str(baskets), "-k", "2", "-m", "1", "--dry-run"]) == 2
    assert "needs a hierarchy" in capsys.readouterr().err
