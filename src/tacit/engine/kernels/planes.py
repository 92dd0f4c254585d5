"""Rows as bits: for each item a plane of words, with a bit for every row that holds it."""

from __future__ import annotations

import numpy as np

from tacit.arrays.compiled import kernel, popcount
from tacit.typing import Codes, Counts, Offsets, Words

PLANES = 1 << 24
"""The most words, 128 MB, that say which rows hold each item."""


def planes_of(indptr: Offsets, items: Codes, n_items: int) -> Words:
    """The planes of the items, one behind the other; each has a word for 64 rows."""
    planes = np.zeros(n_items * ((len(indptr) + 62) // 64), dtype=np.uint64)
    _fill(indptr, items, (len(indptr) + 62) // 64, planes)
    return planes


@kernel
def _fill(indptr: Offsets, items: Codes, width: int, planes: Words) -> None:
    for row in range(len(indptr) - 1):
        for place in range(indptr[row], indptr[row + 1]):
            planes[items[place] * width + row // 64] |= np.uint64(1) << np.uint64(row % 64)


@kernel
def weight_of_bits(word: np.uint64, weights: Counts, start: int, enough: int) -> int:
    """The weight of the bits of a word, counted until it is enough; every bit has some."""
    if popcount(word) >= enough:
        return enough
    weight = 0
    while word:
        weight += weights[start + lowest(word)]
        word &= word - np.uint64(1)
    return weight


@kernel
def lowest(word: np.uint64) -> int:
    """The place of the lowest bit."""
    return popcount((word & (~word + np.uint64(1))) - np.uint64(1))
