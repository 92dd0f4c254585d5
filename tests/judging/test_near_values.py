"""Sensitive amounts that are different and yet near are told of, and codes and words are not."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from tacit import table_from_frame
from tacit.judging.profile import MANY, near_values_notes, profile_table
from tacit.surface.cli import main


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ([f"{30000 + n / 100:.2f}" for n in range(MANY + 1)], True),
        ([f"-{n},{n:02}" for n in range(MANY + 1)], True),
        ([*map(str, range(MANY + 1)), None], True),
        (list(range(MANY + 1)), True),
        ([n / 7 for n in range(MANY + 1)], True),
        (list(range(MANY)), False),
        ([*map(str, range(MANY + 1)), "unknown"], False),
        ([f"A{n}" for n in range(MANY + 1)], False),
    ],
)
def test_many_different_numbers_may_be_near(values: list[object], told: bool) -> None:
    table = table_from_frame(pl.DataFrame({"salary": values}), sensitive="salary")
    notes = near_values_notes(table.sensitive)
    assert bool(notes) == told
    assert profile_table(table).notes[len(table.notes) :] == notes


def test_commands_say_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{20 + n % 9},{3000 + n}.50\n" for n in range(MANY + 50))
    Path("pay.csv").write_text(f"age,salary\n{rows}")
    roles = ["--quasi", "age", "--sensitive", "salary"]
    Path("r.toml").write_text(
        '[source]\npath = "pay.csv"\nquasi = ["age"]\nsensitive = ["salary"]\n'
        '[[release]]\nmethod = "bucketize"\noutput = "out"\nl = 2\n'
    )
    for line in (
        ["profile", "pay.csv"],
        ["bucketize", "pay.csv", *roles, "-l", "2", "--seed", "1", "--dry-run"],
        ["run", "r.toml", "--dry-run"],
    ):
        assert main(line) == 0
        said = " ".join(capsys.readouterr().err.split())
        assert said.count("'salary' holds 150 different numbers") == 1, line
    assert main(["profile", "pay.csv", "--quiet"]) == 0
    assert capsys.readouterr().err == ""
