"""Loops of the judges of sets: which leaf of a node a row held, how many values stand behind a set of items.

A reader who has learned from similar rows how often each leaf occurs, and with which other nodes,
guesses by naive Bayes: the leaf of the node with the largest P(leaf) · Π P(other node | leaf).

Where each row carries one value, somebody who knows some items of a row is left with the values of all rows
that hold them: the fewer, the more is known of the row's own value.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.engine.kernels.projection import Stack, count_following, first_items, grow, take_set
from tacit.typing import Bools, Bytes, Codes, Counts, Floats, Offsets


@kernel
def companions(
    indptr: Offsets,
    leaves: Codes,
    node_indptr: Offsets,
    nodes: Codes,
    rows: Counts,
    n_leaves: int,
    n_nodes: int,
) -> tuple[Counts, Codes]:
    """In how many of the rows each leaf occurs, and with each node: shapes (leaves,) and (leaves, nodes)."""
    alone = np.zeros(n_leaves, dtype=np.int64)
    together = np.zeros((n_leaves, n_nodes), dtype=np.int32)
    for row in rows:
        for place in range(indptr[row], indptr[row + 1]):
            leaf = leaves[place]
            alone[leaf] += 1
            for other in range(node_indptr[row], node_indptr[row + 1]):
                together[leaf, nodes[other]] += 1
    return alone, together


@kernel
def right_guesses(
    indptr: Offsets, leaves: Codes, node_indptr: Offsets, nodes: Codes, rows: Counts, node_of_leaf: Codes,
    leaf_starts: Offsets, leaves_below: Codes, alone: Counts, log_given: Floats, flag: Bytes,
) -> tuple[int, int, int, float]:  # fmt: skip
    """The guesses made on some rows, how many are right, right by frequency alone, and expected at random.

    One guess is made for each node of a row that has several leaves below it; it is right when the row
    holds the leaf. ``log_given[leaf, node]`` is log P(node | leaf); the leaves below node ``u`` are
    ``leaves_below[leaf_starts[u] : leaf_starts[u + 1]]``. Ties go to the leaf that comes first.
    """
    guesses = 0
    right = 0
    right_by_frequency = 0
    at_random = 0.0
    steps = 0
    for row in rows:
        steps += 1
        if steps % 4096 == 0 and flag[0]:
            break
        for place in range(node_indptr[row], node_indptr[row + 1]):
            node = nodes[place]
            first, last = leaf_starts[node], leaf_starts[node + 1]
            if last - first < 2:
                continue
            held = 0
            for position in range(indptr[row], indptr[row + 1]):
                held += node_of_leaf[leaves[position]] == node
            best = likeliest = leaves_below[first]
            best_score = -np.inf
            for index in range(first, last):
                leaf = leaves_below[index]
                if alone[leaf] > alone[likeliest]:
                    likeliest = leaf
                score = np.log(alone[leaf] + 1.0)
                for other in range(node_indptr[row], node_indptr[row + 1]):
                    if nodes[other] != node:
                        score += log_given[leaf, nodes[other]]
                if score > best_score + 1e-9:  # not by rounding alone
                    best_score = score
                    best = leaf
            guesses += 1
            at_random += held / (last - first)
            for position in range(indptr[row], indptr[row + 1]):
                right += leaves[position] == best
                right_by_frequency += leaves[position] == likeliest
    return guesses, right, right_by_frequency, at_random


def fewest_values(
    indptr: Offsets, items: Codes, values: Codes, n_values: int, size: int, flag: Bytes
) -> tuple[int, Bools]:
    """The fewest values behind any set of up to ``size`` items that occurs, and the rows given away.

    A row is given away when some set of up to ``size`` of its items leaves a single value. Rows are
    ascending sets of items; the fewest is 0 where no row holds an item.
    """
    n_rows, n_items = len(indptr) - 1, int(items.max(initial=-1)) + 1
    given_away, ones = np.zeros(n_rows, dtype=np.bool_), np.ones(n_rows, dtype=np.int64)
    stack, _, levels = first_items(indptr, items, ones, 0, n_items, size)
    seen = np.full(n_values, -1, dtype=np.int64)
    return _fewest_values(indptr, items, values, ones, stack, levels, seen, given_away, flag), given_away


@kernel
def _fewest_values(
    indptr: Offsets, items: Codes, values: Codes, ones: Counts, stack: Stack, levels: Counts, seen: Counts,
    given_away: Bools, flag: Bytes,
) -> int:  # fmt: skip
    size = levels.shape[1] - 1
    depth = visit = fewest = 0
    while True:
        depth, number = take_set(levels, depth, flag)
        if depth < 0:
            break
        start, end = stack.starts[number], stack.ends[number]
        if start == end:
            continue
        visit += 1
        different = 0
        all_given_away = True
        for entry in range(start, end):
            row = stack.rows[entry]
            if seen[values[row]] != visit:
                seen[values[row]] = visit
                different += 1
            all_given_away = all_given_away and given_away[row]
        fewest = different if fewest == 0 else min(fewest, different)
        if different == 1:
            for entry in range(start, end):
                given_away[stack.rows[entry]] = True
            continue  # larger sets leave the same value
        if depth + 1 == size or all_given_away:
            continue
        n_touched, _ = count_following(indptr, items, ones, stack, start, end)
        stack = grow(indptr, items, stack, start, end, n_touched, levels, depth, 1)
        depth += 1
    return fewest
