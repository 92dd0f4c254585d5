"""Rows of a sparse matrix under another naming of their items, equal rows merged.

A row is a set of whole numbers in compressed sparse row form: row ``r`` holds
``items[indptr[r] : indptr[r + 1]]``, and counts ``weights[r]`` times.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.arrays.csr import read_only
from tacit.arrays.sorting import sort_codes
from tacit.typing import Codes, Counts, Offsets


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
    fixed = (read_only(array) for array in (indptr, items, weights, table, which))
    return Rows(*_recoded_rows(*fixed))


@kernel
def _recoded_rows(
    indptr: Offsets, items: Codes, weights: Counts, table: Codes, which: Codes
) -> tuple[Offsets, Codes, Counts, Codes]:
    room = 0
    for row in which:
        room += indptr[row + 1] - indptr[row]
    new_items = np.empty(room, dtype=np.int32)
    new_indptr = np.empty(len(which) + 1, dtype=np.int64)
    new_weights = np.empty(len(which), dtype=np.int64)
    highest = -1
    for item in range(len(table)):
        highest = table[item] if table[item] > highest else highest
    seen = np.full(highest + 1, -1, dtype=np.int32)
    size = 16
    while size < 2 * len(which):
        size *= 2
    slots = np.full(size, -1, dtype=np.int32)
    groups = np.full(len(which), -1, dtype=np.int32)
    n_rows = 0
    new_indptr[0] = 0
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
        if not ascending:
            sort_codes(new_items, start, end)
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
    used = new_indptr[n_rows]
    return new_indptr[: n_rows + 1].copy(), new_items[:used].copy(), new_weights[:n_rows].copy(), groups


@kernel
def _same(items: Codes, first: int, first_end: int, second: int, second_end: int) -> bool:
    same = first_end - first == second_end - second
    offset = 0
    while same and first + offset < first_end:
        same = items[first + offset] == items[second + offset]
        offset += 1
    return same
