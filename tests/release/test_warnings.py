"""Releases that nobody should want say so, first of all."""

from __future__ import annotations

from pathlib import Path

import pytest

from tacit.release import Manifest
from tacit.surface.cli import main


@pytest.mark.parametrize(
    ("kind", "risks", "utility", "said"),
    [
        ("bucketized", {"posterior": {"largest": 0.846}}, {}, "85% likely"),
        ("bucketized", {"posterior": {"largest": 0.62}}, {}, None),
        ("bucketized", {"posterior": None}, {}, None),
        ("rules", {"max_posterior": 0.999}, {}, "100% likely"),
        ("generalized", {}, {"published_items": 1}, "no detail is left"),
        ("generalized", {}, {"published_items": 2}, None),
        ("generalized_table", {}, {"loss": 1.0}, "100% of the detail"),
        ("generalized_table", {}, {"loss": 0.2}, None),
        ("hidden", {}, {}, None),
    ],
)
def test_what_is_warned_of(kind: str, risks: dict, utility: dict, said: str | None) -> None:
    found = Manifest(kind, "any", {}, {}, {}, risks, utility).warnings
    assert len(found) == (said is not None)
    assert said is None or said in found[0]


def test_the_command_warns_at_the_top(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "people.csv"
    table.write_text("age,town\n" + "".join(f"{20 + row},t{row}\n" for row in range(6)))
    assert main(["generalize", str(table), "--quasi", "age,town", "-k", "6"]) == 0
    assert capsys.readouterr().out.startswith("Warning: 100% of the detail is lost")
