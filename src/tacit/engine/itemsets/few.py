"""Frequent itemsets by length, with numpy alone: mined where they are few, put together from several finds,
and reduced to the closed or maximal ones.

Where they are few, a first use has no miner to compile. Two sets that differ in their last item alone give
the next longer one, and its rows are those of both, as bitmaps. That is as fast as the compiled miner while
there is little to do, and stops where there is more.

Sets of one length are the lines of an array, ascending inside a line, lines in lexicographic order. Where all
frequent sets are there, so is every beginning of one, and a set is found by walking down its beginnings.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tacit.arrays.bitmaps import pack
from tacit.arrays.groups import rows_holding, take_rows
from tacit.engine.itemsets.mine import FoundItemsets
from tacit.typing import Bools, Codes, Counts, Offsets

if TYPE_CHECKING:
    from tacit.engine.base import WantedItemsets

MOST_ITEMS, MOST_WORDS = 1 << 18, 1 << 22
"""Up to so many items of rows are looked at, and words of bitmaps intersected: some milliseconds."""


def few_itemsets(indptr: Offsets, items: Codes, n_items: int, wanted: WantedItemsets) -> FoundItemsets | None:
    """The itemsets asked for of rows that are ascending sets; None where that is too much to do, or too many.

    >>> from tacit.engine.base import WantedItemsets
    >>> rows = np.array([0, 2, 4, 5]), np.array([0, 1, 0, 1, 1], dtype=np.int32)
    >>> found = few_itemsets(*rows, 2, WantedItemsets(min_count=2))
    >>> found.offsets.tolist(), found.items.tolist(), found.supports.tolist()
    ([0, 1, 2, 4], [0, 1, 0, 1], [2, 3, 2])
    """
    if len(items) > MOST_ITEMS:
        return None
    required = np.unique(wanted.required)
    if len(required):
        indptr, items = take_rows(indptr, items, rows_holding(indptr, items, required))
    n_rows = len(indptr) - 1
    usable = wanted.usable(np.bincount(items, minlength=n_items))
    # What is closed or maximal is decided among sets of every length.
    longest = wanted.max_length - len(required) if wanted.kind == "complete" else n_items
    mined = _by_length(indptr, items, np.flatnonzero(usable), wanted.min_count, longest)
    if mined is None:
        return None
    alone = n_rows if len(required) and n_rows >= wanted.min_count else None
    found = as_found(*chosen_kind(*mined, wanted.kind, alone), required.astype(np.int32), wanted)
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


def distinct_sets(found: Sequence[FoundItemsets]) -> tuple[list[Codes], list[Counts]]:
    """All sets by length, from 1, each once; the supports are those of the find that has a set first."""
    longest = max((int(np.diff(one.offsets).max(initial=0)) for one in found), default=0)
    sets, counts = [], []
    for length in range(1, longest + 1):
        lines, supports = [], []
        for one in found:
            chosen = np.flatnonzero(np.diff(one.offsets) == length)
            lines.append(one.items[one.offsets[chosen][:, None] + np.arange(length)])
            supports.append(one.supports[chosen])
        together, first = np.unique(np.concatenate(lines), axis=0, return_index=True)
        sets.append(together.astype(np.int32))
        counts.append(np.concatenate(supports)[first])
    return sets, counts


def chosen_kind(
    sets: list[Codes], counts: list[Counts], kind: str, empty: int | None
) -> tuple[list[Codes], list[Counts]]:
    """The sets of a kind, by length from 0: ``sets`` are all frequent ones, and ``empty`` is the support of
    the empty set, where it stands for something."""
    levels = [np.zeros((0 if empty is None else 1, 0), dtype=np.int32), *sets]
    supports = [np.array([] if empty is None else [empty], dtype=np.int64), *counts]
    if kind == "complete":
        return levels, supports
    kept: list[Bools] = [np.ones(len(some), dtype=np.bool_) for some in levels]
    keys: list[Counts] = []  # the key of each set: its beginning's number and its last item
    n_codes = 1 + max((int(some.max(initial=0)) for some in sets), default=0)
    numbers = np.zeros(0, dtype=np.int64)
    for level in sets:
        numbers = np.zeros(len(level), dtype=np.int64)
        for place in range(level.shape[1]):
            numbers = _step(keys, place, numbers, level[:, place], n_codes, own=level.shape[1] - 1)
        keys.append(numbers)
        for left_out in range(level.shape[1]):
            part = np.zeros(len(level), dtype=np.int64)
            rest = np.delete(level, left_out, axis=1)
            for place in range(rest.shape[1]):
                part = _step(keys, place, part, rest[:, place], n_codes, own=-1)
            smaller = level.shape[1] - 1
            if len(levels[smaller]):
                equal = kind == "maximal" or supports[smaller][part] == supports[level.shape[1]]
                kept[smaller][part[np.broadcast_to(equal, len(part))]] = False
    return (
        [some[mask] for some, mask in zip(levels, kept, strict=True)],
        [own[mask] for own, mask in zip(supports, kept, strict=True)],
    )


def _step(keys: list[Counts], place: int, numbers: Counts, items: Codes, n_codes: int, *, own: int) -> Counts:
    """The numbers of sets with one item more; at the level that is being numbered, their keys."""
    key = numbers * n_codes + items
    return key if place == own else np.searchsorted(keys[place], key)


def as_found(
    levels: list[Codes], supports: list[Counts], required: Codes, wanted: WantedItemsets
) -> FoundItemsets:
    """The sets with the items that all of them hold, within the lengths asked for, in the canonical order."""
    lines, counts, lengths = [], [], []
    for some, own in zip(levels, supports, strict=True):
        length = some.shape[1] + len(required)
        if not max(1, wanted.min_length) <= length <= wanted.max_length:
            continue
        whole = np.sort(np.hstack([some, np.broadcast_to(required, (len(some), len(required)))]), axis=1)
        order = np.lexsort(whole.T[::-1]) if length else np.arange(len(whole))
        lines.append(whole[order].ravel())
        counts.append(own[order])
        lengths.append(np.full(len(some), length, dtype=np.int64))
    offsets = np.concatenate([[0], *(np.cumsum(np.concatenate(lengths)),)] if lengths else [[0]])
    return FoundItemsets(
        offsets.astype(np.int64),
        np.concatenate([np.zeros(0, np.int32), *lines]).astype(np.int32),
        np.concatenate([np.zeros(0, np.int64), *counts]).astype(np.int64),
    )
