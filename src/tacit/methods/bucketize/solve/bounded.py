"""Injector under a bound on the posterior: nobody's value may be likelier than so much.

A row with v valid values has one that is at least 1/v likely, so every row needs ⌈1/bound⌉ of them;
that is decided before. A bucket of so many pairwise compatible rows meets the bound, because each
value then has the same chance. Rows left over are harder: the posterior is not monotone (a, b, c gives one in
three, a second a makes it one in two), so after every addition the whole bucket is counted again,
in whole numbers. What finds no bucket, as one row more, in exchange for a row that finds another, or
in two buckets made one, cannot be published.

Every assignment that respects the rows' forbidden sets counts alike, and the posterior of a value is
the share of assignments in which a row has it. They are counted component by component
(:mod:`tacit.knowledge.assignments`): in whole numbers, or, where these would not fit, in floating point,
and then the answer is raised by more than rounding can take away. Where there are too many states there is
no answer.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np

from tacit.arrays.bitmaps import unpack
from tacit.errors import InfeasibleError
from tacit.knowledge.assignments import EXACT_MEMBERS, STATE_LIMIT, count_ways
from tacit.knowledge.reachability import valid_marks
from tacit.methods.bucketize.solve.injector import compatible_buckets
from tacit.methods.bucketize.solve.plan import Classes, Plan, make_plan
from tacit.random.key import Key
from tacit.typing import AnyArray, Bools, Codes, Counts

Shape = tuple[int, ...]
"""The classes of a bucket's rows, sorted; buckets of one shape are interchangeable."""

MERGED = 24
"""How many of the least incompatible shapes are tried with each other where no single one will do."""


def bounded_plan(
    classes: Classes, l: int, bound: Fraction, key: Key, *, suppressed: Counts, suppress: bool
) -> Plan:
    """Buckets with ℓ valid values of each row, none above the bound; rows that fit nowhere are left out."""
    size = max(l, math.ceil(1 / bound))
    groups, left_over = compatible_buckets(classes, size, key)
    rows, times = np.unique(np.sort(groups.reshape(-1, size), axis=1), axis=0, return_counts=True)
    shapes: Counter[Shape] = Counter(
        {tuple(row): int(count) for row, count in zip(rows.tolist(), times, strict=True)}
    )
    placing = _Placing(classes, l, bound, shapes)
    refused = np.zeros(len(classes), dtype=np.int64)
    for kind in np.flatnonzero(left_over).tolist():
        refused[kind] = placing.place(kind, int(left_over[kind]))
    if refused.any() and not suppress:
        raise _refusal(classes, bound, int(refused.sum()))
    if not placing.shapes:
        raise _refusal(classes, bound, classes.n_rows)
    members: list[int] = []
    buckets: list[int] = []
    for shape, count in sorted(placing.shapes.items()):
        for _ in range(count):
            buckets += [buckets[-1] + 1 if buckets else 0] * len(shape)
            members += shape
    return make_plan(
        classes, np.array(members, dtype=np.int32), np.array(buckets, dtype=np.int32), suppressed + refused
    )


class _Placing:
    """Shapes of buckets, and how rows left over are added to them."""

    def __init__(self, classes: Classes, l: int, bound: Fraction, shapes: Counter[Shape]) -> None:
        self.classes, self.l, self.bound, self.shapes = classes, l, bound, shapes
        self._meets: dict[Shape, bool] = {}
        self._barred = unpack(classes.forbidden, classes.n_values)
        self._conflicts = unpack(classes.conflicts, classes.n_values)

    def place(self, kind: int, rows: int) -> int:
        """Add so many rows of a class; how many found no bucket."""
        while rows:
            if not (self._single(kind) or self._exchanged(kind) or self._merged(kind)):
                return rows
            rows -= 1
        return 0

    def _single(self, kind: int) -> Shape | None:
        """Add a row to the least incompatible bucket that still meets the promise with it."""
        for shape in self._by_incompatibility(kind):
            grown = _sorted((*shape, kind))
            if self._met(grown, kind):
                self._replace((shape,), grown)
                return grown
        return None

    def _exchanged(self, kind: int) -> Shape | None:
        """Put a row in the place of the one it is incompatible with, where that one finds another bucket."""
        against = self._incompatible(kind)
        tried: set[int] = set()
        for shape in self._by_incompatibility(kind):
            hostile = [member for member in shape if against[member]]
            if len(hostile) > 1:
                break
            if len(hostile) == 1 and hostile[0] != kind and hostile[0] not in tried:
                tried.add(hostile[0])
                changed = list(shape)
                changed[shape.index(hostile[0])] = kind
                new = _sorted(tuple(changed))
                if self._met(new, kind):
                    self._replace((shape,), new)
                    if self._single(hostile[0]):
                        return new
                    self._replace((new,), shape)
        return None

    def _merged(self, kind: int) -> Shape | None:
        """Add a row to two buckets made one."""
        nearest = self._by_incompatibility(kind)[:MERGED]
        for place, one in enumerate(nearest):
            for other in nearest[place:]:
                if one == other and self.shapes[one] < 2:
                    continue
                grown = _sorted((*one, *other, kind))
                if self._met(grown, kind):
                    self._replace((one, other), grown)
                    return grown
        return None

    def _by_incompatibility(self, kind: int) -> list[Shape]:
        against = self._incompatible(kind)
        return sorted(self.shapes, key=lambda shape: (int(against[list(shape)].sum()), len(shape), shape))

    def _incompatible(self, kind: int) -> Bools:
        """Which classes are incompatible with a class."""
        held = self.classes.values
        return np.asarray(
            self._conflicts[held[kind]][held] | self._barred[kind][held] | self._barred[:, held[kind]]
        )

    def _met(self, shape: Shape, kind: int) -> bool:
        """Whether a bucket of this shape keeps ℓ and the bound for every row."""
        if shape not in self._meets:
            bucket = np.array(shape, dtype=np.int32)
            # On average over a bucket a value is as likely as it is frequent there.
            frequent = int((self.classes.values[bucket] == self.classes.values[kind]).sum())
            if Fraction(frequent, len(shape)) > self.bound or fewest_valid(self.classes, bucket) < self.l:
                self._meets[shape] = False
            else:
                found = largest_posterior(self.classes, bucket)
                self._meets[shape] = found is not None and found <= self.bound
        return self._meets[shape]

    def _replace(self, old: tuple[Shape, ...], new: Shape) -> None:
        for shape in old:
            self.shapes[shape] -= 1
            if not self.shapes[shape]:
                del self.shapes[shape]
        self.shapes[new] += 1


