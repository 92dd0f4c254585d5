"""Frequent itemsets where they are few: by numpy alone, so that a first use has no miner to compile.

Length by length: two sets that differ in their last item alone give the next longer one, and its rows are
those of both, as bitmaps. That is as fast as the compiled miner while there is little to do, and stops
where there is more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.arrays.bitmaps import pack
from tacit.arrays.groups import take_rows
from tacit.engine.itemset_kinds import as_found, chosen_kind
from tacit.engine.itemsets.mine import FoundItemsets
from tacit.typing import Codes, Counts, Offsets

if TYPE_CHECKING:
    from tacit.engine.base import WantedItemsets

MOST_ITEMS, MOST_WORDS = 1 << 18, 1 << 22
"""Up to so many items of rows are looked at, and words of bitmaps intersected: some milliseconds."""


def few_itemsets(indptr: Offsets, items: Codes, n_items: int, wanted: WantedItemsets) -> FoundItemsets | None:
    """The itemsets asked for of rows that are ascending sets; None where that is too much to do, or too many.

    >>> from tacit.engine.base import WantedItemsets
    >>> wanted = WantedItemsets(2, "complete", 1, None, None, np.zeros(0, dtype=np.int32), 100)
    >>> found = few_itemsets(np.array([0, 2, 4, 5]), np.array([0, 1, 0, 1, 1], dtype=np.int32), 2, wanted)
    >>> found.offsets.tolist(), found.items.tolist(), found.supports.tolist()
    ([0, 1, 2, 4], [0, 1, 0, 1], [2, 3, 2])
    """
    if len(items) > MOST_ITEMS:
        return None
    required = np.unique(wanted.required)
    if len(required):
        rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
        held = np.bincount(rows[np.isin(items, required)], minlength=len(indptr) - 1)
        indptr, items = take_rows(indptr, items, np.flatnonzero(held == len(required)))
    n_rows = len(indptr) - 1
    usable = np.bincount(items, minlength=n_items) >= wanted.min_count
    if wanted.allowed is not None:
        usable &= wanted.allowed
    usable[required] = False
    # What is closed or maximal is decided among sets of every length.
    bounded = wanted.max_length is not None and wanted.kind == "complete"
    longest = wanted.max_length - len(required) if bounded and wanted.max_length is not None else n_items
    mined = _by_length(indptr, items, np.flatnonzero(usable), wanted.min_count, longest)
    if mined is None:
        return None
    alone = n_rows if len(required) and n_rows >= wanted.min_count else None
    found = as_found(
        *chosen_kind(*mined, wanted.kind, alone),
        required.astype(np.int32),
        min_length=wanted.min_length,
        max_length=wanted.max_length,
    )
    return found if len(found.supports) <= wanted.max_itemsets else None


def _by_length(
    indptr: Offsets, items: Codes, codes: Counts, least: int, longest: int
) -> tuple[list[Codes], list[Counts]] | None:
    """The frequent sets of these codes by length, from 1, with their supports."""
    n_rows = len(indptr) - 1
    width = (n_rows + 63) // 64
    if longest < 1:
        return [], []
    if len(codes) * len(codes) * width > 2 * MOST_WORDS:
        return None
    places = np.full(int(items.max(initial=-1)) + 1, -1)
    places[codes] = np.arange(len(codes))
    rows, own = np.repeat(np.arange(n_rows), np.diff(indptr)), places[items]
    marks = np.zeros((len(codes), n_rows), dtype=np.bool_)
    marks[own[own >= 0], rows[own >= 0]] = True
    sets, masks = codes[:, None].astype(np.int32), pack(marks)
    ends = np.full(len(sets), len(sets))  # where those end that share all but their last item with a set
    found, supports, work = [sets], [marks.sum(axis=1)], 0
    while len(found) < longest:
        later = ends - np.arange(len(sets)) - 1
        work += int(later.sum()) * width
        if work > MOST_WORDS:
            return None
        one = np.repeat(np.arange(len(sets)), later)
        other = np.arange(len(one)) - np.repeat(np.cumsum(later) - later, later) + one + 1
        shared = masks[one] & masks[other]
        counts = np.bitwise_count(shared).sum(axis=1, dtype=np.int64)
        frequent = counts >= least
        if not frequent.any():
            break
        one, other, masks = one[frequent], other[frequent], shared[frequent]
        sets = np.column_stack((sets[one], sets[other, -1]))
        ends = np.searchsorted(one, one, side="right")
        found.append(sets)
        supports.append(counts[frequent])
    return found, supports
