"""What a reader who knows the tool makes of a generalized table, by enumeration.

Small tables only. For a release R, Ω(R) are the tables that could stand behind it: values exchanged inside
classes so that the stated rules hold. The reader who knows the tool weighs each by P(R | T'), the one the
release speaks to weighs them alike. P(R | T') is found by running the solver itself on T', once for every
way in which its tests could end.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, count, permutations, product

import numpy as np

from tacit.arrays.bitmaps import pack
from tacit.data.hierarchy import from_parents
from tacit.knowledge.row_classes import RowClasses
from tacit.recoding import CELLS, LOCAL
from tacit.recoding.problem import Fails, Problem, Recoded
from tacit.recoding.promises import (
    Distinct,
    EntropyDiversity,
    Held,
    OfCounts,
    Promise,
    Recursive,
    equal_distance,
    hierarchical_distance,
    ordered_distance,
)
from tacit.recoding.solve import local_recoding, solve
from tacit.typing import AnyArray, Counts
from tests.methods.generalize_tables.random_tables import RandomTable, random_table


def by_halves(totals: Counts) -> OfCounts:
    """The distance by a hierarchy in which two values each have a parent of their own."""
    names = [str(value) for value in range(len(totals))]
    parents = {name: f"pair {value // 2}" for value, name in enumerate(names)}
    tree = from_parents(parents | dict.fromkeys(parents.values(), "*"))
    return hierarchical_distance(Fraction(3, 10), totals, tree, tree.leaves_of(names))


PROMISES: dict[str, Callable[[Counts], OfCounts]] = {
    "ℓ = 2": lambda totals: Distinct(2),
    "entropy ℓ = 2": lambda totals: EntropyDiversity(2),
    "recursive (3, 2)": lambda totals: Recursive(Fraction(3), 2),
    "t = .4, equal": lambda totals: equal_distance(Fraction(2, 5), totals),
    "t = .3, ordered": lambda totals: ordered_distance(Fraction(3, 10), totals),
    "t = .3, hierarchical": by_halves,
    "ℓ = 2, a rule": lambda totals: Distinct(2),
}
RULE = "ℓ = 2, a rule"
"""Nobody with the first value of the first column has the first sensitive value, as everybody knows."""
Shown = tuple[tuple[int, ...], ...]
"""The published nodes of each row."""


@dataclass(frozen=True)
class Way:
    """How a table is generalized, and what is promised."""

    recoding: str
    promise: str
    epsilon: float = 0.4


@dataclass(frozen=True)
class Finding:
    """What the aware reader gains on the one the release speaks to, at the row where that is most."""

    chance: float
    """How likely the table's release is this one."""
    excess: float
    largest_ratio: float
    """The largest ratio of P(R | T') and P(R | T'') over one exchange inside a class."""
    classes: int


class Method:
    """One way, on tables that differ in who holds which value."""

    def __init__(self, way: Way, table: RandomTable, k: int = 1) -> None:
        self.way = way
        if way.recoding == CELLS:
            table = replace(
                table, forest=[{leaf: "*" for leaf in tree if "v" in leaf} for tree in table.forest]
            )
        self.table = table
        self.problem = table.problem(k)
        places = {row: place for place, row in enumerate(sorted(set(table.rows)))}
        self.combination = np.array([places[row] for row in table.rows], dtype=np.int32)
        self.names = sorted(set(table.values))
        self.made: dict[tuple[str, ...], dict[Shown, float]] = {}
        self.barred = np.array(
            [[not may_have(way, row, name) for name in self.names] for row in table.rows], dtype=np.bool_
        )

    def asked(self, values: Sequence[str]) -> Problem:
        """What the solver is given, if the rows hold these values."""
        held = np.array([self.names.index(value) for value in values], dtype=np.int32)
        n_rows, n_values = self.barred.shape
        kinds = RowClasses(  # every row with every value is a kind
            ("illness",),
            (tuple(self.names),),
            np.arange(n_values, dtype=np.int32)[:, None],
            np.tile(np.arange(n_values, dtype=np.int32), n_rows),
            pack(np.repeat(self.barred, n_values, axis=0)),
            np.ones(n_rows * n_values, dtype=np.int64),
        )
        kinds_of = (np.arange(n_rows) * n_values + held).astype(np.int32)
        everybody = Held(self.combination, kinds_of, np.ones(n_rows, dtype=np.int64), kinds)
        part = PROMISES[self.way.promise](everybody.totals(0))
        valid = 2 if self.way.promise == RULE else None
        promise = Promise(self.problem.promise.k, everybody, ((0, part),), valid)
        return replace(self.problem, promise=promise)

    def releases(self, values: tuple[str, ...]) -> dict[Shown, float]:
        """Every release that could come out, with its probability."""
        if values not in self.made:
            self.made[values] = self._releases(values)
        return self.made[values]

    def _releases(self, values: tuple[str, ...]) -> dict[Shown, float]:
        problem = self.asked(values)
        if self.way.recoding in (LOCAL, CELLS):
            made = list(_outcomes(problem, self.way.epsilon))
        else:
            found = solve(problem, self.way.recoding)
            made = [] if found is None else [(found.recoded, 1.0)]
        chances: Counter[Shown] = Counter()
        for recoded, chance in made:
            nodes = recoded.nodes[recoded.class_of[self.combination]].tolist()
            chances[tuple(map(tuple, nodes))] += chance  # type: ignore[assignment]
        return dict(chances)

    def possible(self, shown: Shown) -> Iterator[tuple[str, ...]]:
        """The tables with the same values in each class in which the rules hold; the truth is one of them."""
        classes = [[row for row, cells in enumerate(shown) if cells == one] for one in sorted(set(shown))]
        orders = [sorted(set(permutations(self.table.values[row] for row in rows))) for rows in classes]
        for chosen in product(*orders):
            values = [""] * len(shown)
            for rows, order in zip(classes, chosen, strict=True):
                for row, value in zip(rows, order, strict=True):
                    values[row] = value
            if all(may_have(self.way, *one) for one in zip(self.table.rows, values, strict=True)):
                yield tuple(values)


