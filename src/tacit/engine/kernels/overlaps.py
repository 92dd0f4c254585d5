"""Which rows few items narrow, row by row, in so many steps: by what others share with each, or by the lack
of another item as well; and rows as bits, a plane of words for each item, a bit for every row that holds it.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.compiled import kernel, popcount
from tacit.engine.kernels.item_ranges import IndexedRows
from tacit.typing import AnyArray, Bools, Bytes, Codes, Counts, Offsets, Words

_LISTED = 4
"""An entry of an item's list takes about as long as so many words."""
_FEW = 16
"""To read on in a row takes about as long as so many entries of an item's list."""


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
    width = (n_rows + 63) // 64
    planes, rests = np.empty((2, 65 * width), dtype=np.uint64)
    held = np.empty((end + 1) * width, dtype=np.uint64)
    turn = _narrow_by_overlaps(
        data, once(turns), size, leasts, by_all, most, fewest, found, shared, met, of_word, following, planes,
        rests, held, flag,
    )  # fmt: skip
    return found, turn


def once(turns: Codes) -> Codes:
    """The turns with -1 in place of every row that was named before."""
    first = np.zeros(len(turns), dtype=np.bool_)
    first[np.unique(turns, return_index=True)[1]] = True
    return np.where(first, turns, np.int32(-1))


@kernel
def _narrow_by_overlaps(
    data: IndexedRows, turns: Codes, size: int, leasts: Counts, by_all: Bools, most: int, fewest: int,
    found: AnyArray, shared: Words, met: Codes, of_word: Counts, following: Counts, planes: Words,
    rests: Words, held: Words, flag: Bytes,
) -> int:  # fmt: skip
    indptr, items = data.indptr, data.items
    steps = turn = 0
    while turn < len(turns) and (turn < fewest or steps < most):
        row = turns[turn]
        turn += 1
        if row < 0 or not by_all[row, 0]:
            continue
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


_SHARE = 16
"""A row may take one in so many of all steps."""
_OVER = 4
"""So many times as many steps as were allowed may be made where the fewest rows need them."""


def narrowed_by_absences(
    data: IndexedRows, turns: Codes, size: int, leasts: Counts, most: int, fewest: int, flag: Bytes
) -> tuple[AnyArray, int]:
    """Which rows up to ``size`` of their items and the lack of another leave with a weight below ``leasts``.

    As :func:`~tacit.engine.kernels.overlaps.narrowed_by_overlaps`, which says what is given and returned. No
    row is decided, and no turn taken beyond the fewest, where rows and items are too many for a bit each.
    """
    found = np.zeros((len(data.weights), len(leasts)), dtype=np.int8)
    n_items, width = len(data.starts) - 1, (len(data.weights) + 63) // 64
    fits = n_items * width <= PLANES
    planes = planes_of(data.indptr, data.items, n_items) if fits else np.zeros(0, dtype=np.uint64)
    held = np.full((size + 1) * width, ~np.uint64(0))
    seen, chosen = np.zeros(n_items, dtype=np.int64), np.empty(size, dtype=np.int64)
    turn = _narrow_by_absences(
        data, once(turns), leasts, most, fewest, found, planes, held, seen, chosen, flag
    )
    return found, turn


@kernel
def _narrow_by_absences(
    data: IndexedRows, turns: Codes, leasts: Counts, most: int, fewest: int, found: AnyArray, planes: Words,
    held: Words, seen: Counts, chosen: Counts, flag: Bytes,
) -> int:  # fmt: skip
    """``planes`` has the rows that hold each item, ``held`` gets those with the items chosen so far."""
    items, width, fits = data.items, (len(data.weights) + 63) // 64, len(planes) > 0
    steps = turn = visit = 0
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
            row = 64 * first + lowest(word)
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


PLANES = 1 << 24
"""The most words, 128 MB, that say which rows hold each item."""


def planes_of(indptr: Offsets, items: Codes, n_items: int) -> Words:
    """The planes of the items, one behind the other; each has a word for 64 rows."""
    planes = np.zeros(n_items * ((len(indptr) + 62) // 64), dtype=np.uint64)
    _fill(indptr, items, (len(indptr) + 62) // 64, planes)
    return planes


@kernel
def _fill(indptr: Offsets, items: Codes, width: int, planes: Words) -> None:
    for row in range(len(indptr) - 1):
        for place in range(indptr[row], indptr[row + 1]):
            planes[items[place] * width + row // 64] |= np.uint64(1) << np.uint64(row % 64)


@kernel
def weight_of_bits(word: np.uint64, weights: Counts, start: int, enough: int) -> int:
    """The weight of the bits of a word, counted until it is enough; every bit has some."""
    if popcount(word) >= enough:
        return enough
    weight = 0
    while word:
        weight += weights[start + lowest(word)]
        word &= word - np.uint64(1)
    return weight


@kernel
def lowest(word: np.uint64) -> int:
    """The place of the lowest bit."""
    return popcount((word & (~word + np.uint64(1))) - np.uint64(1))
