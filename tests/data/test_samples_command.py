"""``tacit sample`` as a person would type it."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from tacit.io.hierarchies import read_hierarchies, read_hierarchy
from tacit.io.readers import read_transactions
from tacit.io.samples import SAMPLES, load_sample
from tacit.surface.cli import main


@pytest.fixture(autouse=True)
def in_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_list_shows_every_sample(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sample", "--list"]) == 0
    shown = capsys.readouterr().out
    assert all(sample.name in shown and sample.help in shown for sample in SAMPLES)
    assert main(["sample", "--list", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["samples"]) == len(SAMPLES)


def test_hospital_with_names_and_hierarchies(capsys: pytest.CaptureFixture[str]) -> None:
    command = [
        "sample",
        "hospital",
        "-o",
        "patients.csv",
        "--rows",
        "300",
        "--seed",
        "4",
        "--hierarchies",
        "trees",
    ]
    Path("patients.csv").write_text("of yesterday\n")
    assert main([*command, "--overwrite", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["records"] == 300 and told["file"] == "patients.csv"
    written = pl.read_csv("patients.csv", infer_schema=False)
    assert written.columns[:2] == ["patient_id", "name"]
    table = load_sample("hospital:300", seed=4)
    assert written["disease"].to_list() == table.to_polars()["disease"].to_list()  # type: ignore[union-attr]
    trees = read_hierarchies("trees", ["zip", "age", "sex"])
    for name, tree in trees.items():
        tree.leaves_of(written[name].unique().to_list())
    assert len(trees) == 3


def test_supermarket_as_dat(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sample", "supermarket:400", "-o", "baskets.dat", "--hierarchies", "."]) == 0
    assert "400 records" in capsys.readouterr().out
    baskets = read_transactions("baskets.dat", hierarchy="products.csv")
    assert baskets.sets() == load_sample("supermarket:400").sets()  # type: ignore[union-attr]
    tree = read_hierarchy("products.csv")
    assert tree.labels[tree.root] == "all-products"


def test_an_output_that_is_there_is_kept_unless_told(capsys: pytest.CaptureFixture[str]) -> None:
    Path("baskets.dat").write_text("mine\n")
    assert main(["sample", "quest:100", "-o", "baskets.dat"]) == 6
    assert "--overwrite" in capsys.readouterr().err
    assert Path("baskets.dat").read_text() == "mine\n"
    assert main(["sample", "quest:100", "-o", "baskets.dat", "--overwrite"]) == 0
    assert len(read_transactions("baskets.dat")) == 100


def test_a_hierarchy_that_is_there_stops_all_of_it() -> None:
    Path("products.csv").write_text("mine\n")
    assert main(["sample", "supermarket:50", "-o", "baskets.dat", "--hierarchies", "."]) == 6
    assert [file.name for file in Path().iterdir()] == ["products.csv"]


@pytest.mark.parametrize(
    ("arguments", "exit_code", "code"),
    [
        (["sample"], 2, "usage"),
        (["sample", "hospital"], 2, "usage"),
        (["sample", "hospitall", "-o", "x.csv"], 2, "unknown-sample"),
        (["sample", "adult", "-o", "x.csv", "--rows", "5"], 2, "sample-size"),
        (["sample", "quest", "-o", "x.dat", "--rows", "0"], 2, "sample-size"),
        (["sample", "quest", "-o", "x.dat", "--rows", "many"], 2, "parameter-range"),
        (["sample", "quest:10", "-o", "x.dat", "--seed", "-1"], 2, "parameter-range"),
        (["sample", "webview1", "-o", "x.dat"], 3, "sample-missing"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_mistakes_are_told_and_write_nothing(
    arguments: list[str],
    exit_code: int,
    code: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("TACIT_DATA", raising=False)
    assert main([*arguments, "--json"]) == exit_code
    assert json.loads(capsys.readouterr().out)["error"]["code"] == code
    assert list(Path().iterdir()) == []
