"""What a bucketized release is still good for, measured against the original.

- Counting queries: how wrong a COUNT from buckets is; see :mod:`tacit.judging.queries`.
- Association rules: what a miner of the release would find instead (Injector [1], section VI-C). Rules
  ``X ⇒ s`` are those with enough support and conviction. Quasi-identifiers are published as they are, so the
  support of X is known; the support of the rule is an expectation.

[1] T. Li, N. Li. Injector: Mining Background Knowledge for Data Anonymization. ICDE 2008.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays.groups import group_rows
from tacit.engine.base import Combinations
from tacit.judging import queries as judged
from tacit.judging.queries import Queries, Seed, code_ends, relative_errors
from tacit.methods.bucketize.judge.buckets import Buckets, part_of
from tacit.mining.conjunctions import attributes_of, conjunctions
from tacit.mining.knowledge import NegativeRules
from tacit.typing import AnyArray, Bools, Codes, Counts, Floats

SELECTIVITY = 0.05


@dataclass(frozen=True, slots=True)
class BucketUtility:
    """The errors of counting queries and of association rules.

    The errors of rules are None where there are several sensitive attributes, or coarser quasi-identifiers;
    ``rows`` were measured.
    """

    rows: int
    queries: tuple[QueryError, ...]
    rules_uniform: RuleError | None
    rules_valid: RuleError | None


def measure_buckets(buckets: Buckets, knowledge: NegativeRules | None) -> BucketUtility:
    """Measure with queries of two quasi-identifiers, of half of them and of all."""
    measured = part_of(buckets)
    n_known = len(buckets.table.roles.known)
    dimensions = sorted({min(2, n_known), (n_known + 1) // 2, n_known})
    single = len(buckets.table.roles.sensitive) == 1 and buckets.shown is None
    return BucketUtility(
        rows=measured.n_people,
        queries=query_errors(measured, knowledge, dimensions=dimensions, selectivity=SELECTIVITY),
        rules_uniform=rule_error(measured, None) if single else None,
        rules_valid=rule_error(measured, knowledge) if single else None,
    )


@dataclass(frozen=True, slots=True)
class QueryError:
    """The mean relative error of the answers; queries whose true answer is 0 are left out and counted."""

    dimensions: int
    selectivity: float
    uniform: float
    """Every value of a bucket counted alike for its rows."""
    valid: float
    """Only over the assignments that the stated knowledge allows."""
    queries: int
    skipped: int


def query_errors(
    buckets: Buckets,
    knowledge: NegativeRules | None,
    *,
    dimensions: Sequence[int],
    selectivity: float,
    queries: int = 1000,
    seed: Seed = 0,
) -> tuple[QueryError, ...]:
    """The error of random queries under both estimators, for several numbers of quasi-identifiers.

    It takes one pass over the buckets; the seed names the set of queries.
    """
    sets = [random_queries(buckets, number, selectivity, queries, seed) for number in dimensions]
    every = answers(buckets, judged.together(sets), (None, knowledge))
    return tuple(
        QueryError(
            dimensions=number,
            selectivity=selectivity,
            uniform=_mean(relative_errors(uniform, truth)),
            valid=_mean(relative_errors(valid, truth)),
            queries=int((truth > 0).sum()),
            skipped=int((truth <= 0).sum()),
        )
        for number, (truth, uniform, valid) in zip(
            dimensions, np.split(every, len(dimensions), axis=1), strict=True
        )
    )


def random_queries(
    buckets: Buckets, dimensions: int, selectivity: float, queries: int, seed: Seed
) -> Queries:
    """Queries of so many quasi-identifiers about the rows of the buckets."""
    n_values = buckets.entries(None).classes.n_values
    return judged.random_queries(
        buckets.known_ends,
        n_values,
        dimensions=dimensions,
        selectivity=selectivity,
        queries=queries,
        seed=seed,
    )


def answers(buckets: Buckets, asked: Queries, readers: Sequence[NegativeRules | None]) -> Floats:
    """Shape (1 + readers, queries): the true answers, then what each reader would expect."""
    n_values = buckets.entries(None).classes.n_values
    codes, truth, coarse, estimates = buckets.once(_expectations, *readers)
    if coarse is None:
        return judged.answers(codes, asked, [truth, *estimates], n_values)
    assert buckets.shown is not None
    to_nodes = asked.of_nodes(buckets.table.known, buckets.shown.known, buckets.table.hierarchies)
    return np.vstack(
        [
            judged.answers(codes, asked, [truth], n_values),
            judged.answers(coarse, to_nodes, estimates, n_values),
        ]
    )


Cells = tuple[Counts, Floats]
"""Combination of quasi-identifiers and value as one number, and how many rows of it there are."""


def _expectations(
    buckets: Buckets, *readers: NegativeRules | None
) -> tuple[Codes, Cells, Codes | None, list[Cells]]:
    """Combinations with the truth, as published (None where nothing is coarser), and what readers expect."""
    n_values = buckets.entries(None).classes.n_values
    exact, first = group_rows(list(buckets.known_codes), np.diff(buckets.known_ends).tolist())
    pairs = exact.astype(np.int64) * n_values + buckets.values_held
    truth = (pairs[: buckets.n_people], np.ones(buckets.n_people))
    coarse, quasi = None, exact
    if buckets.shown is not None:
        shown = buckets.shown.known
        codes = np.array([column.codes[buckets.rows] for column in shown], dtype=np.int32)
        quasi, one = group_rows(list(codes), np.diff(code_ends(shown)).tolist())
        coarse = codes[:, one]
    cells = (expected_cells(buckets, quasi, knowledge) for knowledge in readers)
    estimates = [(owners * n_values + values, expected) for owners, values, expected in cells]
    return buckets.known_codes[:, first], truth, coarse, estimates


def expected_cells(
    buckets: Buckets, quasi: Codes, knowledge: NegativeRules | None
) -> tuple[Counts, Codes, Floats]:
    """(combination of quasi-identifiers, value, expected rows) for all that each bucket holds of them.

    ``quasi`` is the combination of each row; counterfeits are nobody and expect nothing. Sums of fractions
    are rounded, so that they are made in an order of content, bucket by bucket, and not in that of the rows.
    """
    entries = buckets.entries(knowledge)
    shares, n_entries = entries.shares, len(entries.members)
    pairs = (quasi.astype(np.int64) * n_entries + entries.entry_of)[: buckets.n_people]
    pairs, counts = np.unique(pairs, return_counts=True)
    owners, entry = pairs // n_entries, pairs % n_entries
    widths = np.diff(shares.starts)[entry]
    starts = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
    cells = np.repeat(shares.starts[entry] - starts[:-1], widths) + np.arange(starts[-1])
    expected: Floats = shares.shares[cells] * np.repeat(counts, widths)
    return np.repeat(owners, widths), shares.values[cells], expected


def _mean(errors: Floats) -> float:
    return float(errors.mean()) if len(errors) else 0.0


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
    exact, of_row = buckets.combinations
    counts: AnyArray = np.bincount(of_row[: buckets.n_people], minlength=len(exact)).astype(np.float64)
    truth = _counted(buckets, replace(exact, counts=counts), least, max_length)
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
