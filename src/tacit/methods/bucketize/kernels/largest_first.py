"""Groups of distinct values, always taken from the values with the most members left (Anatomy [1]).

Values are kept sorted by the members they have left. Taking one from each of the first ``size`` keeps
them sorted, provided that those chosen among equals are moved behind the equals not chosen, so a
group costs its size and a binary search, however many values there are.

[1] X. Xiao, Y. Tao. Anatomy: Simple and Effective Privacy Preservation. VLDB 2006, figure 3.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.arrays.interrupt import Flag
from tacit.random.keyed import absorb, finish, start
from tacit.typing import Codes, Counts

_POLL = 4095
_LAST = np.uint64(8 << 56)
_HALF = np.uint64(32)


def largest_first(
    counts: Counts, size: int, k0: np.uint64, k1: np.uint64, flag: Flag
) -> tuple[Codes, Counts]:
    """(values of all groups, members left over per value); ties are settled by draws under (k0, k1)."""
    left = counts.copy()
    order = np.argsort(-left, kind="stable")
    groups = np.empty(left.sum(), dtype=np.int32)
    n_grouped = _group(left, order, groups, size, k0, k1, flag)
    return groups[:n_grouped], left


@kernel
def _group(
    left: Counts, order: Counts, groups: Codes, size: int, k0: np.uint64, k1: np.uint64, flag: Flag
) -> int:
    """Write the groups one after the other; where they end."""
    n_grouped = 0
    counter = np.uint64(0)
    turn = 0
    while size <= len(order) and left[order[size - 1]] > 0:
        turn += 1
        if turn & _POLL == 0 and flag[0]:
            break
        level = left[order[size - 1]]
        above = _first_at_most(left, order, level)
        end = _first_at_most(left, order, level - 1)
        for step in range(size - above):
            # Any of the equals not chosen yet changes places with the last of them.
            draw = finish(absorb(start(k0, k1), counter), _LAST)
            counter += np.uint64(1)
            last = end - 1 - step
            at = above + int(((draw >> _HALF) * np.uint64(last + 1 - above)) >> _HALF)
            order[at], order[last] = order[last], order[at]
        for place in range(size):
            at = place if place < above else end - 1 - (place - above)
            groups[n_grouped] = order[at]
            left[order[at]] -= 1
            n_grouped += 1
    return n_grouped


@kernel
def _first_at_most(left: Counts, order: Counts, level: int) -> int:
    """The first place in the order whose value has at most so many members left."""
    low, high = 0, len(order)
    while low < high:
        middle = (low + high) // 2
        if left[order[middle]] > level:
            low = middle + 1
        else:
            high = middle
    return low
