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

from tacit.arrays.compiled import kernel
from tacit.arrays.groups import inverted, sums_over, take_rows
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
    impossible: bool
    """Whether propagation found that nothing meets the constraints."""

    @property
    def equal(self) -> Bools:
        return np.asarray(self.lower == self.upper)

    @cached_property
    def cells(self) -> Any:
        """The cells of each line: see :func:`cells_of_lines`."""
        in_lines = inverted(self.offsets, self.lines, len(self.values))
        return cells_of_lines(*in_lines, self.values, self.closed.shape)


def cells_of_lines(offsets: Offsets, classes: Codes, values: Codes, shape: tuple[int, ...]) -> Any:
    """The cells of each line as a sparse matrix of ones (lines, cells); a cell is class · values + value.

    Line j is about ``values[j]`` of ``classes[offsets[j] : offsets[j + 1]]``; ``shape`` is how many classes
    and values there are.
    """
    from scipy.sparse import csr_array

    n_classes, n_values = shape
    cells = classes * np.int64(n_values) + np.repeat(values, np.diff(offsets))
    return csr_array((np.ones(len(cells)), cells, offsets), shape=(len(values), n_classes * n_values))


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
    impossible = propagate and (lines.impossible or _close(lines, people, closed))
    return _collapse(lines, people, closed, impossible)


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

    @property
    def impossible(self) -> bool:
        """Whether some constraint cannot be met by itself."""
        bad = (self.lower > self.upper) | (self.lower > self.totals) | (self.upper < 0)
        return bool(bad.any())

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


def _close(lines: _Lines, people: Floats, closed: Bools) -> bool:
    """Close every cell that propagation finds; whether that shows that nothing meets the lines.

    A cell (u, x) holds between nobody and all people of u, and the cells of u add up to these. It is closed
    once it must hold nobody; a unit with one open cell puts all its people there.
    """
    slack = 1e-9 * max(1.0, people.sum())
    least, most = lines.totals - lines.upper, lines.totals - lines.lower
    held = inverted(lines.offsets, lines.units, len(people))
    about = (lines.offsets, lines.units, lines.values)
    _close_outside(*about, lines.lower, lines.upper, *held, False, closed)
    _close_outside(*about, least, most, *held, True, closed)
    owners = np.repeat(np.arange(len(lines.values)), np.diff(lines.offsets))
    units, values = lines.units, lines.values[owners]
    while True:
        n_open = (~closed).sum(axis=1)[units]
        can = np.where(closed[units, values], 0.0, people[units])
        highest = np.bincount(owners, can, len(lines.values))
        lowest = np.bincount(owners, np.where(n_open == 1, can, 0.0), len(lines.values))
        broken = (highest < lines.lower - slack) | (lowest > lines.upper + slack)
        if broken.any() or (n_open == 0).any():
            return True
        undecided, left = highest > lowest, (can > 0) & (n_open > 1)
        filled = left & (undecided & (highest <= lines.lower))[owners]
        emptied = left & (undecided & (lowest >= lines.upper))[owners] & ~filled
        if not (filled.any() or emptied.any()):
            return False
        closed[units[emptied], values[emptied]] = True
        closed[units[filled]] |= np.arange(closed.shape[1]) != values[filled][:, None]


@kernel
def _close_outside(
    offsets: Offsets, units: Codes, values: Codes, inner: Floats, outer: Floats, held_ends: Offsets,
    held: Codes, filled: bool, closed: Bools,
) -> None:  # fmt: skip
    """Close cells, in place, of the units that are in one line but not in another one inside it.

    They hold nothing of the value, or, where ``filled``, nothing else, where the ``inner`` number of the
    other line is the ``outer`` one of this line. ``held`` are the lines of every unit.
    """
    for line in range(len(values)):
        low, high = offsets[line], offsets[line + 1]
        if low == high:
            continue
        for place in range(held_ends[units[low]], held_ends[units[low] + 1]):
            other = held[place]
            start, end = offsets[other], offsets[other + 1]
            if values[other] != values[line] or outer[other] != inner[line] or end - start <= high - low:
                continue
            # First to see whether the line is inside the other one, and then to close what is outside.
            for closing in (False, True):
                own = low
                for at in range(start, end):
                    if own < high and units[own] <= units[at]:
                        if units[own] < units[at]:
                            break
                        own += 1
                    elif closing:
                        for value in range(closed.shape[1]):
                            if (value == values[line]) != filled:
                                closed[units[at], value] = True
                if own < high:
                    break


def _collapse(lines: _Lines, people: Floats, closed: Bools, impossible: bool) -> Reduced:
    """Units alike in every line and every closed cell become one class."""
    free = closed.shape[1] - closed.sum(axis=1) > 1
    in_offsets, in_lines = inverted(lines.offsets, lines.units, len(people))
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
        impossible=impossible,
    )


def _alike(offsets: Offsets, members: Codes, n_members: int, kinds: AnyArray) -> tuple[Counts, Counts]:
    """Lists alike in members and kind: the first of each group, and the group of each list.

    Two random words for each member: their sums tell sets of them apart.
    """
    marks = np.random.default_rng(20091).integers(0, 2**64, (n_members, 2), dtype=np.uint64)
    keys = np.column_stack([sums_over(offsets, members, marks), kinds.astype(np.uint64)])
    _, first, number = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    return first, number.ravel()
