"""Rows of codes in compressed sparse row form: gathered, put in order, freed of repeats, listed by content.

``indptr`` int64[n + 1] and ``codes`` int32: row ``r`` is ``codes[indptr[r] : indptr[r + 1]]``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.arrays.interrupt import Flag, interruptible
from tacit.arrays.sorting import sort_codes, stable_order
from tacit.typing import AnyArray, Bools, Codes, Counts, Offsets, Words


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


def read_only(array: AnyArray) -> AnyArray:
    """The same array, which cannot be written to by this name.

    A kernel is compiled anew for every kind of argument; one that only reads takes all arrays like this.
    """
    view = array.view()
    view.flags.writeable = False
    return view


class CellList(NamedTuple):
    """Cells, sorted by the digest's two words, then rank, then code."""

    digests: Words
    ranks: Counts
    codes: Codes


def cell_list(digests: Words, ranks: Counts, codes: Codes) -> CellList:
    """A list of these cells."""
    order = np.lexsort((codes, ranks, digests[:, 1], digests[:, 0]))
    return CellList(
        np.ascontiguousarray(digests[order]), ranks[order].astype(np.int64), codes[order].astype(np.int32)
    )


@kernel
def listed_cells(cells: CellList, digests: Words, ranks: Counts, codes: Codes) -> Bools:
    """Which of some cells are on the list."""
    found = np.zeros(len(codes), dtype=np.bool_)
    for number in range(len(codes)):
        low, high = 0, len(cells.codes)
        while low < high:
            middle = (low + high) >> 1
            if _before(cells, middle, digests[number], ranks[number], codes[number]):
                low = middle + 1
            else:
                high = middle
        found[number] = (
            low < len(cells.codes)
            and cells.digests[low, 0] == digests[number, 0]
            and cells.digests[low, 1] == digests[number, 1]
            and cells.ranks[low] == ranks[number]
            and cells.codes[low] == codes[number]
        )
    return found


@kernel
def _before(cells: CellList, place: int, digest: Words, rank: int, code: int) -> bool:
    """Whether the cell at a place of the list comes before another one."""
    if cells.digests[place, 0] != digest[0]:
        return bool(cells.digests[place, 0] < digest[0])
    if cells.digests[place, 1] != digest[1]:
        return bool(cells.digests[place, 1] < digest[1])
    if cells.ranks[place] != rank:
        return bool(cells.ranks[place] < rank)
    return bool(cells.codes[place] < code)


@kernel
def mark_boxes(points: Codes, low: Codes, high: Codes, labels: Codes, marks: Bools) -> None:
    """Set ``marks[p, labels[b]]`` where point p lies in box b: ``low[b] <= points[p] < high[b]`` throughout.

    A column that does not matter has the widest range.
    """
    n_boxes, n_columns = low.shape
    for point in range(len(points)):
        for box in range(n_boxes):
            if marks[point, labels[box]]:
                continue
            inside = True
            for column in range(n_columns):
                code = points[point, column]
                if code < low[box, column] or code >= high[box, column]:
                    inside = False
                    break
            if inside:
                marks[point, labels[box]] = True


def row_order(indptr: Offsets, items: Codes) -> Counts:
    """The permutation that sorts rows by their codes, first code first; a row comes after its beginnings.

    Equal rows keep their order.
    """
    # Codes are packed as 1, 2, …; 0 is the end of a row.
    bits = max(1, (int(items.max(initial=0)) + 1).bit_length())
    indptr, items = read_only(indptr), read_only(items)
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
                        left < middle and not _row_before(indptr, items, order[right], order[left], packed)
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
def _row_before(indptr: Offsets, items: Codes, one: int, other: int, skipped: int) -> bool:
    """Whether one row sorts before another, both beginning with the same codes."""
    place, other_place = indptr[one] + skipped, indptr[other] + skipped
    while place < indptr[one + 1] and other_place < indptr[other + 1]:
        if items[place] != items[other_place]:
            return bool(items[place] < items[other_place])
        place += 1
        other_place += 1
    return bool(place >= indptr[one + 1] and other_place < indptr[other + 1])
