"""Classes by likeness: each begins with a combination far from the last one and takes the cheapest to add.

Combinations are never divided. One with k rows or more is a class of its own from the beginning. What is
left at the end joins the class where it costs least. Costs are whole numbers (:data:`UNIT` for a root).
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.arrays.interrupt import Flag
from tacit.recoding.forest import common
from tacit.typing import Codes, Counts

FAR = np.int64(1) << np.int64(62)


@kernel
def clusters(
    nodes: Codes, counts: Counts, k: int, parents: Codes, ends: Codes, units: Counts, flag: Flag
) -> Codes:
    """The class of each combination; ``nodes`` has shape (combinations, columns).

    With fewer than k rows in all there is one class.
    """
    n, n_columns = nodes.shape
    class_of = np.full(n, -1, dtype=np.int32)
    # The combinations that wait, packed so that those already placed cost nothing; cells column by column.
    waiting = np.empty(n, dtype=np.int32)
    cells = np.empty((n_columns, n), dtype=np.int32)
    sizes = np.empty(n, dtype=np.int64)
    n_waiting, n_classes, left = 0, 0, 0
    for one in range(n):
        if counts[one] >= k:
            class_of[one] = n_classes
            n_classes += 1
        else:
            waiting[n_waiting] = one
            sizes[n_waiting] = counts[one]
            for column in range(n_columns):
                cells[column, n_waiting] = nodes[one, column]
            left += counts[one]
            n_waiting += 1
    far = np.zeros(n, dtype=np.int64)  # the cost of a row, if one that waits were added to the current class
    row = np.empty(len(parents), dtype=np.int64)  # of each node: its cost together with the class's node
    current = np.empty(n_columns, dtype=np.int32)
    taken_cells = np.empty(n_columns, dtype=np.int32)
    while left >= k and not flag[0]:
        taken = 0
        for place in range(n_waiting):
            if far[place] > far[taken]:
                taken = place
        far[:n_waiting] = 0
        for column in range(n_columns):
            current[column] = cells[column, taken]
            fill(row, current[column], parents, ends, units)
            for place in range(n_waiting):
                far[place] += row[cells[column, place]]
        size = 0
        while True:
            size += sizes[taken]
            left -= sizes[taken]
            class_of[waiting[taken]] = n_classes
            n_waiting -= 1
            waiting[taken], sizes[taken], far[taken] = waiting[n_waiting], sizes[n_waiting], far[n_waiting]
            for column in range(n_columns):
                taken_cells[column] = cells[column, taken]
                cells[column, taken] = cells[column, n_waiting]
            if size >= k or n_waiting == 0:
                break
            for column in range(n_columns):
                joined = common(current[column], taken_cells[column], parents, ends)
                if joined != current[column]:
                    for place in range(n_waiting):
                        far[place] -= row[cells[column, place]]
                    current[column] = joined
                    fill(row, joined, parents, ends, units)
                    for place in range(n_waiting):
                        far[place] += row[cells[column, place]]
            taken = 0
            for place in range(n_waiting):
                if far[place] < far[taken]:
                    taken = place
        n_classes += 1
    if n_classes == 0:
        class_of[:] = 0
        return class_of
    _join_rest(nodes, counts, class_of, waiting[:n_waiting], n_classes, parents, ends, units)
    return class_of


@kernel
def fill(row: Counts, node: int, parents: Codes, ends: Codes, units: Counts) -> None:
    """For every node of the column, the cost of its lowest common ancestor with ``node``."""
    # From the node up: each ancestor fills what the ones below it left open, to the left and to the right.
    row[node : ends[node]] = units[node]
    above = parents[node]
    first, end = node, ends[node]
    while above >= 0:
        row[above:first] = units[above]
        row[end : ends[above]] = units[above]
        first, end = above, ends[above]
        above = parents[above]


@kernel
def class_nodes(nodes: Codes, class_of: Codes, n_classes: int, parents: Codes, ends: Codes) -> Codes:
    """Shape (classes, columns): the lowest node over all cells of a class; -1 for a class without any."""
    found = np.full((n_classes, nodes.shape[1]), -1, dtype=np.int32)
    for one in range(len(nodes)):
        mine = class_of[one]
        if mine < 0:
            continue
        for column in range(nodes.shape[1]):
            at = found[mine, column]
            found[mine, column] = (
                nodes[one, column] if at < 0 else common(at, nodes[one, column], parents, ends)
            )
    return found


@kernel
def _join_rest(
    nodes: Codes,
    counts: Counts,
    class_of: Codes,
    rest: Codes,
    n_classes: int,
    parents: Codes,
    ends: Codes,
    units: Counts,
) -> None:
    """Put every combination that is left into the class that then loses the least more."""
    n_columns = nodes.shape[1]
    shown = class_nodes(nodes, class_of, n_classes, parents, ends)
    rows = np.zeros(n_classes, dtype=np.int64)
    for one in range(len(nodes)):
        if class_of[one] >= 0:
            rows[class_of[one]] += counts[one]
    for one in rest:
        best, least = 0, FAR
        for other in range(n_classes):
            more = np.int64(0)
            for column in range(n_columns):
                joined = common(shown[other, column], nodes[one, column], parents, ends)
                more += (
                    units[joined] * (rows[other] + counts[one]) - units[shown[other, column]] * rows[other]
                )
            if more < least:
                best, least = other, more
        class_of[one] = best
        rows[best] += counts[one]
        for column in range(n_columns):
            shown[best, column] = common(shown[best, column], nodes[one, column], parents, ends)
