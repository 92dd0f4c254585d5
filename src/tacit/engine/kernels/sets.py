"""Sets of items in rows: those of a list that each row contains, and all that occur, grown item by item.

Rows and sets are codes, ascending, in CSR form. A set of a list is looked at only in rows that hold its key,
one of its codes: the rarer the key, the less there is to do. Empty sets have no key and are not allowed.

Prefix projection: the places where a set of items occurs, and those of every set one item longer. The place
of a set in a row is that of its largest item, so what follows the place are the items by which the set can
grow without being met twice. Projections are laid out on a stack, one segment of places per set; nothing is
hashed or sorted, and the stack holds no more than the rows' length per item of depth.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.compiled import Flag, kernel
from tacit.arrays.csr import larger
from tacit.arrays.groups import stable_order
from tacit.typing import Bools, Bytes, Codes, Counts, Offsets

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


class Stack(NamedTuple):
    """Segments of places, the sets they belong to by their last item, and room for one pass of counting."""

    rows: Codes
    places: Offsets
    items: Codes  # the last item of each set on the stack
    starts: Offsets  # its segment of places
    ends: Offsets
    weight: Counts  # per item: the weight of the rows that hold the set grown by it
    met: Counts  # per item: in how many places
    touched: Codes  # the items met


NEXT, STOP, TOP = range(3)
"""The lines of an array of levels: at each depth the next set to be grown, the end of the sets of that depth,
and the height of the stack."""


def first_items(
    indptr: Offsets, items: Codes, weights: Counts, first: int, end: int, size: int
) -> tuple[Stack, Counts, Counts]:
    """The places of each single item in ``[first, end)``, their weights, and the levels of a walk.

    The walk may go on to sets of ``size`` items.
    """
    n_items = int(items.max(initial=-1)) + 1
    places = np.flatnonzero((items >= first) & (items < end))
    numbers = items[places] - first
    order = stable_order(numbers)
    places, numbers = places[order], numbers[order]
    rows = np.repeat(np.arange(len(indptr) - 1, dtype=np.int32), np.diff(indptr))[places]
    starts, ends = np.zeros((2, end - first + n_items), dtype=np.int64)
    ends[: end - first] = np.cumsum(np.bincount(numbers, minlength=end - first))
    starts[1 : end - first] = ends[: end - first - 1]
    levels = np.zeros((3, size + 1), dtype=np.int64)
    levels[STOP, 0], levels[TOP, 0] = end - first, len(places)
    last = np.arange(first, end + n_items, dtype=np.int32)
    weight, met = np.zeros((2, n_items), dtype=np.int64)
    stack = Stack(rows, places, last, starts, ends, weight, met, np.empty(n_items, dtype=np.int32))
    of_item = np.bincount(numbers, weights[rows], minlength=end - first)
    return stack, of_item.astype(np.int64), levels


@kernel
def take_set(levels: Counts, depth: int, flag: Bytes) -> tuple[int, int]:
    """The depth and number of the next set of a walk; the depth is -1 behind the last or at a raised flag."""
    while depth >= 0 and levels[NEXT, depth] == levels[STOP, depth]:
        depth -= 1
    if depth < 0 or flag[0]:
        return -1, 0
    levels[NEXT, depth] += 1
    return depth, levels[NEXT, depth] - 1


@kernel
def count_following(
    indptr: Offsets, items: Codes, weights: Counts, stack: Stack, start: int, end: int
) -> tuple[int, int]:
    """Count every item that follows the places ``[start, end)``: how many were met, and the steps taken."""
    n_touched = 0
    steps = 0
    for entry in range(start, end):
        row = stack.rows[entry]
        weight = weights[row]
        row_end = indptr[row + 1]
        steps += row_end - stack.places[entry]
        for place in range(stack.places[entry] + 1, row_end):
            item = items[place]
            if stack.met[item] == 0:
                stack.touched[n_touched] = item
                n_touched += 1
            stack.met[item] += 1
            stack.weight[item] += weight
    return n_touched, steps


@kernel
def forget(stack: Stack, n_touched: int) -> None:
    """Clear the counts of the touched items."""
    for index in range(n_touched):
        item = stack.touched[index]
        stack.weight[item] = 0
        stack.met[item] = 0


@kernel
def grow(
    indptr: Offsets,
    items: Codes,
    stack: Stack,
    start: int,
    end: int,
    n_touched: int,
    levels: Counts,
    depth: int,
    least: int,
) -> Stack:
    """Lay out the places of the set at ``[start, end)`` grown by each item counted at least ``least`` times.

    The grown sets are a level deeper than ``depth``, behind its own. Returns the stack, which may have moved;
    the counts are cleared.
    """
    n_sets, top = levels[STOP, depth], levels[TOP, depth]
    levels[NEXT, depth + 1] = n_sets
    if n_sets + n_touched > len(stack.items):
        room = 2 * (n_sets + n_touched)
        stack = Stack(
            stack.rows, stack.places, larger(stack.items, room), larger(stack.starts, room),
            larger(stack.ends, room), stack.weight, stack.met, stack.touched,
        )  # fmt: skip
    height = top
    for index in range(n_touched):
        item = stack.touched[index]
        if stack.weight[item] >= least:
            stack.items[n_sets] = item
            stack.starts[n_sets] = top
            stack.ends[n_sets] = top
            top += stack.met[item]
            stack.met[item] = n_sets
            n_sets += 1
        else:
            stack.met[item] = -1
        stack.weight[item] = 0
    if top > len(stack.rows):
        stack = Stack(
            larger(stack.rows, 2 * top), larger(stack.places, 2 * top), stack.items, stack.starts,
            stack.ends, stack.weight, stack.met, stack.touched,
        )  # fmt: skip
    if top > height:
        for entry in range(start, end):
            row = stack.rows[entry]
            for place in range(stack.places[entry] + 1, indptr[row + 1]):
                number = stack.met[items[place]]
                if number >= 0:
                    stack.rows[stack.ends[number]] = row
                    stack.places[stack.ends[number]] = place
                    stack.ends[number] += 1
    for index in range(n_touched):
        stack.met[stack.touched[index]] = 0
    levels[STOP, depth + 1], levels[TOP, depth + 1] = n_sets, top
    return stack
