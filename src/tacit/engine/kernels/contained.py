"""Which of a list of sets each row contains: counted, listed, or asked about at all.

Rows and sets are codes in CSR form. A set is looked at only in rows that hold its key, one of its
codes: the rarer the key, the less there is to do. Empty sets have no key and are not allowed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.arrays.interrupt import Flag
from tacit.typing import Bools, Codes, Counts, Offsets

POLLED = 1 << 12
"""After so many rows a kernel looks whether it should stop."""


class Sets(NamedTuple):
    """Set s is ``codes[offsets[s] : offsets[s + 1]]``; ``keyed[starts[c] : starts[c + 1]]`` have key c."""

    offsets: Offsets
    codes: Codes
    starts: Offsets
    keyed: Codes


def index_sets(offsets: Offsets, codes: Codes, frequencies: Counts) -> Sets:
    """Prepare sets for the kernels here; the key of each is its rarest code."""
    lengths = np.diff(offsets)
    if len(lengths) and int(lengths.min()) == 0:
        raise ValueError("An empty set is contained in every row and has no key.")
    owners = np.repeat(np.arange(len(lengths)), lengths)
    order = np.lexsort((codes, frequencies[codes], owners))
    keys = codes[order][offsets[:-1]] if len(lengths) else np.zeros(0, dtype=np.int32)
    starts = np.zeros(len(frequencies) + 1, dtype=np.int64)
    np.cumsum(np.bincount(keys, minlength=len(frequencies)), out=starts[1:])
    keyed = np.argsort(keys, kind="stable").astype(np.int32)
    return Sets(offsets.astype(np.int64), np.ascontiguousarray(codes, dtype=np.int32), starts, keyed)


@kernel
def count_sets(indptr: Offsets, items: Codes, sets: Sets, flag: Flag) -> Counts:
    """How many rows contain each set."""
    counts = np.zeros(len(sets.offsets) - 1, dtype=np.int64)
    present = np.full(len(sets.starts) - 1, -1, dtype=np.int64)
    for row in range(len(indptr) - 1):
        if row % POLLED == 0 and flag[0]:
            break
        for at in range(indptr[row], indptr[row + 1]):
            present[items[at]] = row
        for at in range(indptr[row], indptr[row + 1]):
            for place in range(sets.starts[items[at]], sets.starts[items[at] + 1]):
                if _all_present(sets, sets.keyed[place], present, row):
                    counts[sets.keyed[place]] += 1
    return counts


@kernel
def rows_of_sets(
    indptr: Offsets, items: Codes, sets: Sets, counts: Counts, flag: Flag
) -> tuple[Offsets, Counts]:
    """The rows that contain each set, ascending, in CSR form; ``counts`` is from :func:`count_sets`."""
    ends = np.zeros(len(counts) + 1, dtype=np.int64)
    for number in range(len(counts)):
        ends[number + 1] = ends[number] + counts[number]
    filled = ends[:-1].copy()
    rows = np.empty(ends[-1], dtype=np.int64)
    present = np.full(len(sets.starts) - 1, -1, dtype=np.int64)
    for row in range(len(indptr) - 1):
        if row % POLLED == 0 and flag[0]:
            break
        for at in range(indptr[row], indptr[row + 1]):
            present[items[at]] = row
        for at in range(indptr[row], indptr[row + 1]):
            for place in range(sets.starts[items[at]], sets.starts[items[at] + 1]):
                number = sets.keyed[place]
                if _all_present(sets, number, present, row):
                    rows[filled[number]] = row
                    filled[number] += 1
    return ends, rows


@kernel
def holds_any(indptr: Offsets, items: Codes, sets: Sets) -> Bools:
    """Whether each row contains at least one of the sets."""
    found = np.zeros(len(indptr) - 1, dtype=np.bool_)
    present = np.full(len(sets.starts) - 1, -1, dtype=np.int64)
    for row in range(len(indptr) - 1):
        for at in range(indptr[row], indptr[row + 1]):
            present[items[at]] = row
        for at in range(indptr[row], indptr[row + 1]):
            if found[row]:
                break
            for place in range(sets.starts[items[at]], sets.starts[items[at] + 1]):
                if _all_present(sets, sets.keyed[place], present, row):
                    found[row] = True
                    break
    return found


@kernel
def _all_present(sets: Sets, number: int, present: Counts, row: int) -> bool:
    held = True
    for at in range(sets.offsets[number], sets.offsets[number + 1]):
        held = held and present[sets.codes[at]] == row
    return held
