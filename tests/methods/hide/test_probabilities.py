"""Probabilities against exact binomial tails, and the confidence they promise against many draws."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import bdtr

from tacit.arrays.compiled import new_flag
from tacit.arrays.groups import without_cells
from tacit.engine.kernels.sanitizing import drawn_removals
from tacit.engine.kernels.sets import count_sets, index_sets
from tacit.methods.hide.solve.matrix import largest_probability, shared_confidence
from tacit.random.key import Key
from tests.methods.hide.instances import random_instance
from tests.oracles.hiding import binomial_tail


def test_the_largest_probability_is_safe_and_nearly_the_largest() -> None:
    draw = random.Random(3)
    for _ in range(150):
        n = draw.randint(1, 120)
        x = draw.randint(0, n + 2)
        confidence = draw.choice([0.05, 0.1, 0.5, 0.9, 0.95, 0.999])
        found = float(largest_probability(np.array([n]), x, confidence)[0])
        if n <= x:
            assert found == 1.0
            continue
        exact = Fraction(confidence)
        # scipy's tail is good to a few units in the last place, and so is the promise.
        assert binomial_tail(n, x, Fraction(found)) >= exact - Fraction(1, 10**13)
        assert bdtr(x, n, found) >= confidence  # it is on the safe side of what scipy can tell
        assert binomial_tail(n, x, Fraction(found) + Fraction(1, 10**9)) < exact


def test_the_mean_binds_where_the_confidence_is_low() -> None:
    free = float(largest_probability(np.array([200]), 99, 0.1)[0])
    bound = float(largest_probability(np.array([200]), 99, 0.1, mean_below=Fraction(100))[0])
    assert free > 0.5
    assert bound < 0.5
    assert bound > 0.4999999


def test_confidence_is_shared_out() -> None:
    for marks in (1, 10, 333):
        exact = 1 - Fraction(5, 100) / marks
        assert exact <= Fraction(shared_confidence(Fraction(95, 100), marks)) < exact + Fraction(1, 10**15)


@pytest.mark.parametrize(
    "confidence",
    [*(pytest.param(Fraction(each), marks=pytest.mark.ci) for each in ("1/2", "4/5")), Fraction(95, 100)],
)
def test_certified_keeps_its_confidence(confidence: Fraction) -> None:
    """Two thousand instances in all, twenty keys each: all marked pairs are infrequent often enough."""
    draw = random.Random(int(confidence * 100))
    keys = [Key.from_seed(seed) for seed in range(20)]
    hidden = drawn = tight = 0
    for _ in range(667):
        instance = random_instance(draw, singles=True)
        plan, sanitizer = instance.plan(keys[0], confidence=confidence)
        assert plan.probabilities is not None
        data, flag = instance.transactions, new_flag()
        pairs = [mark.items for mark in plan.matrix.marks]
        offsets = np.cumsum([0, *map(len, pairs)], dtype=np.int64)
        codes = np.array([item for pair in pairs for item in pair], dtype=np.int32)
        sets = index_sets(offsets, codes, data.supports)
        high, low = plan.probabilities.words
        good = 0
        for key in keys:
            draws = sanitizer._known.draws(key.subkey("hide: cells 0"))
            removed = drawn_removals(data.indptr, data.items, plan.matrix.columns, high, low, draws, flag)
            rows = without_cells(data.indptr, data.items, removed)
            for part in rows:
                part.flags.writeable = False
            good += bool((count_sets(*rows, sets, flag) < instance.least).all())
        assert good >= 20 * float(confidence) - 6 * (20 * 0.25) ** 0.5  # none far below
        tight += good < 20
        hidden += good
        drawn += 20
    error = (float(confidence * (1 - confidence)) / drawn) ** 0.5
    assert hidden / drawn >= float(confidence) - 3 * error
    assert tight > 50  # the draws do fail now and then: the test could see it
