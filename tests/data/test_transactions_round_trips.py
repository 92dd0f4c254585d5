"""Written and read back, transactions are the same, in every format and from every dataframe library."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tacit.data.column import encode
from tacit.data.settling import give_back
from tacit.data.transactions import Transactions, transactions_from_sets
from tacit.errors import InputError, OutputError, UsageError
from tacit.io.readers.transactions import read_transactions
from tacit.io.writers import long_frame, write_transactions
from tests.cases import cases

SETTINGS = settings(
    deadline=None, max_examples=cases(60), suppress_health_check=[HealthCheck.function_scoped_fixture]
)

# Any text that can be a name: no NUL, no half characters, no invisible ones, not of blanks alone.
CHARACTERS = st.characters(exclude_categories=["Cs", "Cf"], exclude_characters="\0")
NAMES = st.text(CHARACTERS, min_size=1, max_size=8).filter(str.strip)
NUMBERS = st.integers(0, 10**20).map(str)
VALUES = st.one_of(st.none(), st.text(CHARACTERS, min_size=1, max_size=5))


def records(names: st.SearchStrategy[str], smallest: int = 0) -> st.SearchStrategy[list[list[str]]]:
    """Records of which one at least holds an item."""
    lists = st.lists(st.lists(names, min_size=smallest, max_size=6), min_size=1, max_size=8)
    return lists.filter(any)


def same(found: Transactions, wanted: Transactions) -> None:
    assert found.vocabulary == wanted.vocabulary
    assert found.indptr.tolist() == wanted.indptr.tolist()
    assert found.items.tolist() == wanted.items.tolist()
    if wanted.sensitive is None:
        assert found.sensitive is None
    else:
        assert found.sensitive is not None
        assert found.sensitive.to_series().to_list() == wanted.sensitive.to_series().to_list()


@SETTINGS
@pytest.mark.parametrize("suffix", ["basket", "tsv", "jsonl", "spmf", "basket.gz", "jsonl.zst"])
@given(sets=st.one_of(records(NAMES), records(NUMBERS)))
def test_text_formats(tmp_path: Path, suffix: str, sets: list[list[str]]) -> None:
    if suffix == "spmf":
        assume(not any("\n" in name or "\r" in name for record in sets for name in record))
    wanted = transactions_from_sets(sets)
    write_transactions(wanted, tmp_path / f"x.{suffix}", overwrite=True)
    same(read_transactions(tmp_path / f"x.{suffix}", twins="keep"), wanted)


@SETTINGS
@given(sets=st.one_of(records(NAMES.filter(lambda name: name.split() == [name])), records(NUMBERS)))
def test_fimi(tmp_path: Path, sets: list[list[str]]) -> None:
    wanted = transactions_from_sets(sets)
    path = tmp_path / "x.dat"
    write_transactions(wanted, path, overwrite=True)
    try:
        same(read_transactions(path, twins="keep"), wanted)
    except InputError as error:  # every line one item with a comma: taken for a file of another layout
        assert error.code == "csv-delimiter"
        assert wanted.lengths.max() <= 1


@SETTINGS
@given(sets=records(NAMES), data=st.data())
def test_json_lines_with_a_sensitive_field(
    tmp_path: Path, sets: list[list[str]], data: st.DataObject
) -> None:
    values = data.draw(st.lists(VALUES | st.just("null"), min_size=len(sets), max_size=len(sets)))
    name = data.draw(NAMES.filter(lambda text: text != "items"))
    wanted = transactions_from_sets(sets, sensitive=encode(pl.Series(name, values, dtype=pl.String)))
    write_transactions(wanted, tmp_path / "x.jsonl", overwrite=True)
    same(read_transactions(tmp_path / "x.jsonl", sensitive=name, twins="keep"), wanted)
    same(read_transactions(tmp_path / "x.jsonl", twins="keep"), transactions_from_sets(sets))


@SETTINGS
@pytest.mark.parametrize("suffix", ["csv", "parquet", "arrow"])
@given(sets=records(NAMES, smallest=1), data=st.data())
def test_long_tables(tmp_path: Path, suffix: str, sets: list[list[str]], data: st.DataObject) -> None:
    values = data.draw(st.lists(VALUES, min_size=len(sets), max_size=len(sets)))
    wanted = transactions_from_sets(sets, sensitive=encode(pl.Series("s", values, dtype=pl.String)))
    path = tmp_path / f"x.{suffix}"
    write_transactions(wanted, path, format="long", overwrite=True)
    found = read_transactions(path, record="record", item="item", sensitive="s", twins="keep")
    same(found, wanted)
    assert found.format == "long"


@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow", "duckdb"])
@settings(deadline=None, max_examples=25)
@given(sets=records(NAMES, smallest=1), data=st.data())
def test_dataframes_of_any_library(library: str, sets: list[list[str]], data: st.DataObject) -> None:
    pytest.importorskip(library)
    values = data.draw(st.lists(VALUES, min_size=len(sets), max_size=len(sets)))
    wanted = transactions_from_sets(sets, sensitive=encode(pl.Series("s", values, dtype=pl.String)))
    frame: Any = give_back(long_frame(wanted), library)
    same(read_transactions(frame, record="record", item="item", sensitive="s", twins="keep"), wanted)


def test_the_order_of_rows_in_a_long_table_changes_nothing() -> None:
    frame = long_frame(transactions_from_sets([["a", "b"], ["c"], ["a"]] * 5))
    wanted = read_transactions(frame)
    for seed in range(5):
        same(read_transactions(frame.sample(fraction=1.0, shuffle=True, seed=seed)), wanted)


def test_records_numbered_in_text_are_ordered_by_size(tmp_path: Path) -> None:
    wanted = transactions_from_sets([[f"item {number}"] for number in range(25)])
    write_transactions(wanted, tmp_path / "x.csv", format="long")
    same(read_transactions(tmp_path / "x.csv", record="record", item="item"), wanted)


def test_a_long_table_in_a_database(tmp_path: Path) -> None:
    pytest.importorskip("adbc_driver_sqlite")
    wanted = transactions_from_sets([["a", "b"], ["é"]])
    write_transactions(wanted, tmp_path / "x.sqlite", table="baskets")
    found = read_transactions(tmp_path / "x.sqlite", table="baskets")
    same(found, wanted)


def test_options_that_mean_nothing_to_the_format(tmp_path: Path) -> None:
    for options in ({"delimiter": ","}, {"table": "t", "format": "dat"}):
        with pytest.raises(UsageError) as caught:
            write_transactions(transactions_from_sets([["a"]]), tmp_path / "x.dat", **options)
        assert caught.value.code == "option-format"


def test_what_a_format_cannot_hold_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    sensitive = encode(pl.Series("s", ["x"], dtype=pl.String))
    for suffix in ("dat", "spmf", "basket"):
        with pytest.raises(OutputError) as caught:
            write_transactions(transactions_from_sets([["a"]], sensitive=sensitive), tmp_path / f"x.{suffix}")
        assert caught.value.code == "format-without-sensitive"
    with pytest.raises(OutputError) as caught:
        write_transactions(transactions_from_sets([["a"], []]), tmp_path / "x.csv", format="long")
    assert caught.value.code == "empty-record"
    assert list(tmp_path.iterdir()) == []


def test_the_same_transactions_are_the_same_bytes_and_a_failed_write_leaves_what_was_there(
    tmp_path: Path,
) -> None:
    first, second = tmp_path / "x.dat.gz", tmp_path / "y.dat.gz"
    write_transactions(transactions_from_sets([["b", "a"], ["a"]]), first)
    write_transactions(transactions_from_sets([["a", "b"], ["a", "a"]]), second)
    assert first.read_bytes() == second.read_bytes()
    with pytest.raises(OutputError):
        write_transactions(transactions_from_sets([["a b"]]), first, overwrite=True)
    assert first.read_bytes() == second.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.dat.gz", "y.dat.gz"]
