"""The plan carried out: rows dealt into buckets, and the published tables in an order that says nothing.

Rows are sorted by their published text and buckets numbered by the rank of their content, so that
neither tells where a row came from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from tacit.buckets.plan import Plan
from tacit.data.column import Column
from tacit.data.table import Table
from tacit.engine.dealing import TableDealing
from tacit.kernels.dealing import number_by_content
from tacit.kernels.grouping import group_rows
from tacit.kernels.key import Key
from tacit.typing import AnyArray, Codes, Counts

GROUP, COUNT = "group", "count"
"""The names of the columns that a release adds."""


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

    def qit(self) -> pl.DataFrame:
        """The quasi-identifiers and kept columns with the group of each row, sorted by content."""
        columns = [self.table.column(name) for name in self.table.roles.published]
        rows = self.published
        order = rows[_sorted_rows(columns, rows, last=self.groups)]
        return _texts(columns, order).with_columns(pl.Series(GROUP, self.groups[order]))

    def st(self) -> pl.DataFrame:
        """How often each group holds each sensitive value, sorted by group and value."""
        columns = [self.table.column(name) for name in self.table.roles.sensitive]
        rows = self.published
        value, _ = _content(columns, rows)
        groups = self.groups[rows]
        width = int(value.max(initial=0)) + 1
        pairs, first, counts = np.unique(
            groups.astype(np.int64) * width + value, return_index=True, return_counts=True
        )
        frame = _texts(columns, rows[first])
        return frame.insert_column(0, pl.Series(GROUP, pairs // width)).with_columns(pl.Series(COUNT, counts))

    def permuted(self) -> pl.DataFrame:
        """One table with the sensitive values permuted inside each group, sorted by content."""
        shown = [self.table.column(name) for name in self.table.roles.published]
        sensitive = [self._exchanged(name) for name in self.table.roles.sensitive]
        rows = self.published
        ranks, _ = _content(shown, rows)
        values, _ = _content(sensitive, rows)
        order = rows[np.lexsort((values, self.groups[rows], ranks))]
        group = pl.Series(GROUP, self.groups[order])
        return pl.concat(
            [_texts(shown, order).with_columns(group), _texts(sensitive, order)], how="horizontal"
        )

    def _exchanged(self, name: str) -> Column:
        column = self.table.column(name)
        return Column(name, column.codes[self.sources], column.values)


def apply_plan(
    plan: Plan,
    table: Table,
    names: Sequence[str],
    class_of: Codes,
    *,
    engine: TableDealing,
    key: Key,
    permuted: bool,
) -> Bucketized:
    """Deal the rows into the plan's buckets and number the buckets by what is published of them.

    ``class_of`` is the class of each combination of the named columns; ``permuted`` says that the
    published content of a bucket shows its permuted rows.
    """
    slots = np.repeat(np.arange(len(plan), dtype=np.int32), np.diff(plan.offsets))
    by_class = np.argsort(plan.members, kind="stable")
    counts = np.bincount(plan.members, minlength=len(plan.classes))
    ends = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    dealt = engine.deal(table, names, class_of, ends, slots[by_class], key)
    draft = Bucketized(table, dealt.places, dealt.sources, len(plan), dealt.digest)

    everything = np.arange(len(table))
    shown = [table.column(name) for name in table.roles.published]
    sensitive = [draft._exchanged(name) if permuted else table.column(name) for name in table.roles.sensitive]
    contents = (
        [_content([*shown, *sensitive], everything)[0]]
        if permuted
        else [_content(shown, everything)[0], _content(sensitive, everything)[0]]
    )
    numbers = number_by_content(dealt.places, len(plan), contents)
    inside = dealt.places >= 0
    groups = np.where(inside, numbers[np.where(inside, dealt.places, 0)], 0).astype(np.int32)
    return Bucketized(table, groups, dealt.sources, len(plan), dealt.digest)


def _content(columns: Sequence[Column], rows: AnyArray) -> tuple[Codes, Counts]:
    """A number for the published text of each row, in the order of the texts."""
    codes, sizes = [], []
    for column in columns:
        ranks = _text_ranks(column)
        codes.append(ranks[column.codes[rows]])
        sizes.append(int(ranks.max(initial=0)) + 1)
    for column in columns:
        # A missing value and an empty text sort alike; what is left tells them apart.
        if column.null_code is not None and "" in column.texts:
            codes.append((column.codes[rows] == column.null_code).astype(np.int32))
            sizes.append(2)
    return group_rows(codes, sizes)


def _text_ranks(column: Column) -> Codes:
    """The rank of each value's text among the texts of its column, as UTF-8 bytes sort."""
    texts = ["" if text is None else text for text in column.texts]
    ranks = {text: rank for rank, text in enumerate(sorted(set(texts), key=str.encode))}
    return np.array([ranks[text] for text in texts], dtype=np.int32)


def _sorted_rows(columns: Sequence[Column], rows: AnyArray, *, last: Codes) -> Counts:
    content, _ = _content(columns, rows)
    return np.lexsort((last[rows], content))


def _texts(columns: Sequence[Column], rows: AnyArray) -> pl.DataFrame:
    """The columns as text, as a CSV cell shows them."""
    return pl.DataFrame(
        [
            pl.Series(column.name, column.texts, dtype=pl.String).gather(column.codes[rows])
            for column in columns
        ]
    )
