"""The Marked-Set covers every secret pattern, and victims cost little."""

from __future__ import annotations

import random
from itertools import combinations

import numpy as np

from tacit.data.transactions import transactions_from_sets
from tacit.methods.hide.solve.matrix import make_matrix
from tacit.methods.hide.solve.patterns import Frequent, read_secret, sensitive_mask
from tacit.methods.hide.solve.targets import Targets
from tacit.mining.mine import mine_transactions
from tacit.random.key import Key
from tests.methods.hide.instances import random_instance
from tests.oracles.hiding import frequent as frequent_sets


def test_every_secret_pattern_is_broken_by_a_marked_pair_of_its_own() -> None:
    draw = random.Random(8)
    for _ in range(400):
        instance = random_instance(draw, singles=True)
        plan, _ = instance.plan(Key.from_seed(0), policy="exact")
        marked = {mark.items for mark in plan.matrix.marks}
        for pattern in instance.secret.patterns:
            inside = {*combinations(pattern, 2), *((item,) for item in pattern)}
            assert marked & inside
        for mark in plan.matrix.marks:  # nothing is marked that breaks no secret
            assert any(set(mark.items) <= set(pattern) for pattern in instance.secret.patterns)
        for victim, keepers in plan.matrix.keepers.items():
            assert victim not in keepers
            assert not any(tuple(sorted((victim, keeper))) in marked for keeper in keepers)


def test_sensitive_patterns_are_the_frequent_supersets() -> None:
    draw = random.Random(9)
    for _ in range(200):
        instance = random_instance(draw, singles=True, most=40)
        mask = sensitive_mask(instance.itemsets, instance.secret.patterns)
        found = {frozenset(itemset.items) for itemset in instance.itemsets.select(mask)}
        every = frequent_sets(instance.records, instance.least)
        assert found == {items for items in every if any(seed <= items for seed in instance.seeds())}


def test_the_pair_that_nothing_else_needs_is_marked() -> None:
    """Of {a, b, c} the pair {a, b} occurs with c alone; the others are part of patterns to keep."""
    records = [{"a", "b", "c"}] * 12 + [{"a", "c", "d"}] * 12 + [{"b", "c", "e"}] * 12
    matrix = _matrix(records, ["a, b, c"], least=10)
    assert {mark.items for mark in matrix.marks} == {(0, 1)}


def test_pairs_with_an_item_in_common_lose_that_item() -> None:
    records = [{"hub", f"spoke{number}"} for number in range(4) for _ in range(12)]
    records += [{f"spoke{number}", f"other{number}"} for number in range(4) for _ in range(12)]
    matrix = _matrix(records, [f"hub, spoke{number}" for number in range(4)], least=10)
    assert matrix.victims == (0,)
    assert matrix.vocabulary[0] == "hub"


def _matrix(records: list[set[str]], secret: list[str], *, least: int):  # type: ignore[no-untyped-def]
    transactions = transactions_from_sets(records)
    itemsets = mine_transactions(transactions, min_support=least, min_length=2, threads=1)
    seeds = read_secret(secret, transactions).patterns
    mask = np.asarray(sensitive_mask(itemsets, seeds))
    targets = Targets(least, len(transactions), transactions.vocabulary, transactions.supports)
    return make_matrix(seeds, Frequent(itemsets, mask, transactions.supports, least), targets)
