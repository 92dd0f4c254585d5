"""Utility by association rules: what a miner of the release would find instead (Injector [1], section VI-C).

Rules ``X ⇒ s`` are those with enough support and conviction. Quasi-identifiers are published as
they are, so the support of X is known; the support of the rule is an expectation.

[1] T. Li, N. Li. Injector: Mining Background Knowledge for Data Anonymization. ICDE 2008.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays.groups import group_rows
from tacit.engine.base import Combinations
from tacit.methods.bucketize.judge.buckets import Buckets
from tacit.methods.bucketize.judge.counting_queries import expected_cells
from tacit.mining.conjunctions import attributes_of, conjunctions
from tacit.mining.knowledge import NegativeRules
from tacit.typing import AnyArray, Bools, Floats


@dataclass(frozen=True, slots=True)
class RuleError:
    """How far the release is off: shares, of the rules in the original.

    ``confidence`` is the mean relative error of their confidence; ``false_positives`` are rules
    found only in the release, ``false_negatives`` those lost, both divided by the rules there are.
    """

    rules: int
    confidence: float
    false_positives: float
    false_negatives: float


def rule_error(
    buckets: Buckets,
    knowledge: NegativeRules | None,
    *,
    min_support: float = 0.01,
    min_conviction: float = 1.05,
    max_length: int = 2,
) -> RuleError:
    """Compare the rules of the original with those of the release, for one sensitive attribute."""
    least = min_support * buckets.n_people
    truth = _counted(buckets, _true_combinations(buckets), least, max_length)
    guess = _counted(buckets, _expected_combinations(buckets, knowledge), least, max_length)
    matching = truth.sum(axis=1)
    # By the column's own codes, as the conjunctions count: a value may have no row left in the release.
    (column,), people = buckets.table.sensitive, buckets.rows[: buckets.n_people]
    held = np.bincount(column.codes[people], minlength=truth.shape[1])
    original = _interesting(truth, matching, held, least, min_conviction)
    found = _interesting(guess, matching, held, least, min_conviction)
    rules = int(original.sum())
    if not rules:
        return RuleError(0, 0.0, 0.0, 0.0)
    errors = np.abs(guess[original] - truth[original]) / truth[original]
    return RuleError(
        rules=rules,
        confidence=float(errors.mean()),
        false_positives=float((found & ~original).sum() / rules),
        false_negatives=float((original & ~found).sum() / rules),
    )


def _interesting(
    counts: Floats, matching: Floats, held: AnyArray, least: float, min_conviction: float
) -> Bools:
    """Shape (conjunctions, values): which rules reach support and conviction."""
    n_rows = held.sum()
    misses = np.maximum(matching[:, None] - counts, 0.0)
    # conviction = P(X) P(¬s) / P(X, ¬s); without a miss it is infinite
    enough = matching[:, None] * (n_rows - held) >= min_conviction * n_rows * misses
    return np.asarray((counts >= least) & enough)


def _counted(buckets: Buckets, combinations: Combinations, least: float, max_length: int) -> Floats:
    """Shape (conjunctions, values): expected counts of all conjunctions that enough rows match."""
    table = buckets.table
    attributes = attributes_of(table, table.roles.known)
    # The rows that match a conjunction are a whole number, and a sum that is rounded may miss it: the
    # threshold lies half-way between two, so that the original and the release have the same conjunctions.
    enough = math.ceil(least - 1e-6) - 0.5
    blocks = conjunctions(
        combinations, attributes, combinations.names[-1], min_count=enough, max_length=max_length
    )
    return np.concatenate([block.counts for block in blocks] or [np.zeros((0, len(combinations.texts[-1])))])


def _true_combinations(buckets: Buckets) -> Combinations:
    found, held = buckets.combinations
    counts: AnyArray = np.bincount(held[: buckets.n_people], minlength=len(found)).astype(np.float64)
    return replace(found, counts=counts)


def _expected_combinations(buckets: Buckets, knowledge: NegativeRules | None) -> Combinations:
    """The combinations of the quasi-identifiers with every value their rows could have, weighted."""
    found, _ = buckets.combinations
    n_known = len(buckets.table.roles.known)
    quasi, first = group_rows(
        list(buckets.known_codes), [len(column.values) for column in buckets.table.known]
    )
    owners, values, expected = expected_cells(buckets, quasi, knowledge)
    codes = buckets.entries(None).classes.parts[values, 0]
    width = len(found.texts[-1])
    pairs, cell = np.unique(owners * width + codes, return_inverse=True)
    weights: AnyArray = np.bincount(cell, weights=expected)
    table = np.empty((len(pairs), n_known + 1), dtype=np.int32)
    table[:, :n_known] = buckets.known_codes[:, first[pairs // width]].T
    table[:, n_known] = pairs % width
    return replace(found, codes=table, counts=weights)
