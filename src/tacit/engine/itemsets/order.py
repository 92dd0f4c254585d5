"""Itemsets written out from streams, in the one order that every run gives.

Shorter sets first, sets of one length in the lexicographic order of their item codes: whatever the
order of the search was, and whichever thread found a set. As they are written, sets are parted
into buckets by their length and, roughly, their first code; each bucket is then sorted on its own,
in the processor's cache.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.arrays.interrupt import Flag, each
from tacit.arrays.sorting import sort_codes
from tacit.engine.itemsets.shared import Stream
from tacit.engine.itemsets.sort import sort_buckets
from tacit.typing import Codes, Counts, Offsets

_SHORT = 32  # sets up to this length are kept sorted as the stream is followed
_BUCKETS = 1024  # the most buckets of a length
_FILLED = 64  # how many sets a bucket should hold


class Layout(NamedTuple):
    """What a stream's entries stand for, and which sets are asked for."""

    codes: Codes
    """rank -> code"""
    buckets: Codes
    """rank -> bucket, ascending with the code"""
    always: Codes
    """codes that belong to every set"""
    slots: Counts
    """depth -> the place of the length among those that occur, or -1 where it is not asked for"""


def write_out(
    streams: list[tuple[Stream, int]],
    *,
    codes: Codes,
    orders: Codes,
    always: Codes,
    n_items: int,
    min_length: int,
    max_length: int,
    threads: int,
    flag: Flag,
) -> tuple[Offsets, Codes, Counts]:
    """The sets of the streams as offsets, items and supports.

    ``codes`` gives the code of a rank, ``orders`` its place in the order of codes; the ``always``
    codes belong to every set. The list of streams is emptied on the way, so that sets and streams
    are not both held.
    """
    deepest = max((int(stream.depths[:size].max(initial=0)) for stream, size in streams), default=0)
    by_depth = np.zeros(deepest + 1, dtype=np.int64)
    for stream, size in streams:
        _count_depths(stream, size, by_depth)
    by_depth[: max(0, min_length - len(always))] = 0
    by_depth[max(0, max_length - len(always) + 1) :] = 0
    depths = np.flatnonzero(by_depth)
    lengths, groups = depths + len(always), by_depth[depths]
    slots = np.full(deepest + 1, -1, dtype=np.int64)
    slots[depths] = np.arange(len(depths))
    n_buckets = int(np.clip(groups.max(initial=0) // _FILLED, 1, _BUCKETS))
    shift = max(0, (len(codes) - 1) // n_buckets).bit_length()
    layout = Layout(codes, orders >> shift, always, slots)
    n_buckets = (max(0, len(codes) - 1) >> shift) + 1

    parts = [streams[part::threads] for part in range(threads)]
    streams.clear()
    tallies = np.zeros((threads, len(lengths), n_buckets), dtype=np.int64)  # part, length, bucket -> sets

    def tally(part: int) -> None:
        for stream, size in parts[part]:
            _tally(stream, size, layout, tallies[part])

    each(tally, range(threads), threads=threads)
    sets = np.concatenate(([0], np.cumsum(tallies.sum(axis=0))))  # length, bucket -> its first set
    rows = np.concatenate(([0], np.cumsum(groups)))
    firsts = np.concatenate(([0], np.cumsum(groups * lengths)))
    next_sets = sets[:-1].reshape(tallies.shape[1:]) + np.cumsum(tallies, axis=0) - tallies
    items = np.empty(firsts[-1], dtype=np.int32)
    supports = np.empty(rows[-1], dtype=np.int64)

    def fill(part: int) -> None:
        while parts[part]:
            stream, size = parts[part].pop()
            _fill(stream, size, layout, rows, firsts, next_sets[part], items, supports)

    each(fill, range(threads), threads=threads)
    offsets = np.empty(rows[-1] + 1, dtype=np.int64)
    offsets[-1] = firsts[-1]

    def sort(slot: int) -> None:
        length, begin, end, first = lengths[slot], rows[slot], rows[slot + 1], firsts[slot]
        offsets[begin:end] = np.arange(first, firsts[slot + 1], length)
        bounds = sets[slot * n_buckets : (slot + 1) * n_buckets + 1] - begin
        sort_buckets(
            items[first : firsts[slot + 1]],
            supports[begin:end],
            length,
            bounds,
            max(1, (n_items - 1).bit_length()),
            flag,
        )

    largest_first = np.argsort(-groups * lengths, kind="stable").tolist()
    each(sort, largest_first, threads=threads)
    return offsets, items, supports


@kernel
def _count_depths(stream: Stream, size: int, by_depth: Counts) -> None:
    """Count the sets of a stream by their depth."""
    depths, supports = stream.depths, stream.supports
    for entry in range(size):
        if supports[entry] >= 0:
            by_depth[depths[entry]] += 1


@kernel
def _tally(stream: Stream, size: int, layout: Layout, tally: Counts) -> None:
    """Count the sets of a stream by their length and bucket."""
    depths, ranks, supports = stream.depths, stream.ranks, stream.supports
    buckets, slots = layout.buckets, layout.slots
    lowest = np.zeros(len(slots), dtype=np.int32)
    for entry in range(size):
        depth = depths[entry]
        if depth > 0:
            bucket = buckets[ranks[entry]]
            if depth > 1 and lowest[depth - 1] < bucket:
                bucket = lowest[depth - 1]
            lowest[depth] = bucket
        if supports[entry] >= 0 and slots[depth] >= 0:
            tally[slots[depth], lowest[depth]] += 1


@kernel
def _fill(
    stream: Stream,
    size: int,
    layout: Layout,
    rows: Offsets,
    firsts: Offsets,
    next_sets: Counts,
    items: Codes,
    supports: Counts,
) -> None:
    """Write the sets of a stream into their buckets."""
    depths, ranks, given = stream.depths, stream.ranks, stream.supports
    codes, buckets, always, slots = layout
    n_always = len(always)
    lowest = np.zeros(len(slots), dtype=np.int32)
    path = np.empty(n_always + len(slots), dtype=np.int32)
    # Short paths are kept sorted, by depth: a set is then its parent with one code put in.
    sets = np.empty((_SHORT + 1, _SHORT), dtype=np.int32)
    for at in range(n_always):
        path[at] = always[at]
        if at < _SHORT:
            sets[0, at] = always[at]
    for entry in range(size):
        depth = depths[entry]
        length = depth + n_always
        if depth > 0:
            code, bucket = codes[ranks[entry]], buckets[ranks[entry]]
            if depth > 1 and lowest[depth - 1] < bucket:
                bucket = lowest[depth - 1]
            lowest[depth] = bucket
            path[length - 1] = code
            if length <= _SHORT:
                at = length - 1
                while at > 0 and sets[depth - 1, at - 1] > code:
                    sets[depth, at] = sets[depth - 1, at - 1]
                    at -= 1
                sets[depth, at] = code
                for before in range(at):
                    sets[depth, before] = sets[depth - 1, before]
        slot = slots[depth]
        if given[entry] < 0 or slot < 0:
            continue
        row = next_sets[slot, lowest[depth]]
        next_sets[slot, lowest[depth]] += 1
        supports[row] = given[entry]
        begin = firsts[slot] + (row - rows[slot]) * length
        if length <= _SHORT:
            for at in range(length):
                items[begin + at] = sets[depth, at]
        else:
            for at in range(length):
                items[begin + at] = path[at]
            sort_codes(items, begin, begin + length)
