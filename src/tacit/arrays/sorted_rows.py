"""The lexicographic order of many rows: by a word that packs their first codes, then inside equal words."""

from __future__ import annotations

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.arrays.interrupt import Flag, interruptible
from tacit.typing import Codes, Counts, Offsets, Words


def sorted_rows(indptr: Offsets, items: Codes, n_codes: int) -> Counts:
    """The permutation that sorts rows by their codes, first code first; a row comes after its beginnings.

    Equal rows keep their order.
    """
    bits = max(1, int(n_codes).bit_length())  # codes are packed as 1 .. n_codes, 0 is the end of a row
    words = _packed(indptr, items, bits, 64 // bits)
    order = np.argsort(words, kind="stable")
    return interruptible(_sort_runs, indptr, items, words, order, 64 // bits)


@kernel
def _packed(indptr: Offsets, items: Codes, bits: int, room: int) -> Words:
    words = np.zeros(len(indptr) - 1, dtype=np.uint64)
    for row in range(len(words)):
        word = np.uint64(0)
        for place in range(room):
            at = indptr[row] + place
            word <<= np.uint64(bits)
            if at < indptr[row + 1]:
                word |= np.uint64(items[at] + 1)
        words[row] = word
    return words


@kernel
def _sort_runs(indptr: Offsets, items: Codes, words: Words, order: Counts, packed: int, flag: Flag) -> Counts:
    """Sort every run of equal words by what they leave out: a merge sort, from runs of one row upwards."""
    n_rows = len(order)
    merged = np.empty_like(order)
    first = 0
    while first < n_rows and not flag[0]:
        end = first + 1
        while end < n_rows and words[order[end]] == words[order[first]]:
            end += 1
        width = 1
        while width < end - first:
            for start in range(first, end, 2 * width):
                middle, stop = min(start + width, end), min(start + 2 * width, end)
                left, right = start, middle
                for place in range(start, stop):
                    if right == stop or (
                        left < middle and not _before(indptr, items, order[right], order[left], packed)
                    ):
                        merged[place] = order[left]
                        left += 1
                    else:
                        merged[place] = order[right]
                        right += 1
            order[first:end] = merged[first:end]
            width *= 2
        first = end
    return order


@kernel
def _before(indptr: Offsets, items: Codes, one: int, other: int, skipped: int) -> bool:
    """Whether one row sorts before another, both beginning with the same codes."""
    place, other_place = indptr[one] + skipped, indptr[other] + skipped
    while place < indptr[one + 1] and other_place < indptr[other + 1]:
        if items[place] != items[other_place]:
            return bool(items[place] < items[other_place])
        place += 1
        other_place += 1
    return bool(place >= indptr[one + 1] and other_place < indptr[other + 1])
