"""What a generalized table is still good for, measured against the original: information, and counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tacit.arrays.groups import group_rows
from tacit.data.column import Column
from tacit.data.hierarchy import NULL_LABEL, Hierarchy
from tacit.judging.queries import Seed, code_ends, counted, random_queries, relative_errors
from tacit.typing import AnyArray, Counts

SELECTIVITY = 0.05
DIMENSIONS = 2
QUERIES = 100
"""As for buckets, so that both can be compared."""


@dataclass(frozen=True, slots=True)
class CountError:
    """The relative errors of counting queries; those whose true answer is 0 are left out and counted."""

    dimensions: int
    selectivity: float
    mean: float
    median: float
    queries: int
    skipped: int

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def count_error(
    exact: Sequence[Column],
    sensitive: Sequence[Column],
    shown: Sequence[Column],
    rows: AnyArray,
    trees: Mapping[str, Hierarchy],
    *,
    seed: Seed,
    dimensions: int = DIMENSIONS,
    queries: int = QUERIES,
    times: Counts | None = None,
) -> CountError:
    """How wrong counts from the published table are.

    ``exact`` and ``sensitive`` are the columns of the original; row i of ``shown`` is its row ``rows[i]``.
    A row of the original may stand for so many ``times``.
    """
    values, n_values = np.zeros(len(exact[0]), dtype=np.int32), 1
    if sensitive:
        values, first = group_rows(
            [column.codes for column in sensitive], [len(column.values) for column in sensitive]
        )
        n_values = len(first)
    asked = random_queries(
        code_ends(exact),
        n_values,
        dimensions=min(dimensions, len(exact)),
        selectivity=SELECTIVITY,
        queries=queries,
        seed=seed,
    )
    shown_times = None if times is None else times[rows]
    truth = counted(exact, values, n_values, asked, times)
    estimate = counted(shown, values[rows], n_values, asked.of_nodes(exact, shown, trees), shown_times)
    errors = relative_errors(estimate, truth)
    return CountError(
        dimensions=min(dimensions, len(exact)),
        selectivity=SELECTIVITY,
        mean=float(errors.mean()) if len(errors) else 0.0,
        median=float(np.median(errors)) if len(errors) else 0.0,
        queries=len(errors),
        skipped=queries - len(errors),
    )


def information_lost(
    exact: Column, shown: Column, rows: AnyArray, tree: Hierarchy, times: Counts | None = None
) -> tuple[float, float]:
    """Non-uniform entropy: the bits lost of a column, and all that there were; rows left out lose theirs.

    A cell published as a node loses what it takes to tell its value from the others below the node, each as
    likely as it is in the original.
    """
    leaves = tree.leaves_of(exact.texts)
    order = np.argsort(leaves, kind="stable")
    upto = np.concatenate([[0], np.cumsum(exact.counts[order])])
    nodes = [tree.index[NULL_LABEL if text is None else text] for text in shown.texts]
    first, last = np.searchsorted(leaves[order], tree.leaf_ranges[nodes].T)
    below = (upto[last] - upto[first])[shown.codes]
    own = exact.counts[exact.codes]
    bits = np.log2(int(upto[-1]) / own)
    left_out = np.ones(len(exact), dtype=np.bool_)
    left_out[rows] = False
    lost = np.log2(below / own[rows])
    if times is not None:
        lost *= times[rows]
        bits *= times
    return float(lost.sum() + bits[left_out].sum()), float(bits.sum())
