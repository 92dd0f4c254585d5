"""Sensitive values that tell less than ℓ counts are told of: amounts that are near, and missing values."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from tacit import table_from_frame
from tacit.judging.profile import MANY, missing_values_notes, near_values_notes, profile_table
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
    missing = missing_values_notes(table.sensitive)
    assert bool(missing) == (None in values)
    assert profile_table(table).notes[len(table.notes) :] == (*notes, *missing)


def test_a_missing_value_is_told_of_and_not_taken_for_a_third() -> None:
    """Flu, gout and nothing: that is two diseases."""
    frame = pl.DataFrame({"age": [30] * 60, "illness": ["flu", "gout", None] * 20})
    found = profile_table(table_from_frame(frame, quasi="age", sensitive="illness"))
    assert "-l 2" in found.next_command and found.settings["l"] == 2
    (note,) = found.notes
    assert note.startswith("The sensitive column 'illness' is empty in 20 of 60 rows.")
    third = frame.with_columns(pl.col("illness").fill_null("asthma"))
    found = profile_table(table_from_frame(third, quasi="age", sensitive="illness"))
    assert found.settings["l"] == 3 and not found.notes


def test_a_release_says_that_a_missing_value_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ill.csv").write_text("age,illness\n" + "30,flu\n30,gout\n30,\n" * 20)
    roles = ["ill.csv", "--quasi", "age", "--sensitive", "illness", "-l", "3", "--seed", "1"]
    for line in (["generalize", *roles, "-k", "5"], ["bucketize", *roles]):
        assert main(line) == 0
        said = " ".join(capsys.readouterr().err.split())
        assert said.count("A missing value counts as one of the ℓ different values.") == 1, line


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
