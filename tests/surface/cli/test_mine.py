"""``tacit mine`` as a person types it."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from tacit.surface.cli import main


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "b.dat").write_text("1 2 3\n1 2\n1 2 4\n3 4\n\n")
    rows = ["male,flu"] * 6 + ["female,flu"] * 3 + ["female,ovarian cancer"] * 3
    (tmp_path / "p.csv").write_text("\n".join(["sex,disease", *rows]) + "\n")
    return tmp_path


def _json(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_itemsets(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = _json(capsys, "mine", "itemsets", "b.dat", "--min-support", "3")
    assert (found["n_rows"], found["count"]) == (5, 3)
    assert [entry["items"] for entry in found["items"]] == [["1"], ["2"], ["1", "2"]]


def test_rules_and_their_files(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("mine", "rules", "b.dat", "--min-support", "2", "--min-confidence", "0.6")
    listed = _json(capsys, *arguments)
    for name, read in {"r.csv": pl.read_csv, "r.json": pl.read_json, "r.parquet": pl.read_parquet}.items():
        written = _json(capsys, *arguments, "--output", name)
        assert written["rules"] == name and written["count"] == listed["count"] == 2
        assert read(here / name).get_column("count").to_list() == [3, 3]
    assert main([*arguments, "--output", "r.csv"]) == 6
    assert main([*arguments, "--output", "r.csv", "--overwrite"]) == 0
    assert main([*arguments, "--output", "r.txt"]) == 2
    assert sorted(path.name for path in here.iterdir()) == ["b.dat", "p.csv", "r.csv", "r.json", "r.parquet"]


def test_infinite_conviction_is_null_in_json(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = _json(capsys, "mine", "rules", "b.dat", "--min-support", "3", "--min-confidence", "1")
    assert [rule["conviction"] for rule in found["rules"]] == [None, None]


def test_rules_of_a_table(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = _json(
        capsys, "mine", "rules", "p.csv", "--quasi", "sex", "--sensitive", "disease",
        "--min-support", "3", "--min-confidence", "0.9",
    )  # fmt: skip
    assert [(r["antecedent"], r["consequent"], r["count"]) for r in found["rules"]] == [
        (["sex = male"], ["disease = flu"], 6)
    ]


def test_negative_rules(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = (
        "mine",
        "negative",
        "p.csv",
        "--quasi",
        "sex",
        "--sensitive",
        "disease",
        "--min-expectation",
        "0.8",
    )
    found = _json(capsys, *arguments)
    assert found["count"] == 1
    assert found["invalid_histogram"] == [6, 6]
    assert main(arguments) == 0
    assert "sex = male ⇒ ¬ disease = ovarian cancer" in capsys.readouterr().out
    (here / "drop.txt").write_text("sex=male => not disease=ovarian cancer\n")
    assert _json(capsys, *arguments, "--drop-rules", "drop.txt")["count"] == 0
    (here / "add.txt").write_text("sex=female => not disease=flu\n")
    assert main([*arguments, "--rules", "add.txt"]) == 3
    assert "add.txt, line 1" in capsys.readouterr().err


def test_an_explosion_is_a_matter_of_resources(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mine", "itemsets", "b.dat", "--min-support", "1", "--max-itemsets", "3"]) == 5
    assert "gives" in capsys.readouterr().err
