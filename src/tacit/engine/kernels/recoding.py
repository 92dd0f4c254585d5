"""Rows of a sparse matrix under another naming of their items, equal rows merged.

A row is a set of whole numbers in compressed sparse row form: row ``r`` holds
``items[indptr[r] : indptr[r + 1]]``, and counts ``weights[r]`` times.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.compiled import kernel, popcount
from tacit.arrays.csr import sort_codes
from tacit.arrays.groups import read_only
from tacit.typing import Codes, Counts, Offsets, Words


class Rows(NamedTuple):
    """Distinct weighted rows."""

    indptr: Offsets
    items: Codes
    """Ascending and distinct inside a row."""
    weights: Counts
    groups: Codes
    """For each row taken, the distinct row it became; -1 where it is left out."""


def recoded_rows(
    indptr: Offsets, items: Codes, weights: Counts, table: Codes, which: Codes | None = None
) -> Rows:
    """The rows with every item ``i`` renamed ``table[i]``, as distinct sets, each with its total weight.

    Items renamed to a negative number are left out, and so are rows that become empty or have no
    weight. ``which`` takes only the rows it lists. Distinct rows come in the order in which they are
    first met.
    """
    if which is None:
        which = np.arange(len(indptr) - 1, dtype=np.int32)
    new_items = np.empty(int(np.diff(indptr)[which].sum()), dtype=np.int32)
    new_indptr = np.zeros(len(which) + 1, dtype=np.int64)
    new_weights = np.empty(len(which), dtype=np.int64)
    groups = np.full(len(which), -1, dtype=np.int32)
    seen = np.full(int(table.max(initial=-1)) + 1, -1, dtype=np.int32)
    slots = np.full(1 << max(4, (2 * len(which) - 1).bit_length()), -1, dtype=np.int32)
    given = [read_only(array) for array in (indptr, items, weights, table, which)]
    marks = np.zeros((len(seen) + 63) // 64, dtype=np.uint64)
    arrays = [*given, new_indptr, new_items, new_weights, groups, seen, slots, marks]
    n_rows = _recoded_rows(*arrays)
    indptr = new_indptr[: n_rows + 1].copy()
    return Rows(indptr, new_items[: indptr[-1]].copy(), new_weights[:n_rows].copy(), groups)


@kernel
def _recoded_rows(
    indptr: Offsets, items: Codes, weights: Counts, table: Codes, which: Codes,
    new_indptr: Offsets, new_items: Codes, new_weights: Counts, groups: Codes, seen: Codes, slots: Codes,
    marks: Words,
) -> int:  # fmt: skip
    """Write the distinct rows; how many they are.

    ``seen`` and ``slots`` (2^n of them) are room, all -1, and so is ``marks``, a bit per new item, all 0.
    """
    n_rows, size = 0, len(slots)
    for place in range(len(which)):
        row = which[place]
        if weights[row] == 0:
            continue
        start = new_indptr[n_rows]
        end = start
        ascending = True
        for position in range(indptr[row], indptr[row + 1]):
            item = table[items[position]]
            if item >= 0 and seen[item] != place:
                seen[item] = place
                if end > start and new_items[end - 1] > item:
                    ascending = False
                new_items[end] = item
                end += 1
        if end == start:
            continue
        if not ascending and end - start < len(marks):
            sort_codes(new_items, start, end)
        elif not ascending:  # a long row: its items are marked, and then the marks read in order
            for position in range(start, end):
                marks[new_items[position] >> 6] |= np.uint64(1) << np.uint64(new_items[position] & 63)
            position = start
            for word in range(len(marks)):
                rest = marks[word]
                marks[word] = 0
                while rest:
                    new_items[position] = 64 * word + popcount(~rest & (rest - np.uint64(1)))
                    position += 1
                    rest &= rest - np.uint64(1)
        code = np.uint64(1469598103934665603)
        for position in range(start, end):
            code = (code ^ np.uint64(new_items[position])) * np.uint64(1099511628211)
            code ^= code >> np.uint64(29)
        slot = np.int64(code & np.uint64(size - 1))
        while True:
            other = slots[slot]
            if other < 0:
                slots[slot] = n_rows
                groups[place] = n_rows
                new_weights[n_rows] = weights[row]
                n_rows += 1
                new_indptr[n_rows] = end
                break
            if _same(new_items, new_indptr[other], new_indptr[other + 1], start, end):
                new_weights[other] += weights[row]
                groups[place] = other
                break
            slot = (slot + 1) & (size - 1)
    return n_rows


@kernel
def _same(items: Codes, first: int, first_end: int, second: int, second_end: int) -> bool:
    same = first_end - first == second_end - second
    offset = 0
    while same and first + offset < first_end:
        same = items[first + offset] == items[second + offset]
        offset += 1
    return same
