"""How many rows hold an item out of each of several ranges of items.

Where items are numbered along the leaves of a tree, a node of the tree is a range of items, and a
row contains a set of nodes when it has an item in each of their ranges. Only one index of the rows
by item is kept, whatever the depth of the tree: the entries of a range of items lie side by side
in it, so the rarest range is walked and the others are looked up in the rows that are met.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.arrays.sorting import stable_order
from tacit.typing import Bools, Codes, Counts, Offsets


class IndexedRows(NamedTuple):
    """Weighted rows in compressed sparse row form, and where each item is found in them."""

    indptr: Offsets
    items: Codes
    weights: Counts
    starts: Offsets
    """The entries of item ``i`` are ``[starts[i], starts[i + 1])``."""
    rows: Codes
    """The row of each entry."""
    places: Offsets
    """The place of each entry among ``items``."""


def indexed(indptr: Offsets, items: Codes, weights: Counts, n_items: int) -> IndexedRows:
    """The rows, whose items are ascending and distinct, with their index by item."""
    places = stable_order(items)
    starts = np.concatenate(([0], np.cumsum(np.bincount(items, minlength=n_items))))
    rows = np.repeat(np.arange(len(indptr) - 1, dtype=np.int32), np.diff(indptr))[places]
    return IndexedRows(indptr, items, weights, starts, rows, places)


def rows_in_ranges(data: IndexedRows, lows: Codes, highs: Codes) -> Codes:
    """The rows with an item in at least one range ``[lows[i], highs[i])``, each once, ascending."""
    inside = np.zeros(len(data.weights), dtype=np.bool_)
    for first, end in zip(data.starts[lows].tolist(), data.starts[highs].tolist(), strict=True):
        inside[data.rows[first:end]] = True
    return np.flatnonzero(inside).astype(np.int32)


@kernel
def weight_in_ranges(data: IndexedRows, ranges: Codes, members: Codes, cap: int) -> int:
    """The weight of the rows with an item in the range of every member, but ``cap`` at most.

    The range of member ``u`` is ``[ranges[u, 0], ranges[u, 1])``.
    """
    walked, fewest = -1, 0
    for member in members:
        entries = data.starts[ranges[member, 1]] - data.starts[ranges[member, 0]]
        if walked < 0 or entries < fewest:
            walked, fewest = member, entries
    low = ranges[walked, 0]
    weight = 0
    for entry in range(data.starts[low], data.starts[low] + fewest):
        row, place = data.rows[entry], data.places[entry]
        if place != data.indptr[row] and data.items[place - 1] >= low:
            continue
        inside = True
        for member in members:
            if member != walked and not _holds(data, row, ranges[member, 0], ranges[member, 1]):
                inside = False
                break
        if inside:
            weight += data.weights[row]
            if weight >= cap:
                return cap
    return weight


@kernel
def weights_in_ranges(data: IndexedRows, ranges: Codes, sets: Codes, cap: int) -> Counts:
    """The weight of each of many sets, ``cap`` at most; the sets are lines filled up with -1."""
    weights = np.zeros(len(sets), dtype=np.int64)
    for line in range(len(sets)):
        size = 0
        while size < sets.shape[1] and sets[line, size] >= 0:
            size += 1
        weights[line] = weight_in_ranges(data, ranges, sets[line, :size], cap)
    return weights


def rows_with_sets(data: IndexedRows, ranges: Codes, sets: Codes) -> Codes:
    """The rows, ascending, that hold one of the sets: an item in the range of each of its members.

    ``ranges[u]`` is the range of member ``u``; the sets are lines filled up with -1.
    """
    inside = np.zeros(len(data.weights), dtype=np.bool_)
    _mark_rows(data, ranges, sets, inside)
    return np.flatnonzero(inside).astype(np.int32)


@kernel
def _mark_rows(data: IndexedRows, ranges: Codes, sets: Codes, inside: Bools) -> None:
    for line in range(len(sets)):
        walked = sets[line, 0]
        for member in sets[line]:
            if member < 0:
                break
            entries = data.starts[ranges[member, 1]] - data.starts[ranges[member, 0]]
            if entries < data.starts[ranges[walked, 1]] - data.starts[ranges[walked, 0]]:
                walked = member
        for entry in range(data.starts[ranges[walked, 0]], data.starts[ranges[walked, 1]]):
            row = data.rows[entry]
            holds = not inside[row]
            for member in sets[line]:
                if member < 0 or not holds:
                    break
                holds = _holds(data, row, ranges[member, 0], ranges[member, 1])
            if holds:
                inside[row] = True


@kernel
def _holds(data: IndexedRows, row: int, low: int, high: int) -> bool:
    """Whether a row has an item in ``[low, high)``."""
    first, last = data.indptr[row], data.indptr[row + 1]
    end = last
    while first < last:
        middle = (first + last) // 2
        if data.items[middle] < low:
            first = middle + 1
        else:
            last = middle
    return bool(first < end and data.items[first] < high)
