"""Whose records a release shows, in words that do not depend on how the file is written: for the ledger.

A cell of a table is a 32-bit keyed digest of its value in one spelling (:mod:`tacit.io.canonical`); the
name of its column is not in it, so that a renamed column is the same column still. A row over some columns
is the sum of its cells, each mixed with the place of its column. A transaction is two words: one of all its
items, and one of three of them (those with the smallest digests), which is the same still where other items
were added or taken out. Identifiers are dropped on reading and are never seen here.

An earlier version of the ledger kept a word for each record instead: of a person's quasi-identifiers with
their names, or of all items of a transaction, told apart by rank where several are alike. Releases that it
has on record are still compared so (:meth:`Records.digests`): always by the columns of the earlier release.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from tacit.data.column import Column
from tacit.data.table import Table
from tacit.data.transactions import Transactions
from tacit.io.canonical import canonical
from tacit.judging.sameness import Contents, contents
from tacit.random.digests import ranks, record_digests, set_digests, value_digests
from tacit.random.key import Key
from tacit.typing import AnyArray, Codes, Counts, Floats, Words

MOST_COLUMNS = 16
"""So many columns of a table are looked at, those with a role first."""
FEW_ITEMS = 3
Cells = npt.NDArray[np.uint32]

_PURPOSE = "ledger: likeness"
_APART = 1.5
"""Row numbers lie so close together that they span no more than so many numbers a row."""


@dataclass(frozen=True, eq=False)
class Held:
    """One column: row r holds the digest ``values[codes[r]]``; the values are sorted."""

    name: str
    codes: Codes
    values: Cells
    counts: Counts
    numbers_rows: bool = False

    @property
    def shares(self) -> Floats:
        return self.counts / max(1, len(self.codes))


class PeopleLikeness:
    """The people in some rows of a table."""

    def __init__(self, table: Table, rows: Counts, key: Key) -> None:
        roles = table.roles
        person = [] if table.person not in table.names else [table.person]
        # Who is who and what they have must be known; that is told in the order of the roles.
        taken = {*list(dict.fromkeys([*person, *roles.sensitive, *roles.known, *table.names]))[:MOST_COLUMNS]}
        order = dict.fromkeys([*person, *roles.quasi, *roles.sensitive, *roles.keep, *table.names])
        names = [name for name in order if name in taken]
        held = (_held(table.column(name), rows, key, person=name in person) for name in names)
        self.columns = [one for one in held if one is not None]
        self.n_records = len(rows)
        places = {column.name: place for place, column in enumerate(self.columns)}
        self.person = places.get(table.person) if table.person is not None else None
        shown = [*roles.sensitive, *roles.known]
        self.shown = tuple(places[name] for name in shown if name in places)
        self._contents: dict[tuple[int, ...], Contents] = {}

    def cells(self, rows: Counts) -> Cells:
        """The cells of some rows, a row for each and a column for each column."""
        if not self.columns:
            return np.zeros((len(rows), 0), dtype=np.uint32)
        return np.column_stack([column.values[column.codes[rows]] for column in self.columns])

    def words(self, places: tuple[int, ...]) -> Words:
        """A word for each row by its cells in these columns."""
        words = np.zeros(self.n_records, dtype=np.uint64)
        for place in places:
            column = self.columns[place]
            words += mixed(column.values, place)[column.codes]
        return words

    def contents(self, places: tuple[int, ...]) -> Contents:
        """The different rows over these columns."""
        if places not in self._contents:
            self._contents[places] = self.contents_of(places)
        return self._contents[places]

    def contents_of(self, places: tuple[int, ...]) -> Contents:
        """The same, which is not kept."""
        chances = np.ones(self.n_records)
        for place in places:
            column = self.columns[place]
            chances *= column.shares[column.codes]
        return contents(self.words(places), chances)


class SetsLikeness:
    """Some transactions."""

    def __init__(self, transactions: Transactions, rows: Counts, key: Key) -> None:
        items = canonical(pl.Series(transactions.vocabulary, dtype=pl.String))
        texts = items.fill_null(pl.Series(transactions.vocabulary, dtype=pl.String)).to_list()
        digests = value_digests(key.subkey(_PURPOSE), "", texts)[:, 0]
        supports = np.bincount(transactions.items, minlength=len(digests))
        half = 0.5 / max(1, len(transactions))
        shares = np.clip(supports / max(1, len(transactions)), half, 1 - half)
        whole = _sums(digests[transactions.items], transactions)
        odds = _sums((np.log(shares) - np.log1p(-shares))[transactions.items], transactions)
        chance = np.exp(odds + np.log1p(-shares).sum())
        part, part_chance = _parts(transactions, digests, shares)
        self.words = np.column_stack([whole, part])[rows]
        self.n_records = len(rows)
        self.contents = tuple(
            contents(self.words[:, view], chances[rows]) for view, chances in enumerate((chance, part_chance))
        )


Likeness = PeopleLikeness | SetsLikeness


def mixed(cells: Cells, place: int) -> Words:
    """A 64-bit word for each cell of the column at this place (the finalizer of SplitMix64)."""
    words = cells.astype(np.uint64) + np.uint64((place + 1) * 0x9E3779B97F4A7C15 % (1 << 64))
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def cell_digests(texts: Iterable[str | None], key: Key) -> Cells:
    """What stands for values in one spelling."""
    found: Cells = value_digests(key.subkey(_PURPOSE), "", list(texts))[:, 0].astype(np.uint32)
    return found


def _held(column: Column, rows: Counts, key: Key, *, person: bool) -> Held | None:
    """A column as the ledger sees it; None for a single value and for row numbers, which say nothing.

    Numbers that tell people apart say who is who.
    """
    texts = canonical(column.values)
    numbers_rows = _are_row_numbers(texts, len(column))
    if numbers_rows and not person:
        return None
    digests = cell_digests(texts.to_list(), key)
    values, place = np.unique(digests, return_inverse=True)
    codes = place.astype(np.int32)[column.codes[rows]]
    counts = np.bincount(codes, minlength=len(values))
    return Held(column.name, codes, values, counts, numbers_rows) if (counts > 0).sum() > 1 else None


def _are_row_numbers(texts: pl.Series, n_rows: int) -> bool:
    if len(texts) < n_rows or texts.null_count() or not texts.str.contains(r"^\d{1,18}$").all():
        return False
    numbers = texts.cast(pl.Int64)
    return int(numbers.max()) - int(numbers.min()) < _APART * n_rows  # type: ignore[arg-type]


def _sums(values: AnyArray, transactions: Transactions) -> AnyArray:
    """The sum over each transaction of a value for each of its items; words wrap around."""
    ends = np.concatenate([np.zeros(1, dtype=values.dtype), np.cumsum(values, dtype=values.dtype)])
    sums: AnyArray = ends[transactions.indptr[1:]] - ends[transactions.indptr[:-1]]
    return sums


def _parts(transactions: Transactions, digests: Words, shares: Floats) -> tuple[Words, Floats]:
    """A word for the few items of each transaction with the smallest digests, and how likely they are."""
    order = np.argsort(digests)
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(len(order))
    words = np.zeros(len(transactions), dtype=np.uint64)
    logs = np.zeros(len(transactions))
    last = np.full(len(transactions), len(order))  # up to here an item would have been among the few
    there = np.flatnonzero(np.diff(transactions.indptr))
    left = ranks[transactions.items]
    sizes = np.diff(transactions.indptr)[there]
    for number in range(FEW_ITEMS):
        if not len(there):
            break
        least = np.minimum.reduceat(left, transactions.indptr[there])
        has = least < len(order)
        item = order[least[has]]
        words[there[has]] += digests[item]
        logs[there[has]] += np.log(shares[item]) - np.log1p(-shares[item])
        if number == FEW_ITEMS - 1:
            last[there[has]] = least[has] + 1
        left[left == np.repeat(least, sizes)] = len(order)
    absent = np.concatenate([[0.0], np.cumsum(np.log1p(-shares[order]))])
    return words, np.exp(logs + absent[last])


ITEMS = "items"
MOST_COUNTED = 5_000_000
"""Up to so many people of a table on Spark are known to the ledger, each by the counts of their look, and up
to so many transactions."""


@dataclass(frozen=True, eq=False)
class Records:
    """The published ``rows`` of some data; ``columns`` are a table's quasi-identifiers."""

    data: Table | Transactions
    rows: Counts
    columns: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    def have(self, columns: tuple[str, ...]) -> bool:
        """Whether these columns, of another release, are columns of these records too."""
        if isinstance(self.data, Table):
            return bool(columns) and set(columns) <= set(self.data.names)
        return not columns

    def digests(self, key: Key, columns: tuple[str, ...]) -> Words:
        """A keyed 64-bit word for each record by its content in these columns and its rank there."""
        from tacit.random.keyed import draws

        content = key.subkey("ledger: content")
        if isinstance(self.data, Table):
            shown = (self.data.column(name) for name in columns)
            found = record_digests(
                [(one.codes[self.rows], value_digests(content, one.name, one.texts)) for one in shown]
            )
        else:
            items = value_digests(content, ITEMS, self.data.vocabulary)
            found = set_digests(self.data.indptr, self.data.items, items)[self.rows]
        # Digests add up value by value, and only a keyed hash of them may be kept.
        return draws(key.subkey("ledger: record"), found, ranks(found))

    def likeness(self, key: Key) -> Likeness:
        """What these records hold, as the ledger compares it."""
        kind = PeopleLikeness if isinstance(self.data, Table) else SetsLikeness
        return kind(self.data, self.rows, key)  # type: ignore[arg-type]

    def spellings(self, name: str) -> list[str | None]:
        """The values of a column, each in one spelling."""
        assert isinstance(self.data, Table)
        return canonical(self.data.column(name).values).to_list()

    def looks(self, columns: tuple[str, ...], rows: Counts) -> pl.DataFrame:
        """What the people in these rows look like: the columns in one spelling."""
        assert isinstance(self.data, Table)
        shown = [self.data.column(name) for name in columns]
        return pl.DataFrame(
            [canonical(column.values).gather(column.codes[rows]).alias(column.name) for column in shown]
        )


def people_of(table: Table, columns: tuple[str, ...]) -> Records | None:
    """Everybody in a table by their look in these columns; None for more people on Spark than are counted."""
    here = table.in_memory(columns, MOST_COUNTED)
    return None if here is None else Records(here, np.arange(len(here)), columns)


def sets_of(transactions: Transactions) -> Records | None:
    """All transactions by what they hold; None for more of them on Spark than are counted."""
    here = transactions.in_memory(MOST_COUNTED)
    return None if here is None else Records(here, np.arange(len(here)))
