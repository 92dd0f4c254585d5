"""The verifier's own assignments against all permutations."""

from __future__ import annotations

import random

from tacit_verify.assignments import Kinds, largest_share, valid_values
from tests.oracles import assignments as oracle


def draw(generator: random.Random) -> tuple[list[int], list[set[int]], Kinds, list[int]]:
    """A group: values, forbidden sets (which may contradict each other), and its kinds of rows."""
    n_values = generator.randint(1, 4)
    values = [*range(n_values), *(generator.randrange(n_values) for _ in range(generator.randint(0, 2)))]
    forbidden = [{value for value in range(n_values) if generator.random() < 0.3} for _ in range(len(values))]
    may = [frozenset(range(n_values)) - barred for barred in forbidden]
    rows = tuple((kind, may.count(kind)) for kind in sorted(set(may), key=sorted))
    counts = tuple(values.count(value) for value in range(n_values))
    kinds = Kinds(rows, counts, (tuple(range(n_values)),))
    return values, forbidden, kinds, [[kind for kind, _ in rows].index(mine) for mine in may]


def test_valid_values_and_shares() -> None:
    generator = random.Random(60)
    none = some = 0
    for _ in range(1_500):
        values, forbidden, kinds, kind_of = draw(generator)
        ways = oracle.assignments(values, forbidden)
        found = valid_values(kinds)
        if not ways:
            none += 1
            assert found is None
            continue
        some += 1
        assert found is not None
        assert [found[kind] for kind in kind_of] == oracle.valid_values(values, forbidden)
        likeliest = max(max(mine.values()) for mine in oracle.shares(values, forbidden))
        assert largest_share(kinds) == likeliest
    assert none > 100 and some > 400
