"""Cells of text to dictionary codes, in order of first sight.

Each column has an open-addressing table. A cell of at most sixteen bytes is its own key, so that a
cell seen before costs one cache line; a longer one is known by a hash and compared with the text
where it was first seen. Nothing is decoded here: the dictionary points into the text.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.io.kernels.csv_cells import EMPTY
from tacit.io.kernels.csv_words import NONE, low_bytes, word_at
from tacit.typing import Bytes, Codes, Offsets, Words

FIRST, SECOND, ENTRY = np.uint64(0), np.uint64(1), np.uint64(2)
"""A slot of a table: two words of key, then the length (upper half) and the number + 1 (lower half)."""

INLINE = 16
HALF = np.uint64(32)
LOWER = np.uint64(0xFFFFFFFF)
ONE = np.uint64(1)
MIX = np.uint64(0x9E3779B97F4A7C15)
MIX_TWO = np.uint64(0xC2B2AE3D27D4EB4F)


@kernel
def encode_cells(
    text: Bytes,
    starts: Offsets,
    lengths: Codes,
    column: int,
    n_columns: int,
    rows: int,
    table: Words,
    firsts: Offsets,
    found: int,
    codes: Codes,
) -> int:
    """Number the cells of one column of a block; return how many distinct ones there are by now.

    ``table`` has a power of two of slots, with room for every cell of the block; ``firsts`` gets the
    place of each new cell. An empty cell gets the code ``EMPTY``.
    """
    mask = np.uint64(len(table) - 1)
    for row in range(rows):
        cell = np.uint64(row * n_columns + column)
        start: int = starts[cell]
        length: int = lengths[cell]
        if length == EMPTY:
            codes[row] = EMPTY
            continue
        low = NONE
        high = NONE
        if 0 < length <= 8:
            low = low_bytes(word_at(text, start), length)
        elif length > 8:
            low = word_at(text, start)
            high = low_bytes(word_at(text, start + 8), min(8, length - 8))
            for place in range(start + INLINE, start + length, 8):
                low = (low ^ low_bytes(word_at(text, place), min(8, start + length - place))) * MIX
                low ^= low >> HALF
                high = (high ^ low) * MIX_TWO
        slot = slot_of(low, high, np.uint64(length)) & mask
        while True:
            entry = table[slot, ENTRY]
            if entry == NONE:
                firsts[found] = start
                found += 1
                entry = (np.uint64(length) << HALF) | np.uint64(found)
                table[slot, FIRST] = low
                table[slot, SECOND] = high
                table[slot, ENTRY] = entry
                break
            same_key = table[slot, FIRST] == low and table[slot, SECOND] == high
            if same_key and entry >> HALF == np.uint64(length):
                first = firsts[(entry & LOWER) - ONE]
                if length <= INLINE or same_text(text, first, start, length):
                    break
            slot = (slot + ONE) & mask
        codes[row] = np.int64(entry & LOWER) - 1
    return found


@kernel
def larger_table(table: Words, slots: int) -> Words:
    """The same entries in a table of so many slots, a power of two."""
    larger = np.zeros((slots, 3), np.uint64)
    mask = np.uint64(slots - 1)
    for place in range(len(table)):
        entry = table[place, ENTRY]
        if entry != NONE:
            slot = slot_of(table[place, FIRST], table[place, SECOND], entry >> HALF) & mask
            while larger[slot, ENTRY] != NONE:
                slot = (slot + ONE) & mask
            larger[slot] = table[place]
    return larger


@kernel
def entry_lengths(table: Words, found: int) -> Offsets:
    """The length of each distinct cell."""
    lengths = np.empty(found, np.int64)
    for place in range(len(table)):
        entry = table[place, ENTRY]
        if entry != NONE:
            lengths[(entry & LOWER) - ONE] = np.int64(entry >> HALF)
    return lengths


@kernel
def gathered(text: Bytes, firsts: Offsets, lengths: Offsets) -> Bytes:
    """The distinct cells one after the other, with a NUL after each."""
    joined = np.zeros(lengths.sum() + lengths.size, np.uint8)
    place = 0
    for number in range(lengths.size):
        start = firsts[number]
        for step in range(lengths[number]):
            joined[place + step] = text[start + step]
        place += lengths[number] + 1
    return joined


@kernel
def slot_of(low: np.uint64, high: np.uint64, length: np.uint64) -> np.uint64:
    """Where the search for a key begins; the mask of the table cuts it to size."""
    hashed = (low ^ (high * MIX_TWO) ^ length) * MIX
    hashed = (hashed ^ (hashed >> HALF)) * MIX_TWO
    return hashed >> HALF


@kernel
def same_text(text: Bytes, one: int, other: int, length: int) -> bool:
    """Whether the text has the same bytes at two places."""
    step = 0
    while step < length and text[one + step] == text[other + step]:
        step += 1
    return step == length
