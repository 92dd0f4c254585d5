"""The guards against chance, against their definition and against designs that fool one of them."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.judging import sameness as judge
from tacit.judging.sameness import contents, sameness
from tests.oracles import sameness as oracle

records = st.lists(st.integers(0, 6), min_size=1, max_size=14)


def second_of(words: list[int], chance: float = 1e-9) -> judge.Contents:
    return contents(np.array(words, dtype=np.uint64), np.full(len(words), chance))


@given(records, records)
@settings(max_examples=150)
def test_the_estimate_and_its_distance_from_chance_are_the_oracles(one: list[int], two: list[int]) -> None:
    found = sameness(np.array(one, dtype=np.uint64), second_of(two), of=len(one))
    limit = sum(min(one.count(word), two.count(word)) for word in set(one))
    assert found.common == pytest.approx(min(max(float(oracle.excess(one, two)), 0), limit))
    total, variance = oracle.beyond(one, two)
    exchange = float(total) / max(sqrt(variance), 1.0)
    assert found.beyond <= exchange + 1e-9


@pytest.mark.parametrize("together", [1, 2, 3, 5])
@pytest.mark.parametrize("share", [Fraction(1, 2), Fraction(1, 5)])
def test_an_exchange_has_mean_zero_and_the_stated_variance(together: int, share: Fraction) -> None:
    assert oracle.moments(together, share) == (0, Fraction(together * (together - 1), 2))


def test_a_plan_with_its_number_of_each_combination_is_no_match() -> None:
    cells = np.repeat(np.arange(200, dtype=np.uint64), 5)
    plan = contents(cells, np.full(len(cells), 1 / 200))
    assert not sameness(cells, plan, of=len(cells)).matches
    drawn = np.random.default_rng(1).integers(0, 200, 1000).astype(np.uint64)
    assert sameness(drawn, contents(drawn, np.full(1000, 1 / 200)), of=1000).matches


def test_numbers_that_both_have_once_are_no_match_by_themselves() -> None:
    draw = np.random.default_rng(1)
    number, ages = np.arange(1000), (draw.integers(0, 40, 1000), draw.integers(0, 40, 1000))
    one, two = ((number * 100 + age).astype(np.uint64) for age in ages)
    assert (one == two).sum() > 15
    other = contents(two, np.full(1000, 1 / 1000 / 40))
    assert not sameness(one, other, of=1000).matches
    assert sameness(one, contents(one, np.full(1000, 1 / 1000 / 40)), of=1000).matches
