"""Sets of one length put in lexicographic order, in place.

The sets lie one after the other in an array of codes, with a number (their support) beside each.
Many of them are sorted by keys that several codes are packed into, digit by digit; few by merging.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.arrays.interrupt import Flag
from tacit.typing import Codes, Counts, Offsets, Words

_FEW = 256  # so many sets are sorted by their digits, fewer by comparing them
_DIGIT = 11  # bits


@kernel
def sort_buckets(items: Codes, supports: Counts, length: int, bounds: Offsets, bits: int, flag: Flag) -> None:
    """Sort the buckets of one length, each between two bounds, in lexicographic order.

    Codes take ``bits`` bits.
    """
    largest = 0
    for bucket in range(len(bounds) - 1):
        size = int(bounds[bucket + 1] - bounds[bucket])
        largest = size if size > largest else largest
    order, other = np.empty(largest, dtype=np.int32), np.empty(largest, dtype=np.int32)
    keys, other_keys = np.empty(largest, dtype=np.uint64), np.empty(largest, dtype=np.uint64)
    for bucket in range(len(bounds) - 1):
        if flag[0]:
            return
        begin, end = bounds[bucket], bounds[bucket + 1]
        n_sets = end - begin
        if n_sets < 2:
            continue
        sets = items[begin * length : end * length]
        for number in range(n_sets):
            order[number] = number
        if n_sets < _FEW:
            _order_by_merging(sets, length, order[:n_sets], other[:n_sets])
        else:
            # As many codes as fit in a word make a key; the keys of the last places are sorted by first.
            places = 64 // bits
            for first in range((length - 1) // places * places, -1, -places):
                n_places = places if first + places < length else length - first
                for number in range(n_sets):
                    at, key = np.int64(order[number]) * length + first, np.uint64(0)
                    for place in range(n_places):
                        key = key << np.uint64(bits) | np.uint64(sets[at + place])
                    keys[number] = key
                _order_by_key(n_places * bits, n_sets, keys, order, other_keys, other)
        _arrange(sets, supports[begin:end], length, order[:n_sets])


@kernel
def _order_by_key(bits: int, n_sets: int, keys: Words, order: Codes, other_keys: Words, other: Codes) -> None:
    """Sort sets by keys of so many bits, a digit at a time; sets with the same key keep their order."""
    for low in range(0, bits, _DIGIT):
        shift, mask = np.uint64(low), np.uint64((1 << _DIGIT) - 1)
        ends = np.zeros((1 << _DIGIT) + 1, dtype=np.int64)
        for at in range(n_sets):
            ends[np.int64(keys[at] >> shift & mask) + 1] += 1
        if ends[np.int64(keys[0] >> shift & mask) + 1] == n_sets:
            continue
        for digit in range(1 << _DIGIT):
            ends[digit + 1] += ends[digit]
        for at in range(n_sets):
            value = np.int64(keys[at] >> shift & mask)
            other_keys[ends[value]], other[ends[value]] = keys[at], order[at]
            ends[value] += 1
        for at in range(n_sets):
            keys[at], order[at] = other_keys[at], other[at]


@kernel
def _order_by_merging(items: Codes, length: int, order: Codes, other: Codes) -> None:
    """Sort sets by merging ever longer runs of them."""
    n_sets, run = len(order), 1
    while run < n_sets:
        for begin in range(0, n_sets, 2 * run):
            left, right = begin, begin + run if begin + run < n_sets else n_sets
            left_end, right_end = right, right + run if right + run < n_sets else n_sets
            for at in range(begin, right_end):
                if right == right_end or (
                    left < left_end and not _precedes(items, length, order[right], order[left])
                ):
                    other[at] = order[left]
                    left += 1
                else:
                    other[at] = order[right]
                    right += 1
        for at in range(n_sets):
            order[at] = other[at]
        run *= 2


@kernel
def _precedes(items: Codes, length: int, one: int, other: int) -> bool:
    """Whether a set comes before another in lexicographic order."""
    first, second = np.int64(one) * length, np.int64(other) * length
    for place in range(length):
        if items[first + place] != items[second + place]:
            return bool(items[first + place] < items[second + place])
    return False


@kernel
def _arrange(items: Codes, supports: Counts, length: int, order: Codes) -> None:
    """Move set ``order[i]`` to place i, cycle by cycle, without a second copy of the sets."""
    held = np.empty(length, dtype=np.int32)
    for start in range(len(order)):
        if order[start] == start:
            continue
        for at in range(length):
            held[at] = items[start * length + at]
        held_support = supports[start]
        place = np.int64(start)
        while order[place] != start:
            source = np.int64(order[place])
            for at in range(length):
                items[place * length + at] = items[source * length + at]
            supports[place] = supports[source]
            order[place] = place
            place = source
        for at in range(length):
            items[place * length + at] = held[at]
        supports[place] = held_support
        order[place] = place
