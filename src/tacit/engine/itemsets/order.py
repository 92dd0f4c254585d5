"""Itemsets written out from streams, in the one order that every run gives.

Shorter sets first, sets of one length in the lexicographic order of their item codes: whatever the
order of the search was, and whichever thread found a set.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.arrays.groups import row_order
from tacit.arrays.interrupt import each
from tacit.engine.itemsets.shared import Stream
from tacit.typing import Codes, Counts, Offsets


def write_out(
    streams: list[tuple[Stream, int]],
    *,
    codes: Codes,
    always: Codes,
    min_length: int,
    max_length: int,
    threads: int,
) -> tuple[Offsets, Codes, Counts]:
    """The sets of the streams as offsets, items and supports.

    ``codes`` gives the code of a rank; the ``always`` codes belong to every set. The list of streams is
    emptied on the way, so that sets and streams are not both held.
    """
    deepest = max((int(stream.depths[:size].max(initial=0)) for stream, size in streams), default=0)
    by_depth = np.zeros(deepest + 1, dtype=np.int64)
    for stream, size in streams:
        by_depth += np.bincount(stream.depths[:size][stream.supports[:size] >= 0], minlength=deepest + 1)
    by_depth[: max(0, min_length - len(always))] = 0
    by_depth[max(0, max_length - len(always) + 1) :] = 0
    depths = np.flatnonzero(by_depth)
    lengths, groups = depths + len(always), by_depth[depths]
    rows = np.concatenate(([0], np.cumsum(groups)))
    firsts = np.concatenate(([0], np.cumsum(groups * lengths)))
    next_rows = np.full(deepest + 1, -1, dtype=np.int64)  # by depth; -1 where a length is not asked for
    next_rows[depths] = rows[:-1]
    places = np.zeros(deepest + 1, dtype=np.int64)
    places[depths] = firsts[:-1]
    path = np.concatenate([always, np.zeros(deepest, dtype=np.int32)])
    items, supports = np.empty(firsts[-1], dtype=np.int32), np.empty(rows[-1], dtype=np.int64)
    while streams:
        stream, size = streams.pop()
        _fill(*stream, size, codes, path, len(always), next_rows, places, items, supports)
    offsets = np.empty(rows[-1] + 1, dtype=np.int64)
    offsets[-1] = firsts[-1]

    def sort(slot: int) -> None:
        length, of_length = lengths[slot], slice(rows[slot], rows[slot + 1])
        offsets[of_length] = np.arange(firsts[slot], firsts[slot + 1], length)
        sets = items[firsts[slot] : firsts[slot + 1]].reshape(-1, length)
        sets.sort(axis=1)
        order = row_order(np.arange(0, sets.size + 1, length), sets.ravel())
        sets[:] = sets[order]
        supports[of_length] = supports[of_length][order]

    each(sort, np.argsort(-groups * lengths, kind="stable").tolist(), threads=threads)
    return offsets, items, supports


@kernel
def _fill(
    depths: Codes,
    ranks: Codes,
    given: Codes,
    size: int,
    codes: Codes,
    path: Codes,
    n_always: int,
    next_rows: Counts,
    places: Counts,
    items: Codes,
    supports: Counts,
) -> None:
    """Write the sets of a stream one after the other, each behind those of its length."""
    for entry in range(size):
        depth = depths[entry]
        if depth > 0:
            path[n_always + depth - 1] = codes[ranks[entry]]
        if given[entry] >= 0 and next_rows[depth] >= 0:
            supports[next_rows[depth]] = given[entry]
            next_rows[depth] += 1
            for at in range(n_always + depth):
                items[places[depth] + at] = path[at]
            places[depth] += n_always + depth
