"""A few of many rows that speak for all of them: a coreset for capped counts of small sets of items.

Kept are rows such that every set S of up to ``size`` items is held by at least min(least, its count in all
rows) of those kept. Where items are the leaves of a tree, the same holds for every set of up to ``size``
nodes, each node standing for the items below it: if some choice of items below them is held by ``least``
rows, so many are kept; otherwise every row that holds such a choice is kept, and the count is exact. So
whoever asks only whether counts reach ``least``, and for smaller counts how large they are, may ask the rows
kept. The coresets of several parts of the rows together are a coreset of all, and one of those is one as
well, so that parts may be looked at apart.

A row is kept when one of its sets of ``size`` items (of all its items, if it has fewer) is not yet known to
be held by ``least`` kept rows; every smaller set is part of such a one. What is known stands in a table of
fixed size, which forgets: an entry gives way to another. What was forgotten is counted from zero, so that
more rows are kept than need be, and never fewer.
"""

from __future__ import annotations

from math import comb
from typing import NamedTuple

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.typing import Bools, Bytes, Codes, Counts, Offsets

MOST_CELLS = 1 << 27
"""With up to so many sets there can be, each has a cell of its own, of one byte."""
MOST_SLOTS = 1 << 22
"""Else the table has so many entries at most: 12 bytes each for pairs, 4 more for every item more."""
MOST_SETS = 1 << 16
"""A row with more sets than this is kept unseen."""
_WAYS = 16
"""A set has its entry in one of so many slots, side by side."""
_HIGHEST = 255


class Known(NamedTuple):
    """In how many of the rows kept some sets are known to be.

    Either every set has a cell (``cells``, numbered by ``choices``), or some have a slot, where they stand
    whole, so that none is taken for another.
    """

    size: int
    cells: Bytes
    choices: Offsets
    """Shape (items, size + 1): ``choices[i, t]`` is the number of ways to choose t of i items."""
    sets: Codes
    """Shape (slots, size), descending and filled up with -1."""
    counts: Codes


def nothing_known(
    n_items: int, size: int, least: int, *, most_cells: int = MOST_CELLS, most_slots: int = MOST_SLOTS
) -> Known:
    """An empty table: with a cell for every set, where they are not too many and ``least`` is small."""
    n_sets = sum(comb(n_items, taken) for taken in range(1, size + 1))
    dense = n_sets <= most_cells and least <= _HIGHEST
    choices = np.zeros((n_items if dense else 0, size + 1), dtype=np.int64)
    slots = 0
    if dense:
        for item in range(n_items):
            choices[item] = [comb(item, taken) for taken in range(size + 1)]
    else:
        slots = _WAYS
        while slots < min(2 * n_sets, most_slots):
            slots *= 2
    return Known(
        size,
        np.zeros(n_sets if dense else 0, dtype=np.uint8),
        choices,
        np.full((slots, size), -1, dtype=np.int32),
        np.zeros(slots, dtype=np.int32),
    )


@kernel
def coreset_rows(indptr: Offsets, items: Codes, least: int, known: Known) -> Bools:
    """Which rows to keep, given what is known of those kept before; the table learns of them.

    Rows are ascending sets. Empty ones hold nothing, and are not kept.
    """
    n_rows = len(indptr) - 1
    kept = np.zeros(n_rows, dtype=np.bool_)
    places = np.empty(known.size + 1, dtype=np.int64)
    for row in range(n_rows):
        own = items[indptr[row] : indptr[row + 1]]
        taken = min(known.size, len(own))
        if taken == 0:
            continue
        if _number_of_sets(len(own), taken) > MOST_SETS:
            kept[row] = True
        elif not _visit(own, taken, least, known, places, False):
            kept[row] = True
            _visit(own, taken, least, known, places, True)
    return kept


@kernel
def _visit(own: Codes, taken: int, least: int, known: Known, places: Counts, learn: bool) -> bool:
    """Go through the sets of so many items of a row: is each known to be held by enough rows, or learn it.

    Sets are taken by their larger items first. For each choice of all but the smallest item, ``places``, the
    smallest goes through what is left, and its cells lie side by side.
    """
    length = len(own)
    block = 0  # sets of fewer items come first
    if len(known.cells):
        for fewer in range(1, taken):
            block += _sets_of(fewer, known.choices)
    for member in range(taken - 1):
        places[member] = length - 1 - member
    while True:
        end = places[taken - 2] if taken > 1 else length
        if len(known.cells):
            base = block
            for member in range(taken - 1):
                base += known.choices[own[places[member]], taken - member]
            for smallest in range(end):
                cell = base + own[smallest]
                if learn:
                    known.cells[cell] = min(known.cells[cell] + 1, least)
                elif known.cells[cell] < least:
                    return False
        else:
            code = _code(own, places, taken - 1)
            for smallest in range(end):
                places[taken - 1] = smallest
                slot = _slot(own, places, taken, code, known)
                if learn:
                    _learn(own, places, taken, slot, least, known)
                elif slot < 0 or known.counts[slot] < least:
                    return False
        # The next choice of the larger items, from the right-most place that can go down.
        member = taken - 2
        while member >= 0 and places[member] == taken - 1 - member:
            member -= 1
        if member < 0:
            return True
        places[member] -= 1
        for later in range(member + 1, taken - 1):
            places[later] = places[later - 1] - 1


@kernel
def _sets_of(taken: int, choices: Offsets) -> int:
    """How many sets of so many items there are."""
    last = len(choices) - 1
    return int(choices[last, taken] + choices[last, taken - 1])


@kernel
def _code(own: Codes, places: Counts, taken: int) -> np.uint64:
    code = np.uint64(1469598103934665603)
    for member in range(taken):
        code = _mixed(code, own[places[member]])
    return code


@kernel
def _mixed(code: np.uint64, item: int) -> np.uint64:
    """The code with one item more: every bit of it depends on every bit of both."""
    code = (code ^ np.uint64(item)) * np.uint64(0x9E3779B97F4A7C15)
    code = (code ^ (code >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    return code ^ (code >> np.uint64(32))


@kernel
def _slot(own: Codes, places: Counts, taken: int, code: np.uint64, known: Known) -> int:
    """The slot of a set that is known; else -1 - s, where s is that of its slots which knows least."""
    code = _mixed(code, own[places[taken - 1]])
    first = int(np.int64(code & np.uint64(len(known.counts) - _WAYS)))
    weakest = first
    for slot in range(first, first + _WAYS):
        if known.counts[slot] == 0:  # slots are taken in turn, so that the others are empty as well
            return -1 - slot
        same = True
        for member in range(known.size):
            if known.sets[slot, member] != (own[places[member]] if member < taken else -1):
                same = False
                break
        if same:
            return slot
        if known.counts[slot] < known.counts[weakest]:
            weakest = slot
    return -1 - weakest


@kernel
def _learn(own: Codes, places: Counts, taken: int, slot: int, least: int, known: Known) -> None:
    """One more row is kept that holds a set; what has its place is forgotten."""
    if slot >= 0:
        known.counts[slot] = min(known.counts[slot] + 1, least)
        return
    slot = -1 - slot
    known.counts[slot] = 1
    for member in range(known.size):
        known.sets[slot, member] = own[places[member]] if member < taken else -1


@kernel
def _number_of_sets(length: int, taken: int) -> int:
    """How many sets of so many items a row has, or a little more than the most that are looked at."""
    number = 1
    for chosen in range(min(taken, length - taken)):
        number = number * (length - chosen) // (chosen + 1)
        if number > MOST_SETS:
            return MOST_SETS + 1
    return number
