"""A bucketized release as its judges see it: rows in buckets, and beside them the truth.

The judges know nothing of how the buckets were made. The truth, which row holds which value, serves
to tell whether an attack guessed right and what a query should have answered; and because it is one
of the possible assignments, all others can be told from it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from tacit.arrays.compiled import interruptible
from tacit.arrays.groups import group_rows, group_sorted, sorted_rows
from tacit.data.table import Table
from tacit.engine.base import Combinations
from tacit.knowledge.assignments import shares
from tacit.knowledge.row_classes import RowClasses, row_classes
from tacit.mining.knowledge import NegativeRules
from tacit.typing import Codes, Counts, Floats, Offsets

T = TypeVar("T")
MOST_ROWS = 200_000
"""Of larger releases every n-th bucket is asked queries."""
MOST_READERS = 3
"""So many readers are kept: of no rules, of the stated ones, and of longer ones."""


@dataclass(frozen=True, eq=False)
class Buckets:
    """Row ``rows[i]`` of the table is published in bucket ``groups[i]``, counted from 0."""

    table: Table
    rows: Counts
    groups: Codes
    shown: Table | None = None
    """The rows of the table as they are published, where their quasi-identifiers are coarser."""
    n_counterfeits: int = 0
    """So many rows at the end are nobody's: their values are published, and they are not."""
    _seen: dict[int, tuple[NegativeRules | None, Entries]] = field(default_factory=dict, repr=False)
    _known: dict[object, tuple[tuple[object, ...], Any]] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def n_people(self) -> int:
        """How many rows are somebody's; they come first."""
        return len(self.rows) - self.n_counterfeits

    @property
    def n_buckets(self) -> int:
        return int(self.groups.max(initial=-1)) + 1

    @property
    def as_published(self) -> Buckets:
        """The same buckets of the rows as they are published."""
        return self if self.shown is None else Buckets(self.shown, self.rows, self.groups)

    @cached_property
    def values_held(self) -> Codes:
        """The value that each row has: the code of its combination of sensitive values."""
        entries = self.entries(None)
        return entries.classes.values[entries.members[entries.entry_of]]

    @cached_property
    def combinations(self) -> tuple[Combinations, Codes]:
        """The combinations of known columns and sensitive attributes, and that of each row."""
        names = (*self.table.roles.known, *self.table.roles.sensitive)
        columns = [self.table.column(name) for name in names]
        held, first = group_rows(
            [column.codes[self.rows] for column in columns], [len(column.values) for column in columns]
        )
        codes = np.column_stack([column.codes[self.rows[first]] for column in columns])
        found = Combinations(
            names=names,
            texts=tuple(tuple(column.texts) for column in columns),
            codes=np.ascontiguousarray(codes, dtype=np.int32),
            counts=np.bincount(held, minlength=len(first)).astype(np.int64),
        )
        return found, held

    @cached_property
    def known_codes(self) -> Codes:
        """Shape (attributes, rows): the codes of the columns that a reader knows."""
        return np.array([column.codes[self.rows] for column in self.table.known], dtype=np.int32)

    @cached_property
    def known_ends(self) -> Offsets:
        """Where the codes of each known column begin, when they are numbered one after the other."""
        return np.cumsum([0, *(len(column.values) for column in self.table.known)]).astype(np.int64)

    def entries(self, knowledge: NegativeRules | None) -> Entries:
        """What a reader with this knowledge sees: how many rows of each class every bucket has."""
        if id(knowledge) not in self._seen:
            if len(self._seen) == MOST_READERS:  # beside the one who knows nothing, those seen last are kept
                self._seen.pop(next(key for key in self._seen if key != id(None)))
            self._seen[id(knowledge)] = (knowledge, self._entries(knowledge))
        return self._seen[id(knowledge)][1]

    def once(self, work: Callable[..., T], *readers: NegativeRules | None) -> T:
        """What some work finds in these buckets for readers with this knowledge, done once."""
        key = (work, *map(id, readers))
        if key not in self._known:
            self._known[key] = (readers, work(self, *readers))
        found: T = self._known[key][1]
        return found

    def _entries(self, knowledge: NegativeRules | None) -> Entries:
        combinations, held = self.combinations
        if self.n_counterfeits and knowledge is not None:  # beside counterfeits values may have other codes
            for name in self.table.roles.sensitive:
                knowledge = knowledge.about_values(name, self.table.column(name).texts)
        classes, class_of = row_classes(combinations, self.table.roles.sensitive, knowledge)
        kinds = class_of[held]
        order = sorted_rows(self.groups, kinds)
        own, entry_of = self.groups[order], np.empty_like(self.groups)
        entry_of[order], first = group_sorted([own, kinds[order]])
        return Entries(
            classes=classes,
            offsets=np.searchsorted(own[first], np.arange(self.n_buckets + 1)),
            members=kinds[order[first]],
            counts=np.diff(first, append=len(order)),
            entry_of=entry_of,
        )


@dataclass(frozen=True, eq=False)
class Entries:
    """Bucket b, entries ``offsets[b] : offsets[b + 1]``: ``counts[e]`` rows of the class ``members[e]``."""

    classes: RowClasses
    offsets: Offsets
    members: Codes
    counts: Counts
    entry_of: Codes
    """The entry of each row."""

    @cached_property
    def shares(self) -> Shares:
        """How likely each row is to have each value of its bucket, all assignments counting alike."""
        _, values, starts, found, errors = interruptible(
            shares,
            self.offsets,
            self.members,
            self.counts,
            self.classes.values,
            self.classes.forbidden,
            self.classes.n_values,
        )
        # Every entry of a bucket lists the same values: repeat them for each.
        widths = np.diff(starts)
        bucket = np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))
        first = np.zeros(len(self.offsets) - 1, dtype=np.int64)
        first[1:] = np.cumsum(widths[self.offsets[:-1]])[:-1]
        places = np.repeat(first[bucket] - starts[:-1], widths) + np.arange(starts[-1])
        return Shares(starts, values[places], found, errors)


@dataclass(frozen=True, eq=False)
class Shares:
    """Entry e, cells ``starts[e] : starts[e + 1]``: it has the value ``values[c]`` by ``shares[c]``."""

    starts: Offsets
    values: Codes
    shares: Floats
    errors: Floats
    """Standard errors; 0 where the assignments were counted and not sampled."""


def part_of(buckets: Buckets) -> Buckets:
    """Every n-th bucket, so that at most so many rows are measured where buckets are small."""
    step = -(-len(buckets) // MOST_ROWS)
    if step <= 1:
        return buckets
    inside = np.flatnonzero(buckets.groups % step == 0)
    return Buckets(
        buckets.table,
        buckets.rows[inside],
        buckets.groups[inside] // step,
        buckets.shown,
        int((inside >= buckets.n_people).sum()),
    )


def buckets_of(table: Table, groups: Codes, shown: Table | None = None, n_counterfeits: int = 0) -> Buckets:
    """The buckets given as a number per row of the table, from 1; a row that is not published has 0."""
    rows = np.flatnonzero(groups)
    return Buckets(table, rows, (groups[rows] - 1).astype(np.int32), shown, n_counterfeits)
