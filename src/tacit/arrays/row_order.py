"""The lexicographic order of rows of unequal length."""

from __future__ import annotations

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.typing import Codes, Counts, Offsets


@kernel
def row_order(indptr: Offsets, items: Codes) -> Counts:
    """The permutation that sorts rows by their items, first item first; a row comes after its beginnings.

    Equal rows keep their order: a merge sort, from runs of one row upwards.
    """
    n_rows = len(indptr) - 1
    order = np.arange(n_rows)
    merged = np.empty_like(order)
    width = 1
    while width < n_rows:
        for start in range(0, n_rows, 2 * width):
            middle, end = min(start + width, n_rows), min(start + 2 * width, n_rows)
            left, right = start, middle
            for place in range(start, end):
                if right == end or (left < middle and not _before(indptr, items, order[right], order[left])):
                    merged[place] = order[left]
                    left += 1
                else:
                    merged[place] = order[right]
                    right += 1
        order, merged = merged, order
        width *= 2
    return order


@kernel
def _before(indptr: Offsets, items: Codes, one: int, other: int) -> bool:
    """Whether one row sorts before another."""
    place, other_place = indptr[one], indptr[other]
    while place < indptr[one + 1] and other_place < indptr[other + 1]:
        if items[place] != items[other_place]:
            return bool(items[place] < items[other_place])
        place += 1
        other_place += 1
    return bool(place == indptr[one + 1] and other_place < indptr[other + 1])
