"""The row rule of a sparse matrix of -1, 0 and 1: which cells of a 0/1 table stay 1.

Only some codes have a *column*. In a row that holds such a code the column's entries at the codes of
the row are summed, its own 1 included; where an entry is -1 the cell is *hit*, and it stays with the
smallest of the probabilities of the entries that hit it: one for rows whose sum is positive, one for
the others. A cell that is not hit stays. No cell becomes 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.arrays.interrupt import Flag
from tacit.engine.kernels.contained import POLLED
from tacit.random.siphash import absorb, finish, start
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
                    limit = min(limit, high[mark] if total > 0 else low[mark])
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
def without_cells(indptr: Offsets, items: Codes, removed: Bools) -> tuple[Offsets, Codes]:
    """The rows without the removed cells."""
    ends = np.empty(len(indptr), dtype=np.int64)
    ends[0] = 0
    for row in range(len(indptr) - 1):
        count = 0
        for at in range(indptr[row], indptr[row + 1]):
            count += not removed[at]
        ends[row + 1] = ends[row] + count
    kept = np.empty(ends[-1], dtype=np.int32)
    filled = 0
    for at in range(len(items)):
        if not removed[at]:
            kept[filled] = items[at]
            filled += 1
    return ends, kept


@kernel
def occurring(items: Codes, n_codes: int) -> Bools:
    """Which codes occur at all."""
    found = np.zeros(n_codes, dtype=np.bool_)
    for code in items:
        found[code] = True
    return found


@kernel
def rename(items: Codes, codes: Codes) -> None:
    """Give every cell its new code, in place."""
    for at in range(len(items)):
        items[at] = codes[items[at]]


@kernel
def recode(indptr: Offsets, items: Codes, codes: Codes, ranks: Codes) -> None:
    """Give every cell its new code, sort each row by them, and replace them by their ranks, in place."""
    rename(items, codes)
    for row in range(len(indptr) - 1):
        for at in range(indptr[row] + 1, indptr[row + 1]):  # nearly always in order already
            code, back = items[at], at
            while back > indptr[row] and items[back - 1] > code:
                items[back] = items[back - 1]
                back -= 1
            items[back] = code
    rename(items, ranks)


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
