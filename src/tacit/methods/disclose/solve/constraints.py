"""Linear constraints on what a reader does not know, and what of them can be settled before optimizing.

Every piece of knowledge here says ``lower ≤ Σ_{u in units} N(u, x) ≤ upper`` for some units and
one sensitive value x, where N(u, x) is the number of people of unit u who hold x. Bounds are in
people, so that they are whole numbers wherever the knowledge is about counts.

With a cell left that is zero in every feasible point no finite multiplier exists, so all of them
are sought first: bounds are propagated to a fixpoint, nested constraints are subtracted from each
other, and where the problem is small a linear program settles the rest. Then units with the same
memberships and the same zeros, which have the same posterior, are collapsed into classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tacit.arrays.groups import take_rows
from tacit.methods.disclose.solve.extents import (
    close_cells,
    close_differences,
    contained_pairs,
    sums_over,
    transpose,
)
from tacit.typing import AnyArray, Bools, Codes, Counts, Floats, Offsets


@dataclass(frozen=True, eq=False)
class Constraints:
    """Constraint j is about the units ``units[offsets[j] : offsets[j + 1]]`` and the value ``values[j]``."""

    offsets: Offsets
    units: Codes
    values: Codes
    lower: Floats
    upper: Floats
    source: Codes
    """Which source of knowledge each constraint comes from."""
    place: Counts
    """Which of that source's statements it is."""

    def __len__(self) -> int:
        return len(self.values)

    @property
    def n_variables(self) -> int:
        """The variables in all constraints, counted as often as they occur."""
        return len(self.units)

    @cached_property
    def owners(self) -> Counts:
        """The constraint that each of ``units`` stands in."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    def select(self, places: AnyArray) -> Constraints:
        """The constraints at some places."""
        rest: tuple[Any, ...] = (self.values, self.lower, self.upper, self.source, self.place)
        extents = take_rows(self.offsets, self.units, places)
        return Constraints(*extents, *(column[places] for column in rest))


def constraints_of(
    extents: tuple[Offsets, Codes], values: AnyArray, *, lower: AnyArray | float, upper: AnyArray | float
) -> Constraints:
    """Constraints of one source, its statements numbered as they come."""
    offsets, units = extents
    n = len(offsets) - 1
    return Constraints(
        np.asarray(offsets, dtype=np.int64),
        np.asarray(units, dtype=np.int32),
        np.asarray(values, dtype=np.int32),
        np.broadcast_to(np.asarray(lower, dtype=np.float64), n).copy(),
        np.broadcast_to(np.asarray(upper, dtype=np.float64), n).copy(),
        np.zeros(n, dtype=np.int32),
        np.arange(n, dtype=np.int64),
    )


def joined(parts: Sequence[Constraints]) -> Constraints:
    """The constraints of several sources, each marked with its source's number."""
    parts = parts or [no_constraints()]
    starts = np.cumsum([0, *(len(part.units) for part in parts)])
    offsets = [part.offsets[:-1] + start for part, start in zip(parts, starts[:-1], strict=True)]
    columns = ((one.units, one.values, one.lower, one.upper, one.place) for one in parts)
    units, values, lower, upper, place = map(np.concatenate, zip(*columns, strict=True))
    source = np.repeat(np.arange(len(parts), dtype=np.int32), [len(part) for part in parts])
    ends = np.concatenate([*offsets, starts[-1:]]).astype(np.int64)
    return Constraints(ends, units, values, lower, upper, source, place)


def no_constraints() -> Constraints:
    """Knowing nothing."""
    nothing = np.zeros(0, dtype=np.int32)
    return constraints_of((np.zeros(1, dtype=np.int64), nothing), nothing, lower=nothing, upper=nothing)


@dataclass(frozen=True, eq=False)
class Reduced:
    """A smaller problem with the same answer.

    Line j bounds the sum of cells (c, values[j]) over the classes it is in; class c is in the lines
    ``lines[offsets[c] : offsets[c + 1]]``.
    """

    class_of: Codes  # (units,); -1 where the unit's posterior is already settled
    weights: Floats  # (classes,)
    closed: Bools  # (classes, values)
    settled: Bools  # (units, values): closed cells of every unit
    offsets: Offsets
    lines: Codes
    values: Codes
    lower: Floats
    upper: Floats
    origin: Counts  # (lines, 2)
    """The constraints that the lower and the upper bound of each line came from."""
    conflict: int
    """A constraint that propagation found impossible, -1 for none."""

    @property
    def equal(self) -> Bools:
        return np.asarray(self.lower == self.upper)


def presolve(
    constraints: Constraints,
    weights: Counts,
    n_values: int,
    *,
    closed: Bools | None = None,
    propagate: bool = True,
) -> Reduced:
    """Settle what needs no optimization and collapse the rest; ``closed`` are cells known to be zero.

    Without ``propagate`` nothing is settled: what contradicts itself stays as it is.
    """
    people = weights.astype(np.float64)
    closed = np.zeros((len(weights), n_values), dtype=np.bool_) if closed is None else closed.copy()
    lines = _Lines.of(constraints, people, n_values)
    conflict = lines.impossible() if propagate else -1
    if propagate and conflict < 0:
        conflict = _close(lines, people, closed)
    return _collapse(lines, people, closed, conflict)


