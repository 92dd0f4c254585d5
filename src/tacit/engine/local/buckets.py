"""Dealing the rows of a table in memory into the buckets of a plan; see :mod:`tacit.engine.base`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from tacit.arrays.groups import deal_out, exchange_inside, group_rows, number_by_content, sorted_rows
from tacit.data.column import Column, encode, frozen
from tacit.data.table import Table
from tacit.engine.base import COUNT, GROUP, Deal
from tacit.io.writers import write_csv
from tacit.random.digests import ranks, record_digests, value_digests
from tacit.random.key import Key
from tacit.random.keyed import digest_of_all, draws, keyed_order
from tacit.typing import AnyArray, Codes, Counts, Words


@dataclass(frozen=True, eq=False)
class Counterfeits:
    """Values that nobody has: each in a group, as a text of the one sensitive column."""

    groups: Codes
    texts: pl.Series

    def beside(self, table: Table, groups: Codes) -> Table:
        """The rows of a table and below them the counterfeits, each looking like somebody of its group."""
        order = np.argsort(groups, kind="stable")
        somebody = order[np.searchsorted(groups[order], self.groups)]
        (column,) = table.sensitive
        held = pl.Series(column.name, column.texts, dtype=pl.String).gather(column.codes)
        both = encode(pl.concat([held, self.texts.alias(column.name)]))
        return table.take(np.concatenate([np.arange(len(table)), somebody])).with_columns([both])


@dataclass(frozen=True, eq=False)
class LocalBucketized:
    """Which bucket each row of the table went to, and the row its sensitive values are shown from.

    ``groups`` counts from 1; a row that is not published has 0. ``sources`` permutes the values
    inside each bucket, for the form that shows one table.
    """

    table: Table
    groups: Codes
    sources: Counts
    digest: str
    shown: Table | None = None
    """The rows as they are published, where their quasi-identifiers are coarser."""
    counterfeits: Counterfeits | None = None

    @property
    def n_counterfeits(self) -> int:
        return 0 if self.counterfeits is None else len(self.counterfeits.groups)

    @property
    def published(self) -> Counts:
        """The rows that are published."""
        return np.flatnonzero(self.groups)

    @property
    def n_published(self) -> int:
        return len(self.published)

    def occurring(self, name: str) -> Codes:
        return np.unique(self.table.column(name).codes[self.published])

    def part(self, table: Table, most: int) -> tuple[Table, Codes, int]:
        if self.counterfeits is None:
            return table, self.groups, 1
        return (
            self.counterfeits.beside(table, self.groups),
            np.concatenate([self.groups, self.counterfeits.groups]),
            1,
        )

    def columns(self, name: str) -> list[Column]:
        return {"qit": self._qit, "st": self._st, "table": self._permuted}[name]()

    def write(self, name: str, file: Path) -> None:
        write_csv(self.columns(name), file, separator=",", spreadsheet_safe=False)

    def row_files(self) -> dict[str, Callable[[Path], object]]:
        def write(path: Path) -> None:
            drawn = self.table.drawn
            rows = np.arange(len(self.groups)) if drawn is None else drawn.rows
            shown = () if self.shown is None else self.shown.quasi
            frame = pl.DataFrame({"row": rows + 1, "group": self.groups})
            frame.with_columns(column.to_series() for column in shown).write_csv(path)

        return {"rows.csv": write}

    def _qit(self) -> list[Column]:
        """The quasi-identifiers and kept columns with the group of each row."""
        rows = self.published
        known = (self.shown or self.table).known
        order = rows[sorted_rows(content(known, rows), self.groups[rows])]
        return [*_taken(known, order), _numbers(GROUP, self.groups[order])]

    def _st(self) -> list[Column]:
        """How often each group holds each sensitive value, sorted by group and value."""
        held, every, _ = self.part(self.table, 0)
        rows = np.flatnonzero(every)
        values, groups = content(held.sensitive, rows), every[rows]
        order = sorted_rows(groups, values)
        new = np.ones(len(order), dtype=bool)
        new[1:] = (np.diff(groups[order]) != 0) | (np.diff(values[order]) != 0)
        first = np.flatnonzero(new)
        return [
            _numbers(GROUP, groups[order[first]]),
            *_taken(held.sensitive, rows[order[first]]),
            _numbers(COUNT, np.diff(first, append=len(order))),
        ]

    def _permuted(self) -> list[Column]:
        """One table with the sensitive values permuted inside each group."""
        rows, sensitive = self.published, exchanged(self.table, self.sources)
        known = (self.shown or self.table).known
        order = rows[sorted_rows(content(known, rows), self.groups[rows], content(sensitive, rows))]
        groups = _numbers(GROUP, self.groups[order])
        return [*_taken(known, order), groups, *_taken(sensitive, order)]


def exchanged(table: Table, sources: Counts) -> list[Column]:
    """The sensitive columns, each row with the values of another."""
    return [Column(column.name, column.codes[sources], column.values) for column in table.sensitive]


def content(columns: Sequence[Column], rows: AnyArray) -> Codes:
    """A number for the published text of each row, in the order of the texts."""
    codes = [column.text_ranks[column.codes[rows]] for column in columns]
    return group_rows(codes, [max(1, len(column.values)) for column in columns])[0]


def _taken(columns: Sequence[Column], rows: AnyArray) -> list[Column]:
    """The columns at these rows, without the values that no longer occur."""
    return [column.take(rows) for column in columns]


def _numbers(name: str, numbers: AnyArray) -> Column:
    """Whole numbers as a column."""
    present = np.bincount(numbers) > 0
    codes = (np.cumsum(present, dtype=np.int32) - np.int32(1))[numbers]
    return Column(name, codes, pl.Series(name, np.flatnonzero(present)))


def deal_in_memory(table: Table, deal: Deal, key: Key) -> LocalBucketized:
    """Deal the rows of each kind out to its places, and number the buckets by what is published of them."""
    columns = [table.column(name) for name in deal.names]
    combination, _ = group_rows(
        [column.codes for column in columns], [len(column.values) for column in columns]
    )
    digests, rank = _records(table, key)
    words = draws(key.subkey("rows: places"), digests, rank)
    order = keyed_order(words, digests, rank)
    dealt = deal_out(order, deal.kind_of[combination], deal.ends, deal.places)
    others = draws(key.subkey("rows: exchange"), digests, rank)
    sources = exchange_inside(order, keyed_order(others, digests, rank), dealt)
    shown = table.with_columns(
        Column(column.name, frozen(column.codes[combination]), column.values) for column in deal.shown
    )
    numbers = _numbered(shown, dealt, sources, permuted=deal.permuted)
    return LocalBucketized(
        table, numbers, sources, _digest(digests, rank, key), shown if deal.shown else None
    )


def place_in_memory(
    table: Table, buckets: Codes, fakes: Codes, texts: pl.Series, key: Key
) -> LocalBucketized:
    """Rows in buckets that were chosen for them, beside counterfeits in the buckets ``fakes``."""
    beside = Counterfeits(fakes, texts).beside(table, buckets)
    everybody = np.concatenate([buckets, fakes])
    known = content(table.known, np.arange(len(table)))
    held = content(beside.sensitive, np.arange(len(beside)))
    n_buckets = int(buckets.max()) + 1
    lists = [_lists(codes, of, n_buckets) for codes, of in ((known, buckets), (held, everybody))]
    numbers = np.empty(n_buckets, dtype=np.int32)
    numbers[sorted(range(n_buckets), key=list(zip(*lists, strict=True)).__getitem__)] = np.arange(
        1, n_buckets + 1
    )
    return LocalBucketized(
        table,
        numbers[buckets],
        np.arange(len(table)),
        _digest(*_records(table, key), key),
        counterfeits=Counterfeits(numbers[fakes], texts),
    )


def _lists(codes: Codes, buckets: Codes, n_buckets: int) -> list[list[int]]:
    """The sorted codes of every bucket."""
    order = np.lexsort((codes, buckets))
    ends = np.cumsum(np.bincount(buckets, minlength=n_buckets))[:-1]
    return [part.tolist() for part in np.split(codes[order], ends)]


def _records(table: Table, key: Key) -> tuple[Words, Counts]:
    """The digest of each record, and its rank among equal ones."""
    # Every column that is published takes part, so that records of equal digest look the same.
    subkey = key.subkey("rows: content")
    published = [table.column(name) for name in dict.fromkeys((*table.roles.known, *table.roles.sensitive))]
    digests = record_digests(
        [(column.codes, value_digests(subkey, column.name, column.texts)) for column in published]
    )
    return digests, ranks(digests)


def _digest(digests: Words, rank: Counts, key: Key) -> str:
    """A keyed digest of all records, whatever their order."""
    return digest_of_all(key.subkey("rows: digest"), digests, rank)


def _numbered(table: Table, dealt: Codes, sources: Counts, *, permuted: bool) -> Codes:
    """The number of each row's bucket, from 1 by the rank of its content; 0 for a row without one."""
    everything = np.arange(len(table))
    apart = [list(table.known), list(table.sensitive)]
    parts = [[*table.known, *exchanged(table, sources)]] if permuted else apart
    n_buckets = int(dealt.max(initial=-1)) + 1
    numbers = number_by_content(dealt, n_buckets, [content(part, everything) for part in parts])
    return np.where(dealt >= 0, numbers[np.maximum(dealt, 0)], 0).astype(np.int32)
