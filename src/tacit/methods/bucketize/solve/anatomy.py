"""Anatomy: buckets of ℓ distinct sensitive values, without regard to what a reader knows [1].

Repeatedly one row of each of the ℓ values that have the most rows left; the few rows left over, of
different values, go each to a bucket that does not hold its value.

Values are kept sorted by the rows they have left. Taking one from each of the first ℓ keeps them sorted,
provided that those chosen among equals are moved behind the equals not chosen, so a bucket costs its size
and a binary search, however many values there are.

[1] X. Xiao, Y. Tao. Anatomy: Simple and Effective Privacy Preservation. VLDB 2006, figure 3.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.compiled import Flag, interruptible, kernel
from tacit.methods.bucketize.solve.injector import injector_plan
from tacit.methods.bucketize.solve.plan import Classes, Plan, make_plan
from tacit.random.key import Key
from tacit.random.keyed import absorb, draws, finish, start, uniform_below
from tacit.typing import Codes, Counts


def anatomy_plan(classes: Classes, l: int, key: Key, *, suppressed: Counts | None = None) -> Plan:
    """Buckets with at least ℓ distinct values; the classes must be eligible and forbid nothing.

    With several sensitive attributes the rows of a bucket must differ in each of them, which is what
    Injector's buckets do where nothing is forbidden.
    """
    if len(classes.attributes) > 1:
        return injector_plan(classes, l, key, suppressed=suppressed)
    low, high = key.subkey("bucketize: anatomy").words
    groups, left = interruptible(largest_first, classes.counts, l, np.uint64(low), np.uint64(high))
    buckets = np.repeat(np.arange(len(groups) // l, dtype=np.int32), l)
    residue = np.repeat(np.arange(len(left), dtype=np.int32), left)  # at most one row of a value
    homes = _homes(groups.reshape(-1, l), residue, key)
    rows, of_rows = np.concatenate([groups, residue]), np.concatenate([buckets, homes])
    return make_plan(classes, rows, of_rows, suppressed)


def _homes(groups: np.ndarray, residue: np.ndarray, key: Key) -> np.ndarray:
    """For each left-over class a bucket drawn from those that do not hold it."""
    places = np.arange(len(residue), dtype=np.uint64)
    words = draws(
        key.subkey("bucketize: residue"), np.column_stack([places, places]), np.zeros(len(residue), np.int64)
    )
    homes = np.empty(len(residue), dtype=np.int32)
    for place, kind in enumerate(residue):
        without = np.flatnonzero((groups != kind).all(axis=1))
        homes[place] = without[uniform_below(words[place : place + 1], len(without))[0]]
    return homes


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