@dataclass(frozen=True, eq=False)
class _Lines:
    """Constraints in one form: about the first of two values, each extent once, bounds that matter."""

    offsets: Offsets
    units: Codes
    values: Codes
    lower: Floats
    upper: Floats
    origin: Counts  # (lines, 2): of the lower and the upper bound
    totals: Floats

    @classmethod
    def of(cls, constraints: Constraints, people: Floats, n_values: int) -> _Lines:
        totals = sums_over(constraints.offsets, constraints.units, people)
        values, lower, upper = constraints.values, constraints.lower, constraints.upper
        origin = np.column_stack([np.arange(len(values)), np.arange(len(values))])
        if n_values == 2:  # N(U, 1) = n(U) − N(U, 0)
            flipped = values == 1
            turned = np.where(flipped, totals - upper, lower)
            lower, upper = turned, np.where(flipped, totals - lower, upper)
            values = np.zeros_like(values)
        # A sum lies between nothing and everybody anyway.
        kept = np.flatnonzero((lower > 0) | (upper < totals))
        offsets, units = take_rows(constraints.offsets, constraints.units, kept)
        whole = cls(offsets, units, values[kept], lower[kept], upper[kept], origin[kept], totals[kept])
        return whole._merged(len(people))

    def impossible(self) -> int:
        """A constraint that no counts can meet by itself, -1 for none."""
        bad = (self.lower > self.upper) | (self.lower > self.totals) | (self.upper < 0)
        return int(self.origin[np.argmax(bad), 0]) if bad.any() else -1

    def _merged(self, n_units: int) -> _Lines:
        """Constraints about the same people and value are one, with the tightest bounds."""
        if not len(self.values):
            return self
        first, number = _alike(self.offsets, self.units, n_units, self.values)
        if len(first) == len(number):
            return self
        lower, by_lower = _tightest(self.lower, number, len(first))
        upper, by_upper = _tightest(-self.upper, number, len(first))
        order = np.argsort(first, kind="stable")
        first, by_lower, by_upper = first[order], by_lower[order], by_upper[order]
        return _Lines(
            *take_rows(self.offsets, self.units, first),
            self.values[first],
            lower[order],
            -upper[order],
            np.column_stack([self.origin[by_lower, 0], self.origin[by_upper, 1]]),
            self.totals[first],
        )


def _tightest(bounds: Floats, number: Counts, n_groups: int) -> tuple[Floats, Counts]:
    """The largest bound of each group, and the first place that has it."""
    largest = np.full(n_groups, -np.inf)
    np.maximum.at(largest, number, bounds)
    first = np.full(n_groups, len(bounds), dtype=np.int64)
    at = np.flatnonzero(bounds == largest[number])
    np.minimum.at(first, number[at], at)
    return largest, first


def _close(lines: _Lines, people: Floats, closed: Bools) -> int:
    """Close every cell that propagation finds; the constraint that cannot be met, -1 for none."""
    slack = 1e-9 * max(1.0, people.sum())
    about = (lines.offsets, lines.units, lines.values)
    empty = contained_pairs(*about, lines.lower, lines.upper, len(people))
    full = contained_pairs(*about, lines.totals - lines.upper, lines.totals - lines.lower, len(people))
    close_differences(*about, empty, False, closed)
    close_differences(*about, full, True, closed)
    while True:
        bad, changed = close_cells(*about, lines.lower, lines.upper, people, closed, slack)
        if bad >= 0:
            return int(lines.origin[bad, 0])
        if not changed:
            return -1


def _collapse(lines: _Lines, people: Floats, closed: Bools, conflict: int) -> Reduced:
    """Units alike in every line and every closed cell become one class."""
    free = closed.shape[1] - closed.sum(axis=1) > 1
    in_offsets, in_lines = transpose(lines.offsets, lines.units, len(people))
    # What settled units contribute moves to the other side of each line.
    fixed = np.where(free, 0.0, people)
    held = np.zeros(len(lines.values))
    for value in range(closed.shape[1]):
        at = lines.values == value
        inside = sums_over(lines.offsets, lines.units, np.where(closed[:, value], 0.0, fixed))
        held[at] = inside[at]
    units = np.flatnonzero(free)
    offsets, members = take_rows(in_offsets, in_lines, units)
    first, number = _alike(offsets, members, len(lines.values), np.packbits(closed[units], axis=1))
    class_of = np.full(len(people), -1, dtype=np.int32)
    class_of[units] = number
    weights = np.bincount(number, weights=people[units], minlength=len(first)).astype(np.float64)
    offsets, members = take_rows(offsets, members, first)
    used = np.zeros(len(lines.values), dtype=bool)
    used[members] = True
    renumbered = (np.cumsum(used) - 1).astype(np.int32)
    kept = np.flatnonzero(used)
    return Reduced(
        class_of=class_of,
        weights=weights,
        closed=np.ascontiguousarray(closed[units][first]),
        settled=closed,
        offsets=offsets,
        lines=renumbered[members],
        values=lines.values[kept],
        lower=(lines.lower - held)[kept],
        upper=(lines.upper - held)[kept],
        origin=lines.origin[kept],
        conflict=conflict,
    )


def _alike(offsets: Offsets, members: Codes, n_members: int, kinds: AnyArray) -> tuple[Counts, Counts]:
    """Lists alike in members and kind: the first of each group, and the group of each list.

    Two random words for each member: their sums tell sets of them apart.
    """
    marks = np.random.default_rng(20091).integers(0, 2**64, (n_members, 2), dtype=np.uint64)
    keys = np.column_stack([sums_over(offsets, members, marks), kinds.astype(np.uint64)])
    _, first, number = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    return first, number.ravel()
