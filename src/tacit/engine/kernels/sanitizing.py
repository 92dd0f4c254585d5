"""The row rule of a sparse matrix of -1, 0 and 1: which cells of a 0/1 table stay 1.

Only some codes have a *column*. In a row that holds such a code the column's entries at the codes of
the row are summed, its own 1 included; where an entry is -1 the cell is *hit*, and it stays with the
smallest of the probabilities of the entries that hit it: one for rows whose sum is positive, one for
the others. A cell that is not hit stays. No cell becomes 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.compiled import Flag, kernel
from tacit.engine.kernels.sets import POLLED, Sets
from tacit.random.keyed import absorb, finish, start
from tacit.typing import Bools, Codes, Counts, Offsets, Words

ALWAYS = np.uint64(2**64 - 1)
"""A probability of 1; others are floor(p · 2^64)."""

_LAST = np.uint64(32 << 56)  # a message of four words: its length is the top byte of SipHash's last word


class Columns(NamedTuple):
    """``table[places[k], columns[j]]`` is the entry at (k, j): 0, 1, or -(m + 1) for the -1 of mark m.

    ``columns[j]`` is -1 for a code without a column, ``places[k]`` for one without an entry.
    """

    columns: Codes
    places: Codes
    table: Codes


class Draws(NamedTuple):
    """What the draw of a cell is made of: the subkey, the row's digest and rank, the code's word."""

    k0: np.uint64
    k1: np.uint64
    digests: Words
    ranks: Counts
    words: Words


@kernel
def count_hits(
    indptr: Offsets, items: Codes, matrix: Columns, n_marks: int, flag: Flag
) -> tuple[Counts, Counts]:
    """Per mark, the cells it hits, and those of them whose row has a positive sum."""
    hits = np.zeros(n_marks, dtype=np.int64)
    positive = np.zeros(n_marks, dtype=np.int64)
    for row in range(len(indptr) - 1):
        if row % POLLED == 0 and flag[0]:
            break
        first, end = indptr[row], indptr[row + 1]
        for at in range(first, end):
            column = matrix.columns[items[at]]
            if column < 0:
                continue
            total = _sum(items, first, end, column, matrix)
            for other in range(first, end):
                place = matrix.places[items[other]]
                if place >= 0 and matrix.table[place, column] < 0:
                    mark = -matrix.table[place, column] - 1
                    hits[mark] += 1
                    positive[mark] += total > 0
    return hits, positive


@kernel
def drawn_removals(
    indptr: Offsets, items: Codes, matrix: Columns, high: Words, low: Words, draws: Draws, flag: Flag
) -> Bools:
    """Which cells go; a mark's probability is ``high`` where the row's sum is positive, else ``low``."""
    removed = np.zeros(len(items), dtype=np.bool_)
    for row in range(len(indptr) - 1):
        if row % POLLED == 0 and flag[0]:
            break
        first, end = indptr[row], indptr[row + 1]
        for at in range(first, end):
            column = matrix.columns[items[at]]
            if column < 0:
                continue
            total = _sum(items, first, end, column, matrix)
            limit = ALWAYS
            for other in range(first, end):
                place = matrix.places[items[other]]
                if place >= 0 and matrix.table[place, column] < 0:
                    mark = -matrix.table[place, column] - 1
                    chance = high[mark] if total > 0 else low[mark]
                    limit = chance if chance < limit else limit
            if limit < ALWAYS and (limit == 0 or draw_cell(draws, row, items[at]) >= limit):
                removed[at] = True
    return removed


@kernel
def refill(indptr: Offsets, items: Codes, removed: Bools, barred: Bools, draws: Draws) -> int:
    """Give every row that would be left empty the one of its cells that is drawn; barred codes never.

    Returns how many rows got one back.
    """
    refilled = 0
    for row in range(len(indptr) - 1):
        best, smallest, alive = -1, ALWAYS, False
        for at in range(indptr[row], indptr[row + 1]):
            if not removed[at]:
                alive = True
                break
            if not barred[items[at]]:
                drawn = draw_cell(draws, row, items[at])
                if best < 0 or drawn < smallest:
                    best, smallest = at, drawn
        if not alive and best >= 0:
            removed[best] = False
            refilled += 1
    return refilled


@kernel
def draw_cell(draws: Draws, row: int, code: int) -> np.uint64:
    """The uniform word of a cell, from the row's content and rank and the code's own word."""
    state = absorb(start(draws.k0, draws.k1), draws.digests[row, 0])
    state = absorb(state, draws.digests[row, 1])
    state = absorb(state, np.uint64(draws.ranks[row]))
    return finish(absorb(state, draws.words[code]), _LAST)


@kernel
def _sum(items: Codes, first: int, end: int, column: int, matrix: Columns) -> int:
    total = 1
    for at in range(first, end):
        place = matrix.places[items[at]]
        if place >= 0:
            entry = matrix.table[place, column]
            if entry > 0:
                total += 1
            elif entry < 0:
                total -= 1
    return total


@kernel
def slide(
    indptr: Offsets,
    items: Codes,
    sets: Sets,
    ends: Offsets,
    rows: Counts,
    windows: Counts,
    n_windows: int,
    numerator: int,
    denominator: int,
    draws: Draws,
    flag: Flag,
) -> Bools:
    """Which cells go. ``rows[ends[s] : ends[s + 1]]`` contain set s; ``windows`` is the window of each row.

    A set that r rows of a window contain stays in floor(r · numerator / denominator) of them; which of
    two codes that occur in equally many sets goes, and which of two rows of equal length, is drawn.
    """
    removed = np.zeros(len(items), dtype=np.bool_)
    shared = _shared(indptr, items, sets, ends, rows)
    sizes = np.empty(n_windows + 1, dtype=np.int64)
    for number in range(len(ends) - 1):
        if flag[0]:
            break
        count = ends[number + 1] - ends[number]
        # Two counting passes: rows of the set by window, then each window by length and draw.
        for window in range(len(sizes)):
            sizes[window] = 0
        for at in range(ends[number], ends[number + 1]):
            sizes[windows[rows[at]] + 1] += 1
        for window in range(n_windows):
            sizes[window + 1] += sizes[window]
        place = sizes[:-1].copy()
        grouped = np.empty(count, dtype=np.int64)
        for at in range(ends[number], ends[number + 1]):
            window = windows[rows[at]]
            grouped[place[window]] = rows[at]
            place[window] += 1
        for window in range(n_windows):
            inside = grouped[sizes[window] : sizes[window + 1]]
            if len(inside):
                goes = len(inside) - len(inside) * numerator // denominator
                _lose(indptr, items, sets, number, inside, goes, shared, draws, removed)
    return removed


@kernel
def _lose(
    indptr: Offsets,
    items: Codes,
    sets: Sets,
    number: int,
    inside: Counts,
    goes: int,
    shared: Codes,
    draws: Draws,
    removed: Bools,
) -> None:
    """Break one set in the first ``goes`` rows of a window, shortest first."""
    key = sets.codes[sets.offsets[number]]
    drawn = np.empty(len(inside), dtype=np.uint64)
    for place in range(len(inside)):
        drawn[place] = draw_cell(draws, inside[place], key)
    by_draw = inside[np.argsort(drawn)]
    lengths = np.empty(len(inside), dtype=np.int64)
    for place in range(len(inside)):
        lengths[place] = indptr[by_draw[place] + 1] - indptr[by_draw[place]]
    order = np.argsort(lengths, kind="mergesort")
    for place in range(goes):
        row = by_draw[order[place]]
        best, whole = -1, True
        word = np.uint64(0)
        for member in range(sets.offsets[number], sets.offsets[number + 1]):
            at = _position(items, indptr[row], indptr[row + 1], sets.codes[member])
            if removed[at]:
                whole = False  # an earlier set has broken it already
                break
            its = draw_cell(draws, row, sets.codes[member])
            if best < 0 or shared[at] > shared[best] or (shared[at] == shared[best] and its < word):
                best, word = at, its
        if whole:
            removed[best] = True


@kernel
def _shared(indptr: Offsets, items: Codes, sets: Sets, ends: Offsets, rows: Counts) -> Codes:
    """Per cell, in how many of the sets of its row its code occurs."""
    shared = np.zeros(len(items), dtype=np.int32)
    for number in range(len(ends) - 1):
        for at in range(ends[number], ends[number + 1]):
            row = rows[at]
            for member in range(sets.offsets[number], sets.offsets[number + 1]):
                shared[_position(items, indptr[row], indptr[row + 1], sets.codes[member])] += 1
    return shared


@kernel
def _position(items: Codes, first: int, end: int, code: int) -> int:
    """Where a code stands in its row, which must hold it."""
    low, high = first, end
    while low < high:
        middle = (low + high) >> 1
        if items[middle] < code:
            low = middle + 1
        else:
            high = middle
    return low
