"""Compiled loops over sets of rows: which match a conjunction, which cells of a table must be zero.

Sets are in CSR form, and are hashed, compared and transposed here; one step of growing conjunctions splits
groups of combinations by one more column.

Cell (u, x) holds between 0 and ``weights[u]``, and the cells of a unit add up to its weight. Line j
bounds the sum of the cells (u, values[j]) over its units. A cell is closed once it must be zero; a
unit with one open cell puts its whole weight there.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix

from tacit.arrays.compiled import kernel
from tacit.arrays.csr import larger
from tacit.arrays.groups import stable_order
from tacit.typing import AnyArray, Bools, Codes, Counts, Floats, Offsets


@kernel
def matching(
    codes: Codes, postings: Offsets, rows: Codes, starts: Codes, wanted: Codes
) -> tuple[Offsets, Codes]:
    """For each line of ``wanted`` (a code per column, -1 for any), the rows that match it.

    The rows with code v in column c are ``rows[postings[starts[c] + v] : postings[starts[c] + v + 1]]``,
    ascending; the shortest such list is filtered by the other columns. A line that asks for nothing
    matches every row.
    """
    n_columns = codes.shape[1]
    offsets = np.zeros(len(wanted) + 1, np.int64)
    found = np.empty(1024, np.int32)
    filled = 0
    for line in range(len(wanted)):
        best = -1
        for column in range(n_columns):
            if wanted[line, column] >= 0:
                place = starts[column] + wanted[line, column]
                if best < 0 or postings[place + 1] - postings[place] < postings[best + 1] - postings[best]:
                    best = place
        low = 0 if best < 0 else postings[best]
        high = len(codes) if best < 0 else postings[best + 1]
        if filled + high - low > len(found):
            found = larger(found, 2 * (filled + high - low))
        for place in range(low, high):
            row = place if best < 0 else rows[place]
            whole = True
            for column in range(n_columns):
                if wanted[line, column] >= 0 and codes[row, column] != wanted[line, column]:
                    whole = False
                    break
            if whole:
                found[filled] = row
                filled += 1
        offsets[line + 1] = filled
    return offsets, found[:filled].copy()


def transpose(offsets: Offsets, members: Codes, n_members: int) -> tuple[Offsets, Codes]:
    """For each member, the lists it is in, ascending."""
    turned = np.concatenate(([0], np.cumsum(np.bincount(members, minlength=n_members))))
    lists = np.repeat(np.arange(len(offsets) - 1, dtype=np.int32), np.diff(offsets))
    return turned, lists[stable_order(members)]


def sums_over(offsets: Offsets, members: Codes, weights: AnyArray) -> AnyArray:
    """The sum of the weights of each list's members; of several columns of weights, column by column."""
    ones = np.ones(len(members), dtype=weights.dtype)
    lists = csr_matrix((ones, members, offsets), shape=(len(offsets) - 1, len(weights)))
    return np.asarray(lists @ weights)


def contained_pairs(
    offsets: Offsets, members: Codes, kinds: Codes, inner: Floats, outer: Floats, n_members: int
) -> Counts:
    """Pairs (i, j) of lists of one kind with ``inner[i] == outer[j]`` and list i a proper part of list j."""
    turned, lists = transpose(offsets, members, n_members)
    return _contained_pairs(offsets, members, kinds, inner, outer, turned, lists).reshape(-1, 2)


@kernel
def _contained_pairs(
    offsets: Offsets,
    members: Codes,
    kinds: Codes,
    inner: Floats,
    outer: Floats,
    turned: Offsets,
    lists: Codes,
) -> Counts:
    """The pairs, both numbers of each side by side."""
    pairs = np.empty(512, np.int64)
    filled = 0
    for line in range(len(offsets) - 1):
        low, high = offsets[line], offsets[line + 1]
        if low == high:
            continue
        first = members[low]
        for place in range(turned[first], turned[first + 1]):
            other = lists[place]
            size = offsets[other + 1] - offsets[other]
            if kinds[other] != kinds[line] or outer[other] != inner[line] or size <= high - low:
                continue
            at = offsets[other]
            inside = True
            for own in range(low, high):
                while at < offsets[other + 1] and members[at] < members[own]:
                    at += 1
                if at == offsets[other + 1] or members[at] != members[own]:
                    inside = False
                    break
            if inside:
                if filled == len(pairs):
                    pairs = larger(pairs, 2 * filled)
                pairs[filled], pairs[filled + 1] = line, other
                filled += 2
    return pairs[:filled].copy()


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


@kernel
def close_cells(
    offsets: Offsets, units: Codes, values: Codes, lower: Floats, upper: Floats, weights: Floats,
    closed: Bools, slack: float,
) -> tuple[int, bool]:  # fmt: skip
    """Close, in place, what one pass closes; the first line that cannot be met (-1), and if any closed."""
    n_values = closed.shape[1]
    n_open = np.empty(len(closed), np.int32)
    for unit in range(len(closed)):
        n_open[unit] = n_values
        for value in range(n_values):
            if closed[unit, value]:
                n_open[unit] -= 1
    changed = False
    for line in range(len(values)):
        value = values[line]
        most, least = 0.0, 0.0
        for place in range(offsets[line], offsets[line + 1]):
            unit = units[place]
            if not closed[unit, value]:
                most += weights[unit]
                if n_open[unit] == 1:
                    least += weights[unit]
        if most < lower[line] - slack or least > upper[line] + slack:
            return line, changed
        if most <= lower[line] and most > least:
            for place in range(offsets[line], offsets[line + 1]):
                unit = units[place]
                if not closed[unit, value] and n_open[unit] > 1:
                    for other in range(n_values):
                        if other != value and not closed[unit, other]:
                            closed[unit, other] = True
                            n_open[unit] -= 1
                    changed = True
        elif least >= upper[line] and most > least:
            for place in range(offsets[line], offsets[line + 1]):
                unit = units[place]
                if not closed[unit, value] and n_open[unit] > 1:
                    closed[unit, value] = True
                    n_open[unit] -= 1
                    changed = True
    return -1, changed


@kernel
def close_differences(
    offsets: Offsets, units: Codes, values: Codes, pairs: Counts, filled: bool, closed: Bools
) -> None:
    """Close, in place, the cells of what lies in the outer but not the inner line of each pair.

    The difference holds nothing of the value; or, where ``filled``, nothing of any other value.
    """
    for pair in range(len(pairs)):
        inner, outer = pairs[pair, 0], pairs[pair, 1]
        value = values[outer]
        at = offsets[inner]
        for place in range(offsets[outer], offsets[outer + 1]):
            unit = units[place]
            while at < offsets[inner + 1] and units[at] < unit:
                at += 1
            if at < offsets[inner + 1] and units[at] == unit:
                continue
            for other in range(closed.shape[1]):
                if (other == value) != filled:
                    closed[unit, other] = True
