"""Combinations that become the same when their values are replaced by nodes, with their counts added up."""

from __future__ import annotations

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.recoding.problem import Problem
from tacit.typing import Codes, Counts

MOST_KEYS = 1 << 62
"""Keys are numbers below this; with more ways to combine nodes, columns come one after another."""
DIRECT = 8
"""Where there are at most so many keys for each combination, a key is its own place in a table."""


def merged(
    problem: Problem, chosen: Codes, counts: Counts, starts: Counts, nodes: Codes
) -> tuple[Codes, Counts, Codes]:
    """The classes of some combinations: the class of each; of each class its rows and its first combination.

    ``chosen`` are the combinations that take part, with their rows. The code ``v`` of column c becomes the
    node ``nodes[starts[c] + v]``.
    """
    sizes = [len(leaves) for leaves in problem.leaves]
    worth, n_keys = np.empty(len(nodes), dtype=np.int64), 1
    keys = np.zeros(len(chosen), dtype=np.int64)
    added = 0
    for column, (start, size) in enumerate(zip(starts.tolist(), sizes, strict=True)):
        used, place = np.unique(nodes[start : start + size], return_inverse=True)
        if n_keys * len(used) > MOST_KEYS:
            _add(problem.columns[added:column], chosen, starts[added:], worth, keys)
            class_of, _, first = _numbered(keys, counts, n_keys)
            keys, n_keys, added = class_of.astype(np.int64), len(first), column
        worth[start : start + size] = place.reshape(-1) * n_keys
        n_keys *= len(used)
    _add(problem.columns[added:], chosen, starts[added:], worth, keys)
    class_of, rows, first = _numbered(keys, counts, n_keys)
    return class_of, rows, chosen[first]


def _numbered(keys: Counts, counts: Counts, n_keys: int) -> tuple[Codes, Counts, Codes]:
    """Equal keys as one class, in the order of their first: class of each, rows and first of each class."""
    direct = n_keys <= DIRECT * max(len(keys), 1 << 10)
    slots = np.full(n_keys if direct else 1 << (2 * len(keys)).bit_length(), -1, dtype=np.int32)
    class_of, first = np.empty(len(keys), dtype=np.int32), np.empty(len(keys), dtype=np.int32)
    rows = np.zeros(len(keys), dtype=np.int64)
    found = _number(keys, counts, slots, direct, class_of, rows, first)
    return class_of, rows[:found], first[:found]


@kernel
def _add(columns: Codes, chosen: Codes, starts: Counts, worth: Counts, keys: Counts) -> None:
    """Add what the nodes of each combination are worth to its key."""
    for column in range(len(columns)):
        codes, own = columns[column], worth[starts[column] :]
        for place in range(len(chosen)):
            keys[place] += own[codes[np.uint32(chosen[place])]]


@kernel
def _number(
    keys: Counts, counts: Counts, slots: Codes, direct: bool, class_of: Codes, rows: Counts, first: Codes
) -> int:
    """Put every key into its place, or into a table of open addresses."""
    mask = np.uint64(len(slots) - 1)
    found = 0
    for place in range(len(keys)):
        slot = np.uint64(keys[place])
        if not direct:
            slot *= np.uint64(0x9E3779B97F4A7C15)
            slot = (slot ^ (slot >> np.uint64(29))) & mask
            while slots[slot] >= 0 and keys[first[slots[slot]]] != keys[place]:
                slot = (slot + np.uint64(1)) & mask
        if slots[slot] < 0:
            slots[slot] = found
            first[found] = place
            found += 1
        class_of[place] = slots[slot]
        rows[slots[slot]] += counts[place]
    return found
