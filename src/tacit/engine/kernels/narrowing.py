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
from tacit.engine.kernels.projection import (
    NEXT,
    STOP,
    TOP,
    Stack,
    count_following,
    first_items,
    forget,
    grow,
)
from tacit.typing import AnyArray, Bools, Bytes, Codes, Counts, Offsets, Words

_POLL = 1 << 22
"""How many steps are made between two looks at the flag."""
_LISTED = 4
"""An entry of an item's list takes about as long as so many words."""
_FEW = 16
"""To read on in a row takes about as long as so many entries of an item's list."""
_SHARE = 16
"""A row may take one in so many of all steps."""
_OVER = 4
"""So many times as many steps as were allowed may be made where the fewest rows need them."""
PLANES = 1 << 24
"""The most words, 128 MB, that say which rows hold each item."""


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
    depth = steps = visit = 0
    while depth >= 0:
        if levels[NEXT, depth] == levels[STOP, depth]:
            depth -= 1
            continue
        if steps > _POLL:
            steps = 0
            if flag[0]:
                break
        number = levels[NEXT, depth]
        levels[NEXT, depth] += 1
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
            indptr, items, stack, start, end, n_touched, levels[STOP, depth], levels[TOP, depth], least
        )
        levels[NEXT, depth + 1] = levels[STOP, depth]
        depth += 1
        levels[STOP, depth], levels[TOP, depth] = n_sets, top


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


def narrowed_by_overlaps(
    data: IndexedRows, turns: Codes, size: int, end: int, leasts: Counts, by_all: Bools, most: int,
    fewest: int, flag: Bytes,
) -> tuple[AnyArray, int]:  # fmt: skip
    """Which rows some ``size``, and so on below ``end``, of their items leave with a weight below ``leasts``.

    The rows are looked at as ``turns`` names them (-1 for none), at least ``fewest`` and until ``most`` steps
    were made; how many turns were taken is returned as well. 1 where so, 0 where not, -1 where a row's share
    of the steps did not decide it, nor where more than its rarest 64 items would have to be looked at.
    ``by_all`` are the rows that all their items narrow; ``leasts`` descend.

    Row by row: what others share with it is a word of bits, and only words with enough bits matter. Whoever
    shares ``size`` of ``length`` items shares one of all but ``size - 1``: the commonest need no look-up.
    """
    n_rows = len(data.weights)
    found = np.zeros((n_rows, end - size, len(leasts)), dtype=np.int8)
    shared, met = np.zeros(n_rows, dtype=np.uint64), np.empty(n_rows, dtype=np.int32)
    of_word, following = np.empty(n_rows, dtype=np.int64), np.empty(end + 1, dtype=np.int64)
    turn = _narrow_by_overlaps(
        data, _once(turns), size, leasts, by_all, most, fewest, found, shared, met, of_word, following, flag
    )
    return found, turn


def _once(turns: Codes) -> Codes:
    """The turns with -1 in place of every row that was named before."""
    first = np.zeros(len(turns), dtype=np.bool_)
    first[np.unique(turns, return_index=True)[1]] = True
    return np.where(first, turns, np.int32(-1))


