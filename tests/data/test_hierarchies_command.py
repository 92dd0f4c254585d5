"""``tacit hierarchy`` as a person uses it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tacit.io.hierarchies import read_hierarchy
from tacit.surface.cli import main

PATIENTS = "zip,age,born,ward\n13053,23,1997-03-01,heart\n13068,31,1989-11-30,lung\n14850,,1989-12-01,heart\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "patients.csv").write_text(PATIENTS)
    (tmp_path / "baskets.dat").write_text("1 2 10\n11 2\n20\n")
    return tmp_path


def _run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    code = main(arguments)
    printed = capsys.readouterr()
    assert code == 0, printed.err
    return printed.out


def test_a_column_of_a_sheet_with_titles_above(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import xlsxwriter

    with xlsxwriter.Workbook("x.xlsx") as workbook:
        workbook.add_worksheet("first")
        sheet = workbook.add_worksheet("staff")
        for row, cells in enumerate([["Staff of 2023"], ["ward", "age"], ["heart", 1], ["lung", 2]]):
            sheet.write_row(row, 0, cells)
    asked = "hierarchy build x.xlsx --sheet staff --skip-rows 1 --column ward --by flat"
    assert _run(capsys, *asked.split()).split() == ["heart;*", "lung;*"]


@pytest.mark.parametrize(
    ("column", "flags", "value", "above"),
    [
        ("age", "--by intervals --width 10 --nesting 2,2", "23", ["20-29", "20-39", "0-39", "*"]),
        ("zip", "--by prefixes --lengths 3,1", "13053", ["130**", "1****", "*"]),
        ("born", "--by dates", "1989-11-30", ["1989-11", "1989", "1980s", "*"]),
        ("ward", "--by flat", "lung", ["*"]),
        ("ward", "--by balanced --fanout 2 --format edges", "lung", ["*"]),
    ],
)
def test_build_writes_a_file_that_fits_the_column(
    folder: Path, capsys: pytest.CaptureFixture[str], column: str, flags: str, value: str, above: list[str]
) -> None:
    command = [
        "hierarchy",
        "build",
        "patients.csv",
        "--column",
        column,
        *flags.split(),
        "-o",
        "h.csv",
        "--json",
    ]
    built = json.loads(_run(capsys, *command))
    hierarchy = read_hierarchy("h.csv")
    assert [hierarchy.labels[node] for node in hierarchy.ancestors(hierarchy.index[value])] == above
    assert (built["file"], built["values"], built["nodes"]) == (
        "h.csv",
        hierarchy.n_leaves,
        hierarchy.n_nodes,
    )
    checked = _run(
        capsys, "hierarchy", "check", "h.csv", "--data", "patients.csv", "--column", column, "--json"
    )
    assert json.loads(checked)["unused"] == 0
    assert main(command) == 6  # never over a file by accident


def test_build_over_the_items_of_transactions(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed = _run(capsys, "hierarchy", "build", "baskets.dat", "--by", "balanced", "--fanout", "2")
    assert printed.splitlines()[:3] == ["1;1..2;1..11;*", "2;1..2;1..11;*", "10;10..11;1..11;*"]


def test_show_prints_a_tree(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "h.csv").write_text("flu;lung;*\nasthma;lung;*\nulcer;stomach;*\n")
    assert _run(capsys, "hierarchy", "show", "h.csv").splitlines() == [
        "*  (3 leaves)",
        "├── lung  (2 leaves)",
        "│   ├── flu",
        "│   └── asthma",
        "└── stomach  (1 leaf)",
        "    └── ulcer",
    ]
    assert len(_run(capsys, "hierarchy", "show", "h.csv", "--depth", "1").splitlines()) == 3
    shown = json.loads(_run(capsys, "hierarchy", "show", "h.csv", "--json"))
    assert shown["tree"]["children"][0]["children"][1] == {"label": "asthma", "leaves": 1}


def test_check_tells_the_shape(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "h.csv").write_text("flu,lung\nlung,*\nulcer,*\n")
    assert "levels above them: 1 to 2" in _run(capsys, "hierarchy", "check", "h.csv")
    (folder / "wards.csv").write_text("heart;*\nlung;*\nskin;*\n")
    said = _run(capsys, "hierarchy", "check", "wards.csv", "--data", "patients.csv", "--column", "ward")
    assert "unused leaves: 1" in said


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ("build patients.csv --by flat", "flag-missing"),
        ("build patients.csv --column age --by intervals", "flag-missing"),
        ("build patients.csv --column age --by flat --fanout 3", "parameter-unused"),
        ("build patients.csv --column age --by flat --overwrite", "parameter-unused"),
        ("build patients.csv --column age --by intervals --width 5 --nesting two", "parameter-range"),
        ("build patients.csv --column age --by magic", "usage"),
        ("build patients.csv --column nothing --by flat", "unknown-column"),
        ("check patients.csv --column age", "flag-without-data"),
    ],
)
def test_a_wrong_call_is_a_usage_error(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: str, code: str
) -> None:
    (folder / "patients.csv").write_text("a,b\nb,*\n" if arguments.startswith("check") else PATIENTS)
    assert main(["hierarchy", *arguments.split(), "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == code


def test_the_output_is_never_the_input(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["hierarchy", "build", "patients.csv", "--column", "ward", "--by", "flat", "-o", "patients.csv"]
    assert main([*command, "--overwrite", "--json"]) == 6
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "output-is-input"
    assert (folder / "patients.csv").read_text() == PATIENTS
