"""Classes by likeness: each begins next to the last one, and always takes the cheapest combination to add.

Combinations are never divided. One with k rows or more is a class of its own from the beginning. Classes that
begin next to each other leave what is far from everything to the end; beginning far away instead would use up
near combinations for the far ones, and loses more. A class may be tried with several combinations as its
second; the cheapest class is taken. What is left at the end joins the class where it costs least. Costs are
whole numbers (:data:`UNIT` for a root).
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.arrays.interrupt import Flag
from tacit.recoding.forest import common
from tacit.typing import Codes, Counts

FAR = np.int64(1) << np.int64(62)
GONE = np.int32(1 << 30)
"""The cost of what is already in a class: above all others, with room for more."""


@kernel
def clusters(
    nodes: Codes, counts: Counts, k: int, tries: int, parents: Codes, ends: Codes, units: Counts, flag: Flag
) -> Codes:
    """The class of each combination; ``nodes`` has shape (combinations, columns).

    So many seconds are tried for each class. With fewer than k rows in all there is one class.
    """
    n, n_columns = nodes.shape
    # Short numbers, so that the sums over all that wait are fast: a class costs less than GONE.
    short = (units // (1 + n_columns // 500)).astype(np.int32)
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
    begun = np.empty(n, dtype=np.int32)  # the cost of a row, if one that waits were added to the first alone
    far = np.empty(n, dtype=np.int32)  # the same of the class as it has grown
    near = np.empty(n, dtype=np.int32)  # and of the best class so far
    row = np.empty(len(parents), dtype=np.int32)  # of each node: its cost together with the class's node
    wider = np.empty(len(parents), dtype=np.int32)  # what it costs more with a node above that
    current = np.empty(n_columns, dtype=np.int32)
    members, chosen = np.empty(k, dtype=np.int64), np.empty(k, dtype=np.int64)
    first = 0
    while left >= k and not flag[0]:
        begun[:n_waiting] = 0
        for column in range(n_columns):
            fill(row, cells[column, first], parents, ends, short)
            own = cells[column]
            for place in range(n_waiting):
                begun[place] += row[own[place]]
        begun[first] = GONE
        n_chosen, least = 0, GONE
        for _ in range(tries):
            taken = begun[:n_waiting].argmin()
            if begun[taken] >= least:
                break
            far[:n_waiting] = begun[:n_waiting]
            for column in range(n_columns):
                current[column] = cells[column, first]
            members[0], size, n_members = first, sizes[first], 1
            cost = far[taken]
            while cost < least:
                members[n_members] = taken
                n_members += 1
                size += sizes[taken]
                far[taken] = GONE
                if size >= k:
                    break
                for column in range(n_columns):
                    joined = common(current[column], cells[column, taken], parents, ends)
                    if joined != current[column]:
                        top = fill(row, current[column], parents, ends, short)
                        fill(wider, joined, parents, ends, short)
                        wider[top : ends[top]] -= row[top : ends[top]]
                        current[column] = joined
                        own = cells[column]
                        for place in range(n_waiting):
                            far[place] += wider[own[place]]
                taken = far[:n_waiting].argmin()
                cost = far[taken]
            if cost < least and size >= k:
                least, n_chosen = cost, n_members
                chosen[:n_members] = members[:n_members]
                near[:n_waiting] = far[:n_waiting]
            begun[members[1]] = GONE  # the next try is without it
        chosen[:n_chosen].sort()
        for taken in chosen[:n_chosen][::-1]:  # the last first: it is replaced by the last that waits
            class_of[waiting[taken]] = n_classes
            left -= sizes[taken]
            n_waiting -= 1
            waiting[taken], sizes[taken], near[taken] = waiting[n_waiting], sizes[n_waiting], near[n_waiting]
            for column in range(n_columns):
                cells[column, taken] = cells[column, n_waiting]
        n_classes += 1
        if n_waiting:
            first = int(near[:n_waiting].argmin())
    if n_classes == 0:
        class_of[:] = 0
        return class_of
    _join_rest(nodes, counts, class_of, waiting[:n_waiting], n_classes, parents, ends, units)
    return class_of


@kernel
def fill(row: Codes | Counts, node: int, parents: Codes, ends: Codes, units: Codes | Counts) -> int:
    """For every node of the column, the cost of its lowest common ancestor with ``node``; gives the root."""
    # From the node up: each ancestor fills what the ones below it left open, to the left and to the right.
    row[node : ends[node]] = units[node]
    above = parents[node]
    first, end = node, ends[node]
    while above >= 0:
        row[above:first] = units[above]
        row[end : ends[above]] = units[above]
        first, end = above, ends[above]
        above = parents[above]
    return first


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
