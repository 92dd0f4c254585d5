"""Utility by counting queries: how wrong a COUNT from buckets is; see :mod:`tacit.judging.queries`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays.groups import group_rows
from tacit.judging import queries as judged
from tacit.judging.queries import Queries, Seed, code_ends, relative_errors
from tacit.methods.bucketize.judge.buckets import Buckets
from tacit.mining.knowledge import NegativeRules
from tacit.typing import Codes, Counts, Floats


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
    (found,) = query_errors(
        buckets, knowledge, dimensions=[dimensions], selectivity=selectivity, queries=queries, seed=seed
    )
    return found


def query_errors(
    buckets: Buckets,
    knowledge: NegativeRules | None,
    *,
    dimensions: Sequence[int],
    selectivity: float,
    queries: int = 1000,
    seed: Seed = 0,
) -> tuple[QueryError, ...]:
    """The same for several numbers of quasi-identifiers, in one pass over the buckets."""
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
    """Shape (1 + readers, queries): the true answers, then what each reader would expect.

    A reader spreads every bucket's values over the assignments that his knowledge allows.
    """
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
    """The combinations of quasi-identifiers with the truth, as published, and what each reader expects.

    None as published where nothing is coarser. The same for every query.
    """
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
