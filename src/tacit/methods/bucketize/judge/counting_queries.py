"""Utility by counting queries: how wrong a COUNT from the release is (Anatomy [1], section 6).

A query takes some quasi-identifiers and the sensitive attribute and wants a few values of each:
⌈|D|·s^(1/(q+1))⌉ of a domain D, for q quasi-identifiers and selectivity s, so that about a share s
of the rows would match were the attributes unrelated. The release answers with an expectation.

[1] X. Xiao, Y. Tao. Anatomy: Simple and Effective Privacy Preservation. VLDB 2006.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays.grouping import group_rows
from tacit.arrays.interrupt import interruptible
from tacit.methods.bucketize.judge.buckets import Buckets
from tacit.methods.bucketize.kernels.queries import answer_queries
from tacit.mining.knowledge import NegativeRules
from tacit.typing import AnyArray, Bools, Codes, Counts, Floats

Seed = int | tuple[int, ...]
"""What names a set of random queries. Where a figure is published it comes from the key: whoever could draw
the same queries would learn from their errors what the answers were."""


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


@dataclass(frozen=True, eq=False)
class Queries:
    """Queries over the codes of the quasi-identifiers (numbered one after the other) and the values."""

    asked: Bools  # (queries, attributes)
    wanted: Bools  # (queries, codes)
    wanted_values: Bools  # (queries, values)


def query_error(
    buckets: Buckets,
    knowledge: NegativeRules | None,
    *,
    dimensions: int,
    selectivity: float,
    queries: int = 1000,
    seed: Seed = 0,
) -> QueryError:
    """The error of random queries under both estimators; the seed names the set of queries."""
    asked = random_queries(buckets, dimensions, selectivity, queries, seed)
    truth, uniform, valid = answers(buckets, asked, (None, knowledge))
    answered = truth > 0
    return QueryError(
        dimensions=dimensions,
        selectivity=selectivity,
        uniform=_relative_error(uniform, truth),
        valid=_relative_error(valid, truth),
        queries=int(answered.sum()),
        skipped=int((~answered).sum()),
    )


def random_queries(
    buckets: Buckets, dimensions: int, selectivity: float, queries: int, seed: Seed
) -> Queries:
    """Queries of so many quasi-identifiers, each wanting so many values that the selectivity is met."""
    generator = np.random.Generator(np.random.PCG64(seed))
    sizes = np.diff(buckets.known_ends)
    n_values = _n_values(buckets)
    share = selectivity ** (1 / (dimensions + 1))
    asked = np.zeros((queries, len(sizes)), dtype=np.bool_)
    wanted = np.zeros((queries, int(buckets.known_ends[-1])), dtype=np.bool_)
    wanted_values = np.zeros((queries, n_values), dtype=np.bool_)
    for query in range(queries):
        for attribute in generator.choice(len(sizes), size=dimensions, replace=False):
            asked[query, attribute] = True
            wanted[query, buckets.known_ends[attribute] + _some(generator, int(sizes[attribute]), share)] = (
                True
            )
        wanted_values[query, _some(generator, n_values, share)] = True
    return Queries(asked, wanted, wanted_values)


def answers(buckets: Buckets, asked: Queries, readers: Sequence[NegativeRules | None]) -> Floats:
    """Shape (1 + readers, queries): the true answers, then what each reader would expect.

    A reader spreads every bucket's values over the assignments that his knowledge allows.
    """
    entries = buckets.entries(None)
    n_values = entries.classes.n_values
    quasi, first = group_rows(list(buckets.known_codes), np.diff(buckets.known_ends).tolist())
    held = entries.classes.values[entries.members[entries.entry_of]]
    estimates = [(quasi.astype(np.int64) * n_values + held, np.ones(len(buckets)))]
    for knowledge in readers:
        owners, values, expected = expected_cells(buckets, quasi, knowledge)
        estimates.append((owners * n_values + values, expected))
    # One cell for each combination of quasi-identifiers with a value that some row of it could have.
    pairs = np.unique(np.concatenate([places for places, _ in estimates]))
    shares_of = np.array(
        [
            np.bincount(np.searchsorted(pairs, places), weights=shares, minlength=len(pairs))
            for places, shares in estimates
        ]
    )
    counts = np.bincount(pairs // n_values, minlength=len(first))
    return interruptible(
        answer_queries,
        np.ascontiguousarray(buckets.known_codes[:, first]),
        buckets.known_ends,
        asked.asked,
        asked.wanted,
        asked.wanted_values,
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        (pairs % n_values).astype(np.int32),
        shares_of,
    )


def expected_cells(
    buckets: Buckets, quasi: Codes, knowledge: NegativeRules | None
) -> tuple[Counts, Codes, Floats]:
    """(combination of quasi-identifiers, value, expected rows) for all that each bucket holds of them.

    ``quasi`` is the combination of each row. Sums of fractions are rounded, so that they are made in an order
    of content, bucket by bucket, and not in that of the rows.
    """
    entries = buckets.entries(knowledge)
    shares, n_entries = entries.shares, len(entries.members)
    pairs, counts = np.unique(quasi.astype(np.int64) * n_entries + entries.entry_of, return_counts=True)
    owners, entry = pairs // n_entries, pairs % n_entries
    widths = np.diff(shares.starts)[entry]
    starts = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
    cells = np.repeat(shares.starts[entry] - starts[:-1], widths) + np.arange(starts[-1])
    expected: Floats = shares.shares[cells] * np.repeat(counts, widths)
    return np.repeat(owners, widths), shares.values[cells], expected


def _n_values(buckets: Buckets) -> int:
    return buckets.entries(None).classes.n_values


def _some(generator: np.random.Generator, domain: int, share: float) -> AnyArray:
    """A random part of a domain, of the size that the selectivity asks for."""
    return generator.choice(domain, size=min(domain, math.ceil(domain * share)), replace=False)


def _relative_error(estimate: Floats, truth: Floats) -> float:
    kept = truth > 0
    return float((np.abs(estimate[kept] - truth[kept]) / truth[kept]).mean()) if kept.any() else 0.0
