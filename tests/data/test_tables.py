"""Reading tables: roles, missing values, twins, types, hierarchies, and where the data may come from."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
import unicodedata
from collections import Counter
from datetime import date
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit import InputError, Table, UsageError, read_table, table_from_frame
from tacit.data.hierarchy import from_parents
from tacit.data.spelling import number_notes, settle_spelling
from tacit.errors import Place

PEOPLE = b"name,zip,age,disease\nAnn,10115,41,flu\nBob,10117,27,ulcer\nCyd,10115,,flu\n"


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_bytes(PEOPLE)
    return path


def values(table: Table, name: str) -> list[object]:
    return table.column(name).to_series().to_list()


def test_roles(people: Path) -> None:
    table = read_table(people, quasi="zip, age", sensitive="disease", identifiers=["name"])
    assert table.roles.quasi == ("zip", "age") and table.roles.sensitive == ("disease",)
    assert table.names == ("zip", "age", "disease") and len(table) == 3
    assert [column.name for column in table.quasi] == ["zip", "age"]
    assert table.format == "csv" and table.origin == str(people)
    assert values(table, "age") == ["41", "27", None]
    with pytest.raises(UsageError):
        table.column("name")


@pytest.mark.parametrize(
    ("roles", "code"),
    [
        ({"quasi": "zip,wage"}, "unknown-column"),
        ({"identifiers": "nobody"}, "unknown-column"),
        ({"quasi": "zip", "sensitive": "zip"}, "two-roles"),
        ({"quasi": ("zip", "zip")}, "two-roles"),
        ({"keep": "name", "identifiers": "name"}, "two-roles"),
    ],
)
def test_wrong_roles(people: Path, roles: dict[str, object], code: str) -> None:
    for source in (people, pl.read_csv(people)):
        with pytest.raises(UsageError) as caught:
            read_table(source, **roles)  # type: ignore[arg-type]
        assert caught.value.code == code


def test_missing_values(people: Path) -> None:
    own = read_table(people, quasi="age", sensitive="disease")
    assert own.column("age").null_code == 2 and own.nulls == "own"
    suppressed = read_table(people, quasi="age", sensitive="disease", nulls="suppress")
    assert len(suppressed) == 2 and suppressed.column("age").null_code is None
    assert values(suppressed, "name") == ["Ann", "Bob"]
    assert any("1 of 3" in note for note in suppressed.notes)
    with pytest.raises(InputError) as caught:
        read_table(people, quasi="age", nulls="reject")
    assert caught.value.where == Place(str(people), 4, "age")
    # Only columns with a role count, and all of them where none has one.
    assert len(read_table(people, quasi="zip", nulls="reject")) == 3
    with pytest.raises(InputError):
        read_table(people, nulls="reject")


def test_the_line_of_a_missing_value_counts_lines_inside_cells(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text('a,b\n"one\ntwo\r\nthree",1\nx,2\ny,\n')
    with pytest.raises(InputError) as caught:
        read_table(path, quasi="a,b", nulls="reject")
    assert caught.value.where is not None and caught.value.where.line == 6


def test_texts_that_mean_missing(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text('a,b\n?,1\n"?",NA\n,\n"",x\n')
    table = read_table(path, null_values=["?", "NA"])
    assert values(table, "a") == [None, None, None, ""] and values(table, "b") == ["1", None, None, "x"]
    assert not table.notes
    as_text = read_table(path)
    assert values(as_text, "a") == ["?", "?", None, ""]
    assert any("'?'" in note for note in as_text.notes) and any("'NA'" in note for note in as_text.notes)
    frame = read_table(pl.DataFrame({"a": ["?", "", None]}), null_values="?")
    assert values(frame, "a") == [None, "", None]


def test_twins_are_refused_with_the_place_of_the_second(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a\nulcer\nFlu\nflu\n")
    with pytest.raises(InputError) as caught:
        read_table(path, sensitive="a")
    assert caught.value.code == "text-case-twins"
    assert caught.value.where == Place(str(path), 4, "a", "flu")
    assert any("'Flu' and 'flu'" in note for note in read_table(path).notes)


def test_folding_keeps_the_most_frequent_spelling(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a\nflu\nFLU\nflu \nFlu\nFLU\nulcer\n\nFLU\u200b\n")
    folded = read_table(path, quasi="a", twins="fold")
    assert values(folded, "a") == ["FLU"] * 5 + ["ulcer", None, "FLU"]
    kept = read_table(path, quasi="a", twins="keep")
    assert len(kept.column("a").values) == 7 and len(kept.notes) == 1


def _folded(text: str) -> str:
    """One text per group of twins, from the definition."""
    unseen = (0xAD, 0x180E, 0xFEFF)
    spans = ((0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x2064), (0x2066, 0x2069))
    zero_width = dict.fromkeys([*unseen, *(code for low, high in spans for code in range(low, high + 1))])
    plain = unicodedata.normalize("NFC", text.translate(zero_width)).strip()
    return unicodedata.normalize("NFC", plain.upper().lower())


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.text("aAéÉe\u0301\u200bsSßſς σΣ", max_size=4), min_size=1, max_size=8),
    st.booleans(),
)
def test_twins_by_definition(texts: list[str], with_null: bool) -> None:
    counts = Counter(texts)
    distinct = sorted(counts, key=str.encode)
    series = pl.Series("x", [*distinct, *([None] if with_null else [])], dtype=pl.String)
    supports = np.array([counts[text] for text in distinct] + [1] * with_null)
    hidden = any("\u200b" in text for text in distinct)
    twins = len({_folded(text) for text in distinct}) < len(distinct)

    def settle(option: str) -> object:
        return settle_spelling(
            series, lambda: supports, twins=option, subject="x", place=lambda code: Place(value=series[code])
        )

    if not hidden and not twins:
        for option in ("refuse", "fold", "keep"):
            settled = settle(option)
            assert settled.codes is None and settled.values.equals(series) and not settled.notes
        return
    with pytest.raises(InputError) as caught:
        settle("refuse")
    assert (caught.value.code == "text-zero-width") == hidden
    kept = settle("keep")
    assert kept.codes is None and len(kept.notes) == 1
    folded = settle("fold")
    assert folded.codes is not None
    became = [folded.values[int(code)] for code in folded.codes]
    assert became[len(distinct) :] == [None] * with_null
    for one, text in zip(became, distinct, strict=False):
        assert _folded(one) == _folded(text)
        assert one == one.strip() == unicodedata.normalize("NFC", one) and "\u200b" not in one
    assert len(set(became)) == len({_folded(text) for text in distinct}) + with_null
    assert folded.values.drop_nulls().is_sorted()


@settings(max_examples=300, deadline=None)
@given(st.lists(st.from_regex(r"\A([+-]?0{0,2}[0-9]{0,2}\.?[0-9]{0,2}0?|x|1e5)\Z"), max_size=6, unique=True))
def test_numbers_spelled_twice_are_noted(texts: list[str]) -> None:
    groups = Counter()
    for text in texts:
        if text.strip("+-.") and text not in ("x", "1e5"):
            groups[Decimal(text) + 0] += 1
    twice = sum(count > 1 for count in groups.values())
    notes = number_notes(pl.Series(sorted(texts), dtype=pl.String), "x")
    assert len(notes) == bool(twice)
    assert not twice or f"({twice} of them)" in notes[0]


def test_cells_are_text_and_a_number_spelled_twice_is_noted(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,b\n1,2020-01-01\n1.0,true\n01,9007199254740993\n1,nan\n")
    table = read_table(path, quasi="a,b")
    assert table.column("a").texts == ["01", "1", "1.0"]
    assert any("'01', '1', '1.0'" in note for note in table.notes)
    assert table.column("b").texts == ["2020-01-01", "9007199254740993", "nan", "true"]


def test_frames_keep_their_types() -> None:
    frame = pl.DataFrame(
        {
            "large": [2**53 + 1, 2**53],
            "day": [date(2020, 1, 2), date(2020, 1, 1)],
            "truth": [True, False],
            "price": [Decimal("1.50"), Decimal("1.05")],
            "kind": pl.Series(["b", "a"], dtype=pl.Categorical),
            "nothing": [None, None],
        }
    )
    table = table_from_frame(frame, quasi=frame.columns)
    assert table.column("large").texts == ["9007199254740992", "9007199254740993"]
    assert table.column("day").texts == ["2020-01-01", "2020-01-02"]
    assert table.column("truth").texts == ["false", "true"]
    assert table.column("price").texts == ["1.05", "1.50"]
    assert table.column("kind").texts == ["a", "b"]
    assert table.column("nothing").texts == [None]
    assert any("'nothing'" in note for note in table.notes)


def test_what_is_not_a_number_is_missing() -> None:
    table = table_from_frame(pl.DataFrame({"x": [1.5, float("nan"), None, float("inf"), -0.0, 0.0]}))
    assert table.column("x").texts == ["0.0", "1.5", "inf", None]
    assert any("1 values that are not a number" in note for note in table.notes)
    with pytest.raises(InputError):
        table_from_frame(pl.DataFrame({"x": [float("nan")]}), quasi="x", nulls="reject")


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        (pd.DataFrame({"a": [1, "x"]}), "mixed-types"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "duplicate-column"),
        (pa.table([[1], [2]], names=["a", "a"]), "duplicate-column"),
        (pl.DataFrame({"a": [[1]]}), "unsupported-type"),
        (pl.DataFrame({"a": [b"x"]}), "unsupported-type"),
        (pl.DataFrame({"": [1], "a": [1]}), "empty-column-name"),
        (pl.DataFrame({"a": []}), "no-rows"),
    ],
)
def test_frames_that_cannot_be_used(frame: object, code: str) -> None:
    with pytest.raises(InputError) as caught:
        read_table(frame, quasi="a")
    assert caught.value.code == code


def test_columns_of_lists_without_a_role_are_left_out() -> None:
    table = table_from_frame(pl.DataFrame({"a": [1], "b": [[1]]}), quasi="a")
    assert table.names == ("a",) and any("'b'" in note for note in table.notes)


def test_what_is_no_dataframe_is_refused() -> None:
    for wrong in (5, [1], {"a": [1]}, None):
        with pytest.raises(UsageError):
            read_table(wrong)
    with pytest.raises(UsageError):
        read_table(pl.DataFrame({"a": [1]}), delimiter=";")
    with pytest.raises(UsageError):
        read_table(pl.DataFrame({"a": [1]})).to_frame("excel")


def test_any_dataframe_comes_in_and_goes_back() -> None:
    import duckdb

    frame = pl.DataFrame({"a": [1, None, 3], "b": ["x", None, "ü"]})
    for given_in in (
        frame,
        frame.lazy(),
        frame.to_pandas(),
        frame.to_arrow(),
        duckdb.from_arrow(frame.to_arrow()),
    ):
        table = read_table(given_in)
        assert table.to_polars()["b"].equals(frame["b"], null_equal=True)
        assert table.to_polars()["a"].cast(pl.Int64).equals(frame["a"], null_equal=True)
    assert table.to_frame(frame).equals(frame)


def test_nothing_depends_on_the_order_of_rows(people: Path, tmp_path: Path) -> None:
    header, *rows = PEOPLE.splitlines(keepends=True)
    (tmp_path / "turned.csv").write_bytes(header + b"".join(reversed(rows)))
    one, other = read_table(people), read_table(tmp_path / "turned.csv")
    for name in one.names:
        assert one.column(name).values.equals(other.column(name).values, null_equal=True)
        assert (one.column(name).codes == other.column(name).codes[::-1]).all()


def test_compressed_files_and_standard_input(
    people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frames = [pl.read_csv(PEOPLE, infer_schema=False)]
    half = len(PEOPLE) // 2
    pack = zstandard.ZstdCompressor().compress
    contents = {
        "x.csv.gz": gzip.compress(PEOPLE),
        "two.csv.gz": gzip.compress(PEOPLE[:half]) + gzip.compress(PEOPLE[half:]),
        "x.csv.zst": pack(PEOPLE),
        "two.csv.zst": pack(PEOPLE[:half]) + pack(PEOPLE[half:]),
        "unnamed": gzip.compress(PEOPLE),
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
        frames.append(read_table(tmp_path / name).to_polars())
    for content in (PEOPLE, gzip.compress(PEOPLE)):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
        table = read_table("-")
        assert table.origin == "standard input"
        frames.append(table.to_polars())
    assert all(frame.equals(frames[0], null_equal=True) for frame in frames)
    for name, content in (("cut.csv.gz", gzip.compress(PEOPLE)[:-9]), ("cut.csv.zst", pack(PEOPLE)[:-3])):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError) as caught:
            read_table(tmp_path / name)
        assert caught.value.code == "file-compressed"


def test_hierarchies(people: Path, tmp_path: Path) -> None:
    folder = tmp_path / "hierarchies"
    folder.mkdir()
    (folder / "zip.csv").write_text("10115;101**;*\n10117;101**;*\n")
    (folder / "other.csv").write_text("a;b;*\n")
    table = read_table(people, quasi="zip,age", sensitive="disease", hierarchies=folder)
    assert list(table.hierarchies) == ["zip"] and table.hierarchies["zip"].n_leaves == 2
    ages = from_parents({"27": "*", "41": "*", "NaN": "*"})
    table = read_table(people, quasi="zip,age", hierarchies={"zip": folder / "zip.csv", "age": ages})
    assert set(table.hierarchies) == {"zip", "age"} and table.hierarchies["age"] is ages
    for wrong, error in (
        ({"wage": ages}, UsageError),
        (tmp_path / "none", InputError),
        (tmp_path, InputError),
    ):
        with pytest.raises(error):
            read_table(people, quasi="age", hierarchies=wrong)


def test_samples() -> None:
    table = read_table("sample:hospital:50")
    assert len(table) == 50 and table.roles.sensitive
    other = read_table("sample:hospital:50", quasi="age", sensitive="disease", identifiers="zip")
    assert other.roles.quasi == ("age",) and "zip" not in other.names and "zip" not in other.hierarchies
    for wrong in ("sample:nothing", "sample:quest"):
        with pytest.raises(UsageError):
            read_table(wrong)
    with pytest.raises(UsageError):
        read_table("sample:hospital", delimiter=";")


def test_adult_as_it_was_published(public_data: Path) -> None:
    names = (
        "age,workclass,fnlwgt,education,education-num,marital-status,occupation,relationship,race,sex,"
        "capital-gain,capital-loss,hours-per-week,native-country,salary"
    )
    options = {
        "header": False,
        "columns": names,
        "skip_initial_space": True,
        "null_values": "?",
        "quasi": names.removesuffix(",salary"),
        "sensitive": "salary",
        "nulls": "suppress",
        "format": "csv",
    }
    train = read_table(public_data / "adult" / "adult.data", **options)  # type: ignore[arg-type]
    test = read_table(public_data / "adult" / "adult.test", skip_rows=1, **options)  # type: ignore[arg-type]
    assert (len(train), len(test)) == (30_162, 15_060)
    assert train.column("salary").texts == ["<=50K", ">50K"]


def test_a_missing_package_says_what_to_install(people: Path, tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "for name in ('fastexcel', 'adbc_driver_sqlite', 'adbc_driver_postgresql', 'xlsxwriter'):\n"
        "    sys.modules[name] = None\n"
        "import tacit\n"
        "for call in (lambda: tacit.read_table('x.xlsx'), lambda: tacit.read_table('x.db', table='t'),\n"
        "             lambda: tacit.write_table(tacit.read_table('people.csv'), 'y.xlsx')):\n"
        "    try:\n"
        "        call()\n"
        "    except tacit.ResourceError as error:\n"
        "        print(error.code, error.hint)\n"
    )
    (tmp_path / "x.xlsx").write_bytes(b"PK\x03\x04")
    (tmp_path / "x.db").write_bytes(b"SQLite format 3\0")
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["missing-extra"] * 3
    assert ["tacit[excel]" in lines[0], "tacit[sql]" in lines[1], "tacit[excel]" in lines[2]] == [True] * 3


def test_excel_sheets_and_headers(tmp_path: Path) -> None:
    import xlsxwriter

    path = tmp_path / "x.xlsx"
    with xlsxwriter.Workbook(path) as workbook:
        first, second = workbook.add_worksheet("one"), workbook.add_worksheet("two")
        first.write_row(0, 0, ["a", "b"])
        first.write_row(1, 0, [1, "x"])
        second.write_row(0, 0, [1, 2.5])
        second.write_row(1, 0, [2, 3])
        mixed = workbook.add_worksheet("mixed")
        mixed.write_column(0, 0, ["a", 1, "x"])
        unnamed = workbook.add_worksheet("unnamed")
        unnamed.write_row(0, 0, ["a", None, "a"])
        unnamed.write_row(1, 0, [1, 2, 3])
        workbook.add_worksheet("empty")
        titled = workbook.add_worksheet("titled")
        titled.write(0, 0, "Staff")
        titled.write_row(2, 0, ["a", "b"])
        titled.write_row(3, 0, [1, "x"])
    assert read_table(path, sheet="one").to_polars().row(0) == (1, "x")
    with pytest.raises(UsageError) as several:
        read_table(path)
    assert several.value.code == "which-sheet" and "'titled'" in str(several.value)
    below = read_table(path, sheet="titled", skip_rows=2)
    assert (below.names, below.to_polars().rows()) == (("a", "b"), [(1, "x")])
    assert read_table(path, sheet="titled", skip_rows=3, header=False, columns="p,q").names == ("p", "q")
    table = read_table(path, sheet="two", header=False, columns="p,q")
    assert table.to_polars().rows() == [(1, 2.5), (2, 3.0)]
    assert read_table(path, sheet="two", header=False).names == ("column1", "column2")
    for sheet, code in (
        ("mixed", "mixed-types"),
        ("unnamed", "empty-column-name"),
        ("empty", "empty-file"),
        ("three", "unknown-sheet"),
    ):
        with pytest.raises((InputError, UsageError)) as caught:
            read_table(path, sheet=sheet)
        assert caught.value.code == code, sheet
    assert "the sheets are" in str(caught.value) and "'titled'" in str(caught.value)
    with pytest.raises(InputError):
        read_table(path, sheet="one", columns="just-one")
    path.write_bytes(b"PK\x03\x04 damaged")
    with pytest.raises(InputError) as caught:
        read_table(path)
    assert caught.value.code == "file-damaged"


def test_with_roles_and_take(people: Path) -> None:
    table = read_table(people, quasi="zip")
    assert table.with_roles(quasi=("age",)).roles.quasi == ("age",)
    taken = table.take(np.array([True, False, False]))
    assert len(taken) == 1 and taken.column("zip").texts == ["10115"]
