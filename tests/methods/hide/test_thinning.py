"""Rules lose their confidence where that costs the other rules and patterns little."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

import tacit
from tacit.random.key import Key
from tests.cases import cases
from tests.oracles.hiding import fewest_lost_with_rule, mined, support


@pytest.mark.parametrize("count", [4, pytest.param(cases(60), marks=pytest.mark.ci)])
def test_hardly_more_is_lost_than_must_be(count: int) -> None:
    draw = random.Random(3)
    lost = fewest = exactly = hard = 0
    while hard < count:
        names = [f"i{number}" for number in range(draw.randint(3, 5))]
        chances = [draw.uniform(0.3, 0.9) for _ in names]
        records = [
            frozenset(name for name, chance in zip(names, chances, strict=True) if draw.random() < chance)
            for _ in range(draw.randint(12, 20))
        ]
        least, confidence = draw.randint(3, 6), Fraction(draw.choice([3, 5, 7]), 10)
        rules = sorted(
            (sorted(left), min(right)) for left, right in mined(records, least, confidence) if left
        )
        if not rules:
            continue
        left, right = draw.choice(rules)
        items = {*left, right}
        if support(records, items) - least > 2:
            continue  # too many ways to try all of them
        best = fewest_lost_with_rule(records, frozenset(left), right, least, confidence)
        release = tacit.hide(
            tacit.transactions_from_sets(records),
            patterns=[(left, [right])],
            min_support=least,
            min_confidence=float(confidence),
            targets="limit",
            policy="exact",
            key=Key.from_seed(1),
        )
        if not best or release.proposal.plan.routes[0].way != "confidence":
            continue
        before = mined(records, least, confidence) - {(frozenset(left), frozenset([right]))}
        ours = len(before - mined(release.published.sets(), least, confidence))
        assert ours >= best
        lost, fewest, hard, exactly = lost + ours, fewest + best, hard + 1, exactly + (ours == best)
    assert lost <= 1.05 * fewest
    assert exactly >= 0.9 * hard


def test_a_rule_keeps_all_that_is_allowed() -> None:
    """Its target is the limit: it becomes too rare, where that takes fewer items than its confidence."""
    records = [{"a", "b", "c"}] * 25 + [{"a", "b"}] * 5 + [{"a", "c"}] * 30 + [{"b", "c"}] * 30
    release = tacit.hide(
        tacit.transactions_from_sets(records),
        patterns=["a, b => c"],
        min_support=20,
        min_confidence=0.3,
        targets="limit",
        key=Key.from_seed(1),
    )
    after = release.published.sets()
    assert support(after, {"a", "b", "c"}) == 19
    assert sum(map(len, after)) == sum(map(len, records)) - 6
    assert release.utility().misses_cost == 1 / 4  # the pattern of the rule, and no pair
