"""Utility by counting queries: how wrong a COUNT from the release is (Anatomy [1], section 6).

A query takes some quasi-identifiers and the sensitive attribute and wants a few values of each:
⌈|D|·s^(1/(q+1))⌉ of a domain D, for q quasi-identifiers and selectivity s, so that about a share s
of the rows would match were the attributes unrelated. The release answers with an expectation.

[1] X. Xiao, Y. Tao. Anatomy: Simple and Effective Privacy Preservation. VLDB 2006.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tacit.judge.buckets import Buckets
from tacit.kernels.interrupt import interruptible
from tacit.kernels.queries import answer_queries
from tacit.mining.knowledge import NegativeRules
from tacit.typing import AnyArray, Bools, Floats


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
    seed: int = 0,
) -> QueryError:
    """The error of random queries under both estimators; the seed names the set of queries."""
    asked = random_queries(buckets, dimensions, selectivity, queries, seed)
    truth = true_answers(buckets, asked)
    answered = truth > 0
    errors = [
        _relative_error(estimated_answers(buckets, known, asked), truth)
        for known in ((None,) if knowledge is None or not len(knowledge) else (None, knowledge))
    ]
    return QueryError(
        dimensions=dimensions,
        selectivity=selectivity,
        uniform=errors[0],
        valid=errors[-1],
        queries=int(answered.sum()),
        skipped=int((~answered).sum()),
    )


def random_queries(buckets: Buckets, dimensions: int, selectivity: float, queries: int, seed: int) -> Queries:
    """Queries of so many quasi-identifiers, each wanting so many values that the selectivity is met."""
    generator = np.random.Generator(np.random.PCG64(seed))
    sizes = np.diff(buckets.quasi_ends)
    n_values = _n_values(buckets)
    share = selectivity ** (1 / (dimensions + 1))
    asked = np.zeros((queries, len(sizes)), dtype=np.bool_)
    wanted = np.zeros((queries, int(buckets.quasi_ends[-1])), dtype=np.bool_)
    wanted_values = np.zeros((queries, n_values), dtype=np.bool_)
    for query in range(queries):
        for attribute in generator.choice(len(sizes), size=dimensions, replace=False):
            asked[query, attribute] = True
            wanted[query, buckets.quasi_ends[attribute] + _some(generator, int(sizes[attribute]), share)] = (
                True
            )
        wanted_values[query, _some(generator, n_values, share)] = True
    return Queries(asked, wanted, wanted_values)


def true_answers(buckets: Buckets, asked: Queries) -> Floats:
    """How many published rows match each query."""
    entries = buckets.entries(None)
    values = entries.classes.values[entries.members[entries.entry_of]]
    cells = np.arange(len(buckets) + 1)
    return _answers(buckets, asked, cells, values, np.ones(len(buckets)))


def estimated_answers(buckets: Buckets, knowledge: NegativeRules | None, asked: Queries) -> Floats:
    """What the release answers, spread over the assignments that the knowledge allows; all, without any."""
    return _answers(buckets, asked, *cells_by_row(buckets, knowledge))


def cells_by_row(buckets: Buckets, knowledge: NegativeRules | None) -> tuple[AnyArray, AnyArray, Floats]:
    """For each row the values of its bucket with their shares: (starts, values, shares)."""
    entries = buckets.entries(knowledge)
    shares = entries.shares
    widths = np.diff(shares.starts)[entries.entry_of]
    starts = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
    cells = np.repeat(shares.starts[entries.entry_of] - starts[:-1], widths) + np.arange(starts[-1])
    return starts, shares.values[cells], shares.shares[cells]


def _answers(buckets: Buckets, asked: Queries, starts: AnyArray, values: AnyArray, shares: Floats) -> Floats:
    return interruptible(
        answer_queries,
        buckets.quasi_codes,
        buckets.quasi_ends,
        asked.asked,
        asked.wanted,
        asked.wanted_values,
        starts,
        values,
        shares,
    )


def _n_values(buckets: Buckets) -> int:
    return buckets.entries(None).classes.n_values


def _some(generator: np.random.Generator, domain: int, share: float) -> AnyArray:
    """A random part of a domain, of the size that the selectivity asks for."""
    return generator.choice(domain, size=min(domain, math.ceil(domain * share)), replace=False)


def _relative_error(answers: Floats, truth: Floats) -> float:
    kept = truth > 0
    return float((np.abs(answers[kept] - truth[kept]) / truth[kept]).mean()) if kept.any() else 0.0
