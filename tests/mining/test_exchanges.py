"""Exchanges of values by which everybody keeps ℓ of them, against all worlds of a few people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import pytest

import tacit
from tacit.engine.local.engine import LocalEngine
from tacit.mining.exchanges import MOST, Exchanges, Groups, Pair, pairs_among
from tests.cases import cases
from tests.oracles.silence import pairs_from_definition

Values = tuple[int, ...]
"""What somebody has of every column."""


@dataclass(frozen=True)
class Few:
    """Some people: in which class, what they have, what they cannot have; and pairs that keep a holder."""

    class_of: list[int]
    has: list[Values]
    barred: list[frozenset[tuple[int, int]]]
    pairs: list[tuple[int, int, frozenset[int]]]

    def exchanges(self) -> Exchanges:
        n = len(self.has)

        def may(one: int, other: int) -> bool:
            return self.barred[one].isdisjoint(enumerate(self.has[other]))

        groups = Groups(
            np.array(self.class_of, dtype=np.int32),
            np.arange(n, dtype=np.int32),
            np.ones(n, dtype=np.int64),
            np.array(self.has, dtype=np.int32),
            may,
        )
        return Exchanges(groups, [Pair(c, v, np.array(sorted(able))) for c, v, able in self.pairs])

    def worlds(self, class_of: Sequence[int]) -> Iterator[list[Values]]:
        """Everybody has what somebody of their class has, and every pair has a holder."""
        n = len(self.has)
        order = {one: [who for who in range(n) if class_of[who] == one] for one in sorted({*class_of})}
        ways = [list(self._ways(who, Counter(self.has[one] for one in who))) for who in order.values()]
        for chosen in product(*ways):
            world: list[Values] = [()] * n
            for who, values in zip(order.values(), chosen, strict=True):
                for one, mine in zip(who, values, strict=True):
                    world[one] = mine
            if all(any(world[one][c] == value for one in able) for c, value, able in self.pairs):
                yield world

    def _ways(self, who: Sequence[int], left: Counter[Values]) -> Iterator[list[Values]]:
        if not who:
            yield []
            return
        for values in [one for one in left if left[one] and self.barred[who[0]].isdisjoint(enumerate(one))]:
            left[values] -= 1
            for others in self._ways(who[1:], left):
                yield [values, *others]
            left[values] += 1


def drawn(seed: int) -> tuple[Few, int]:
    """Two or three classes, one or two columns, and ℓ."""
    generator = np.random.default_rng(seed)
    n, columns = int(generator.integers(5, 9)), int(generator.integers(1, 3))
    class_of = np.sort(generator.integers(2 + n // 7, size=n)).tolist()
    has = [tuple(one) for one in generator.integers(4, size=(n, columns)).tolist()]
    barred = [
        frozenset(
            (c, v) for c in range(columns) for v in range(4) if v != mine[c] and generator.random() < 0.1
        )
        for mine in has
    ]
    pairs = []
    for _ in range(int(generator.integers(1, 5))):
        column, holder = int(generator.integers(columns)), int(generator.integers(n))
        value = has[holder][column]
        able = {holder} | {one for one in range(n) if generator.random() < 0.4}
        pairs.append((column, value, frozenset(one for one in able if (column, value) not in barred[one])))
    return Few(class_of, has, barred, pairs), int(generator.integers(2, 4))


def joined(few: Few, l: int) -> list[int] | None:
    """The classes as they are when nobody asks for others any more; None where there are no others."""
    exchanges, class_of = few.exchanges(), np.array(few.class_of)
    for here, wanted in exchanges.narrowed(l):
        others = class_of[wanted][class_of[wanted] != here]
        if not len(others):
            return None
        other = int(others[0])
        exchanges.join(here, other)
        class_of[class_of == other] = here
    return list(class_of.tolist())


def fewest(few: Few, class_of: Sequence[int]) -> int:
    """The fewest values that somebody has of a column in all worlds."""
    found: dict[tuple[int, int], set[int]] = {}
    for world in few.worlds(class_of):
        for one, values in enumerate(world):
            for column, value in enumerate(values):
                found.setdefault((one, column), set()).add(value)
    return min(map(len, found.values()))


def test_everybody_keeps_l_values_in_all_worlds() -> None:
    """As they do where no pair needs a holder, which is what classes are made for; and few ask in vain."""
    asked = joins = needless = 0
    for seed in range(cases(3000)):
        few, l = drawn(seed)
        if fewest(replace(few, pairs=[]), few.class_of) < l:
            continue
        asked += 1
        class_of = joined(few, l)
        assert class_of is None or fewest(few, class_of) >= l, seed
        if class_of != few.class_of:
            joins += 1
            needless += fewest(few, few.class_of) >= l
    assert asked > cases(300) and joins > asked / 3
    assert needless < joins / 20


@pytest.mark.parametrize("share", [0.0, 0.3])
def test_pairs_are_those_of_which_every_holder_takes_part(share: float) -> None:
    """Whoever is left out holds theirs in every world; who takes part may come to hold what few hold."""
    table = tacit.load_sample("hospital:200", seed=4)
    rules = tacit.mine_negative_rules(table, max_length=1, min_expectation=0.7)
    combinations = LocalEngine().combinations(table, (*table.roles.known, *table.roles.sensitive))
    numbers = {tuple(row): place for place, row in enumerate(combinations.codes.tolist())}
    columns = [table.column(name).codes.tolist() for name in combinations.names]
    number = [numbers[row] for row in zip(*columns, strict=True)]
    (name,) = table.roles.sensitive
    barred, held = rules.forbidden(combinations, name), columns[combinations.place(name)]
    of = np.flatnonzero(np.random.default_rng(1).random(len(combinations)) >= share)
    place = {one: at for at, one in enumerate(of.tolist())}
    expected = {
        (value, frozenset(place[number[row]] for row in able if number[row] in place))
        for inside, value, holders in pairs_from_definition(table, rules)
        if holders <= MOST
        for able in [[row for row in inside if not barred[number[row], value]]]
        if all(number[row] in place for row in able if held[row] == value)
    }
    found = pairs_among(combinations, rules, [name], of, combinations.counts[of])
    assert {(pair.value, pair.known) for pair in found} == expected
    assert len(expected) > 20
