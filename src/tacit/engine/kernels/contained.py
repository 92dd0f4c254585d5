"""Which of a list of sets each row contains: counted, listed, or asked about at all.

Rows and sets are codes in CSR form. A set is looked at only in rows that hold its key, one of its
codes: the rarer the key, the less there is to do. Empty sets have no key and are not allowed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.compiled import Flag, kernel
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


def count_sets(indptr: Offsets, items: Codes, sets: Sets, flag: Flag) -> Counts:
    """How many rows contain each set."""
    n_sets = len(sets.offsets) - 1
    return _sets_in_rows(indptr, items, sets, np.zeros(n_sets, np.int64), np.zeros(0, np.int64), flag)


def rows_of_sets(
    indptr: Offsets, items: Codes, sets: Sets, counts: Counts, flag: Flag
) -> tuple[Offsets, Counts]:
    """The rows that contain each set, ascending, in CSR form; ``counts`` is from :func:`count_sets`."""
    ends = np.concatenate([[0], np.cumsum(counts)])
    rows = np.empty(ends[-1], dtype=np.int64)
    _sets_in_rows(indptr, items, sets, ends[:-1].copy(), rows, flag)
    return ends, rows


@kernel
def _sets_in_rows(
    indptr: Offsets, items: Codes, sets: Sets, filled: Counts, found: Counts, flag: Flag
) -> Counts:
    """Count the rows that contain each set on from ``filled``; they are written there where there is room."""
    present = np.empty(len(sets.starts) - 1, dtype=np.int64)
    present.fill(-1)
    for row in range(len(indptr) - 1):
        if row % POLLED == 0 and flag[0]:
            break
        for at in range(indptr[row], indptr[row + 1]):
            present[items[at]] = row
        for at in range(indptr[row], indptr[row + 1]):
            for place in range(sets.starts[items[at]], sets.starts[items[at] + 1]):
                number = sets.keyed[place]
                if _all_present(sets, number, present, row):
                    if len(found):
                        found[filled[number]] = row
                    filled[number] += 1
    return filled


@kernel
def holds_any(indptr: Offsets, items: Codes, sets: Sets, flag: Flag) -> Bools:
    """Whether each row contains at least one of the sets."""
    found = np.zeros(len(indptr) - 1, dtype=np.bool_)
    present = np.full(len(sets.starts) - 1, -1, dtype=np.int64)
    for row in range(len(indptr) - 1):
        if row % POLLED == 0 and flag[0]:
            break
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
