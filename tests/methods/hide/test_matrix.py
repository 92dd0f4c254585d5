"""The sanitization matrix and its row rule against the literal ones."""

from __future__ import annotations

import random

import numpy as np

from papers.hiding_product import dense, taken_out
from tacit.data.transactions import transactions_from_sets
from tacit.engine.kernels.sanitizing import draw_cell
from tacit.methods.hide.solve.matrix import Mark, Probabilities, SanitizationMatrix, _triples
from tacit.methods.hide.solve.patterns import Frequent
from tacit.mining.mine import mine_transactions
from tacit.random.key import Key
from tests.methods.hide.instances import random_instance
from tests.oracles.hiding import Matrix, product, row_rule


def dense_rows(indptr: np.ndarray, items: np.ndarray, removed: np.ndarray, n_items: int) -> Matrix:
    rows = []
    for first, end in zip(indptr[:-1].tolist(), indptr[1:].tolist(), strict=True):
        row = [0] * n_items
        for at in range(first, end):
            row[items[at]] = int(not removed[at])
        rows.append(row)
    return rows


def test_the_product_is_the_literal_one() -> None:
    draw = random.Random(1)
    changed = 0
    for _ in range(300):
        instance = random_instance(draw)
        plan, _ = instance.plan(Key.from_seed(0), policy="exact")
        data = instance.transactions
        nothing = np.zeros(len(data.items), dtype=bool)
        before = dense_rows(data.indptr, data.items, nothing, data.n_items)
        removed = taken_out(plan.matrix, data.indptr, data.items)
        after = dense_rows(data.indptr, data.items, removed, data.n_items)
        assert after == product(before, dense(plan.matrix).tolist())
        changed += before != after
    assert changed > 150


def test_the_row_rule_is_the_literal_one_under_the_same_draws() -> None:
    draw = random.Random(2)
    columns = {"rho": 0, "mu": 0}
    for seed in range(200):
        instance = random_instance(draw)
        key = Key.from_seed(seed)
        plan, sanitizer = instance.plan(key, policy="paper", confidence=0.5)
        data, marks = instance.transactions, plan.matrix.marks
        assert plan.probabilities is not None
        rho, mu = np.zeros(data.n_items), np.zeros(data.n_items)
        for number, mark in enumerate(marks):
            kept = bool(plan.matrix.keepers.get(mark.victim))
            columns["mu" if kept else "rho"] += 1
            rho[mark.victim] = plan.probabilities.low[number]
            mu[mark.victim] = plan.probabilities.high[number]
        draws = sanitizer._known.draws(sanitizer._key.subkey("hide: cells 0"))

        def stays(row: int, item: int, probability: float, draws: object = draws) -> bool:
            return probability == 1 or int(draw_cell(draws, row, item)) < int(probability * 2**64)

        nothing = np.zeros(len(data.items), dtype=bool)
        before = dense_rows(data.indptr, data.items, nothing, data.n_items)
        removed = sanitizer.drawn(plan.matrix.columns, *plan.probabilities.words, label=0)
        after = dense_rows(data.indptr, data.items, removed, data.n_items)
        assert after == row_rule(before, dense(plan.matrix).tolist(), rho.tolist(), mu.tolist(), stays)
    assert min(columns.values()) > 20


def test_what_the_matrix_prints() -> None:
    matrix = SanitizationMatrix(("beer", "chips", "wine"), (Mark(0, 1),), {1: (2,)})
    assert str(matrix) == "chips goes because of beer; kept by wine"
    assert dense(matrix).tolist() == [[1, -1, 0], [0, 1, 0], [0, 1, 1]]


def test_a_sensitive_item_alone_has_a_zero_on_the_diagonal() -> None:
    matrix = SanitizationMatrix(("beer", "chips"), (Mark(1, 1),), {1: ()})
    assert dense(matrix).tolist() == [[1, 0], [0, 0]]
    indptr, items = np.array([0, 2, 3], dtype=np.int64), np.array([0, 1, 1], dtype=np.int32)
    assert taken_out(matrix, indptr, items).tolist() == [False, True, True]


def test_probabilities_as_words() -> None:
    high, low = Probabilities(np.array([1.0, 0.5]), np.array([0.0, 0.25])).words
    assert high.tolist() == [2**64 - 1, 2**63]
    assert low.tolist() == [0, 2**62]


def test_triples_are_of_a_victim_a_cause_and_a_keeper() -> None:
    """Item j goes because of i and is kept by k, not by l."""
    transactions = transactions_from_sets([set("ijk")] * 4 + [set("ijl")] * 3 + [set("jkl")] * 3)
    itemsets = mine_transactions(transactions, min_support=3, min_length=2, threads=1)
    nothing = np.zeros(len(itemsets), dtype=bool)
    frequent = Frequent(itemsets, nothing, transactions.supports, 3)
    matrix = SanitizationMatrix(transactions.vocabulary, (Mark(0, 1),), {1: (2,)})
    assert _triples(matrix, frequent) == {1: [4]}
