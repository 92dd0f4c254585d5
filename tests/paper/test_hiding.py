"""The examples printed by Wang, Lee and Lin (COMPSAC 2005), exactly, and where Lemma 2 fails."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np

from papers.hiding_product import dense, taken_out
from tacit.data.transactions import transactions_from_sets
from tacit.engine.local.sets import LocalSanitizer
from tacit.methods.hide.solve.matrix import (
    Mark,
    SanitizationMatrix,
    certified_probabilities,
    largest_probability,
    paper_probabilities,
)
from tacit.methods.hide.solve.patterns import Frequent
from tacit.mining.mine import mine_transactions
from tacit.random.key import Key
from tests.oracles.hiding import Matrix, product

FIGURE_2 = [[0, 0, 1], [1, 1, 0], [0, 0, 1], [1, 1, 1]]
SECTION_3_2_2 = [[1, 1, 1], [1, 1, 0], [0, 0, 1], [1, 1, 1]]


def multiplied(d: Matrix, matrix: SanitizationMatrix) -> Matrix:
    indptr = np.cumsum([0, *(sum(row) for row in d)], dtype=np.int64)
    items = np.array([j for row in d for j, cell in enumerate(row) if cell], dtype=np.int32)
    removed = taken_out(matrix, indptr, items)
    result = [[0] * len(row) for row in d]
    for i, (first, end) in enumerate(pairwise(indptr.tolist())):
        for at in range(first, end):
            result[i][items[at]] = int(not removed[at])
    return result


def test_figure_2() -> None:
    left = SanitizationMatrix(("1", "2", "3"), (Mark(1, 0),), {0: ()})
    assert dense(left).tolist() == [[1, 0, 0], [-1, 1, 0], [0, 0, 1]]
    assert multiplied(FIGURE_2, left) == [[0, 0, 1], [0, 1, 0], [0, 0, 1], [0, 1, 1]]
    right = SanitizationMatrix(("1", "2", "3"), (Mark(0, 1),), {1: ()})
    assert dense(right).tolist() == [[1, -1, 0], [0, 1, 0], [0, 0, 1]]
    assert multiplied(FIGURE_2, right) == [[0, 0, 1], [1, 0, 0], [0, 0, 1], [1, 0, 1]]


def test_section_3_2_2() -> None:
    """Ones keep {1, 2} where item 3 is present: it stays at a support of a half."""
    printed = [[1, -1, 1], [0, 1, 1], [1, 1, 1]]
    wanted = [[1, 1, 1], [1, 0, 0], [0, 0, 1], [1, 1, 1]]
    assert product(SECTION_3_2_2, printed) == wanted
    matrix = SanitizationMatrix(("1", "2", "3"), (Mark(0, 1),), {1: (2,)})
    # Ours leaves out the ones of columns without a -1, which change nothing: those in column 3 and S_31.
    assert dense(matrix)[:, 1].tolist() == [row[1] for row in printed]
    assert multiplied(SECTION_3_2_2, matrix) == wanted
    assert sum(row[0] and row[1] for row in wanted) == 2


def test_the_threshold_is_exact_where_floating_point_is_not() -> None:
    from tacit.ranges import support_count

    assert support_count(0.07, 100) == 7


def test_a_larger_confidence_means_a_smaller_probability() -> None:
    """The text says the reverse below its figure 3."""
    found = [float(largest_probability(np.array([200]), 99, c)[0]) for c in (0.1, 0.5, 0.9, 0.95, 0.999)]
    assert found == sorted(found, reverse=True)
    assert found[0] > found[-1]


def test_lemma_2_does_not_hold_with_several_ones_in_a_column() -> None:
    """Three keepers with 99 shared transactions each, a threshold of 100: the union has 297 of them."""
    records = [{"i", "j", keeper} for keeper in ("k1", "k2", "k3") for _ in range(99)]
    records += [{"j", keeper} for keeper in ("k1", "k2", "k3")]
    transactions = transactions_from_sets(records)
    names = transactions.vocabulary
    assert names == ("i", "j", "k1", "k2", "k3")
    itemsets = mine_transactions(transactions, min_support=100, min_length=2, threads=1)
    sensitive = np.array([set(itemset.items) == {"i", "j"} for itemset in itemsets])
    frequent = Frequent(itemsets, sensitive, transactions.supports, 100)
    matrix = SanitizationMatrix(names, (Mark(0, 1),), {1: (2, 3, 4)})
    key = Key.from_seed(1)
    sanitizer = LocalSanitizer(transactions, key)
    hits = sanitizer.hits(matrix.columns, 1)
    assert (hits.hits.tolist(), hits.positive.tolist()) == ([297], [297])

    paper = paper_probabilities(matrix, frequent, hits, bound=Fraction(100), confidence=0.95)
    assert paper.high.tolist() == [1.0]
    certified = certified_probabilities(hits, least=100, bound=Fraction(100), confidence=Fraction(95, 100))
    assert certified.high[0] < 1 / 3

    below = {"paper": 0, "certified": 0}
    for label in range(200):
        for name, probabilities in (("paper", paper), ("certified", certified)):
            removed = sanitizer.drawn(matrix.columns, *probabilities.words, label=label)
            below[name] += int(sanitizer.supports([(0, 1)], removed)[0]) < 100
    assert below["paper"] == 0  # promised: 95 % of the draws
    assert below["certified"] >= 180  # 190 expected, 3.2 standard deviations of leeway
