"""Rows of codes in compressed sparse row form: gathered, put in order, freed of repeats.

``indptr`` int64[n + 1] and ``codes`` int32: row ``r`` is ``codes[indptr[r] : indptr[r + 1]]``.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.arrays.read_only import read_only
from tacit.arrays.sorting import sort_codes, stable_order
from tacit.typing import AnyArray, Codes, Offsets


def gather_rows(rows: AnyArray, codes: AnyArray, n_rows: int) -> tuple[Offsets, Codes]:
    """Pairs (row, code) in any order, gathered by row; within a row they keep their order."""
    indptr = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=n_rows)))).astype(np.int64)
    if (rows[1:] < rows[:-1]).any():
        codes = codes[stable_order(rows)]
    return indptr, np.array(codes, dtype=np.int32)


def as_sets(indptr: Offsets, codes: Codes, renumbered: Codes) -> tuple[Offsets, Codes, Codes]:
    """Each row as an ascending set of ``renumbered`` codes, and how often the row held each.

    A code whose new number is negative is left out.
    """
    return _as_sets(read_only(indptr), read_only(codes), read_only(renumbered))


@kernel
def _as_sets(indptr: Offsets, codes: Codes, renumbered: Codes) -> tuple[Offsets, Codes, Codes]:
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
            sort_codes(items, first, stop)
        for at in range(first, stop):
            if kept > first and items[kept - 1] == items[at]:
                times[kept - 1] += 1
            else:
                items[kept], times[kept] = items[at], 1
                kept += 1
        sets[row + 1] = kept
    return sets, items[:kept].copy(), times[:kept].copy()


def take_rows(indptr: Offsets, codes: Codes, rows: AnyArray) -> tuple[Offsets, Codes]:
    """The named rows, one after the other."""
    taken, places = places_of_rows(indptr, rows)
    return taken, codes[places]


def places_of_rows(indptr: Offsets, rows: AnyArray) -> tuple[Offsets, Offsets]:
    """These rows, in this order: where each begins, and the place each of their codes had."""
    lengths = np.diff(indptr)[rows]
    taken = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    return taken, np.repeat(indptr[rows] - taken[:-1], lengths) + np.arange(taken[-1])