def _sorted(kinds: Shape) -> Shape:
    return tuple(sorted(kinds))


def least_bound(classes: Classes) -> tuple[Fraction, str]:
    """A bound below which no bucketization can stay, and the value that is in the way.

    On average over the rows that can have a value, it is as likely as it is frequent among them.
    """
    barred = unpack(classes.forbidden, classes.n_values)
    worst, which = Fraction(0), ""
    for place, name in enumerate(classes.attributes):
        for code in np.unique(classes.parts[:, place]):
            having = classes.parts[:, place] == code
            holders = int(classes.counts[having[classes.values]].sum())
            could = int(classes.counts[~barred[:, having].all(axis=1)].sum())
            if could and Fraction(holders, could) > worst:
                text = classes.texts[place][code]
                worst = Fraction(holders, could)
                which = f"{holders:,} of the {could:,} rows that can have {text!r} as {name!r} do"
    return worst, which


def _refusal(classes: Classes, bound: Fraction, rows: int) -> InfeasibleError:
    least, which = least_bound(classes)
    return InfeasibleError(
        f"{rows:,} rows found no bucket in which every value stays at most {float(bound):g} likely.",
        code="infeasible-posterior",
        hint=f"No bound below {float(least):.4g} can be met: {which}. Choose a larger max_posterior.",
    )


MOST_MEMBERS = 64
"""The most rows that exchange values for whom a bound is shown; a verifier has to count them again."""
ROUNDING = Fraction(1, 10**9)
"""Ways are sums of products of positive numbers: each of some thousand steps is off by 2⁻⁵³ at most."""


def largest_posterior(classes: Classes, bucket: Codes) -> Fraction | None:
    """The largest chance of a value, of one sensitive attribute, for a row; None where it cannot be counted.

    Of more than 20 rows that exchange values it is an upper bound, by a part in 10⁹. The bucket is given
    as the classes of its rows.
    """
    valid = valid_marks(bucket, classes.values, classes.forbidden, classes.n_values)
    held = classes.values[bucket]
    largest = Fraction(0)
    for rows in _components(valid, held):
        found = _of_component(classes, valid[rows], held[rows])
        if found is None:
            return None
        largest = max(largest, found)
    return largest


def fewest_valid(classes: Classes, bucket: Codes) -> int:
    """The fewest valid values of any row, on the sensitive attribute that has the fewest."""
    valid = valid_marks(bucket, classes.values, classes.forbidden, classes.n_values)
    return min(
        len(np.unique(classes.parts[row, place])) for row in valid for place in range(len(classes.attributes))
    )


def _components(valid: Bools, held: Codes) -> list[AnyArray]:
    """The rows that exchange values among themselves: those whose values are linked by valid ones."""
    label = np.arange(valid.shape[1])
    for row, value in zip(valid, held, strict=True):
        linked = np.unique(label[np.append(np.flatnonzero(row), value)])
        label[np.isin(label, linked)] = linked[0]
    of_row = label[held]
    return [np.flatnonzero(of_row == component) for component in np.unique(of_row)]


def _of_component(classes: Classes, valid: Bools, held: Codes) -> Fraction | None:
    nodes, tokens = np.unique(held, return_counts=True)
    may, waiting = np.unique(valid[:, nodes], axis=0, return_counts=True)
    if len(may) == 1:
        return max(
            Fraction(int(tokens[classes.parts[nodes, place] == code].sum()), len(held))
            for place in range(len(classes.attributes))
            for code in np.unique(classes.parts[nodes, place])
        )
    states = int(np.prod((waiting + 1).astype(np.float64)))
    if len(held) > MOST_MEMBERS or states > STATE_LIMIT:
        return None
    whole = len(held) <= EXACT_MEMBERS
    ways = np.zeros(may.shape, dtype=np.int64 if whole else np.float64)
    cells = np.zeros((2, states), dtype=ways.dtype)
    every = count_ways(cells[0], cells[1], waiting, np.ascontiguousarray(may), tokens, ways)
    largest = max(
        Fraction(_favourable(ways[kind], tokens, classes.parts[nodes, place] == code))
        / (Fraction(every) * int(count))
        for kind, count in enumerate(waiting)
        for place in range(len(classes.attributes))
        for code in np.unique(classes.parts[nodes, place])
    )
    return largest if whole else largest * (1 + ROUNDING)


def _favourable(ways: AnyArray, tokens: Counts, wanted: Bools) -> Any:
    """Ways times tokens in Python's whole numbers, because the product may not fit 64 bits."""
    return sum(way * token for way, token in zip(ways[wanted].tolist(), tokens[wanted].tolist(), strict=True))
