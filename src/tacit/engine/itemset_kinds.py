"""Frequent itemsets by length: put together from several finds, and reduced to the closed or maximal ones.

Sets of one length are the lines of an array, ascending inside a line, lines in lexicographic order. Where all
frequent sets are there, so is every beginning of one, and a set is found by walking down its beginnings.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.engine.itemsets.mine import FoundItemsets
from tacit.typing import Bools, Codes, Counts


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
    levels: list[Codes], supports: list[Counts], required: Codes, *, min_length: int, max_length: int | None
) -> FoundItemsets:
    """The sets with the items that all of them hold, within the lengths asked for, in the canonical order."""
    lines, counts, lengths = [], [], []
    for some, own in zip(levels, supports, strict=True):
        length = some.shape[1] + len(required)
        if length < max(1, min_length) or (max_length is not None and length > max_length):
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
