"""Which rows few items and the lack of another narrow, row by row, in so many steps."""

from __future__ import annotations

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.engine.kernels.item_ranges import IndexedRows
from tacit.engine.kernels.overlaps import once
from tacit.engine.kernels.planes import PLANES, lowest, planes_of, weight_of_bits
from tacit.typing import AnyArray, Bytes, Codes, Counts, Words

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
