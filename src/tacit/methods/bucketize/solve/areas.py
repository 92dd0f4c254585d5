"""Areas: parts of a table that are bucketized apart, chosen so that the choice tells next to nothing.

Rows alike in their quasi-identifiers make better partners than any rows, so a table is split in two
again and again. Where to split is decided by what readers know anyway: the quasi-identifiers, the
stated rules, how many rows hold each value in all. Whether a split is *kept* must depend on the
sensitive values, because each half has to be bucketized by itself, and a reader who knows the tool
draws conclusions from that. So each test is a draw. A split with slack x fails with probability
min(1, e^(-ε'(x + 1))). Where no rule matters, x is how many exchanges of two values the halves can stand
at least. Where rules matter, a bucket's values can change hands in other ways than by one exchange, so x
is counted in such steps that no rearrangement of one bucket changes it by more than one.

Two rows of a bucket lie in the same area, hence in the same half of every split that was kept; only
tests that *failed* looked at them apart. A column that has failed is not tried again further down, nor
is a split by rules, so there are at most so many failed tests as columns, and two more where there are
several forbidden sets; each test gets that share ε' of ε. Rearranging the values of a bucket therefore
changes the probability of the areas by a factor of at most e^ε. The proof and its limits:
docs/explanation/bucketize.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from tacit.methods.bucketize.solve.ground import Area, Ground, content, sums_at
from tacit.methods.bucketize.solve.injector import middle
from tacit.random.key import Key
from tacit.typing import Bools, Counts, Words

MOST_AREAS = 512
"""About the most areas of a table, so that their number does not grow with the rows."""
FORBIDDEN_SETS, FEW_HOLDERS = -1, -2
"""The columns that splits by rules count as: the largest forbidden set apart, or a value few may hold."""


@dataclass(frozen=True)
class Splitting:
    """How areas are split and filled: ℓ, how freely tests may answer, how large buckets are."""

    l: int
    epsilon: float
    smallest: int | None = None
    """The fewest rows of an area; by default so many that areas do not grow in number with the rows."""
    likely: float = 0.5
    """A split is not tried where it would fail with more than this probability in a table whose parts
    are like the whole."""
    holders: int = 10
    """Of a value that a rule forbids to some, an area has no row that may hold it, or so many for each of
    the ℓ values: with fewer, whether a matching exists would hang on one person."""
    shared: int = 4
    """Where rules matter: so many rows of a bucket may hold the same value, for ε to hold."""
    rows: int | None = None
    """Where rules matter: the most rows of a bucket for which ε holds; by default 25, or 4 ℓ + 1."""

    bad_rows: float = 0.5
    """Where rules matter, buckets are so large that in a deal of an area fewer rows than this are expected
    without ℓ valid values."""
    bad_row: float = 0.05
    """And so large that nobody is likelier than this to be such a row."""
    bound: Fraction | None = None
    """No value of anybody may be likelier than this."""

    @property
    def crossing(self) -> int:
        """How many values of a bucket can change from one half of an area to the other at most."""
        return self.most_rows // 2

    @property
    def most_rows(self) -> int:
        return self.rows or max(25, 4 * self.l + 1)


@dataclass(frozen=True, eq=False)
class Trial:
    """A split that is tried: its name, its halves, and how likely it is to fail."""

    ground: Ground
    name: str
    halves: tuple[Area, Area]
    splitting: Splitting
    share: float
    """Its share of ε."""
    free: bool
    """Whether no rule matters in the area that is split."""

    @cached_property
    def failing(self) -> float:
        """The probability with which it fails."""
        return _failing(self.share, min(self._slack(half) for half in self.halves))

    def _slack(self, half: Area) -> int:
        """How many exchanges a half can stand at least or, where rules matter, buckets rearranged."""
        l, splitting = self.splitting.l, self.splitting
        if self.free:
            return _value_slack(self.ground, half, l)
        of_one = min(_value_slack(self.ground, half, l), _spare_holders(self.ground, half))
        of_several = min(_variety(self.ground, half, l), _linked(self.ground, half))
        return min(of_one // splitting.shared, of_several // splitting.crossing)


Test = Callable[[Trial], bool]
"""Whether a split fails."""


def areas_of(ground: Ground, whole: Area, splitting: Splitting, fails: Test) -> list[Area]:
    """The areas of a table, which must be feasible as a whole.

    Where to split follows from quasi-identifiers, rules and the values' totals; ``fails`` decides each test.
    """
    smallest = splitting.smallest or max(2 * splitting.l, whole.n_rows // MOST_AREAS)
    share = splitting.epsilon / (len(ground.columns) + 2 * (len(ground.masks) > 1))
    # The slack of each row of a part in which values are as common as in the whole table.
    typical = 1 / splitting.l - ground.commonest(whole) / max(1, whole.n_rows)
    done: list[Area] = []
    waiting = [whole]
    while waiting:
        area = waiting.pop()
        closed = set(area.closed)
        free = ground.free(area)
        for column, below in _splits(ground, area, smallest, splitting):
            if column in closed:
                continue
            name = f"{area.path}{column + 2}"
            first, second = (
                replace(area, combinations=area.combinations[side], rows=area.rows[side], path=name + letter)
                for side, letter in ((below, "a"), (~below, "b"))
            )
            slack = math.floor(min(first.n_rows, second.n_rows) * typical)
            if _failing(share, slack if free else slack // splitting.shared) > splitting.likely:
                continue
            if not fails(Trial(ground, name, (first, second), splitting, share, free)):
                waiting += [replace(half, closed=frozenset(closed)) for half in (second, first)]
                break
            closed.add(column)
        else:
            done.append(replace(area, closed=frozenset(closed)))
    return done


def _splits(ground: Ground, area: Area, smallest: int, splitting: Splitting) -> Iterator[tuple[int, Bools]]:
    """Ways to split an area in two: by rules, then column by column.

    By rules: its largest forbidden set from the others, or those who may hold a value that few may hold
    from the others, with some of these drawn by the key. Rows that look alike stay together: with k,
    the bucket of a row must not tell which of them it is.
    """
    sets = ground.sets[area.combinations]
    if sets.min() < sets.max():
        largest = ~ground.with_alike(area, sets > sets.min())
        if _roomy(ground, area, largest, smallest, splitting):
            yield FORBIDDEN_SETS, largest
        able = _few_holders(ground, area, splitting.l)
        if able is not None and _roomy(ground, area, able, smallest, splitting):
            yield FEW_HOLDERS, able
    for column, ranks in enumerate(ground.columns):
        inside = ranks[area.combinations]
        cut = middle(inside, area.rows, int(ranks.max(initial=0)) + 1, smallest)
        if cut is None:
            continue
        below = inside <= cut
        if _roomy(ground, area, below, smallest, splitting) and _spread(ground, area, below, splitting.l):
            yield column, below


def _few_holders(ground: Ground, area: Area, l: int) -> Bools | None:
    """Who may hold the value that the fewest may hold, with companions; None where no value has so few.

    A bucket with such a value must have another row that may hold it, so buckets would have to be large.
    With ℓ - 1 companions for each, one row in ℓ may hold it, and nobody elsewhere.
    """
    able = ground.able(ground.set_counts(area))
    few = (ground.held(area) > 0) & (able < _few(area.n_rows, l))
    if not few.any():
        return None
    value = int(np.flatnonzero(few)[able[few].argmin()])
    may = ~ground.masks[ground.sets[area.combinations], value]
    rate = (l - 1) * int(able[value]) / (area.n_rows - int(able[value]))
    return ground.with_alike(area, may | ground.companions(area, may, rate))


def _few(n_rows: int, l: int) -> float:
    """A value that fewer of so many rows may hold has few possible holders."""
    return n_rows / (l + 1)


def _roomy(ground: Ground, area: Area, below: Bools, smallest: int, splitting: Splitting) -> bool:
    """Whether both halves have rows enough, as far as can be told without their values."""
    for side in (below, ~below):
        of_set = _sets_beside(ground, area, side)
        rows, able = int(of_set.sum()), ground.able(of_set)
        fewest = min(rows, splitting.holders * splitting.l)
        if rows < smallest or ((able > 0) & (able < fewest)).any():
            return False
    return True


def _spread(ground: Ground, area: Area, below: Bools, l: int) -> bool:
    """Whether in both halves a value has no smaller share of possible holders than before, if it has few."""
    least = np.minimum(_few(1, l), ground.able(ground.set_counts(area)) / area.n_rows)
    for side in (below, ~below):
        of_set = _sets_beside(ground, area, side)
        able = ground.able(of_set)
        if ((able > 0) & (able < least * int(of_set.sum()))).any():
            return False
    return True


def _sets_beside(ground: Ground, area: Area, side: Bools) -> Counts:
    """How many rows of each forbidden set one side of an area has."""
    return ground.set_counts(Area(area.combinations[side], area.rows[side]))


def _value_slack(ground: Ground, area: Area, l: int) -> int:
    """How many rows the commonest value lacks to one in ℓ."""
    return area.n_rows // l - ground.commonest(area)


def _spare_holders(ground: Ground, area: Area) -> int:
    """How many rows that do not hold a value may hold it, beside one."""
    able = ground.able(ground.set_counts(area))
    limited = (able > 0) & (able < area.n_rows)
    return int((able - ground.held(area) - 1)[limited].min(initial=area.n_rows))


def _variety(ground: Ground, area: Area, l: int) -> int:
    """How many rows hold values that a forbidden set allows, beside any ℓ - 1 of them and one more."""
    held, fewest, sets = ground.held(area), area.n_rows, ground.sets_of(area)
    owners, values = ground.forbids
    allowed = area.n_rows - sums_at(owners, held[values], len(ground.masks))[sets]
    for part in ground.classes.parts.T:
        whole = np.bincount(part, weights=held).astype(np.int64)
        most = np.zeros((len(sets), l - 1), dtype=np.int64)  # rows of the commonest values allowed, ascending
        for code in np.argsort(-whole, kind="stable"):
            if whole[code] <= most[:, 0].min():
                break
            having = np.flatnonzero(part == code)
            most[:, 0] = np.maximum(most[:, 0], ~ground.masks[np.ix_(sets, having)] @ held[having])
            most.sort(axis=1)
        fewest = min(fewest, int((allowed - most.sum(axis=1)).min()) - 1)
    return fewest


def _linked(ground: Ground, area: Area) -> int:
    """How many rows that hold none of several values may hold one of them, beside one; at least so many.

    Held values are strongly connected (:mod:`tacit.knowledge.reachability`) exactly when for every part Z of
    them more rows may hold one of Z than do: Hall's condition made strict. If nobody is forbidden all of Z,
    that holds. Else somebody's forbidden set F includes Z. Rows that are forbidden all of Z are at most
    as many as are forbidden the least forbidden of its values, f, and Z is a part of the values of F that
    at least f rows are forbidden. So it is enough to count those, for every F and f.
    """
    of_set, held = ground.set_counts(area), ground.held(area)
    able = ground.able(of_set)
    sets, values = ground.forbids
    there = (of_set[sets] > 0) & (able[values] > 0)
    sets, values = sets[there], values[there]
    order = np.lexsort((values, able[values], sets))  # in each set, the most forbidden first
    sets, values = sets[order], values[order]
    sums = np.cumsum(held[values])
    first = np.searchsorted(sets, sets)  # where the set of each value begins
    left = able[values] - (sums - sums[first] + held[values[first]]) - 1
    return int(left[np.arange(len(sets)) > first].min(initial=area.n_rows))


def _failing(share: float, slack: int) -> float:
    """The probability with which a test of this slack fails."""
    return min(1.0, math.exp(-share * (slack + 1))) if slack >= 0 else 1.0


def keyed_tests(key: Key, digests: Words) -> Test:
    """Tests that the key of a table decides, each by a draw of its own: that of what the halves hold."""

    def fails(trial: Trial) -> bool:
        halves = " ".join(content(half, digests, key) for half in trial.halves)
        return key.subkey(f"bucketize: areas: {halves}").words[0] < trial.failing * 2.0**64

    return fails
