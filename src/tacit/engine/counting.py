"""Counting sets of items: what is counted in a block of rows is added up over all blocks.

In this process there is one block, on Spark there are many; an engine's way of adding up is given as
``summed``, from the length of an array of counts and what makes it of a block.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from tacit.arrays.interrupt import Flag
from tacit.engine.sanitizing import HitCounts, Itemlist, indexed_sets
from tacit.typing import Codes, Counts, Offsets

if TYPE_CHECKING:
    from tacit.engine.kernels.sanitizing import Columns

Count = Callable[[Offsets, Codes, Flag], Counts]
Summed = Callable[[int, Count], Counts]


def set_supports(sets: Itemlist, supports: Counts, summed: Summed) -> Counts:
    """The support of each set; ``supports`` are those of the items."""
    if not len(sets):
        return np.zeros(0, dtype=np.int64)
    indexed = indexed_sets(sets, supports)

    def count(indptr: Offsets, items: Codes, flag: Flag) -> Counts:
        from tacit.engine.kernels.contained import count_sets

        return count_sets(indptr, items, indexed, flag)

    return summed(len(sets), count)


def pair_supports(codes: Codes, n_codes: int, summed: Summed) -> Counts:
    """The support of every pair a < b of these codes, as the upper half of a matrix."""
    size = len(codes)
    places = np.full(n_codes, -1, dtype=np.int32)
    places[codes] = np.arange(size)

    def count(indptr: Offsets, items: Codes, flag: Flag) -> Counts:
        from tacit.engine.kernels.combinations import pair_counts

        counts = pair_counts(indptr, items, places, size, flag)
        return np.asarray(counts[np.triu_indices(size, 1)], dtype=np.int64)

    whole = np.zeros((size, size), dtype=np.int64)
    whole[np.triu_indices(size, 1)] = summed(size * (size - 1) // 2, count)
    return whole


def mark_hits(matrix: Columns, n_marks: int, summed: Summed) -> HitCounts:
    """How many cells each mark of a matrix hits."""

    def count(indptr: Offsets, items: Codes, flag: Flag) -> Counts:
        from tacit.engine.kernels.sanitizing import count_hits

        return np.concatenate(count_hits(indptr, items, matrix, n_marks, flag))

    counts = summed(2 * n_marks, count)
    return HitCounts(counts[:n_marks], counts[n_marks:])
