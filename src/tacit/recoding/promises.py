"""What a class must keep about its sensitive values: ℓ valid values, entropy, recursive diversity, closeness.

Every promise is a slack for each class: negative where the class breaks it, else so many exchanges of two
values with rows elsewhere that it stands at least. One exchange changes a class by one row less of one
value and one more of another, and never a slack by more than one: the docstrings say why. Only under rules,
where one exchange may close several values at once, there is no such proof: classes with too few valid
values break the promise, and the slack of the others is that without rules.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Protocol

import numpy as np

from tacit.arrays.compiled import Flag, interruptible
from tacit.data.hierarchy import Hierarchy
from tacit.knowledge.reachability import valid_counts
from tacit.knowledge.row_classes import RowClasses
from tacit.typing import AnyArray, Bools, Codes, Counts, Floats, Offsets

NARROW = 1e-9
"""So close to its limit, a figure computed in floating point decides nothing."""


class OfCounts(Protocol):
    """A promise that follows from how often each value occurs in a class."""

    monotone: bool
    """Whether a class that keeps it keeps it still when it is joined with any other."""

    def slack(self, counts: Counts) -> Counts:
        """The slack of each class, given its rows by value."""
        ...


@dataclass(frozen=True)
class Distinct:
    """At least ℓ values occur.

    It takes as many exchanges to be left with ℓ - 1 as there are rows beside the ℓ - 1 commonest values.
    """

    l: int
    monotone = True

    def slack(self, counts: Counts) -> Counts:
        commonest = -np.sort(-counts, axis=1)[:, : self.l - 1]
        return np.asarray(counts.sum(axis=1) - commonest.sum(axis=1) - 1)


@dataclass(frozen=True)
class EntropyDiversity:
    """The entropy of the values is at least log ℓ.

    The slack is the number of exchanges that it takes to break it, less one. No x exchanges take more off the
    entropy than x rows of the rarest values that become the commonest: of all counts so many exchanges away
    theirs have the largest sums of the first 1, 2, … counts, and entropy falls with these.
    """

    l: int
    monotone = False

    def slack(self, counts: Counts) -> Counts:
        rarest_first = np.sort(counts, axis=1)
        rows, spare = rarest_first.sum(axis=1), self._spare(rarest_first)
        # The fewest exchanges that break it lie in (stands, breaks].
        stands = np.where(spare < NARROW, -1, 0)
        breaks = np.where(spare < NARROW, 0, np.maximum(1, rows))
        while (breaks - stands > 1).any():
            middle = (stands + breaks) // 2
            left = np.clip(np.cumsum(rarest_first, axis=1) - middle[:, None], 0, rarest_first)
            left[:, -1] += np.minimum(middle, rows - left[:, -1])
            broken = self._spare(left) < NARROW
            breaks, stands = np.where(broken, middle, breaks), np.where(broken, stands, middle)
        slack: Counts = breaks - 1
        for place in np.flatnonzero(np.abs(spare) < NARROW):  # n^n >= ℓ^n · Π c^c, in whole numbers
            n = int(rows[place])
            held = math.prod(int(count) ** int(count) for count in counts[place] if count)
            slack[place] = 0 if n**n >= self.l**n * held else -1
        return slack

    def _spare(self, counts: Counts) -> Floats:
        """How far the entropy of each class is above log ℓ."""
        rows = np.maximum(1, counts.sum(axis=1))
        parts = (counts * np.log(np.maximum(1, counts))).sum(axis=1)
        return np.asarray(np.log(rows) - parts / rows - math.log(self.l))


@dataclass(frozen=True)
class Recursive:
    """r1 < c (rℓ + … + rm), r being the counts from the largest down.

    One exchange changes r1 by at most one and the sum by at most one, so the difference by at most 1 + c.
    """

    c: Fraction
    l: int
    monotone = False

    def slack(self, counts: Counts) -> Counts:
        ordered = -np.sort(-counts, axis=1)
        tail = ordered[:, self.l - 1 :].sum(axis=1)
        over, under = self.c.as_integer_ratio()
        return np.asarray((over * tail - under * ordered[:, 0] - 1) // (over + under))


@dataclass(frozen=True, eq=False)
class Closeness:
    """The distance between a class's distribution and the whole table's is at most t.

    ``edges`` says how distances add up: the distance is the sum over edges of ``weights`` times the
    absolute difference of the shares below, that of a tree whose leaves are the values. One exchange moves
    1/n of the class from one leaf to another, which are at most 1 apart.
    """

    t: Fraction
    totals: Counts
    below: Bools  # (edges, values)
    weights: Floats
    monotone = False

    def slack(self, counts: Counts) -> Counts:
        rows = np.maximum(1, counts.sum(axis=1))
        spare = float(self.t) - NARROW - self.distances(counts)
        return np.asarray(np.floor(spare * rows), dtype=np.int64)

    def distances(self, counts: Counts) -> Floats:
        """The distance of each class."""
        rows = np.maximum(1, counts.sum(axis=1, keepdims=True))
        difference = counts / rows - self.totals / max(1, int(self.totals.sum()))
        return np.asarray(np.abs(difference @ self.below.T.astype(np.float64)) @ self.weights)


def equal_distance(t: Fraction, totals: Counts) -> Closeness:
    """All values are equally far apart: half the sum of the absolute differences."""
    m = len(totals)
    return Closeness(t, totals, np.eye(m, dtype=np.bool_), np.full(m, 0.5))


def ordered_distance(t: Fraction, totals: Counts, places: Counts | None = None) -> Closeness:
    """Values lie on a line, by default in the order of their codes, the first and the last 1 apart."""
    m = len(totals)
    below = (np.arange(m) if places is None else places) <= np.arange(m - 1)[:, None]
    return Closeness(t, totals, below, np.full(max(0, m - 1), 1 / max(1, m - 1)))


def hierarchical_distance(t: Fraction, totals: Counts, tree: Hierarchy, leaves: Codes) -> Closeness:
    """Values are as far apart as their lowest common ancestor is high, of the height of the root.

    ``leaves[v]`` is the leaf of value v. The edge from a node to its parent costs half of what the parent
    is higher; short branches count as if they reached the lowest level. A node is higher than its children
    only if it has several: a chain of nodes would bring everything below it together.
    """
    nodes = np.arange(tree.n_nodes - 1)
    first, last = tree.leaf_ranges[:-1].T
    below = (first[:, None] <= leaves) & (leaves < last[:, None])
    heights = np.zeros(tree.n_nodes)
    for node, parent in enumerate(tree.parents[:-1].tolist()):  # children come before parents
        heights[parent] = max(heights[parent], heights[node] + (len(tree.children[parent]) > 1))
    rise = heights[tree.parents[nodes]] - heights[nodes]
    return Closeness(t, totals, below, rise / (2 * max(1.0, heights[tree.root])))


@dataclass(frozen=True, eq=False)
class Promise:
    """Everything a class must keep: k rows, and what is promised of each sensitive attribute."""

    k: int
    held: Held | None = None
    of_attributes: tuple[tuple[int, OfCounts], ...] = ()
    """Attributes by number, with what is promised of each."""
    valid: int | None = None
    """With rules: how many valid values every row has at least."""
    flag: Flag | None = None

    @property
    def of_rows_alone(self) -> bool:
        """Whether sensitive values play no part."""
        return not self.of_attributes and self.valid is None

    @property
    def of_the_whole(self) -> bool:
        """Whether classes are held against the whole table."""
        return any(isinstance(part, Closeness) for _, part in self.of_attributes)

    def of(self, chosen: AnyArray, n_combinations: int) -> Promise:
        """The same promise about some of the combinations."""
        return replace(self, held=None if self.held is None else self.held.of(chosen, n_combinations))

    def failing(self, class_of: Codes, rows: Counts) -> tuple[Bools, Bools]:
        """Classes that break the promise, and those that also do so when they are split up further."""
        surely = rows < self.k
        failing = surely.copy()
        for attribute, part in self.of_attributes:
            broken = self._slack(class_of, len(rows), attribute, part) < 0
            failing |= broken
            if part.monotone:
                surely |= broken
        if self.valid is not None:
            broken = self._too_few_valid(class_of, len(rows))
            failing |= broken
            surely |= broken
        return failing, surely

    def slack(self, class_of: Codes, n_classes: int) -> Counts:
        """The smallest slack of each class over what is promised of sensitive values."""
        found = np.full(n_classes, np.iinfo(np.int64).max)
        for attribute, part in self.of_attributes:
            found = np.minimum(found, self._slack(class_of, n_classes, attribute, part))
        if self.valid is not None:
            found[self._too_few_valid(class_of, n_classes)] = -1
        return found

    def _slack(self, class_of: Codes, n_classes: int, attribute: int, part: OfCounts) -> Counts:
        assert self.held is not None
        found = np.empty(n_classes, dtype=np.int64)
        for first, counts in self.held.histograms(class_of, n_classes, attribute):
            found[first : first + len(counts)] = part.slack(counts)
        return found

    def _too_few_valid(self, class_of: Codes, n_classes: int) -> Bools:
        """The classes in which some row has fewer than ℓ valid values."""
        assert self.held is not None and self.valid is not None
        kinds = self.held.kinds
        offsets, members = self.held.members(class_of, n_classes)
        count = partial(valid_counts, enough=self.valid)
        counts = interruptible(
            count, offsets, members, kinds.values, kinds.forbidden, kinds.parts, flag=self.flag
        )
        found = np.zeros(n_classes, dtype=np.bool_)
        found[np.repeat(np.arange(n_classes), np.diff(offsets))[counts < self.valid]] = True
        return found


MOST_CELLS = 1 << 22
"""Classes are counted so many cells (classes times values) at a time."""


@dataclass(frozen=True, eq=False)
class Held:
    """Entry e: ``rows[e]`` rows of the combination ``combinations[e]`` are of the kind ``kinds_of[e]``.

    A kind is a sensitive value together with the values that rules forbid to the rows that hold it.
    """

    combinations: Codes
    kinds_of: Codes
    rows: Counts
    kinds: RowClasses

    def of(self, chosen: AnyArray, n_combinations: int) -> Held:
        """What some of the combinations hold, numbered anew."""
        place = np.full(n_combinations, -1, dtype=np.int32)
        place[chosen] = np.arange(len(chosen), dtype=np.int32)
        there = place[self.combinations] >= 0
        return Held(place[self.combinations[there]], self.kinds_of[there], self.rows[there], self.kinds)

    def values(self, attribute: int) -> Codes:
        """The code of each entry's value in one sensitive attribute."""
        return np.ascontiguousarray(self.kinds.parts[self.kinds.values[self.kinds_of], attribute])

    def totals(self, attribute: int) -> Counts:
        """How many rows of the table hold each value of an attribute."""
        n_values = len(self.kinds.texts[attribute])
        return np.bincount(self.values(attribute), weights=self.rows, minlength=n_values).astype(np.int64)

    def histograms(self, class_of: Codes, n_classes: int, attribute: int) -> Iterator[tuple[int, Counts]]:
        """Rows by class and value, some classes at a time: the first class, and shape (classes, values)."""
        values, classes = self.values(attribute), class_of[self.combinations]
        n_values = len(self.kinds.texts[attribute])
        step = max(1, MOST_CELLS // n_values)
        if n_classes > step:
            order = np.argsort(classes, kind="stable")
            values, classes, rows = values[order], classes[order], self.rows[order]
        else:
            rows = self.rows
        for first in range(0, n_classes, step):
            size = min(step, n_classes - first)
            here = (
                slice(*np.searchsorted(classes, [first, first + size])) if n_classes > step else slice(None)
            )
            cells = (classes[here] - first).astype(np.int64) * n_values + values[here]
            counted = np.bincount(cells, weights=rows[here], minlength=size * n_values)
            yield first, counted.astype(np.int64).reshape(size, n_values)

    def members(self, class_of: Codes, n_classes: int) -> tuple[Offsets, Codes]:
        """The kinds of each class, each once."""
        pairs = np.unique(class_of[self.combinations].astype(np.int64) * len(self.kinds) + self.kinds_of)
        offsets = np.searchsorted(pairs, np.arange(n_classes + 1) * len(self.kinds))
        return offsets.astype(np.int64), (pairs % len(self.kinds)).astype(np.int32)
