"""Combinations that become the same when their values are replaced by nodes, with their counts added up."""

from __future__ import annotations

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.typing import Codes, Counts


def merged(base: Codes, chosen: Codes, counts: Counts, starts: Counts, nodes: Codes) -> tuple[Codes, Counts]:
    """The classes of some combinations: the class of each, and the rows of each class.

    ``base[i, c]`` is the code of combination i in column c; ``chosen`` are the combinations that take part.
    The code ``v`` of column c becomes the node ``nodes[starts[c] + v]``.
    """
    size = 1 << max(4, (2 * len(chosen)).bit_length())
    class_of = np.empty(len(chosen), dtype=np.int32)
    rows = np.zeros(len(chosen), dtype=np.int64)
    recoded = np.empty((len(chosen) + 1, base.shape[1]), dtype=np.int32)
    slots = np.full(size, -1, dtype=np.int32)
    found = _merge(base, chosen, counts, starts, nodes, slots, recoded, class_of, rows)
    return class_of, rows[:found]


@kernel
def _merge(
    base: Codes,
    chosen: Codes,
    counts: Counts,
    starts: Counts,
    nodes: Codes,
    slots: Codes,
    recoded: Codes,
    class_of: Codes,
    rows: Counts,
) -> int:
    """Put every combination into a table of open addresses; equal ones are compared code by code."""
    n_columns = base.shape[1]
    mask = np.uint64(len(slots) - 1)
    found = 0
    for place in range(len(chosen)):
        word = np.uint64(0)
        for column in range(n_columns):
            node = nodes[starts[column] + base[chosen[place], column]]
            recoded[found, column] = node
            word = (word ^ np.uint64(node)) * np.uint64(0x9E3779B97F4A7C15)
            word ^= word >> np.uint64(29)
        slot = word & mask
        while True:
            other = slots[slot]
            if other < 0:
                slots[slot] = found
                other = found
                found += 1
                break
            same = True
            for column in range(n_columns):
                if recoded[other, column] != recoded[found, column]:
                    same = False
                    break
            if same:
                break
            slot = (slot + np.uint64(1)) & mask
        class_of[place] = other
        rows[other] += counts[place]
    return found
