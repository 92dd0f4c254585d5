"""The exact policy: nothing fails, nothing is added, and no item more could have stayed."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tacit.methods.hide.apply import carry_out, is_hidden, kept_within, one_draw
from tacit.random.key import Key
from tests.cases import cases, parted
from tests.methods.hide.instances import left_over, random_instance
from tests.oracles.hiding import fewest_lost, frequent, measures, support


@parted(400)
def test_nothing_fails_and_nothing_is_added(seeds: range) -> None:
    draw = random.Random(4 + seeds.start)
    for seed in seeds:
        instance = random_instance(draw, singles=True, most=40)
        key = Key.from_seed(seed)
        targets = draw.choice(["limit", "drawn"])
        plan, sanitizer = instance.plan(key, policy="exact", targets=targets)
        removed = one_draw(plan, sanitizer, label=0)
        assert is_hidden(plan, sanitizer, removed)
        after = left_over(instance, sanitizer, removed)
        assert len(after) == len(instance.records)
        assert all(new <= old for new, old in zip(after, instance.records, strict=True))
        for items in instance.seeds():
            assert support(after, items) < instance.least
        secret_items = {item for items in instance.seeds() if len(items) == 1 for item in items}
        for new, old in zip(after, instance.records, strict=True):
            assert new or not old - secret_items  # emptied only where it held nothing but secret items


@parted(300)
def test_no_item_more_could_have_stayed(seeds: range) -> None:
    draw = random.Random(5 + seeds.start)
    tried = 0
    for seed in seeds:
        instance = random_instance(draw, most=30)
        key = Key.from_seed(seed)
        plan, sanitizer = instance.plan(key, policy="exact")
        assert plan.limits is not None
        data = instance.transactions
        removed = kept_within(plan, plan.limits, sanitizer)
        pairs = [mark.items for mark in plan.matrix.marks]
        assert (sanitizer.supports(pairs, removed) <= plan.limits).all()
        for cell in np.flatnonzero(removed):
            more = removed.copy()
            more[cell] = False
            assert (sanitizer.supports(pairs, more) > plan.limits).any()
            tried += 1
        assert removed.sum() <= len(data.items)
    assert 3 * tried > 10 * len(seeds)


@pytest.mark.ci
def test_hardly_more_is_lost_than_must_be() -> None:
    draw = random.Random(8)
    lost = fewest = exactly = hard = 0
    for seed in range(250):
        instance = random_instance(draw, most=30)
        plan, sanitizer = instance.plan(Key.from_seed(seed), policy="exact")
        assert plan.limits is not None
        removed = kept_within(plan, plan.limits, sanitizer)
        names = instance.transactions.vocabulary
        limits = {
            frozenset(names[item] for item in mark.items): int(limit)
            for mark, limit in zip(plan.matrix.marks, plan.limits, strict=True)
        }
        concerned = frozenset().union(*limits)
        kept = [
            items
            for items in [
                *frequent(instance.records, instance.least),
                *(frozenset([name]) for name in concerned),
            ]
            if items & concerned and not any(pair <= items for pair in limits)
        ]
        after = left_over(instance, sanitizer, removed)
        ours = sum(support(after, items) < instance.least for items in kept)
        if ours:
            best = fewest_lost(instance.records, limits, kept, instance.least)
            assert ours >= best
            lost, fewest, hard, exactly = lost + ours, fewest + best, hard + 1, exactly + (ours == best)
    assert hard >= 20
    assert lost <= 1.1 * fewest
    assert exactly >= 0.85 * hard


@pytest.mark.parametrize("count", [5, pytest.param(cases(60), marks=pytest.mark.ci)])
def test_every_policy_hides_and_the_measures_agree_with_the_definitions(count: int) -> None:
    import tacit

    draw = random.Random(6)
    for seed in range(count):
        instance = random_instance(draw, most=30)
        for asked in ({"policy": "certified"}, {"policy": "exact"}, {"algorithm": "swa"}):
            release = tacit.hide(
                instance.transactions,
                patterns=instance.seeds(),
                min_support=instance.least,
                key=Key.from_seed(seed),
                **asked,
            )
            after = release.published.sets()
            wanted = measures(instance.records, after, instance.seeds(), instance.least)
            found = release.to_dict()
            assert {name: found[name] for name in wanted} == wanted
            assert wanted["hiding_failure"] == wanted["artificial_patterns"] == 0
            if "policy" in asked:
                assert wanted["weakness"] == 0


def test_a_draw_that_fails_is_drawn_again() -> None:
    draw = random.Random(7)
    again = 0
    for seed in range(200):
        instance = random_instance(draw)
        key = Key.from_seed(seed)
        plan, sanitizer = instance.plan(key, confidence=0.2)
        done = carry_out(plan, sanitizer)
        assert is_hidden(plan, sanitizer, done.removed)
        again += done.draws > 1
    assert again > 20


def test_less_is_lost_than_by_a_plain_greedy() -> None:
    """On dense and on sparse data; the greedy leaves as much of a secret pair as it may, too."""
    import tacit

    for share in (0.85, 0.35):
        ours = greedy = 0
        for seed in range(8):
            draw = random.Random(seed)
            names = [f"i{number}" for number in range(9)]
            weights = [min(0.97, draw.uniform(share - 0.2, share + 0.2)) for _ in names]
            records = [
                frozenset(name for name, weight in zip(names, weights, strict=True) if draw.random() < weight)
                for _ in range(150)
            ]
            least = round(150 * share**3)
            found = frequent(records, least)
            secrets = draw.sample(sorted((one for one in found if len(one) == 2), key=sorted), 3)
            kept = [one for one in found if not any(secret <= one for secret in secrets)]
            release = tacit.hide(
                records,
                patterns=secrets,
                min_support=least,
                policy="exact",
                targets="limit",
                key=Key.from_seed(seed),
            )
            after = [frozenset(one) for one in release.published.sets()]
            assert all(support(after, secret) < least for secret in secrets)
            ours += sum(support(after, one) < least for one in kept)
            after = _greedy(records, secrets, kept, least)
            assert all(support(after, secret) < least for secret in secrets)
            greedy += sum(support(after, one) < least for one in kept)
        assert 0 < ours < greedy


def _greedy(
    records: list[frozenset[str]], secrets: list[frozenset[str]], kept: list[frozenset[str]], least: int
) -> list[frozenset[str]]:
    """Secrets by rising support, each without the item, in the smallest transactions, that loses least."""
    for secret in sorted(secrets, key=lambda one: support(records, one)):
        holders = [place for place, record in enumerate(records) if secret <= record]
        going = set(
            sorted(holders, key=lambda place: len(records[place]))[: max(0, len(holders) - least + 1)]
        )
        tries = [
            [record - {victim} if place in going else record for place, record in enumerate(records)]
            for victim in sorted(secret)
        ]
        records = min(tries, key=lambda one: sum(support(one, pattern) < least for pattern in kept))
    return records
