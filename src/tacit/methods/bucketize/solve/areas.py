"""Areas: parts of a table that are bucketized apart, chosen so that the choice tells next to nothing.

Rows alike in their quasi-identifiers make better partners than any rows, so a table is split in two
again and again. Where to split is decided by what readers know anyway: the quasi-identifiers, the
stated rules, how many rows hold each value in all. Whether a split is *kept* must depend on the
sensitive values, because each half has to be bucketized by itself, and a reader who knows the tool
draws conclusions from that. So each test is a draw. A split with slack x (how many exchanges of two
values it can stand at least) fails with probability min(1, e^(-ε'(x + 1))), and one exchange
changes x by at most one.

Two rows of a bucket lie in the same area, hence in the same half of every split that was kept; only
tests that *failed* looked at them apart. A column that has failed is not tried again further down, nor
are forbidden sets, so there are at most so many failed tests as columns, and one more where there are
several forbidden sets; each test gets that share ε' of ε. Exchanging two values inside a bucket therefore
changes the probability of the release by a factor of at most e^ε. The proof and its limits:
docs/explanation/bucketize.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tacit.arrays.masks import unpack
from tacit.engine.base import Combinations
from tacit.methods.bucketize.solve.cells import middle, value_ranks
from tacit.methods.bucketize.solve.classes import Classes
from tacit.methods.bucketize.solve.matching import diversity_in_one_bucket
from tacit.random.key import Key
from tacit.typing import AnyArray, Bools, Codes, Counts

MOST_AREAS = 512
"""About the most areas of a table, so that their number does not grow with the rows."""
ROWS_PER_SET = 2
"""Where several forbidden sets meet, an area has so many rows for each of them and of the ℓ values: with
fewer, some rows find no bucket in which they can have every value."""
POSSIBLE_HOLDERS = 10
"""Of a value that a rule forbids to some, an area has no row that may hold it, or so many for each of the
ℓ values: with fewer, whether a matching exists would hang on one person."""
FORBIDDEN_SETS = -1
"""The column that a split by forbidden sets counts as."""


@dataclass(frozen=True)
class Splitting:
    """How areas are split: into how many values each must divide, and how freely tests may answer."""

    l: int
    epsilon: float
    smallest: int | None = None
    """The fewest rows of an area; by default so many that areas do not grow in number with the rows."""
    likely: float = 0.5
    """A split is not tried where it would fail with more than this probability in a table whose parts
    are like the whole."""


@dataclass(frozen=True, eq=False)
class Area:
    """Rows that are bucketized together: ``rows[i]`` rows of the combination ``combinations[i]``."""

    combinations: AnyArray
    rows: Counts
    closed: frozenset[int] = frozenset()
    """The columns in which a split failed here or in an area around this one."""
    path: str = ""
    """Which halves lead here; it names the area's draws."""

    @property
    def n_rows(self) -> int:
        return int(self.rows.sum())


@dataclass(frozen=True, eq=False)
class Ground:
    """The table as it is split: its combinations, each with a class and a place in every column."""

    classes: Classes
    class_of: Codes
    columns: tuple[Codes, ...]
    """Per quasi-identifier, the rank of each combination's value; few values first."""
    sets: Codes
    """Per combination, its forbidden set, numbered by size: 0 has the most rows."""
    masks: Bools
    """Per forbidden set, the values it forbids."""

    def held(self, area: Area) -> Counts:
        """How many rows of an area hold each value."""
        values = self.classes.values[self.class_of[area.combinations]]
        return np.bincount(values, weights=area.rows, minlength=self.classes.n_values).astype(np.int64)

    def sets_of(self, area: Area) -> AnyArray:
        """The forbidden sets of an area's rows."""
        return np.unique(self.sets[area.combinations])

    def free(self, area: Area) -> bool:
        """Whether nobody in the area is forbidden a value that somebody in it holds."""
        present = self.held(area) > 0
        return not self.masks[self.sets_of(area)][:, present].any()

    def class_counts(self, area: Area) -> Counts:
        """How many rows of each class an area has."""
        kinds = self.class_of[area.combinations]
        return np.bincount(kinds, weights=area.rows, minlength=len(self.classes)).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Trial:
    """A split that is tried: its name, its halves, and how likely it is to fail."""

    ground: Ground
    name: str
    halves: tuple[Area, Area]
    l: int
    share: float
    """Its share of ε."""

    @cached_property
    def failing(self) -> float:
        """The probability with which it fails."""
        return _failing(self.share, min(_slack(self.ground, half, self.l) for half in self.halves))


Test = Callable[[Trial], bool]
"""Whether a split fails."""


def ground_of(combinations: Combinations, known: Sequence[str], classes: Classes, class_of: Codes) -> Ground:
    """What areas are made from; ``known`` are the columns that readers see."""
    ranked = [value_ranks(combinations, name) for name in known]
    order = sorted(range(len(ranked)), key=lambda place: (int(ranked[place].max(initial=0)), place))
    distinct, numbers = np.unique(classes.forbidden, axis=0, return_inverse=True)
    of_combination = numbers.reshape(-1)[class_of]
    rows = np.bincount(of_combination, weights=combinations.counts, minlength=len(distinct))
    by_size = np.argsort(-rows, kind="stable")
    rank = np.empty(len(distinct), dtype=np.int32)
    rank[by_size] = np.arange(len(distinct), dtype=np.int32)
    masks = unpack(np.ascontiguousarray(distinct[by_size]), classes.n_values)
    return Ground(classes, class_of, tuple(ranked[place] for place in order), rank[of_combination], masks)


