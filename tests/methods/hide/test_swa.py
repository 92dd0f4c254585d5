"""Sliding windows against the algorithm written out, and at the places where others break."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

import tacit
from tacit.engine.local.sets import LocalSanitizer
from tacit.errors import InfeasibleError
from tacit.methods.hide.solve.solve import largest_disclosure
from tacit.random.key import Key
from tests.methods.hide.instances import left_over, random_instance
from tests.oracles.hiding import support


def test_one_window_leaves_the_share_disclosed() -> None:
    draw = random.Random(11)
    for seed in range(200):
        instance = random_instance(draw, most=40)
        sanitizer = LocalSanitizer(instance.transactions, Key.from_seed(seed))
        share = Fraction(draw.randint(0, 10), 10)
        pattern = instance.secret.patterns[0]
        names = {instance.transactions.vocabulary[item] for item in pattern}
        removed = sanitizer.slid([pattern], disclosure=share, window=10_000)
        after = left_over(instance, sanitizer, removed)
        before = support(instance.records, names)
        assert support(after, names) == int(before * share)
        assert removed.sum() == before - int(before * share)  # one item of each transaction that goes
        gone = [len(old) for old, new in zip(instance.records, after, strict=True) if old != new]
        kept = [len(new) for new in after if names <= new]
        assert max(gone, default=0) <= min(kept, default=99)  # the shortest went first


def test_the_item_most_shared_goes() -> None:
    baskets = tacit.transactions_from_sets([{"a", "b", "c"}] * 10)
    sanitizer = LocalSanitizer(baskets, Key.from_seed(1))
    removed = sanitizer.slid([(0, 1), (0, 2)], disclosure=Fraction(0), window=10)
    assert (baskets.items[removed] == 0).all()
    assert removed.sum() == 10


def test_a_pattern_absent_from_a_window_and_the_input_are_left_alone() -> None:
    baskets = tacit.transactions_from_sets([{"a", "b"}] * 3 + [{"c"}] * 20)
    before = baskets.items.copy()
    removed = LocalSanitizer(baskets, Key.from_seed(2)).slid([(0, 1)], disclosure=Fraction(1, 2), window=2)
    assert removed.sum() >= 2
    assert np.array_equal(before, baskets.items)


def test_a_threshold_that_hides_too_little_is_refused_with_the_one_that_does() -> None:
    baskets = tacit.transactions_from_sets([{"a", "b"}] * 40 + [{"a"}] * 20 + [{"b"}] * 20)
    with pytest.raises(InfeasibleError) as caught:
        tacit.hide(
            baskets, patterns=["a, b"], min_support=10, algorithm="swa", disclosure=0.5, key=Key.from_seed(1)
        )
    assert caught.value.hint is not None
    assert "0.225" in caught.value.hint
    release = tacit.hide(baskets, patterns=["a, b"], min_support=10, algorithm="swa", key=Key.from_seed(1))
    assert support(release.published.sets(), {"a", "b"}) == 9
    assert largest_disclosure(np.array([40]), 10) == Fraction(9, 40)
