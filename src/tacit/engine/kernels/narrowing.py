"""Which rows can be told apart from all but a few others by some of their items.

Somebody who knows up to ``size`` items of a row is left with the rows that hold them all. A row is
narrowed when some choice of its items leaves too little weight; with absences, when some choice of
its items together with one item that the row does not hold does.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.arrays.csr import larger
from tacit.engine.kernels.item_ranges import IndexedRows
from tacit.engine.kernels.sets import Stack, count_following, first_items, forget, grow, take_set
from tacit.typing import Bools, Bytes, Codes, Counts, Offsets


def narrowed_rows(
    indptr: Offsets,
    items: Codes,
    weights: Counts,
    least: int,
    size: int,
    wanted: Bools,
    absence: bool,
    flag: Bytes,
) -> Bools:
    """The wanted rows some set of up to ``size`` of whose items leaves a weight below ``least``.

    With ``absence``, the lack of one further item may be known as well. Rows are ascending sets.
    A set of items is followed only while it occurs in a wanted row that is not narrowed yet, and grows
    only by items of such rows: the fewer rows are wanted, the less there is to do.
    """
    narrowed = np.zeros(len(indptr) - 1, dtype=np.bool_)
    n_items = int(items.max(initial=-1)) + 1
    walk = first_items(indptr, items, weights, 0, n_items, size)
    held, in_open = np.zeros((2, n_items), dtype=np.int64)
    _narrow_rows(indptr, items, weights, *walk, least, wanted, absence, held, in_open, narrowed, flag)
    return narrowed & wanted


@kernel
def _narrow_rows(
    indptr: Offsets, items: Codes, weights: Counts, stack: Stack, weight: Counts, levels: Counts, least: int,
    wanted: Bools, absence: bool, held: Counts, in_open: Counts, narrowed: Bools, flag: Bytes,
) -> None:  # fmt: skip
    """``in_open`` gets, for each item, the last set in whose open rows it was met."""
    size = levels.shape[1] - 1
    depth = visit = 0
    while True:
        depth, number = take_set(levels, depth, flag)
        if depth < 0:
            break
        start, end = stack.starts[number], stack.ends[number]
        open_rows = 0
        visit += 1
        for entry in range(start, end):
            row = stack.rows[entry]
            if wanted[row] and not narrowed[row]:
                open_rows += 1
                for place in range(stack.places[entry] + 1, indptr[row + 1]):
                    in_open[items[place]] = visit
        if open_rows == 0:
            continue
        if depth == 0 and weight[number] < least:
            for entry in range(start, end):
                narrowed[stack.rows[entry]] = True
            continue
        if absence:
            _narrow_by_absence(indptr, items, weights, stack, start, end, least, held, narrowed)
        if depth + 1 == size:
            continue
        n_touched, _ = count_following(indptr, items, weights, stack, start, end)
        rare = False
        for index in range(n_touched):
            if stack.weight[stack.touched[index]] < least:
                rare = True
        if rare:
            for entry in range(start, end):
                row = stack.rows[entry]
                for place in range(stack.places[entry] + 1, indptr[row + 1]):
                    if stack.weight[items[place]] < least:
                        narrowed[row] = True
                        break
        if depth + 2 == size and not absence:
            forget(stack, n_touched)
            continue
        for index in range(n_touched):
            if in_open[stack.touched[index]] != visit:
                stack.weight[stack.touched[index]] = 0  # too little to grow by
        stack = grow(indptr, items, stack, start, end, n_touched, levels, depth, least)
        depth += 1


@kernel
def _narrow_by_absence(
    indptr: Offsets, items: Codes, weights: Counts, stack: Stack, start: int, end: int,
    least: int, held: Counts, narrowed: Bools,
) -> None:  # fmt: skip
    """Narrow the rows of a segment that lack an item which all but little of the segment's weight holds."""
    total = 0
    for entry in range(start, end):
        row = stack.rows[entry]
        total += weights[row]
        for place in range(indptr[row], indptr[row + 1]):
            held[items[place]] += weights[row]
    # An item that too few lack is held by all but fewer than ``least``: by some row among the first so many.
    telling = 0
    seen = 0
    for entry in range(start, end):
        row = stack.rows[entry]
        for place in range(indptr[row], indptr[row + 1]):
            lacking = total - held[items[place]]
            if 0 < lacking < least:
                telling += 1
                held[items[place]] = -lacking  # counted; the sign is taken back below
        seen += weights[row]
        if seen >= least:
            break
    if telling:
        for entry in range(start, end):
            row = stack.rows[entry]
            has = 0
            for place in range(indptr[row], indptr[row + 1]):
                has += held[items[place]] < 0
            if has < telling:
                narrowed[row] = True
    for entry in range(start, end):
        row = stack.rows[entry]
        for place in range(indptr[row], indptr[row + 1]):
            held[items[place]] = 0


