"""Exchanges of values by which everybody keeps ℓ of them, against all worlds of a few people."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import tacit
from tacit.engine.local.engine import LocalEngine
from tacit.mining.exchanges import MOST, Exchanges, Groups, Pair, pairs_among
from tests.cases import cases
from tests.oracles.exchanged import Few, fewest
from tests.oracles.silence import pairs_from_definition


def exchanges(few: Few, *, complete: bool = False) -> Exchanges:
    n = len(few.has)

    def may(one: int, other: int) -> bool:
        return few.barred[one].isdisjoint(enumerate(few.has[other]))

    groups = Groups(
        np.array(few.class_of, dtype=np.int32),
        np.arange(n, dtype=np.int32),
        np.ones(n, dtype=np.int64),
        np.array(few.has, dtype=np.int32),
        may,
    )
    pairs = [Pair(c, v, np.array(sorted(able))) for c, v, able in few.pairs]
    return Exchanges(groups, pairs, complete=complete)


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
    found, class_of = exchanges(few), np.array(few.class_of)
    for one in found.narrowed(l):
        here = found.class_of[one]
        others = class_of[class_of != here]
        if not len(others):
            return None
        other = int(others[0])
        found.join(here, other)
        class_of[class_of == other] = here
    return list(class_of.tolist())


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


def test_with_all_pairs_of_a_small_table_nobody_asks_in_vain() -> None:
    asked = 0
    for seed in range(cases(6000)):
        few, l = drawn(seed)
        if fewest(replace(few, pairs=[]), few.class_of) >= l:
            needed = fewest(few, few.class_of) < l
            found = next(exchanges(few, complete=True).narrowed(l), None)
            assert (found is not None) == needed, seed
            asked += needed
    assert asked > cases(100)


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