def may_have(way: Way, row: tuple[str, ...], value: str) -> bool:
    return way.promise != RULE or row[0] != "0v0" or value != "s0"


def _outcomes(problem: Problem, epsilon: float) -> Iterator[tuple[Recoded, float]]:
    """What local classes could be, for every way in which the tests could end."""
    waiting: list[tuple[bool, ...]] = [()]
    while waiting:
        script = waiting.pop()
        ends: list[bool] = []
        chances: list[float] = []
        found = local_recoding(problem, epsilon=epsilon, fails=_scripted(script, ends, chances))
        waiting += [(*ends[:place], False) for place in range(len(script), len(ends))]
        if found is not None:
            yield found, float(np.prod(chances))


def _scripted(script: tuple[bool, ...], ends: list[bool], chances: list[float]) -> Fails:
    """Tests that end as the script says, and fail where it says nothing."""

    def fails(halves: Sequence[AnyArray], chance: float) -> bool:
        if chance >= 1:
            return True
        end = len(ends) >= len(script) or script[len(ends)]
        ends.append(end)
        chances.append(chance if end else 1 - chance)
        return end

    return fails


def aware(method: Method, shown: Shown) -> Finding:
    """What a release gives away."""
    candidates = list(method.possible(shown))
    weights = {values: method.releases(values).get(shown, 0.0) for values in candidates}
    excess = 0.0
    for row in range(len(shown)):
        known: Counter[str] = Counter()
        stated: Counter[str] = Counter()
        for values, weight in weights.items():
            known[values[row]] += weight  # type: ignore[assignment]
            stated[values[row]] += 1
        gained = max(known.values()) / sum(weights.values()) - max(stated.values()) / len(candidates)
        excess = max(excess, gained)
    ratio = 1.0
    for values, weight in weights.items():
        for one, other in combinations(range(len(shown)), 2):
            swapped = list(values)
            swapped[one], swapped[other] = swapped[other], swapped[one]
            if shown[one] == shown[other] and (against := weights.get(tuple(swapped))) is not None:
                ratio = max(ratio, weight / against if against else np.inf if weight else 1.0)
    chance = method.releases(tuple(method.table.values))[shown]
    return Finding(chance, excess, ratio, len(set(shown)))


def findings(way: Way, tables: int, *, rows: int = 6) -> list[list[Finding]]:
    """What the releases of random tables give away, those that could come out of each."""
    found: list[list[Finding]] = []
    for number in count():
        if len(found) == tables:
            break
        table = _table(random.Random(number), way, rows)
        if table is not None:
            method = Method(way, table)
            releases = method.releases(tuple(table.values))
            if releases:
                found.append([aware(method, shown) for shown in releases])
    return found


def _table(draw: random.Random, way: Way, rows: int) -> RandomTable | None:
    """Three values; in half of the tables one dominates where the first column has its first values."""
    table = random_table(draw, most_rows=rows, values=3)
    values = list(table.values)
    if draw.random() < 0.5:
        for place, row in enumerate(table.rows):
            if row[0] < "0v2" and draw.random() < 0.6:
                values[place] = "s1"
    allowed = all(may_have(way, *one) for one in zip(table.rows, values, strict=True))
    return replace(table, values=values) if allowed and len(table.rows) >= rows - 1 else None
