"""Rows of codes in compressed sparse row form, in compiled loops: made sets, sorted, looked up, written.

``indptr`` int64[n + 1] and ``codes`` int32: row ``r`` is ``codes[indptr[r] : indptr[r + 1]]``.

Rows may be put under another naming of their codes, and equal rows merged; row ``r`` then counts
``weights[r]`` times.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from tacit.arrays.compiled import kernel, popcount
from tacit.arrays.groups import read_only
from tacit.typing import AnyArray, Bytes, Codes, Counts, Offsets, Words


def as_sets(indptr: Offsets, codes: Codes, renumbered: Codes) -> tuple[Offsets, Codes, Codes]:
    """Each row as an ascending set of ``renumbered`` codes, and how often the row held each.

    A code whose new number is negative is left out.
    """
    sets = np.zeros(len(indptr), dtype=np.int64)
    items, times = np.empty(len(codes), dtype=np.int32), np.empty(len(codes), dtype=np.int32)
    kept = _as_sets(read_only(indptr), read_only(codes), read_only(renumbered), sets, items, times)
    if kept == len(codes):
        return sets, items, times
    return sets, items[:kept].copy(), times[:kept].copy()


@kernel
def _as_sets(
    indptr: Offsets, codes: Codes, renumbered: Codes, sets: Offsets, items: Codes, times: Codes
) -> int:
    kept = 0
    for row in range(len(indptr) - 1):
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
    return kept


@kernel
def larger(array: AnyArray, room: int) -> AnyArray:
    """The array with more room at its end."""
    copy = np.empty(room, dtype=array.dtype)
    for place in range(len(array)):
        copy[place] = array[place]
    return copy


@kernel
def sort_codes(codes: Codes, begin: int, end: int) -> None:
    """Sort the codes from ``begin`` to ``end`` (Shell's method: short, and fast on short lists)."""
    gap = 1
    while 9 * gap < end - begin:
        gap = 3 * gap + 1
    while gap > 0:
        for at in range(begin + gap, end):
            code, place = codes[at], at
            while place - gap >= begin and codes[place - gap] > code:
                codes[place] = codes[place - gap]
                place -= gap
            codes[place] = code
        gap //= 3


_BLOCK = 1 << 20
"""How many codes are written out at a time."""


def join_rows(
    indptr: Offsets,
    codes: Codes,
    pieces: Sequence[bytes],
    *,
    head: bytes = b"",
    separator: bytes,
    tails: Sequence[bytes],
    row_tails: Codes,
) -> Iterator[memoryview]:
    """The text of the rows, block by block; row ``r`` ends with ``tails[row_tails[r]]``."""
    text, text_ends = _gathered(pieces)
    tail, tail_ends = _gathered(tails)
    edges = np.frombuffer(head, dtype=np.uint8), np.frombuffer(separator, dtype=np.uint8)
    n_rows = len(indptr) - 1
    row = 0
    while row < n_rows:
        stop = max(row + 1, int(np.searchsorted(indptr, indptr[row] + _BLOCK, side="right")) - 1)
        stop = min(stop, row + _BLOCK, n_rows)
        span, ending = indptr[row : stop + 1], row_tails[row:stop]
        separators = int((np.diff(span) - 1).clip(min=0).sum())
        size = len(ending) * len(head) + separators * len(separator)
        size += int(np.diff(text_ends)[codes[span[0] : span[-1]]].sum() + np.diff(tail_ends)[ending].sum())
        joined = np.empty(size, dtype=np.uint8)
        _write_rows(span, codes, text, text_ends, *edges, tail, tail_ends, ending, joined)
        yield joined.data
        row = stop


def _gathered(pieces: Sequence[bytes]) -> tuple[Bytes, Offsets]:
    ends = np.cumsum([0, *map(len, pieces)], dtype=np.int64)
    return np.frombuffer(b"".join(pieces), dtype=np.uint8), ends


@kernel
def _write_rows(
    indptr: Offsets, codes: Codes, text: Bytes, text_ends: Offsets, head: Bytes, separator: Bytes,
    tail: Bytes, tail_ends: Offsets, row_tails: Codes, joined: Bytes,
) -> None:  # fmt: skip
    place = 0
    for row in range(len(indptr) - 1):
        place = _put(joined, place, head, 0, len(head))
        for at in range(indptr[row], indptr[row + 1]):
            if at > indptr[row]:
                place = _put(joined, place, separator, 0, len(separator))
            place = _put(joined, place, text, text_ends[codes[at]], text_ends[codes[at] + 1])
        place = _put(joined, place, tail, tail_ends[row_tails[row]], tail_ends[row_tails[row] + 1])


@kernel
def _put(joined: Bytes, place: int, text: Bytes, begin: int, end: int) -> int:
    """Write a part of a text; the place behind it."""
    for at in range(begin, end):
        joined[place] = text[at]
        place += 1
    return place


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
