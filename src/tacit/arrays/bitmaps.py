"""Sets of numbers as bitmaps: 64 members to a word, intersected and counted a word at a time.

A bitmap is ``width`` words from ``start`` on inside one array of words, so that thousands of them
share an array. Places in the array are unsigned: a signed index may be negative, and the check for
that keeps the compiler from working on several words at once.

Masks are many small sets over the same members, one row of words each.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.compiled import kernel, popcount
from tacit.typing import AnyArray, Bools, Codes, Offsets, Words

_ONE = np.uint64(1)
_LOW = np.uint64(63)
_SHIFT = np.uint64(6)


@kernel
def words_for(members: int) -> int:
    """How many words a bitmap over so many members takes."""
    return (members + 63) >> 6


@kernel
def intersect(one: Words, first: int, second: int, target: Words, start: int, width: int) -> int:
    """Write the intersection of two bitmaps of ``one`` into ``target``; return how many members it has."""
    count = 0
    left, right, into = np.uint64(first), np.uint64(second), np.uint64(start)
    for word in range(np.uint64(width)):
        both = one[left + word] & one[right + word]
        target[into + word] = both
        count += popcount(both)
    return count


@kernel
def renumber(
    source: Words, prefix: int, words: Words, first: int, width: int, n_bitmaps: int, members: Codes
) -> None:
    """Narrow bitmaps to the members of another: its i-th member becomes member i, the rest is dropped.

    The other bitmap begins at ``prefix`` in ``source``; those to narrow lie one after the other from
    ``first`` on in ``words`` and afterwards take as many words as the members need. ``members`` is
    room for the members.
    """
    n_members = members_of(source, prefix, width, members)
    narrow = words_for(n_members)
    for number in range(n_bitmaps):
        pick(words, first + number * width, members, n_members, words, first + number * narrow)


@kernel
def pick(one: Words, first: int, members: Codes, n_members: int, target: Words, start: int) -> None:
    """Renumber one bitmap: member ``members[i]`` of it becomes member ``i``; the others are dropped.

    The target may overlap the bitmap from its first word on, because ascending members are read no
    later than their new place is written.
    """
    source, into = np.uint64(first), np.uint64(start)
    for begin in range(0, n_members, 64):
        packed = np.uint64(0)
        for at in range(begin, begin + 64 if begin + 64 < n_members else n_members):
            member = np.uint64(members[np.uint64(at)])
            bit = (one[source + (member >> _SHIFT)] >> (member & _LOW)) & _ONE
            packed |= bit << np.uint64(at - begin)
        target[into + np.uint64(begin >> 6)] = packed


@kernel
def members_of(words: Words, start: int, width: int, members: Codes) -> int:
    """Write the members of a bitmap, ascending, into ``members``; return how many there are."""
    count = 0
    for word in range(width):
        rest = words[start + word]
        while rest:
            members[count] = (word << 6) + popcount(~rest & (rest - _ONE))
            count += 1
            rest &= rest - _ONE
    return count


def no_members(rows: int, members: int) -> Words:
    """Masks over so many members that have none yet."""
    return np.zeros((rows, max(1, (members + 63) // 64)), dtype=np.uint64)


def masks_of(numbers: AnyArray) -> Words:
    """For each number, the mask of the places that have it."""
    places = np.arange(len(numbers))
    masks = no_members(int(numbers.max(initial=-1)) + 1, len(numbers))
    np.bitwise_or.at(masks, (numbers, places >> 6), np.uint64(1) << (places & 63).astype(np.uint64))
    return masks


def pack(marks: Bools) -> Words:
    """Each row of truth values as a mask: bit ``m & 63`` of word ``m >> 6`` is member m.

    >>> pack(np.array([[True, False, True]])).tolist()
    [[5]]
    """
    rows, members = marks.shape
    width = no_members(0, members).shape[1]
    padded = np.zeros((rows, width * 64), dtype=np.bool_)
    padded[:, :members] = marks
    packed = np.packbits(padded, axis=1, bitorder="little")
    return packed.view("<u8").astype(np.uint64, copy=False).reshape(rows, width)


def unpack(masks: Words, members: int) -> Bools:
    """The truth values behind the masks."""
    octets = np.ascontiguousarray(masks).astype("<u8", copy=False).view(np.uint8)
    return np.unpackbits(octets, axis=1, bitorder="little")[:, :members].astype(np.bool_)


@kernel
def has(masks: Words, row: int, member: int) -> bool:
    """Whether a member is in the mask of a row."""
    return bool((masks[row, member >> 6] >> np.uint64(member & 63)) & _ONE)


@kernel
def put(masks: Words, row: int, member: int) -> None:
    """Add a member to the mask of a row."""
    masks[row, member >> 6] |= _ONE << np.uint64(member & 63)


@kernel
def size(masks: Words, row: int) -> int:
    """How many members the mask of a row has."""
    count = 0
    for word in range(masks.shape[1]):
        count += popcount(masks[row, word])
    return count


def lists(masks: Words) -> tuple[Offsets, Codes]:
    """The members of every mask, ascending, in CSR form."""
    rows, words = np.nonzero(masks)  # most words are empty where members are many
    at, bits = np.nonzero(unpack(masks[rows, words][:, np.newaxis], 64))
    members = 64 * words[at] + bits
    return np.searchsorted(rows[at], np.arange(len(masks) + 1)), members.astype(np.int32)
