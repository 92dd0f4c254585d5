"""The one form of transactions: numbered by name, ascending, repeats and empty records counted."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.data.column import encode
from tacit.data.transactions import from_pairs, from_rows, sorted_names, transactions_from_sets
from tacit.errors import InputError

NAMES = st.sampled_from(["0", "1", "9", "10", "01", "milk", "bread", "é", "𝔘", "×", "a b"])
RECORDS = st.lists(st.lists(NAMES, max_size=40), max_size=12)


@settings(deadline=None, max_examples=200)
@given(RECORDS)
def test_records_are_sets_in_the_order_of_names(records: list[list[str]]) -> None:
    transactions = transactions_from_sets(records)
    assert transactions.sets() == [frozenset(record) for record in records]
    for record in np.split(transactions.items, transactions.indptr[1:-1]) if len(records) else []:
        assert (np.diff(record) > 0).all()
    occurring = {name for record in records for name in record}
    assert list(transactions.vocabulary) == sorted_names(occurring)
    assert transactions.supports.tolist() == [
        sum(name in record for record in records) for name in transactions.vocabulary
    ]
    repeated = sum(len(record) - len(set(record)) for record in records)
    assert any(str(repeated) in note and "collapsed" in note for note in transactions.notes) == (repeated > 0)


@settings(deadline=None, max_examples=100)
@given(RECORDS, st.randoms())
def test_pairs_in_any_order_give_the_same_transactions(records: list[list[str]], random: object) -> None:
    vocabulary = sorted({name for record in records for name in record} | {"unused"})
    pairs = [(row, vocabulary.index(name)) for row, record in enumerate(records) for name in record]
    random.shuffle(pairs)  # type: ignore[attr-defined]
    rows = np.array([row for row, _ in pairs], dtype=np.int64)
    codes = np.array([code for _, code in pairs], dtype=np.int64)
    transactions = from_pairs(rows, codes, len(records), vocabulary)
    assert transactions.sets() == [frozenset(record) for record in records]
    assert "unused" not in transactions.vocabulary


@settings(deadline=None, max_examples=100)
@given(RECORDS, st.data())
def test_taking_rows(records: list[list[str]], data: st.DataObject) -> None:
    sensitive = encode(pl.Series("s", [str(row % 3) for row in range(len(records))], dtype=pl.String))
    transactions = transactions_from_sets(records, sensitive=sensitive)
    mask = np.array(
        data.draw(st.lists(st.booleans(), min_size=len(records), max_size=len(records))), dtype=bool
    )
    taken = transactions.take(mask)
    kept = [record for record, chosen in zip(records, mask, strict=True) if chosen]
    assert taken.sets() == [frozenset(record) for record in kept]
    assert set(taken.vocabulary) == {name for record in kept for name in record}
    assert taken.sensitive is not None
    assert taken.sensitive.to_series().to_list() == [str(row % 3) for row in np.flatnonzero(mask)]
    again = transactions.take(np.flatnonzero(mask))
    assert again.sets() == taken.sets()


def test_taking_a_row_that_is_not_there() -> None:
    with pytest.raises(IndexError):
        transactions_from_sets([["a"]]).take(np.array([1]))


def test_numbers_out_of_range_never_reach_a_kernel() -> None:
    one = np.array([1], dtype=np.int32)
    with pytest.raises(ValueError, match="record"):
        from_pairs(one, one, 1, ["a", "b"])
    with pytest.raises(ValueError, match="item"):
        from_pairs(one, one, 2, ["a"])
    with pytest.raises(ValueError, match="item"):
        from_rows(np.array([0, 1]), np.array([-1], dtype=np.int32), ["a"])


@settings(deadline=None, max_examples=100)
@given(st.lists(st.lists(st.sampled_from("abc"), max_size=8), max_size=8))
def test_a_multiset_names_how_often(records: list[list[str]]) -> None:
    names = ["a", "b", "c"]
    codes = np.array([names.index(name) for record in records for name in record], dtype=np.int32)
    indptr = np.cumsum([0, *map(len, records)], dtype=np.int64)
    transactions = from_rows(indptr, codes, names, multiset=True)
    expected = [
        frozenset(name if record.count(name) == 1 else f"{name}×{record.count(name)}" for name in set(record))
        for record in records
    ]
    assert transactions.sets() == expected


def test_a_multiset_name_that_is_taken_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        from_rows(np.array([0, 3]), np.array([0, 0, 1], dtype=np.int32), ["milk", "milk×2"], multiset=True)
    assert caught.value.code == "multiset-name"


@settings(deadline=None)
@given(st.sets(st.text(st.sampled_from("019٣a"), max_size=3), max_size=6))
def test_names_are_ordered_by_size_only_where_all_are_plain_numbers(names: set[str]) -> None:
    plain = all(name.isascii() and name.isdigit() and str(int(name)) == name for name in names)
    assert sorted_names(names) == sorted(names, key=int if plain else str.encode)


def test_names_of_numbers_are_ordered_by_size_however_long() -> None:
    names = ["1" + "0" * 5000, "9", "10", "0"]
    assert sorted_names(names) == ["0", "9", "10", names[0]]
    assert transactions_from_sets([names]).vocabulary == ("0", "9", "10", names[0])


def test_empty_records_are_kept_and_counted() -> None:
    transactions = transactions_from_sets([[], ["a"], []])
    assert transactions.lengths.tolist() == [0, 1, 0]
    assert transactions.notes == ("2 transactions are empty and kept.",)


def test_unknown_items_are_named() -> None:
    with pytest.raises(InputError, match="beer"):
        transactions_from_sets([["milk"]]).codes_of(["milk", "beer"])