@kernel
def narrowed_greedily(data: IndexedRows, least: int, size: int, wanted: Bools, flag: Bytes) -> Bools:
    """Wanted rows that ``size`` of their items leave with a weight below ``least``: those easily found.

    Beginning with the row's rarest item, the first, the item is added each time that leaves the least. A row
    that this does not narrow may be narrowed by other items.
    """
    indptr, items, weights = data.indptr, data.items, data.weights
    narrowed = np.zeros(len(weights), dtype=np.bool_)
    left = np.zeros(len(data.starts), dtype=np.int64)  # per item: the weight of the rows left that hold it
    mine = np.zeros(len(data.starts), dtype=np.int64)  # the last row that held an item, counted from 1
    rows = np.empty(1024, dtype=np.int32)
    for row in range(len(weights)):
        if flag[0]:
            break
        if not wanted[row] or indptr[row] == indptr[row + 1]:
            continue
        for place in range(indptr[row], indptr[row + 1]):
            mine[items[place]] = row + 1
        first = items[indptr[row]]
        n_rows = data.starts[first + 1] - data.starts[first]
        if n_rows > len(rows):
            rows = np.empty(2 * n_rows, dtype=np.int32)
        weight = 0
        for entry in range(n_rows):
            rows[entry] = data.rows[data.starts[first] + entry]
            weight += weights[rows[entry]]
        narrowed[row] = weight < least
        for _ in range(1, size):
            if narrowed[row]:
                break
            for place in range(indptr[row], indptr[row + 1]):
                left[items[place]] = 0
            for entry in range(n_rows):
                other = rows[entry]
                for place in range(indptr[other], indptr[other + 1]):
                    if mine[items[place]] == row + 1:
                        left[items[place]] += weights[other]
            best = items[indptr[row]]
            for place in range(indptr[row], indptr[row + 1]):
                if left[items[place]] < left[best]:
                    best = items[place]
            narrowed[row] = left[best] < least
            kept = 0
            for entry in range(n_rows):
                other = rows[entry]
                for place in range(indptr[other], indptr[other + 1]):
                    if items[place] >= best:
                        if items[place] == best:
                            rows[kept] = other
                            kept += 1
                        break
            n_rows = kept
    return narrowed


def left_by_all(data: IndexedRows, order: Counts, wanted: Bools, flag: Bytes) -> Counts:
    """The weight of the rows that hold all items of each wanted row; the others' is as if they had none.

    ``order`` is the lexicographic order of the rows. A row goes on from the list of rows that hold what it
    shares with the row before, and only until none but itself is left.
    """
    narrowed = np.full(len(data.weights), data.weights.sum())
    depths = int(np.diff(data.indptr).max(initial=0)) + 1
    ends, left = np.zeros(depths, dtype=np.int64), np.zeros(depths, dtype=np.int64)
    left[0] = data.weights.sum()
    _left_by_all(data, order[wanted[order]], ends, left, narrowed, flag)
    return narrowed


@kernel
def _left_by_all(
    data: IndexedRows, order: Counts, ends: Counts, left: Counts, narrowed: Counts, flag: Bytes
) -> None:
    """The rows with the first d items of the last row are ``rows[ends[d - 1] : ends[d]]``, of weight left[d].

    All rows have the first 0 items.
    """
    indptr, items = data.indptr, data.items
    rows, places = np.empty(1024, dtype=np.int64), np.empty(1024, dtype=np.int64)
    depth = last = 0
    for row in order:
        if flag[0]:
            break
        first, length, shared = indptr[row], indptr[row + 1] - indptr[row], 0
        while shared < depth and shared < length and items[first + shared] == items[last + shared]:
            shared += 1
        depth, last = shared, first
        while depth < length and left[depth] > 1:
            item = items[first + depth]
            start, end = data.starts[item], data.starts[item + 1]
            if depth > 0:
                start, end = ends[depth - 1], ends[depth]
            top = ends[depth]
            if top + end - start > len(rows):
                room = 2 * (top + end - start)
                rows, places = larger(rows, room), larger(places, room)
            weight = 0
            for entry in range(start, end):
                if depth == 0:
                    other, place = data.rows[entry], data.places[entry]
                else:
                    other, place = rows[entry], places[entry]
                    while place < indptr[other + 1] and items[place] < item:
                        place += 1
                    if place == indptr[other + 1] or items[place] != item:
                        continue
                rows[top], places[top] = other, place + 1
                top += 1
                weight += data.weights[other]
            depth += 1
            ends[depth], left[depth] = top, weight
        narrowed[row] = left[depth]
