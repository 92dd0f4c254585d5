"""The verifier's own assignments against all permutations."""

from __future__ import annotations

import random
import time
from collections.abc import Iterable
from fractions import Fraction

import pytest

from tacit_verify import assignments
from tacit_verify.assignments import Kinds, diversity, kinds_of, likeliest, valid_values
from tests.oracles import assignments as oracle


def draw(generator: random.Random) -> tuple[list[int], list[set[int]], Kinds, list[int]]:
    """A group: values, forbidden sets (which may contradict each other), and its kinds of rows."""
    n_values = generator.randint(1, 4)
    values = [*range(n_values), *(generator.randrange(n_values) for _ in range(generator.randint(0, 2)))]
    forbidden = [{value for value in range(n_values) if generator.random() < 0.3} for _ in range(len(values))]
    may = [frozenset(range(n_values)) - barred for barred in forbidden]
    rows = tuple((_mask(kind), may.count(kind)) for kind in sorted(set(may), key=sorted))
    counts = tuple(values.count(value) for value in range(n_values))
    kinds = Kinds(rows, counts, (tuple(range(n_values)),))
    return values, forbidden, kinds, [[kind for kind, _ in rows].index(_mask(mine)) for mine in may]


def _mask(values: Iterable[int]) -> int:
    return sum(1 << value for value in values)


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
        assert [found[kind] for kind in kind_of] == [
            _mask(mine) for mine in oracle.valid_values(values, forbidden)
        ]
        largest = max(max(mine.values()) for mine in oracle.shares(values, forbidden))
        assert likeliest(kinds, found) == largest
    assert none > 100 and some > 400


def test_kinds_of_a_group() -> None:
    """Of two sensitive attributes: ``a`` and ``A`` look alike, and one row cannot have ``y``."""
    values = [(("a", "x"), 1), (("A", "y"), 2), (("b", "x"), 1)]
    nothing = frozenset[tuple[int, str]]()
    kinds = kinds_of([nothing, frozenset({(1, "y")}), nothing, nothing], values)
    assert kinds == Kinds(((0b101, 1), (0b111, 3)), (1, 2, 1), ((0, 0, 2), (0, 1, 0)))
    assert diversity(kinds, [0b101, 0b111]) == 1
    assert diversity(kinds, [0b110, 0b111]) == 2
    assert diversity(kinds, [0]) == 0


@pytest.mark.parametrize(("name", "most"), [("MOST_STATES", 8), ("MOST_ROWS", 3)])
def test_so_many_can_be_counted_and_no_more(name: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three rows that differ in one value which they cannot have: eight numbers of waiting rows."""
    kinds = Kinds(((0b110, 1), (0b101, 1), (0b011, 1)), (1, 1, 1), ((0, 1, 2),))
    valid = [mask for mask, _ in kinds.rows]
    monkeypatch.setattr(assignments, name, most)
    assert likeliest(kinds, valid) == Fraction(1, 2)
    monkeypatch.setattr(assignments, name, most - 1)
    assert likeliest(kinds, valid) is None


def test_many_kinds_in_one_group() -> None:
    """10,000 rows of 1,000 kinds, each barred from some values: in seconds."""
    generator = random.Random(61)
    n_values, everything = 1_000, (1 << 1_000) - 1
    barred = [_mask(generator.sample(range(n_values), generator.randint(1, 900))) for _ in range(1_000)]
    rows = tuple((everything & ~mask, 10) for mask in barred)
    kinds = Kinds(rows, (10,) * n_values, (tuple(range(n_values)),))
    before = time.process_time()
    found = valid_values(kinds)
    assert time.process_time() - before < 5
    assert found is not None and min(mask.bit_count() for mask in found) >= 2
    assert likeliest(kinds, found) is None  # too many to be counted


def test_a_chain_of_rows_that_are_certain() -> None:
    """Row i may take the values up to i: each has one value alone, found by a path through all the others."""
    n = 300
    rows = tuple(((1 << place + 1) - 1, 1) for place in reversed(range(n)))
    kinds = Kinds(rows, (1,) * n, (tuple(range(n)),))
    found = valid_values(kinds)
    assert found == [1 << place for place in reversed(range(n))]
    assert likeliest(kinds, found) == 1
    assert valid_values(Kinds((*rows[1:], (1, 1)), (1,) * n, kinds.parts)) is None
    assert valid_values(Kinds(rows, (1,) * (n - 1), kinds.parts)) is None
