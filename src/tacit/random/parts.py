"""Rows dealt into parts by the top bits of a uniform 64-bit word.

A part is small enough for the processor's cache, where a pass over all rows would miss it at
every row; and work done part by part can be interrupted between two parts.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.typing import Counts, Offsets, Words

PART_ROWS = 1 << 14
"""About how many rows a part has, where the words are uniform."""

_ONE = np.uint64(1)
_MAX_BITS = 20


def deal(words: Words) -> tuple[Counts, Offsets]:
    """The rows of all parts one after the other, ascending inside a part, and where each part ends.

    Part p is ``rows[ends[p] : ends[p + 1]]``; words of a later part are larger.
    """
    bits = min((len(words) // PART_ROWS).bit_length(), _MAX_BITS)
    return _deal(words, bits)


@kernel
def _deal(words: Words, bits: int) -> tuple[Counts, Offsets]:
    shift = np.uint64(63 - bits)  # after a shift by one: a shift by 64, for no bits, is undefined
    ends = np.zeros((1 << bits) + 1, dtype=np.int64)
    for row in range(len(words)):
        ends[np.int64(words[row] >> _ONE >> shift) + 1] += 1
    for part in range(1 << bits):
        ends[part + 1] += ends[part]
    place = ends[:-1].copy()
    rows = np.empty(len(words), dtype=np.int64)
    for row in range(len(words)):
        its_part = np.int64(words[row] >> _ONE >> shift)
        rows[place[its_part]] = row
        place[its_part] += 1
    return rows, ends
