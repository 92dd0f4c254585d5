"""Files just open: of forty messy ones none is read wrongly, and only what is ambiguous is asked."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tacit import read_table, read_transactions
from tacit.data.table import Table
from tacit.errors import InputError, UsageError
from tacit.io.readers.set_formats import looks_like_sets
from tacit.judging.long_form import long_form
from tests.data.messy import Messy, messy_files

QUESTIONS = ("text-utf8", "csv-delimiter", "which-sheet")
"""Refusals that ask how a file is to be read."""


def opened(file: Messy, folder: Path) -> tuple[str, bool]:
    """What became of a file (right, wrong or asked), and whether the user was asked anything."""
    path = folder / file.name
    path.write_bytes(file.data)
    try:
        if path.suffix in (".csv", ".txt") and looks_like_sets(path):
            records = read_transactions(path)
            found = records.sets()
            return ("right" if Counter(found) == Counter(file.sets or ()) else "wrong"), False
        table = read_table(path)
    except (InputError, UsageError) as error:
        return ("asked" if error.code in QUESTIONS else f"refused: {error}"), True
    asked = any("nothing tells" in note for note in table.notes)
    return ("right" if is_right(file, table, path) else "wrong"), asked


def is_right(file: Messy, table: Table, path: Path) -> bool:
    listed = long_form(table)
    if file.long is not None:
        if listed is None or (listed.record, listed.item) != file.long:
            return False
        records = read_transactions(path, record=listed.record, item=listed.item)
        return Counter(records.sets()) == Counter(file.sets or ())
    texts = [table.column(name).texts for name in table.names]
    codes = [table.column(name).codes for name in table.names]
    rows = [tuple(texts[place][code] for place, code in enumerate(row)) for row in zip(*codes, strict=True)]
    return listed is None and table.names == file.names and tuple(rows) == file.rows


def test_forty_messy_files_open(tmp_path: Path) -> None:
    files = messy_files()
    outcomes = {file.name: (file, *opened(file, tmp_path)) for file in files}
    assert len(files) == len(outcomes) >= 40
    wrong = [name for name, (_, outcome, _) in outcomes.items() if outcome not in ("right", "asked")]
    assert wrong == []
    needless = [name for name, (file, _, asked) in outcomes.items() if asked and not file.asked]
    assert needless == []
    missed = [name for name, (file, _, asked) in outcomes.items() if file.asked and not asked]
    assert missed == []


@pytest.mark.parametrize("option", [{"delimiter": ","}, {"encoding": "utf-8"}, {"skip_rows": 0}])
def test_what_was_found_can_be_said_otherwise(tmp_path: Path, option: dict[str, object]) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes("Bericht;;\nä;b;c\n1;2;3\n4;5;6\n7;8;9\n".encode("cp1252"))
    assert read_table(path).names == ("ä", "b", "c")
    with pytest.raises((InputError, UsageError)):
        read_table(path, **option)


def test_signs_that_end_a_line_elsewhere_are_part_of_a_name(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("0\x85,0\x0b,00\n1,2,\n,,\n,,\n,,3\n", encoding="utf-8")
    assert read_table(path).names == ("0\x85", "0\x0b", "00")


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["a,b,,", "a,c,b,", "b,,,", "c,a,b,d", "a,,,", "b,c,,"], "basket"),  # filled up by a sheet
        (["a,b", "a,c,b", "b", "c,a,b,d", "a", "b,c"], "basket"),
        (["id,x,y,z", "1,,a,", "2,a,,a", "3,,,a", "4,a,a,a", "5,,a,a", "6,a,,"], None),  # a table with gaps
        (["x,y,z,w", "a,,,", "a,a,,", "b,a,b,", "a,,,", "b,b,b,b", "b,,,"], None),  # by its names
        (["Some title,,,", "x,y,z,w", "1,,1,", *["1,,1,1", ",1,,1"] * 9, "Total,,,9,9"], None),
    ],
)
def test_a_table_with_missing_cells_is_not_taken_for_sets(
    lines: list[str], expected: str | None, tmp_path: Path
) -> None:
    (file := tmp_path / "x.csv").write_text("\n".join(lines) + "\n")
    assert looks_like_sets(file) == expected


def test_columns_that_are_read_alike_are_named_together(tmp_path: Path) -> None:
    path = tmp_path / "visits.csv"
    path.write_text("weight;height;sex\n71,5;1,80;f\n80,25;1,75;m\n")
    assert read_table(path).notes == (
        "Found and read so: ';' between cells; decimal commas in 'weight', 'height'.",
    )
