"""Keeping as many cells as limits allow, the most valuable first.

Some cells of a 0/1 table are *hit* by marks: a mark (i, j) hits the cell j of every row that holds i
and j. All hit cells are taken out at first and then put back, most valuable first, as long as no mark
is left with more rows that hold both its codes than its limit allows. In the end no cell could be put
back, and no mark exceeds its limit.

A cell's value comes from *patterns*, sets of codes that should stay frequent: each that the cell's row
holds counts by how few of its rows it still needs. The patterns of a column are walked in preorder: a
pattern follows those it extends, and where a code is missing from the row all that extend it are skipped.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.arrays.interrupt import Flag
from tacit.engine.kernels.contained import POLLED
from tacit.engine.kernels.sanitizing import Columns
from tacit.typing import Bools, Codes, Counts, Offsets

SCALE = 1 << 20
"""What a pattern is worth that lacks one row."""


class Walks(NamedTuple):
    """Column c walks the nodes ``starts[c] : starts[c + 1]``.

    At node v the pattern ``patterns[v]`` is complete when its code ``codes[v]`` is in the row; if it is
    not, the walk goes on at ``skips[v]``.
    """

    starts: Offsets
    codes: Codes
    patterns: Codes
    skips: Offsets


class Marks(NamedTuple):
    """Mark m is (``causes[m]``, ``victims[m]``); ``around[bounds[c] : bounds[c + 1]]`` concern code c."""

    causes: Codes
    victims: Codes
    bounds: Offsets
    around: Codes


@kernel
def hit_cells(indptr: Offsets, items: Codes, matrix: Columns, flag: Flag) -> Counts:
    """The positions in ``items`` of the cells that some mark hits, ascending."""
    found = np.empty(1 << 12, dtype=np.int64)
    count = 0
    for row in range(len(indptr) - 1):
        if row % POLLED == 0 and flag[0]:
            break
        for at in range(indptr[row], indptr[row + 1]):
            column = matrix.columns[items[at]]
            if column < 0:
                continue
            for other in range(indptr[row], indptr[row + 1]):
                place = matrix.places[items[other]]
                if place >= 0 and matrix.table[place, column] < 0:
                    if count == len(found):
                        larger = np.empty(2 * count, dtype=np.int64)
                        larger[:count] = found
                        found = larger
                    found[count] = at
                    count += 1
                    break
    return found[:count].copy()


@kernel
def rows_of_cells(indptr: Offsets, cells: Counts) -> Counts:
    """The row of each cell."""
    rows = np.empty(len(cells), dtype=np.int64)
    row = 0
    for number, cell in enumerate(cells):
        while indptr[row + 1] <= cell:
            row += 1
        rows[number] = row
    return rows


@kernel
def lost_rows(
    indptr: Offsets,
    items: Codes,
    cells: Counts,
    rows: Counts,
    columns: Codes,
    walks: Walks,
    n_patterns: int,
    flag: Flag,
) -> Counts:
    """Per pattern, in how many rows it would be broken if all these cells were taken out."""
    lost = np.zeros(n_patterns, dtype=np.int64)
    # A row is counted once for a pattern, from its first hit code: 1 is present, 2 is hit before.
    state = np.zeros(len(columns), dtype=np.uint8)
    last = -1
    for number in range(len(cells)):
        if number % POLLED == 0 and flag[0]:
            break
        row = rows[number]
        if row != last:
            if last >= 0:
                for at in range(indptr[last], indptr[last + 1]):
                    state[items[at]] = 0
            for at in range(indptr[row], indptr[row + 1]):
                state[items[at]] = 1
            last = row
        code = items[cells[number]]
        node, end = walks.starts[columns[code]], walks.starts[columns[code] + 1]
        while node < end:
            if state[walks.codes[node]] == 1:
                lost[walks.patterns[node]] += 1
                node += 1
            else:
                node = walks.skips[node]
        state[code] = 2
    return lost


@kernel
def cell_values(
    indptr: Offsets,
    items: Codes,
    cells: Counts,
    rows: Counts,
    columns: Codes,
    walks: Walks,
    worth: Counts,
    flag: Flag,
) -> Counts:
    """What each cell is worth: the sum over the patterns that its row holds and that need the cell."""
    values = np.zeros(len(cells), dtype=np.int64)
    present = np.full(len(columns), -1, dtype=np.int64)
    for number in range(len(cells)):
        if number % POLLED == 0 and flag[0]:
            break
        row = rows[number]
        for at in range(indptr[row], indptr[row + 1]):
            present[items[at]] = row
        column = columns[items[cells[number]]]
        node, end = walks.starts[column], walks.starts[column + 1]
        value = 0
        while node < end:
            if present[walks.codes[node]] == row:
                value += worth[walks.patterns[node]]
                node += 1
            else:
                node = walks.skips[node]
        values[number] = value
    return values


@kernel
def keep_within(
    indptr: Offsets,
    items: Codes,
    removed: Bools,
    cells: Counts,
    rows: Counts,
    marks: Marks,
    limits: Counts,
    flag: Flag,
) -> Counts:
    """Put cells back, in the order given, where no mark comes to exceed its limit.

    ``removed`` has all of them taken out and is changed in place. Returns the rows left to each mark.
    """
    kept = np.zeros(len(limits), dtype=np.int64)
    for number in range(len(cells)):
        if number % POLLED == 0 and flag[0]:
            break
        cell, row = cells[number], rows[number]
        code = items[cell]
        first, end = indptr[row], indptr[row + 1]
        allowed = True
        for place in range(marks.bounds[code], marks.bounds[code + 1]):
            mark = marks.around[place]
            if kept[mark] >= limits[mark] and _holds_other(marks, mark, code, items, removed, first, end):
                allowed = False
                break
        if not allowed:
            continue
        removed[cell] = False
        for place in range(marks.bounds[code], marks.bounds[code + 1]):
            mark = marks.around[place]
            if _holds_other(marks, mark, code, items, removed, first, end):
                kept[mark] += 1
    return kept


@kernel
def _holds_other(
    marks: Marks, mark: int, code: int, items: Codes, removed: Bools, first: int, end: int
) -> bool:
    """Whether the row now holds the mark's other code; a mark of one code needs no other."""
    other = marks.causes[mark] if marks.victims[mark] == code else marks.victims[mark]
    if other == code:
        return True
    low, high = first, end
    while low < high:
        middle = (low + high) >> 1
        if items[middle] < other:
            low = middle + 1
        else:
            high = middle
    return low < end and items[low] == other and not removed[low]
