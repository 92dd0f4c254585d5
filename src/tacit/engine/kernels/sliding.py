"""Windows of rows in which each set loses a code in most of the rows that contain it.

The sliding windows of Oliveira and Zaïane [1]: inside a window the rows of a set are taken shortest
first, and all but a share of them lose the set's code that occurs in most of the sets of that row.

[1] S. R. M. Oliveira, O. R. Zaïane. Protecting Sensitive Knowledge By Data Sanitization. ICDM 2003.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.arrays.interrupt import Flag
from tacit.engine.kernels.contained import Sets
from tacit.engine.kernels.sanitizing import Draws, draw_cell
from tacit.typing import Bools, Codes, Counts, Offsets


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
        sizes[:] = 0
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
