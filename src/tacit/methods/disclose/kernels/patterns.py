"""One step of growing conjunctions over combinations: split groups of them by one more column."""

from __future__ import annotations

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.typing import Codes, Counts

DENSE_LIMIT = 1 << 24
"""The largest table of (group, node) pairs; beyond it pairs are numbered by sorting."""


def split(
    rows: Codes, groups: Codes, codes: Codes, node_of: Codes, n_nodes: int, table: Counts
) -> tuple[Codes, Counts, Counts, Codes, Counts]:
    """Split the groups of ``rows`` by the node of their code, where they have one.

    Returns the rows that stay, grouped (ascending inside a group), the ends of the groups, and of
    each new group the old one, the node, and the sum of its rows of ``table``.
    """
    nodes = node_of[codes[rows]]
    inside = nodes >= 0
    if not inside.all():
        rows, groups, nodes = rows[inside], groups[inside], nodes[inside]
    keys = groups.astype(np.int64) * n_nodes + nodes
    n_pairs = (int(groups.max(initial=-1)) + 1) * n_nodes
    if n_pairs <= DENSE_LIMIT:
        sizes = np.bincount(keys, minlength=n_pairs)
        distinct = np.flatnonzero(sizes)
        numbers = np.cumsum(sizes > 0)[keys] - 1
    else:
        distinct, numbers = np.unique(keys, return_inverse=True)
    order, ends, counts = _collect(rows, numbers, len(distinct), table)
    return order, ends, distinct // n_nodes, (distinct % n_nodes).astype(np.int32), counts


@kernel
def _collect(rows: Codes, numbers: Counts, n_groups: int, table: Counts) -> tuple[Codes, Counts, Counts]:
    """Rows in the order of their group, and per group the sum of the rows' lines."""
    ends = np.zeros(n_groups + 1, np.int64)
    for number in numbers:
        ends[number + 1] += 1
    for group in range(n_groups):
        ends[group + 1] += ends[group]
    filled = ends[:-1].copy()
    order = np.empty(len(rows), np.int32)
    counts = np.zeros((n_groups, table.shape[1]), np.int64)
    for place in range(len(rows)):
        number = numbers[place]
        order[filled[number]] = rows[place]
        filled[number] += 1
        for column in range(table.shape[1]):
            counts[number, column] += table[rows[place], column]
    return order, ends, counts
