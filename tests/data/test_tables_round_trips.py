"""What is written is read back: every format and every dataframe library, nulls and any text included."""

from __future__ import annotations

import gzip
import itertools
import tempfile
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tacit import InputError, OutputError, UsageError, read_table, table_from_frame, write_table
from tacit.data.column import encode, text_of
from tests.strategies.frames import DAYS, FLOATS, PLAIN_TEXT, TEXT, TYPES, WHOLE, frames

EXAMPLES = settings(max_examples=60, deadline=None)


AS_IT_IS: dict[str, Any] = {"skip_rows": 0, "skip_last": 0, "recognize": False}
"""Nothing is to be found out: a blank among numbers is no missing value, a sparse header no title."""


def there_and_back(frame: pl.DataFrame, name: str, **reading: Any) -> pl.DataFrame:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        write_table(frame, path)
        assert [found.name for found in Path(folder).iterdir()] == [name]
        return read_table(path, twins="keep", **reading).to_polars()


def as_texts(frame: pl.DataFrame) -> pl.DataFrame:
    return pl.DataFrame([pl.Series(series.name, text_of(series), dtype=pl.String) for series in frame])


@EXAMPLES
@given(frames(), st.sampled_from(["x.csv", "x.tsv", "x.csv.gz", "x.tsv.zst"]))
def test_text(frame: pl.DataFrame, name: str) -> None:
    delimiter = "\t" if ".tsv" in name else ","
    back = there_and_back(frame, name, delimiter=delimiter, **AS_IT_IS)
    assert back.equals(as_texts(frame), null_equal=True)


@EXAMPLES
@given(frames(), st.sampled_from(["x.parquet", "x.arrow", "x.feather"]))
def test_typed_files(frame: pl.DataFrame, name: str) -> None:
    back = there_and_back(frame, name)
    assert back.schema == frame.schema
    assert back.equals(frame, null_equal=True)


@pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.parquet", "x.arrow", "x.xlsx"])
def test_names_that_polars_takes_for_patterns(name: str) -> None:
    frame = pl.DataFrame({"^$": ["a", None], "^a.*$": ["b", "c"], "*": ["d", "d"], "ab": ["e", "f"]})
    reading = {"delimiter": "\t" if ".tsv" in name else ","} if "sv" in name else {}
    assert there_and_back(frame, name, **reading).equals(frame, null_equal=True)


EXCEL = {
    pl.String(): PLAIN_TEXT,
    pl.Int64(): st.integers(-(2**53), 2**53),
    pl.Float64(): st.floats(-1e9, 1e9)
    .map(lambda value: float(f"{value:.15g}"))
    .filter(lambda value: value % 1),
    pl.Boolean(): st.booleans(),
    pl.Date(): DAYS,
}


@EXAMPLES
@given(frames(EXCEL))
def test_excel(frame: pl.DataFrame) -> None:
    frame = frame.rename({name: f"c{place}" for place, name in enumerate(frame.columns)})
    assume(any(value is not None for value in frame.row(-1)))
    back = there_and_back(frame, "x.xlsx", recognize=False)
    # A column without a value has no type in a workbook.
    wanted = frame.cast(
        {name: pl.String for name in frame.columns if frame[name].null_count() == frame.height}
    )
    assert back.equals(wanted, null_equal=True)


@EXAMPLES
@given(frames({pl.String(): TEXT, pl.Int64(): WHOLE, pl.Float64(): FLOATS}))
def test_sqlite(frame: pl.DataFrame) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.sqlite"
        names = {name: f"c{place} \" '" for place, name in enumerate(frame.columns)}
        write_table(frame.rename(names), path, table='the "people"')
        back = read_table(path, table='the "people"', twins="keep").to_polars()
    for series, name in zip(frame, names.values(), strict=True):
        if series.null_count() < len(series):  # SQLite knows the type of a value, not of a column
            assert back[name].equals(series, null_equal=True)


@EXAMPLES
@given(frames(), st.sampled_from(["pandas", "pyarrow", "duckdb", "polars"]))
def test_dataframes(frame: pl.DataFrame, library: str) -> None:
    frame = frame.rename({name: f"c{place}" for place, name in enumerate(frame.columns)})
    given_back = table_from_frame(frame, twins="keep").to_frame(library)
    assert library in type(given_back).__module__
    again = table_from_frame(given_back, twins="keep")
    assert again.to_polars().equals(frame, null_equal=True)
    assert type(again.to_frame(given_back)) is type(given_back)


@EXAMPLES
@given(st.sampled_from(list(TYPES)), st.data())
def test_encoding_is_a_sorted_dictionary(dtype: pl.DataType, data: st.DataObject) -> None:
    values = data.draw(st.lists(st.none() | TYPES[dtype], max_size=30))
    series = pl.Series("x", values * data.draw(st.sampled_from([1, 50])), dtype=dtype)
    column = encode(series)
    assert column.to_series().equals(series, null_equal=True)
    present = column.values.drop_nulls()
    assert all(low < high for low, high in itertools.pairwise(present.to_list()))
    assert column.values.null_count() == (column.null_code is not None) == (series.null_count() > 0)
    assert column.counts.sum() == len(series) and (column.counts > 0).all()
    assert not column.codes.flags.writeable
    kept = np.arange(0, len(series), 3)
    assert column.take(kept).to_series().equals(series.gather(kept), null_equal=True)
    assert (column.take(kept).counts > 0).all()


