"""Rules are hidden by their confidence or their support, whichever is cheaper, and stay hidden together."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

import tacit
from tacit.methods.hide.solve.rules import allowed_support
from tacit.random.key import Key
from tests.cases import cases
from tests.methods.hide.instances import random_instance
from tests.oracles.hiding import support


@pytest.mark.parametrize(
    ("count", "fewest"), [(15, 1), pytest.param(cases(150), cases(10), marks=pytest.mark.ci)]
)
def test_no_secret_rule_can_be_mined_afterwards(count: int, fewest: int) -> None:
    draw = random.Random(10)
    ways = {"confidence": 0, "support": 0, "hidden": 0}
    for seed in range(count):
        instance = random_instance(draw, most=40)
        names = list(instance.transactions.vocabulary)
        rules = []
        for _ in range(draw.randint(1, 3)):
            items = draw.sample(names, draw.randint(2, min(3, len(names))))
            rules.append((frozenset(items[1:]), frozenset(items[:1])))
        least_confidence = draw.choice([0.3, 0.6, 0.9])
        asked = draw.choice([{"policy": "certified"}, {"policy": "exact"}, {"algorithm": "swa"}])
        release = tacit.hide(
            instance.transactions,
            patterns=[*instance.seeds(), *rules],
            min_support=instance.least,
            min_confidence=least_confidence,
            key=Key.from_seed(seed),
            **asked,
        )
        after = release.published.sets()
        for left, right in rules:
            both, alone = support(after, left | right), support(after, left)
            assert both < instance.least or both < Fraction(str(least_confidence)) * alone
        for items in instance.seeds():
            assert support(after, items) < instance.least
        for route in release.proposal.plan.routes:
            ways[route.way] += 1
    assert min(ways.values()) > fewest


def test_the_cheaper_way_is_taken() -> None:
    """A rule just above a high confidence: a few items of its right side are enough."""
    records = [{"a", "b"}] * 91 + [{"a"}] * 9 + [{"b"}] * 50
    baskets = tacit.transactions_from_sets(records)
    by_confidence = tacit.hide(
        baskets,
        patterns=["a => b"],
        min_support=20,
        min_confidence=0.9,
        targets="limit",
        key=Key.from_seed(1),
    )
    by_support = tacit.hide(baskets, patterns=["a => b"], min_support=20, key=Key.from_seed(1))
    assert [route.way for route in by_confidence.proposal.plan.routes] == ["confidence"]
    assert [route.way for route in by_support.proposal.plan.routes] == ["support"]
    after = by_confidence.published.sets()
    assert support(after, {"a"}) == 100  # the left side is not touched
    assert support(after, {"a", "b"}) == 89  # as confident as is allowed
    assert support(by_support.published.sets(), {"a", "b"}) < 20


def test_a_hidden_rule_is_not_parked_below_the_limit() -> None:
    """Its confidence is drawn like those of other rules that cannot be mined, and the place says so."""
    draw = random.Random(11)
    records = []
    for _ in range(3000):
        kind = draw.randrange(12)
        record = {f"l{kind}"} | {f"r{other}" for other in range(12) if draw.random() < 0.04 + 0.02 * other}
        if draw.random() < 0.1 + 0.05 * kind:
            record.add(f"r{kind}")
        records.append(record)
    baskets = tacit.transactions_from_sets(records)
    confidences, places = [], []
    for seed in range(12):
        release = tacit.hide(
            baskets,
            patterns=["l9 => r9"],
            min_support=8,
            min_confidence=0.45,
            key=Key.from_seed(seed),
        )
        assert [route.way for route in release.proposal.plan.routes] == ["confidence"]
        after = release.published.sets()
        confidences.append(support(after, {"l9", "r9"}) / support(after, {"l9"}))
        disguise = release.risk().disguise
        assert disguise is not None
        places.append(disguise.rules.places["confidence"][0])
    assert max(confidences) < 0.9 * 0.45  # it was drawn from the last tenth below the limit
    assert len(set(confidences)) > 3
    assert all(place is not None and place > 20 for place in places)


def test_without_a_threshold_rules_are_hidden_by_support() -> None:
    assert allowed_support(100, Fraction(9, 10), 20) == 89
    assert allowed_support(10, Fraction(9, 10), 20) == 19
