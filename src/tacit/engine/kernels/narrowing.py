"""Which rows can be told apart from all but a few others by some of their items.

Somebody who knows up to ``size`` items of a row is left with the rows that hold them all. A row is
narrowed when some choice of its items leaves too little weight; with absences, when some choice of
its items together with one item that the row does not hold does.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.compiled import kernel, popcount
from tacit.arrays.csr import larger
from tacit.engine.kernels.item_ranges import IndexedRows
from tacit.engine.kernels.projection import Stack, count_following, first_items, forget, grow
from tacit.typing import Bools, Bytes, Codes, Counts, Floats, Offsets, Words

_POLL = 1 << 22
"""How many steps are made between two looks at the flag."""


@kernel
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
    n_rows = len(indptr) - 1
    narrowed = np.zeros(n_rows, dtype=np.bool_)
    n_items = 0
    for item in items:
        n_items = item + 1 if item >= n_items else n_items
    stack, weight, top = first_items(indptr, items, weights, n_items, 0, n_items)
    following = np.zeros(size + 1, dtype=np.int64)
    stop = np.zeros(size + 1, dtype=np.int64)
    tops = np.zeros(size + 1, dtype=np.int64)
    held = np.zeros(n_items, dtype=np.int64)
    in_open = np.zeros(n_items, dtype=np.int64)  # the last set in whose open rows an item was met
    visit = 0
    stop[0] = n_items
    tops[0] = top
    depth = 0
    steps = 0
    while depth >= 0:
        if following[depth] == stop[depth]:
            depth -= 1
            continue
        if steps > _POLL:
            steps = 0
            if flag[0]:
                break
        number = following[depth]
        following[depth] += 1
        start, end = stack.starts[number], stack.ends[number]
        open_rows = 0
        visit += 1
        for entry in range(start, end):
            row = stack.rows[entry]
            if wanted[row] and not narrowed[row]:
                open_rows += 1
                for place in range(stack.places[entry] + 1, indptr[row + 1]):
                    in_open[items[place]] = visit
        steps += end - start
        if open_rows == 0:
            continue
        if depth == 0 and weight[number] < least:
            for entry in range(start, end):
                narrowed[stack.rows[entry]] = True
            continue
        if absence:
            steps += _narrow_by_absence(indptr, items, weights, stack, start, end, least, held, narrowed)
        if depth + 1 == size:
            continue
        n_touched, walked = count_following(indptr, items, weights, stack, start, end)
        steps += walked
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
        stack, n_sets, top = grow(
            indptr, items, stack, start, end, n_touched, stop[depth], tops[depth], least
        )
        following[depth + 1] = stop[depth]
        depth += 1
        stop[depth] = n_sets
        tops[depth] = top
    return narrowed & wanted


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
    steps = 0
    for row in range(len(weights)):
        if not wanted[row] or indptr[row] == indptr[row + 1]:
            continue
        if steps > _POLL:
            steps = 0
            if flag[0]:
                break
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
                steps += indptr[other + 1] - indptr[other]
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


@kernel
def narrowed_by_overlaps(
    data: IndexedRows, least: int, size: int, wanted: Bools, most: int, flag: Bytes
) -> tuple[Bools, Bools]:
    """The wanted rows some ``size`` of whose items leave a weight below ``least``; those not decided.

    Row by row: what others share with it is a word of bits, and only words with enough bits matter. A row is
    not decided once ``most`` words were looked at, nor where more than 64 items would have to be: then its
    rarest 64 may still narrow it.
    """
    indptr, items, weights = data.indptr, data.items, data.weights
    narrowed = np.zeros(len(weights), dtype=np.bool_)
    undecided = np.zeros(len(weights), dtype=np.bool_)
    shared = np.zeros(len(weights), dtype=np.uint64)
    met = np.empty(len(weights), dtype=np.int32)
    words, of_word = np.empty(1024, dtype=np.uint64), np.empty(1024, dtype=np.int64)
    choices = np.zeros((65, size + 1))
    for number in range(65):
        choices[number, 0] = 1.0
        for taken in range(1, min(number, size) + 1):
            choices[number, taken] = choices[number - 1, taken - 1] + choices[number - 1, taken]
    steps = 0
    for row in range(len(weights)):
        if not wanted[row] or indptr[row] == indptr[row + 1]:
            continue
        if steps > _POLL:
            steps = 0
            if flag[0]:
                break
        length = min(64, indptr[row + 1] - indptr[row])
        n_met = 0
        for bit in range(length):
            item = items[indptr[row] + bit]
            steps += data.starts[item + 1] - data.starts[item]
            for entry in range(data.starts[item], data.starts[item + 1]):
                other = data.rows[entry]
                if shared[other] == 0:
                    met[n_met] = other
                    n_met += 1
                shared[other] |= np.uint64(1) << np.uint64(bit)
        taken = min(size, length)
        if n_met > len(words):
            words, of_word = np.empty(2 * n_met, dtype=np.uint64), np.empty(2 * n_met, dtype=np.int64)
        n_words = 0
        for index in range(n_met):
            other = met[index]
            if popcount(shared[other]) >= taken:
                words[n_words], of_word[n_words] = shared[other], weights[other]
                n_words += 1
            shared[other] = 0
        found = _rarest_below(words[:n_words], of_word[:n_words], length, taken, least, most, choices)
        narrowed[row] = found == 1
        undecided[row] = found < 0 or (found == 0 and length < min(indptr[row + 1] - indptr[row], 65))
    return narrowed, undecided


@kernel
def _rarest_below(
    words: Words, weights: Counts, length: int, size: int, least: int, most: int, choices: Floats
) -> int:
    """Whether some ``size`` of ``length`` bits are together in words of a weight below ``least``.

    1 if so, 0 if not, -1 where ``most`` words were looked at before that was known. Every word has at least
    ``size`` bits; so bits that too little weight has together can be filled up to ``size``.
    """
    stack = np.empty(len(words) * size + 1, dtype=np.int64)  # the words that hold the bits chosen so far
    ends = np.zeros(size + 1, dtype=np.int64)
    following = np.zeros(size + 1, dtype=np.int64)
    for index in range(len(words)):
        stack[index] = index
    ends[0] = len(words)
    depth = 0
    entered = True
    looked_at = 0
    while depth >= 0:
        start = ends[depth - 1] if depth > 0 else 0
        left, first = size - depth, following[depth]
        if entered:
            # If all ways to choose the rest together have too little weight, some way has.
            entered = False
            total = 0.0
            for entry in range(start, ends[depth]):
                rest = popcount(words[stack[entry]] >> np.uint64(first))
                total += weights[stack[entry]] * choices[rest, left]
            if total < least * choices[length - first, left]:
                return 1
            looked_at += ends[depth] - start
        if looked_at > most:
            return -1
        if length - first < left:
            depth -= 1
            continue
        following[depth] += 1
        top = ends[depth]
        weight = 0
        for entry in range(start, ends[depth]):
            if words[stack[entry]] >> np.uint64(first) & np.uint64(1):
                weight += weights[stack[entry]]
                if left > 1:
                    stack[top] = stack[entry]
                    top += 1
        looked_at += ends[depth] - start
        if weight < least:
            return 1
        if left > 1 and length - first - 1 >= left - 1:
            depth += 1
            ends[depth] = top
            following[depth] = first + 1
            entered = True
    return 0


@kernel
def narrowed_by_all(data: IndexedRows, order: Counts, wanted: Bools, least: int, flag: Bytes) -> Bools:
    """The wanted rows all of whose items together leave a weight below ``least``.

    ``order`` is the lexicographic order of the rows. A row goes on from the list of rows that hold what it
    shares with the row before, and only until too little is left.
    """
    indptr, items = data.indptr, data.items
    narrowed = np.zeros(len(data.weights), dtype=np.bool_)
    longest = total = 0
    for row in range(len(data.weights)):
        length = indptr[row + 1] - indptr[row]
        longest = length if length > longest else longest
        total += data.weights[row]
    # The rows that hold the first d items of the last row are rows[ends[d - 1] : ends[d]].
    rows, places = np.empty(1024, dtype=np.int32), np.empty(1024, dtype=np.int64)
    ends = np.zeros(longest + 1, dtype=np.int64)
    left = np.zeros(longest + 1, dtype=np.int64)
    left[0] = total
    depth = 0
    last = 0
    steps = 0
    for row in order:
        if not wanted[row]:
            continue
        if steps > _POLL:
            steps = 0
            if flag[0]:
                break
        own = items[indptr[row] : indptr[row + 1]]
        shared = 0
        while shared < depth and shared < len(own) and own[shared] == items[indptr[last] + shared]:
            shared += 1
        depth, last = shared, row
        while depth < len(own) and left[depth] >= least:
            item = own[depth]
            start, end = data.starts[item], data.starts[item + 1]
            if depth > 0:
                start, end = ends[depth - 1], ends[depth]
            if ends[depth] + end - start > len(rows):
                room = 2 * (ends[depth] + end - start)
                rows, places = larger(rows, room), larger(places, room)
            top = ends[depth]
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
            steps += end - start
            depth += 1
            ends[depth], left[depth] = top, weight
        narrowed[row] = left[depth] < least
    return narrowed


@kernel
def _narrow_by_absence(
    indptr: Offsets, items: Codes, weights: Counts, stack: Stack, start: int, end: int,
    least: int, held: Counts, narrowed: Bools,
) -> int:  # fmt: skip
    """Narrow the rows of a segment that lack an item which all but little of the segment's weight holds."""
    total = 0
    steps = 0
    for entry in range(start, end):
        row = stack.rows[entry]
        total += weights[row]
        steps += indptr[row + 1] - indptr[row]
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
    return steps
