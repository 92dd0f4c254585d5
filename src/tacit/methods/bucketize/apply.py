"""The plan carried out: rows dealt into buckets, and the published tables in an order that says nothing.

Rows are sorted by their published text and buckets numbered by the rank of their content, so that
neither tells where a row came from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from tacit.arrays.dealing import number_by_content, sorted_rows
from tacit.arrays.grouping import group_rows
from tacit.data.column import Column
from tacit.data.table import Table
from tacit.engine.choice import Bucketing
from tacit.engine.spark.buckets import COUNT, GROUP, SparkBucketized
from tacit.engine.spark.engine import SparkEngine
from tacit.methods.bucketize.solve.plan import Plan
from tacit.random.key import Key
from tacit.typing import AnyArray, Codes, Counts

__all__ = ["COUNT", "GROUP", "Bucketized", "apply_plan"]


@dataclass(frozen=True, eq=False)
class Bucketized:
    """Which bucket each row of the table went to, and the row its sensitive values are shown from.

    ``groups`` counts from 1; a row that is not published has 0. ``sources`` permutes the values
    inside each bucket, for the form that shows one table.
    """

    table: Table
    groups: Codes
    sources: Counts
    n_groups: int
    digest: str

    @property
    def published(self) -> Counts:
        """The rows that are published."""
        return np.flatnonzero(self.groups)

    @property
    def n_published(self) -> int:
        """How many rows are published."""
        return len(self.published)

    def occurring(self, name: str) -> Codes:
        """The codes of a column that occur among the published rows."""
        return np.unique(self.table.column(name).codes[self.published])

    def qit(self) -> list[Column]:
        """The quasi-identifiers and kept columns with the group of each row, sorted by content."""
        shown = self._columns(self.table.roles.known)
        rows = self.published
        order = rows[sorted_rows(_content(shown, rows), self.groups[rows])]
        return [*_taken(shown, order), _numbers(GROUP, self.groups[order])]

    def st(self) -> list[Column]:
        """How often each group holds each sensitive value, sorted by group and value."""
        sensitive = self._columns(self.table.roles.sensitive)
        rows = self.published
        values, groups = _content(sensitive, rows), self.groups[rows]
        order = sorted_rows(groups, values)
        new = np.ones(len(order), dtype=bool)
        new[1:] = (np.diff(groups[order]) != 0) | (np.diff(values[order]) != 0)
        first = np.flatnonzero(new)
        return [
            _numbers(GROUP, groups[order[first]]),
            *_taken(sensitive, rows[order[first]]),
            _numbers(COUNT, np.diff(first, append=len(order))),
        ]

    def permuted(self) -> list[Column]:
        """One table with the sensitive values permuted inside each group, sorted by content."""
        shown = self._columns(self.table.roles.known)
        sensitive = [self._exchanged(name) for name in self.table.roles.sensitive]
        rows = self.published
        order = rows[sorted_rows(_content(shown, rows), self.groups[rows], _content(sensitive, rows))]
        return [
            *_taken(shown, order),
            _numbers(GROUP, self.groups[order]),
            *_taken(sensitive, order),
        ]

    def _columns(self, names: Sequence[str]) -> list[Column]:
        return [self.table.column(name) for name in names]

    def _exchanged(self, name: str) -> Column:
        column = self.table.column(name)
        return Column(name, column.codes[self.sources], column.values)


def apply_plan(
    plan: Plan,
    table: Table,
    names: Sequence[str],
    class_of: Codes,
    *,
    engine: Bucketing,
    key: Key,
    permuted: bool,
) -> Bucketized | SparkBucketized:
    """Deal the rows into the plan's buckets and number the buckets by what is published of them.

    ``class_of`` is the class of each combination of the named columns; ``permuted`` says that the
    published content of a bucket shows its permuted rows.
    """
    slots = np.repeat(np.arange(len(plan), dtype=np.int32), np.diff(plan.offsets))
    kind_of, members, n_kinds = plan.kinds(class_of)
    by_kind = np.argsort(members, kind="stable")
    ends = np.concatenate([[0], np.cumsum(np.bincount(members, minlength=n_kinds))]).astype(np.int64)
    if isinstance(engine, SparkEngine):
        return engine.bucketized(table, names, kind_of, ends, slots[by_kind], key, permuted=permuted)
    dealt = engine.deal(table, names, kind_of, ends, slots[by_kind], key)
    draft = Bucketized(table, dealt.places, dealt.sources, len(plan), dealt.digest)

    everything = np.arange(len(table))
    shown = [table.column(name) for name in table.roles.known]
    sensitive = [draft._exchanged(name) if permuted else table.column(name) for name in table.roles.sensitive]
    contents = (
        [_content([*shown, *sensitive], everything)]
        if permuted
        else [_content(shown, everything), _content(sensitive, everything)]
    )
    numbers = number_by_content(dealt.places, len(plan), contents)
    inside = dealt.places >= 0
    groups = np.where(inside, numbers[np.where(inside, dealt.places, 0)], 0).astype(np.int32)
    return Bucketized(table, groups, dealt.sources, len(plan), dealt.digest)


def _content(columns: Sequence[Column], rows: AnyArray) -> Codes:
    """A number for the published text of each row, in the order of the texts."""
    codes, sizes = [], []
    for column in columns:
        codes.append(column.text_ranks[column.codes[rows]])
        sizes.append(max(1, len(column.values)))
    return group_rows(codes, sizes)[0]


def _taken(columns: Sequence[Column], rows: AnyArray) -> list[Column]:
    """The columns at these rows, without the values that no longer occur."""
    return [column.take(rows) for column in columns]


def _numbers(name: str, numbers: AnyArray) -> Column:
    """Whole numbers as a column."""
    present = np.bincount(numbers) > 0
    codes = (np.cumsum(present, dtype=np.int32) - np.int32(1))[numbers]
    return Column(name, codes, pl.Series(name, np.flatnonzero(present)))
