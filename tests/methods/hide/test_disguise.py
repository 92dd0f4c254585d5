"""Readers who look for what was hidden: each by its definition, and the owner is told the best of them."""

from __future__ import annotations

import json
import random

import numpy as np

import tacit
from tacit.methods.hide.attackers import by_partial_correlation, by_rows, disguise, read
from tacit.random.key import Key
from tests.oracles.hidden_attackers import expected_with, partial_correlation


def related_baskets(seed: int, n_rows: int = 4000, n_items: int = 10) -> list[set[str]]:
    """Items that come in three interests: pairs of one interest are frequent."""
    draw = random.Random(seed)
    records = []
    for _ in range(n_rows):
        interest = draw.randrange(3)
        record = {
            f"i{item}" for item in range(n_items) if draw.random() < (0.5 if item % 3 == interest else 0.08)
        }
        records.append(record or {"i0"})
    return records


def dense(baskets: tacit.Transactions, items: object) -> np.ndarray:
    sets = baskets.sets()
    return np.array([[name in record for name in baskets.vocabulary] for record in sets], dtype=float)[
        :, items
    ]


def test_attackers_agree_with_their_definitions() -> None:
    for seed in range(3):
        baskets = tacit.transactions_from_sets(related_baskets(seed, 600, 7))
        reading = read(baskets, 30)
        rows = dense(baskets, reading.items)
        partial, missing = by_partial_correlation(reading), by_rows(reading)
        assert missing is not None
        for one in range(len(rows.T)):
            for other in range(one):
                assert abs(-partial[one, other] - partial_correlation(rows, one, other)) < 0.01
                both = rows[:, one] @ rows[:, other]
                scores = [
                    (expected - both) / max(1.0, expected) ** 0.5
                    for expected in (expected_with(rows, one, other), expected_with(rows, other, one))
                ]
                assert abs(missing[one, other] - max(scores)) < 0.2


def test_a_hidden_pair_is_found_first_and_the_owner_is_told() -> None:
    """By support and by residual alone it looked well disguised; its neighbours give it away."""
    baskets = tacit.transactions_from_sets(related_baskets(5))
    least, told = 300, []
    frequent = tacit.mine_itemsets(baskets, min_support=least, min_length=2)
    for number, itemset in enumerate(frequent):
        if len(itemset.items) == 2:
            release = tacit.hide(baskets, patterns=[itemset], min_support=least, key=Key.from_seed(number))
            found = release.risk().disguise
            assert found is not None
            told.append(found.patterns.best[0] or 10**6)
            assert release.to_dict()["best_place"] == found.patterns.best[0]
            assert "place" in str(release.risk())
            # Places are in the private record, and in nothing that is published.
            assert "place" not in release.manifest.to_json()
            record = json.loads(release.private["plan.json"])  # type: ignore[arg-type]
            assert record["risks"]["best_places"] == list(found.patterns.best)
    assert np.median(told) <= 2


def test_places_count_from_the_most_suspicious() -> None:
    baskets = tacit.transactions_from_sets(related_baskets(6))
    names = [frozenset({"i0", "i1"}), frozenset({"i1", "i2"}), frozenset({"nothing", "i0"})]
    found = disguise(baskets, names, least=500).patterns
    for name, places in found.places.items():
        assert all(place is None or 1 <= place <= found.candidates for place in places), name
        assert places[2] is None
    assert found.best[2] is None
    by_support = sorted(
        (sum({one, other} <= record for record in baskets.sets()) for one in baskets.vocabulary
         for other in baskets.vocabulary if one < other), reverse=True,
    )  # fmt: skip
    infrequent = [count for count in by_support if count < 500]
    own = sum({"i0", "i1"} <= record for record in baskets.sets())
    assert found.candidates == len(infrequent)
    assert found.places["support"][0] == 1 + sum(count > own for count in infrequent)


def test_the_exact_share_of_items_taken_out_is_the_owners() -> None:
    baskets = tacit.transactions_from_sets(related_baskets(7))
    pair = tacit.mine_itemsets(baskets, min_support=300, min_length=2)[0]
    release = tacit.hide(baskets, patterns=[pair], min_support=300, key=Key.from_seed(1))
    exact = release.utility()
    stated = release.manifest.utility
    assert exact.dissimilarity < stated["dissimilarity"] < exact.dissimilarity + 0.01
    assert exact.lost_share <= stated["misses_cost"] < exact.lost_share + 0.01
    assert release.to_dict()["dissimilarity"] == exact.dissimilarity
    # No other published number is that of the original: it would give the exact share again.
    text = release.manifest.to_json()
    for secret in (exact.cells, exact.removed):
        assert str(secret) not in text


def test_items_that_are_not_frequent_any_more_are_counted() -> None:
    records = [{"a", "b"}] * 40 + [{"a"}] * 10 + [{"b"}] * 30 + [{"c"}] * 25
    baskets = tacit.transactions_from_sets(records)
    release = tacit.hide(baskets, patterns=["a, b"], min_support=30, policy="exact", key=Key.from_seed(1))
    left = {name for name in "abc" if sum(name in record for record in release.published.sets()) >= 30}
    assert release.utility().items == 2
    assert release.utility().items_lost == 2 - len(left)
