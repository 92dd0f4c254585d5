"""Files just open: of forty messy ones none is read wrongly, and only what is ambiguous is asked."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest
import zstandard

from tacit import read_table, read_transactions
from tacit.data.table import Table
from tacit.errors import InputError, UsageError
from tacit.io.readers.formats import looks_like_sets
from tacit.judging.profile import long_form
from tests.data.messy import Messy, messy_files, workbook

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


def table_of(text: str, folder: Path, name: str = "file.csv", **told: object) -> Table:
    (folder / name).write_text(text)
    return read_table(folder / name, **told)  # type: ignore[arg-type]


VALUES = "34,m,01067,Grippe\n35,w,01067,Angina\n61,m,80331,Grippe\n22,w,80331,Angina\n"
DAYS = "2024-01-03,Ann,5.5\n2024-02-01,Bob,6.25\n2024-03-09,Cem,7.0\n2024-03-10,Dora,9.5\n"
WORDS = "m,Grippe\nw,Angina\nm,Grippe\nw,Angina\nw,Grippe\nm,Angina\n"
YEARS = "region,2019,2020,2021\nA,1,2,3\nB,2,3,4\nC,3,4,5\nA,4,5,6\n"
QUESTIONS_OF_TWO = "ward,2024\nA,17\nB,2300\nA,40\nB,800\n"
ITEMS_AS_COLUMNS = "12,57,103\n0,1,0\n1,1,0\n0,0,1\n1,0,1\n"
NAMES_ABOVE_NUMBERS = "34,age\nx,34\ny,35\nx,36\ny,37\n"


@pytest.mark.parametrize(("text", "rows"), [(VALUES, 4), (DAYS, 4), (f"Export\n\n{VALUES}Total,4,,\n", 4)])
def test_a_file_without_a_header_keeps_its_first_row(text: str, rows: int, tmp_path: Path) -> None:
    table = table_of(text, tmp_path)
    assert len(table) == rows and table.names[0] == "column1"
    assert "the first line as a record" in table.notes[0]
    assert table_of(text, tmp_path, header=True).names[0] in ("34", "2024-01-03")  # as somebody says
    first = text[text.index("34") :].partition("\n")[0] if "34" in text else text.partition("\n")[0]
    kept = table.to_polars().row(0)
    assert kept == tuple(first.split(","))


@pytest.mark.parametrize("text", [YEARS, QUESTIONS_OF_TWO, ITEMS_AS_COLUMNS, NAMES_ABOVE_NUMBERS])
def test_numbers_that_name_columns_stay_names(text: str, tmp_path: Path) -> None:
    table = table_of(text, tmp_path)
    assert len(table) == text.count("\n") - 1 and table.names == tuple(text.partition("\n")[0].split(","))
    assert not any("first line" in note for note in table.notes)


def test_a_first_line_that_may_be_either_is_asked_about(tmp_path: Path) -> None:
    table = table_of(WORDS, tmp_path)
    assert table.names == ("m", "Grippe") and "header=False (--no-header)" in table.notes[0]
    assert len(table_of(WORDS, tmp_path, header=False)) == 6
    assert table_of(WORDS, tmp_path, quasi="m").notes == ()  # somebody calls a column so
    with pytest.raises(UsageError, match="nosuch"):
        table_of(VALUES, tmp_path, quasi="nosuch")


NAMED = "zip,age,sex,charge,disease"
RECORDS = [
    f"101{10 + n % 4},{20 + n},{'mf'[n % 2]},{n * 37 % 500}.5,{('flu', 'gout')[n % 2]}" for n in range(40)
]


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ("\n".join(["sep=,", NAMED, *RECORDS]), "the header below 1 line"),
        (
            "\n".join(f"{line}," for line in [NAMED, *RECORDS]),
            "without a column that has neither a name nor a",
        ),
        ("\n".join(line.replace(",", ",,", 1) + "," for line in [NAMED, *RECORDS]), "without 2 columns that"),
        ("\n".join([NAMED, *RECORDS, "(40 rows)"]), "without the last line"),
        ("\n".join([NAMED, *RECORDS, "", "40 rows selected."]), "without the last line"),
        ("\ufeff\ufeff" + "\n".join([NAMED, *RECORDS]), None),
        ("\r\n".join([NAMED, *RECORDS]) + "\r\n\x1a", None),
        (
            "\r\n".join([NAMED, *RECORDS]).replace(",", "\t").encode("utf-16"),
            "UTF-16 text; '\\t' between cells",
        ),
        ("\n".join(["# exported today", "# by nobody", NAMED, *RECORDS]), "the header below 2 lines"),
        ("\n".join([NAMED, *RECORDS]).replace("flu", '"flu\n(late), or so"'), None),
    ],
)
def test_tables_inside_other_things_open(data: str | bytes, told: str | None, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(data if isinstance(data, bytes) else data.encode())
    table = read_table(tmp_path / "x.csv")
    assert table.names == tuple(NAMED.split(",")) and len(table) == len(RECORDS)
    assert set(table.column("zip").texts) == {"10110", "10111", "10112", "10113"}
    assert (told or "") in " ".join(table.notes) and (told is not None or table.notes == ())


@pytest.mark.parametrize(
    ("lines", "line", "what"),
    [
        ([NAMED, "[code],[years],,[EUR],", *RECORDS], 2, "words in columns of numbers: 1"),
        ([NAMED, *RECORDS[:20], NAMED, *RECORDS[20:]], 22, "words in columns of numbers: 1"),
        ([NAMED, *RECORDS, ",,,,", ",,,,"], 42, "hardly a value: 2"),
        ([NAMED, *RECORDS, ",,,9999.5,"], 42, "hardly a value: 1"),
        ([NAMED, "Ward A,,,,", *RECORDS[:20], "Ward B,,,,", *RECORDS[20:]], 2, "hardly a value: 2"),
        ([NAMED, *RECORDS[:20], "Subtotal,,,7.5,", *RECORDS[20:], "Total,,,9.5,"], 22, "hardly a value: 1"),
    ],
)
def test_rows_that_are_no_records_are_told_of(lines: list[str], line: int, what: str, tmp_path: Path) -> None:
    notes = table_of("\n".join(lines) + "\n", tmp_path, quasi="age,sex").notes
    kind, _, count = what.partition(": ")
    assert any(kind in note and f": {count}, the first in line {line}." in note for note in notes)


@pytest.mark.parametrize(
    ("data", "code", "hint"),
    [
        ("\n".join([NAMED, *(f"{record}," for record in RECORDS)]), "csv-ragged", "ends with a delimiter"),
        ("\n".join([NAMED, *(f'"{n}",{one}' for n, one in enumerate(RECORDS))]), "csv-ragged", "R writes"),
        ("\n".join([f",Person,,Stay,\n{NAMED}", *RECORDS]), "empty-column-name", "--skip-rows 1"),
        (
            "\n".join([f"Place,Person,Person,Stay,Stay\n{NAMED}", *RECORDS]),
            "duplicate-column",
            "--skip-rows 1",
        ),
        (
            " zip | age\n-----+----\n" + " 10115 | 34\n" * 30 + "(30 rows)\n",
            "csv-delimiter",
            "--delimiter '|'",
        ),
        ("<html><table><tr><td>zip</td></tr></table></html>\n", "file-format", "save it as CSV"),
        (
            '[\n{"zip": "10115", "age": 34},\n{"zip": "10117", "age": 35}\n]\n',
            "file-format",
            "Name the format",
        ),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "file-format", "save it as CSV"),
    ],
)
def test_what_cannot_be_told_is_refused_with_the_next_step(
    data: str | bytes, code: str, hint: str, tmp_path: Path
) -> None:
    (tmp_path / "x.csv").write_bytes(data if isinstance(data, bytes) else data.encode())
    with pytest.raises(InputError) as caught:
        read_table(tmp_path / "x.csv")
    assert caught.value.code == code and hint in str(caught.value.hint)


def test_a_blank_column_of_a_workbook_is_left_out(tmp_path: Path) -> None:
    rows = [["age", None, "sex"], *([30 + n, None, "mf"[n % 2]] for n in range(9))]
    (tmp_path / "x.xlsx").write_bytes(workbook(("Daten", rows)))
    table = read_table(tmp_path / "x.xlsx")
    assert table.names == ("age", "sex") and "without a column that has neither" in table.notes[0]
    (tmp_path / "x.xlsx").write_bytes(workbook(("Daten", [rows[0], *([n, n, "m"] for n in range(9))])))
    with pytest.raises(InputError, match="no name"):
        read_table(tmp_path / "x.xlsx")


def test_a_null_of_a_database_is_missing(tmp_path: Path) -> None:
    table = table_of("a\tb\n" + "".join(f"{n}\tx\n" for n in range(9)) + "\\N\tx\n", tmp_path, "x.tsv")
    assert table.column("a").null_code is not None and "as missing" in table.notes[0]


def test_money_and_percentages_are_numbers_without_their_unit(tmp_path: Path) -> None:
    text = "name;price;share;weight\nA;51,48 €;5 %;1 kg\nB;1.200,00 €;7 %;2 kg\nC;-3,20 €;9 %;3 kg\n"
    table = table_of(text, tmp_path)
    assert table.to_polars().row(0) == ("A", "51.48", "5", "1 kg")
    assert table.to_polars()["price"].to_list() == ["51.48", "1200.00", "-3.20"]
    assert "decimal commas without '€' in 'price'" in table.notes[0]
    mixed = table_of("name,price\nA,5 €\nB,6 $\nC,7 €\n", tmp_path)
    assert mixed.column("price").texts == ["5 €", "6 $", "7 €"] and mixed.notes == ()
    assert table_of("a,b\nx,$5\ny,$7.5\nz,$1\n", tmp_path).column("b").texts == ["1", "5", "7.5"]
    plain = table_of(text, tmp_path, recognize=False)
    assert plain.to_polars().row(0) == ("A", "51,48 €", "5 %", "1 kg")


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
def test_a_list_of_orders_is_noticed_however_it_is_packed(suffix: str, tmp_path: Path) -> None:
    text = "order;product\n" + "".join(f"{n // 3};{'abcde'[n % 5]}\n" for n in range(300))
    path = tmp_path / f"orders.csv{suffix}"
    packed = {"": bytes, ".gz": gzip.compress, ".zst": zstandard.compress}[suffix]
    path.write_bytes(packed(text.encode()))
    orders = read_transactions(path)
    assert len(orders) == 100 and set(orders.vocabulary) == set("abcde")
    assert "an item a line" in orders.notes[0]


@pytest.mark.parametrize("sign", [",", ";"])
def test_a_blank_line_is_told_without_guesses_about_the_delimiter(sign: str, tmp_path: Path) -> None:
    text = "a,b,c\n1.5,2,3\n\n4.5,5,6\n7.5,8,9\n"
    text = text if sign == "," else text.replace(",", ";").replace(".", ",")
    with pytest.raises(InputError, match="the line is blank") as caught:
        table_of(text, tmp_path)
    assert caught.value.hint is not None and caught.value.hint.startswith("Take the blank line out")


def test_columns_that_are_read_alike_are_named_together(tmp_path: Path) -> None:
    path = tmp_path / "visits.csv"
    path.write_text("weight;height;sex\n71,5;1,80;f\n80,25;1,75;m\n")
    assert read_table(path).notes == (
        "Found and read so: ';' between cells; decimal commas in 'weight', 'height'.",
    )


def test_a_heading_over_several_columns_is_passed_over_as_the_error_says(tmp_path: Path) -> None:
    """The rows of a personnel list with "Person" merged over three columns and "Job" over two."""
    heading: list[object] = ["Person", "", "", "Job", ""]
    rows = [
        heading,
        ["age", "sex", "zip", "ward", "pay"],
        *([30 + n, "fm"[n % 2], "01067", "A", 9] for n in range(9)),
    ]
    (tmp_path / "x.xlsx").write_bytes(workbook(("Daten", rows)))
    with pytest.raises(InputError) as caught:
        read_table(tmp_path / "x.xlsx")
    assert caught.value.code == "mixed-types" and "skip_rows=1 (--skip-rows 1)" in str(caught.value)
    assert read_table(tmp_path / "x.xlsx", skip_rows=1).names == ("age", "sex", "zip", "ward", "pay")


def test_subtotals_are_told_of_and_a_source_as_wide_as_the_table_ends_it(tmp_path: Path) -> None:
    """A spreadsheet writes every line with all delimiters, also those of a total and a source."""
    records = [f"{ward};{30 + n};{'mw'[n % 2]};{'xyz'[n % 3]}" for ward in "AB" for n in range(20)]
    lines = [*records[:20], "Zwischensumme A;20;;", *records[20:], "Gesamt;40;;", "Quelle: KIS;;;"]
    table = table_of("\n".join(["ward;age;sex;dx", *lines]) + "\n", tmp_path)
    assert len(table) == 41 and "without the last 2 lines" in table.notes[0]
    assert table.notes[1].startswith(
        "Rows that hold a word for a total at their beginning, and not all values: 1,"
    )
    assert "line 22" in table.notes[1]
    plain = "\n".join(
        ["name;age;sex;dx", *("Total Care;30;;x" if n % 2 else "Ann;31;m;y" for n in range(40))]
    )
    assert len(table_of(plain + "\n", tmp_path)) == 40  # a word that half of the records begin with
