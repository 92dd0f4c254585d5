"""Counting sets of items in rows held in memory, by kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.typing import Codes, Counts, Offsets

if TYPE_CHECKING:
    from tacit.engine.kernels.contained import Sets


def set_supports(indptr: Offsets, items: Codes, sets: Sets) -> Counts:
    """The support of each set."""
    from tacit.arrays.interrupt import interruptible
    from tacit.engine.kernels.contained import count_sets

    return interruptible(count_sets, indptr, items, sets)


def pair_supports(indptr: Offsets, items: Codes, codes: Codes, n_codes: int) -> Counts:
    """The support of every pair a < b of these codes, as the upper half of a matrix."""
    from tacit.arrays.interrupt import interruptible
    from tacit.engine.kernels.pair_counts import pair_counts

    places = np.full(n_codes, -1, dtype=np.int32)
    places[codes] = np.arange(len(codes))
    return interruptible(pair_counts, indptr, items, places, len(codes))