def test_many_texts_are_encoded_by_the_same_rule() -> None:
    texts = pl.Series("x", [f"v{number % 130_000}" for number in range(200_000)] + [None])
    column = encode(texts)
    assert column.to_series().equals(texts, null_equal=True)
    assert column.values.drop_nulls().is_sorted()


def test_the_same_table_gives_the_same_bytes(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": ["x", None], "b": [1, 2]})
    for name in ("x.csv", "x.csv.gz", "x.csv.zst", "x.parquet", "x.arrow", "x.xlsx"):
        for folder in ("one", "two"):
            write_table(frame, tmp_path / folder / name)
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes(), name


def test_text_is_quoted_only_where_it_must_be(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {"a,b": ["plain", 'q"q', "", None, "two\nlines", " spaced "], "c": [1.0, 1e22, 0.1, None, -0.0, 2.5]}
    )
    write_table(frame, tmp_path / "x.csv")
    written = (tmp_path / "x.csv").read_bytes().decode()
    assert written == ('"a,b",c\nplain,1.0\n"q""q",1e+22\n"",0.1\n,\n"two\nlines",0.0\n spaced ,2.5\n')


def test_formulas_are_disarmed_on_request(tmp_path: Path) -> None:
    cells = ["=1+1", "+1", "-1.5", "-1+1", "@x", "\tx", "x=1", None, "-", "+1e5", '="q"']
    frame = pl.DataFrame({"=name": cells})
    write_table(frame, tmp_path / "x.csv", spreadsheet_safe=True)
    back = read_table(tmp_path / "x.csv")
    assert back.names == ("'=name",)
    assert back.to_polars().to_series().to_list() == [
        "'=1+1", "+1", "-1.5", "'-1+1", "'@x", "'\tx", "x=1", None, "'-", "+1e5", "'=\"q\"",
    ]  # fmt: skip
    write_table(frame, tmp_path / "y.csv")
    assert read_table(tmp_path / "y.csv", twins="keep").to_polars().equals(frame, null_equal=True)


def test_text_stays_text_in_a_workbook(tmp_path: Path) -> None:
    cells = ["=1+1", "http://example.org", "1", "01", "TRUE", "_x000D_", " spaced ", "two\nlines", "<&>"]
    frame = pl.DataFrame({"a": cells})
    write_table(frame, tmp_path / "x.xlsx")
    assert read_table(tmp_path / "x.xlsx").to_polars().equals(frame)


def test_what_a_workbook_cannot_hold(tmp_path: Path) -> None:
    exact = pl.DataFrame(
        {
            "large": [2**53 + 1, 1],
            "early": [datetime(1850, 1, 1).date(), None],
            "fine": [datetime(2020, 1, 1, 1, 2, 3, 4), datetime(2020, 1, 1)],
            "span": [timedelta(days=1), timedelta(hours=1)],
            "endless": [float("inf"), 1.5],
            "long": [0.1 + 0.2, 1.5],  # seventeen digits
        }
    )
    write_table(exact, tmp_path / "x.xlsx")
    assert read_table(tmp_path / "x.xlsx").to_polars().equals(as_texts(exact), null_equal=True)
    for frame in (
        pl.DataFrame({"a": ["x", ""]}),
        pl.DataFrame({"a": ["x", None]}),
        pl.DataFrame({"a": ["x" * 40_000]}),
        pl.DataFrame({"a": ["x\ry"]}),
    ):
        with pytest.raises(OutputError) as caught:
            write_table(frame, tmp_path / "y.xlsx")
        assert caught.value.code == "excel-limit"
        assert not (tmp_path / "y.xlsx").exists()


def test_what_no_text_file_can_hold(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="NUL"):
        write_table(pl.DataFrame({"a": ["x\0y"]}), tmp_path / "x.csv")
    assert list(tmp_path.iterdir()) == []


def test_an_output_is_never_guessed_or_overwritten(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": [1]})
    for call in (
        lambda: write_table(frame, tmp_path / "x.unknown"),
        lambda: write_table(frame, tmp_path / "x.csv", format="xls"),
        lambda: write_table(frame, tmp_path / "x.csv", table="t"),
        lambda: write_table(frame, tmp_path / "x.sqlite"),
        lambda: write_table(frame, tmp_path / "x.parquet.gz"),
        lambda: write_table(frame, tmp_path / "x.sqlite", table="a.b"),
        lambda: write_table([1, 2], tmp_path / "x.csv"),
    ):
        with pytest.raises(UsageError):
            call()
    with pytest.raises(InputError, match="counted"):
        write_table(pl.DataFrame({"a": [[1, 2]]}), tmp_path / "x.csv")
    assert list(tmp_path.iterdir()) == []
    write_table(frame, tmp_path / "x.data", format="csv")
    with pytest.raises(OutputError):
        write_table(frame, tmp_path / "x.data", format="csv")
    write_table(pl.DataFrame({"b": [2]}), tmp_path / "x.data", format="csv", overwrite=True)
    assert read_table(tmp_path / "x.data").names == ("b",)


def test_compressed_text_is_compressed(tmp_path: Path) -> None:
    write_table(pl.DataFrame({"a": ["x"] * 1000}), tmp_path / "x.csv.gz")
    assert gzip.decompress((tmp_path / "x.csv.gz").read_bytes()) == b"a\n" + b"x\n" * 1000