def areas_of(ground: Ground, whole: Area, splitting: Splitting, fails: Test) -> list[Area]:
    """The areas of a table, which must be feasible as a whole.

    Where to split follows from quasi-identifiers, rules and the values' totals; ``fails`` decides each test.
    """
    smallest = splitting.smallest or max(2 * splitting.l, whole.n_rows // MOST_AREAS)
    share = splitting.epsilon / (len(ground.columns) + (len(ground.masks) > 1))
    typical = _typical(ground, whole, splitting.l)
    done: list[Area] = []
    waiting = [whole]
    while waiting:
        area = waiting.pop()
        closed = set(area.closed)
        for column, below in _splits(ground, area, smallest, splitting.l):
            if column in closed:
                continue
            name = f"{area.path}{column + 1}"
            first, second = (
                replace(area, combinations=area.combinations[side], rows=area.rows[side], path=name + letter)
                for side, letter in ((below, "a"), (~below, "b"))
            )
            fewest = min(first.n_rows, second.n_rows)
            if _failing(share, math.floor(fewest * typical)) > splitting.likely:
                continue
            if not fails(Trial(ground, name, (first, second), splitting.l, share)):
                waiting += [replace(half, closed=frozenset(closed)) for half in (second, first)]
                break
            closed.add(column)
        else:
            done.append(area)
    return done


def _splits(ground: Ground, area: Area, smallest: int, l: int) -> Iterator[tuple[int, Bools]]:
    """Ways to split an area in two: its largest forbidden set from the others, then column by column."""
    sets = ground.sets[area.combinations]
    if sets.min() < sets.max():
        largest = sets == sets.min()
        if _roomy(ground, area, largest, smallest, l):
            yield FORBIDDEN_SETS, largest
    for column, ranks in enumerate(ground.columns):
        inside = ranks[area.combinations]
        cut = middle(inside, area.rows, int(ranks.max(initial=0)) + 1, smallest)
        if cut is not None and _roomy(ground, area, inside <= cut, smallest, l):
            yield column, inside <= cut


def _roomy(ground: Ground, area: Area, below: Bools, smallest: int, l: int) -> bool:
    """Whether both halves have rows enough, as far as can be told without their values."""
    for side in (below, ~below):
        of_set = np.bincount(
            ground.sets[area.combinations[side]], weights=area.rows[side], minlength=len(ground.masks)
        )
        rows, met = int(of_set.sum()), int((of_set > 0).sum())
        if rows < max(smallest, ROWS_PER_SET * l * met if met > 1 else 0):
            return False
        able = of_set @ ~ground.masks
        if ((able > 0) & (able < min(rows, POSSIBLE_HOLDERS * l))).any():
            return False
    return True


def _slack(ground: Ground, area: Area, l: int) -> int:
    """How many exchanges of a value with one from outside the area can stand at least; below 0: none.

    It is a minimum of terms that one exchange changes by at most one: how many rows the commonest value
    lacks to one in ℓ and, for each forbidden set, how many rows hold one of the values that it allows,
    beside the ℓ - 1 commonest of them. Where several forbidden sets meet, that is not yet enough
    for a matching, so an area that has none does not pass either.
    """
    classes, held = ground.classes, ground.held(area)
    slack = area.n_rows
    for place in range(len(classes.attributes)):
        parts = classes.parts[:, place]
        allowed = [held] if ground.free(area) else [held * ~ground.masks[one] for one in ground.sets_of(area)]
        for counts in allowed:
            of_part = np.sort(np.bincount(parts, weights=counts).astype(np.int64))[::-1]
            slack = min(slack, int(of_part[l - 1 :].sum()) - 1)
        slack = min(slack, area.n_rows // l - int(np.bincount(parts, weights=held).max(initial=0)))
    if slack >= 0 and not ground.free(area):
        present = np.flatnonzero(ground.class_counts(area))
        if int(diversity_in_one_bucket(classes, present).min(initial=l)) < l:
            return -1
    return slack


def _typical(ground: Ground, whole: Area, l: int) -> float:
    """The slack of each row of a part in which values are as common as in the whole table."""
    held = ground.held(whole)
    parts = ground.classes.parts.T
    commonest = max(float(np.bincount(part, weights=held).max(initial=0)) for part in parts)
    return 1 / l - commonest / max(1, whole.n_rows)


def _failing(share: float, slack: int) -> float:
    """The probability with which a test of this slack fails."""
    return min(1.0, math.exp(-share * (slack + 1))) if slack >= 0 else 1.0


def keyed_tests(key: Key) -> Test:
    """Tests that the key alone decides, each by a draw of its own."""
    return lambda trial: key.subkey(f"bucketize: areas: {trial.name}").words[0] < trial.failing * 2.0**64
