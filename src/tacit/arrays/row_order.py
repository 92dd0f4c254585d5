"""The lexicographic order of rows of unequal length."""

from __future__ import annotations

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.arrays.read_only import read_only
from tacit.typing import Codes, Counts, Offsets


def row_order(indptr: Offsets, items: Codes) -> Counts:
    """The permutation that sorts rows by their items, first item first; a row comes after its beginnings.

    Equal rows keep their order: a merge sort, from runs of one row upwards.
    """
    order = np.arange(len(indptr) - 1)
    return _merge_sort(read_only(indptr), read_only(items), order, order.copy())


@kernel
def _merge_sort(indptr: Offsets, items: Codes, order: Counts, merged: Counts) -> Counts:
    n_rows, width = len(order), 1
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
