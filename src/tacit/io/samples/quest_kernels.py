"""Sets put together from weighted, corrupted groups of members.

The kernel behind the Quest-like sample: groups are drawn by weight, lose members at random, and
fill sets up to a drawn size. It works on whole numbers alone, and its whole state is in the
arguments, so that drawing sets in pieces gives the same sets as drawing them at once.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.arrays.interrupt import Flag
from tacit.typing import Codes, Offsets, Words

_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_HALF = np.uint64(1 << 31)
_MANY = 64  # members; beyond this an insertion sort is the slower one


@kernel
def fill_sets(
    count: int,
    indptr: Offsets,
    members: Codes,
    cumulative: Words,
    dropped: Words,
    sizes: Words,
    n_members: int,
    state: Words,
    flag: Flag,
) -> tuple[Offsets, Codes]:
    """``count`` sets in compressed sparse row form, members ascending.

    Group g is ``members[indptr[g] : indptr[g + 1]]``, drawn with the
    cumulative probability ``cumulative[g]`` / 2^32; a member of it is dropped with probability
    ``dropped[g]`` / 2^32, again and again until one is not. A set is wanted with at most 1 + i
    members with probability ``sizes[i]`` / 2^32. ``state`` holds the random state and
    1 + the group that was moved to the next set (0: none), and is brought up to date.
    """
    longest = 0
    for group in range(len(indptr) - 1):
        longest = max(longest, indptr[group + 1] - indptr[group])
    hand = np.empty(longest, dtype=np.int32)
    owner = np.full(n_members, -1, dtype=np.int64)
    found = np.empty(count * (len(sizes) // 2 + 1) + longest, dtype=np.int32)
    offsets = np.zeros(count + 1, dtype=np.int64)
    end = 0
    for number in range(count):
        if number & 4095 == 0 and flag[0]:
            break
        start = end
        wanted = min(n_members, 1 + int(np.searchsorted(sizes, _word(state) >> np.uint64(32), side="right")))
        if end + wanted + longest > len(found):
            grown = np.empty(2 * len(found) + wanted + longest, dtype=np.int32)
            grown[:end] = found[:end]
            found = grown
        # Groups may have nothing new to give: a set is given up as full after many of them.
        for _ in range(100 + 10 * wanted):
            if end - start >= wanted:
                break
            if state[1]:
                group = int(state[1]) - 1
                state[1] = np.uint64(0)
            else:
                group = int(np.searchsorted(cumulative, _word(state) >> np.uint64(32), side="right"))
            first = indptr[group]
            size = indptr[group + 1] - first
            kept = size
            while kept > 0 and (_word(state) >> np.uint64(32)) < dropped[group]:
                kept -= 1
            # A group that does not fit is put in all the same in half the cases, else moved to the next set.
            if end - start + kept > wanted and end > start and (_word(state) >> np.uint64(32)) < _HALF:
                state[1] = np.uint64(group + 1)
                break
            hand[:size] = members[first : first + size]
            for place in range(kept):
                other = place + np.int64(_below(state, np.uint64(size - place)))
                member = hand[other]
                hand[other] = hand[place]
                if owner[member] != number:
                    owner[member] = number
                    found[end] = member
                    end += 1
        _sort(found[start:end])
        offsets[number + 1] = end
    return offsets, found[:end].copy()


@kernel
def _word(state: Words) -> np.uint64:
    """The next 64 uniform bits (SplitMix64: Steele, Lea and Flood, OOPSLA 2014)."""
    state[0] += _STEP
    word: np.uint64 = state[0]
    word = (word ^ (word >> np.uint64(30))) * _MIX1
    word = (word ^ (word >> np.uint64(27))) * _MIX2
    return word ^ (word >> np.uint64(31))


@kernel
def _below(state: Words, bound: np.uint64) -> np.uint64:
    """A whole number in [0, bound), for a bound of at most 2^32."""
    return ((_word(state) >> np.uint64(32)) * bound) >> np.uint64(32)


@kernel
def _sort(members: Codes) -> None:
    """Ascending, in place; sets are short, and insertion is the fastest for them."""
    if len(members) > _MANY:
        members.sort()
        return
    for place in range(1, len(members)):
        member = members[place]
        before = place - 1
        while before >= 0 and members[before] > member:
            members[before + 1] = members[before]
            before -= 1
        members[before + 1] = member
