"""Rows of codes in compressed sparse row form: gathered, put in order, freed of repeats.

``indptr`` int64[n + 1] and ``codes`` int32: row ``r`` is ``codes[indptr[r] : indptr[r + 1]]``.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.typing import AnyArray, Codes, Offsets

_SHORT = 24  # rows up to this length are sorted by insertion, which beats a general sort there


@kernel
def gather_rows(rows: AnyArray, codes: AnyArray, n_rows: int) -> tuple[Offsets, Codes]:
    """Pairs (row, code) in any order, gathered by row; within a row they keep their order."""
    indptr = np.zeros(n_rows + 1, dtype=np.int64)
    for row in rows:
        indptr[row + 1] += 1
    for row in range(n_rows):
        indptr[row + 1] += indptr[row]
    place = indptr[:-1].copy()
    gathered = np.empty(len(codes), dtype=np.int32)
    for pair in range(len(codes)):
        row = rows[pair]
        gathered[place[row]] = codes[pair]
        place[row] += 1
    return indptr, gathered


@kernel
def as_sets(indptr: Offsets, codes: Codes, renumbered: Codes) -> tuple[Offsets, Codes, Codes]:
    """Each row as an ascending set of ``renumbered`` codes, and how often the row held each.

    A code whose new number is negative is left out.
    """
    n_rows = len(indptr) - 1
    sets = np.empty(n_rows + 1, dtype=np.int64)
    items = np.empty(len(codes), dtype=np.int32)
    times = np.empty(len(codes), dtype=np.int32)
    kept = 0
    sets[0] = 0
    for row in range(n_rows):
        first = stop = kept
        ascending = True
        for at in range(indptr[row], indptr[row + 1]):
            code = renumbered[codes[at]]
            if code < 0:
                continue
            if stop > first and code < items[stop - 1]:
                ascending = False
            items[stop] = code
            stop += 1
        if not ascending:
            if stop - first <= _SHORT:
                for at in range(first + 1, stop):
                    code, back = items[at], at
                    while back > first and items[back - 1] > code:
                        items[back] = items[back - 1]
                        back -= 1
                    items[back] = code
            else:
                items[first:stop].sort()
        for at in range(first, stop):
            if kept > first and items[kept - 1] == items[at]:
                times[kept - 1] += 1
            else:
                items[kept], times[kept] = items[at], 1
                kept += 1
        sets[row + 1] = kept
    return sets, items[:kept].copy(), times[:kept].copy()


@kernel
def take_rows(indptr: Offsets, codes: Codes, rows: AnyArray) -> tuple[Offsets, Codes]:
    """The named rows, one after the other."""
    taken = np.empty(len(rows) + 1, dtype=np.int64)
    taken[0] = 0
    for number, row in enumerate(rows):
        taken[number + 1] = taken[number] + indptr[row + 1] - indptr[row]
    items = np.empty(taken[-1], dtype=np.int32)
    for number, row in enumerate(rows):
        items[taken[number] : taken[number + 1]] = codes[indptr[row] : indptr[row + 1]]
    return taken, items