@kernel
def _narrow_by_overlaps(
    data: IndexedRows, turns: Codes, size: int, leasts: Counts, by_all: Bools, most: int, fewest: int,
    found: AnyArray, shared: Words, met: Codes, of_word: Counts, following: Counts, flag: Bytes,
) -> int:  # fmt: skip
    indptr, items = data.indptr, data.items
    planes = rests = held = np.zeros(1, dtype=np.uint64)
    steps = polled = turn = 0
    while turn < len(turns) and (turn < fewest or steps < most):
        row = turns[turn]
        turn += 1
        if row < 0 or not by_all[row, 0]:
            continue
        if steps > polled + _POLL:
            polled = steps
            if flag[0]:
                break
        own, n_own = indptr[row], indptr[row + 1] - indptr[row]
        length = 64 if n_own > 64 else n_own
        taken = size if size < length else length
        looked_up = length - taken + 1
        n_met = 0
        # The commonest items are looked for in the rows that were met, if these are few.
        walked = length
        for bit in range(length):
            start, stop = data.starts[items[own + bit]], data.starts[items[own + bit] + 1]
            if bit >= looked_up and _FEW * n_met < stop - start:
                walked = bit
                break
            steps += _LISTED * (stop - start)
            for entry in range(start, stop):
                other = data.rows[entry]
                if shared[other] == 0:
                    if bit >= looked_up:
                        continue
                    met[n_met] = other
                    n_met += 1
                shared[other] |= np.uint64(1) << np.uint64(bit)
        n_words = 0
        for index in range(n_met):
            other = met[index]
            word, bit, place = shared[other], length - 1, indptr[other + 1] - 1
            shared[other] = 0
            while bit >= walked and place >= indptr[other]:
                if items[place] == items[own + bit]:
                    word |= np.uint64(1) << np.uint64(bit)
                steps += 1
                if items[place] > items[own + bit]:
                    place -= 1
                else:
                    bit -= 1
            if popcount(word) >= taken:
                of_word[n_words] = data.weights[other]
                met[n_words] = other  # whose word was read
                shared[other] = word
                n_words += 1
        width = (n_words + 63) // 64
        if (length + 1) * width > len(planes):
            room = 2 * (length + 1) * width
            planes, rests = np.empty(room, dtype=np.uint64), np.empty(room, dtype=np.uint64)
        if len(following) * width > len(held):
            held = np.empty(2 * len(following) * width, dtype=np.uint64)
        # Of each bit: the words that have it, and the words that have it and all behind it.
        for place in range((length + 1) * width):
            planes[place] = 0
        for index in range(n_words):
            word = shared[met[index]]
            shared[met[index]] = 0
            for bit in range(length):
                planes[bit * width + index // 64] |= (word >> np.uint64(bit) & np.uint64(1)) << np.uint64(
                    index % 64
                )
        steps += length * (n_words // 16 + 1)
        for place in range((length + 1) * width - 1, -1, -1):
            rests[place] = planes[place]
            if place < (length - 1) * width:
                rests[place] &= rests[place + width]
        for more in range(found.shape[1]):
            for which in range(len(leasts)):
                known = by_all[row, which] and (which == 0 or found[row, more, 0] != 0)
                if known and (size + more >= n_own or (more > 0 and found[row, more - 1, which] == 1)):
                    found[row, more, which] = 1
                elif known:
                    chosen = size + more if size + more < length else length
                    decided, looked_at = _rarest_below(
                        planes, rests, of_word, held, following, width, length, chosen, leasts[which],
                        most // fewest,
                    )  # fmt: skip
                    steps += looked_at
                    found[row, more, which] = -1 if decided == 0 and length < n_own else decided
    return turn


@kernel
def _rarest_below(
    planes: Words, rests: Words, weights: Counts, held: Words, following: Counts, width: int, length: int,
    size: int, least: int, most: int,
) -> tuple[int, int]:  # fmt: skip
    """Whether some ``size`` of ``length`` bits are together in words of a weight below ``least``.

    1 if so, 0 if not, -1 where ``most`` steps were made before that was known; and the steps made. ``planes``
    has for each bit the words with it, ``rests`` those with it and all bits behind it; ``held`` and
    ``following`` are room.
    """
    for place in range(width):
        held[place] = ~np.uint64(0)  # from depth * width on: the words that hold the bits chosen so far
    following[0] = 0
    depth = 0
    steps = 0
    while depth >= 0:
        bit, left = following[depth], size - depth
        if length - bit < left:
            depth -= 1
            continue
        if steps > most:
            return -1, steps
        following[depth] += 1
        weight = 0
        above, own = depth * width, bit * width
        for place in range(width):
            word = held[above + place] & planes[own + place]
            held[above + width + place] = word
            steps += 1
            if weight < least:
                weight += weight_of_bits(word, weights, 64 * place, least)
            elif left == 1:
                break
        if weight < least:
            return 1, steps  # whatever is chosen beside them leaves no more
        if left == 1:
            continue
        # Where enough weight holds all that could still be chosen, no choice leaves too little.
        count = 0
        for place in range(width):
            count += popcount(held[above + width + place] & rests[own + width + place])
            steps += 1
            if count >= least:
                break
        if count < least:
            depth += 1
            following[depth] = bit + 1
    return 0, steps


def narrowed_by_absences(
    data: IndexedRows, turns: Codes, size: int, leasts: Counts, most: int, fewest: int, flag: Bytes
) -> tuple[AnyArray, int]:
    """Which rows up to ``size`` of their items and the lack of another leave with a weight below ``leasts``.

    As :func:`narrowed_by_overlaps`, which says what is given and returned. No row is decided, and no turn
    taken beyond the fewest, where rows and items are too many for a bit each.
    """
    found = np.zeros((len(data.weights), len(leasts)), dtype=np.int8)
    n_items, width = len(data.starts) - 1, (len(data.weights) + 63) // 64
    fits = n_items * width <= PLANES
    planes = np.zeros(n_items * width if fits else 0, dtype=np.uint64)
    held = np.full((size + 1) * width, ~np.uint64(0))
    seen, chosen = np.zeros(n_items, dtype=np.int64), np.empty(size, dtype=np.int64)
    turn = _narrow_by_absences(
        data, _once(turns), leasts, most, fewest, found, planes, held, seen, chosen, flag
    )
    return found, turn


@kernel
def _narrow_by_absences(
    data: IndexedRows, turns: Codes, leasts: Counts, most: int, fewest: int, found: AnyArray, planes: Words,
    held: Words, seen: Counts, chosen: Counts, flag: Bytes,
) -> int:  # fmt: skip
    """``planes`` gets for each item the rows that hold it, ``held`` those with the items chosen so far."""
    items, width, fits = data.items, (len(data.weights) + 63) // 64, len(planes) > 0
    for item in range(len(seen) if fits else 0):
        for entry in range(data.starts[item], data.starts[item + 1]):
            row = data.rows[entry]
            planes[item * width + row // 64] |= np.uint64(1) << np.uint64(row % 64)
    steps = polled = turn = visit = 0
    while turn < len(turns) and (turn < fewest or (fits and steps < most)):
        row = turns[turn]
        turn += 1
        if row < 0:
            continue
        own, end = data.indptr[row], data.indptr[row + 1]
        taken = len(chosen) if len(chosen) < end - own else end - own
        for at in range(own, end):
            seen[items[at]] = -turn
        for which in range(len(leasts)):
            if data.weights[row] >= leasts[which] or (which > 0 and found[row, 0] == 0):
                continue
            before = steps
            share = most // _SHARE
            if turn <= fewest:
                left = (_OVER * most - steps) // (fewest - turn + 1)
                share = left if left < share else share
            changed = 0
            for index in range(taken):
                chosen[index] = index
            while changed >= 0 and found[row, which] == 0:
                if steps > polled + _POLL:
                    polled = steps
                    if flag[0]:
                        return turn
                if not fits or steps - before > share:
                    found[row, which] = -1
                    break
                for index in range(changed, taken):
                    plane, above = items[own + chosen[index]] * width, index * width
                    for place in range(width):
                        held[above + width + place] = held[above + place] & planes[plane + place]
                visit += 1
                narrowed, looked_at = _too_few_lack(
                    data, planes, held, taken * width, width, leasts[which], seen, visit, -turn
                )
                steps += looked_at + width * (taken - changed)
                found[row, which] = narrowed
                changed = _next_choice(chosen, taken, end - own)
    return turn


@kernel
def _next_choice(chosen: Counts, taken: int, number: int) -> int:
    """Go on to the next choice of ``taken`` of so many; the first place that changed, -1 behind the last."""
    first = taken - 1
    while first >= 0 and chosen[first] == number - taken + first:
        first -= 1
    if first >= 0:
        chosen[first] += 1
        for behind in range(first + 1, taken):
            chosen[behind] = chosen[behind - 1] + 1
    return first


@kernel
def _too_few_lack(
    data: IndexedRows, planes: Words, held: Words, begin: int, width: int, least: int, seen: Counts,
    visit: int, own: int,
) -> tuple[int, int]:  # fmt: skip
    """Whether less than ``least`` of some rows lacks an item not seen as ``own``; and the steps.

    The rows are the bits of ``held`` from ``begin`` on. The first rows that have this weight together hold
    every such item. Those looked at are seen in this ``visit``.
    """
    weight = 0
    steps = 0
    for first in range(width):
        word = held[begin + first]
        while word and weight < least:
            row = 64 * first + _lowest(word)
            word &= word - np.uint64(1)
            weight += data.weights[row]
            for at in range(data.indptr[row], data.indptr[row + 1]):
                item = data.items[at]
                steps += 1
                if seen[item] == visit or seen[item] == own:
                    continue
                seen[item] = visit
                lacking = 0
                for place in range(width):
                    lacks = held[begin + place] & ~planes[item * width + place]
                    lacking += weight_of_bits(lacks, data.weights, 64 * place, least)
                    steps += 1
                    if lacking >= least:
                        break
                if lacking < least:
                    return 1, steps
        if weight >= least:
            return 0, steps
    return 1, steps


@kernel
def weight_of_bits(word: np.uint64, weights: Counts, start: int, enough: int) -> int:
    """The weight of the bits of a word, counted until it is enough; every bit has some."""
    if popcount(word) >= enough:
        return enough
    weight = 0
    while word:
        weight += weights[start + _lowest(word)]
        word &= word - np.uint64(1)
    return weight


@kernel
def _lowest(word: np.uint64) -> int:
    """The place of the lowest bit."""
    return popcount((word & (~word + np.uint64(1))) - np.uint64(1))


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
    depth = last = steps = 0
    for row in order:
        if steps > _POLL:
            steps = 0
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
            steps += end - start
            depth += 1
            ends[depth], left[depth] = top, weight
        narrowed[row] = left[depth]


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
