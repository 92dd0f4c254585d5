"""Many small sets over the same members, one row of 64-bit words each."""

from __future__ import annotations

import numpy as np

from tacit.arrays.bitmaps import popcount
from tacit.arrays.compiled import kernel
from tacit.arrays.sorting import stable_order
from tacit.typing import Bools, Codes, Offsets, Words

_ONE = np.uint64(1)


def pack(marks: Bools) -> Words:
    """Each row of truth values as a mask: bit ``m & 63`` of word ``m >> 6`` is member m.

    >>> pack(np.array([[True, False, True]])).tolist()
    [[5]]
    """
    rows, members = marks.shape
    width = max(1, (members + 63) // 64)
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
    rows, members = np.nonzero(unpack(masks, 64 * masks.shape[1]))
    return np.searchsorted(rows, np.arange(len(masks) + 1)), members.astype(np.int32)


def inverted(offsets: Offsets, members: Codes, n_members: int) -> tuple[Offsets, Codes]:
    """For each member the lists it is in, ascending, in CSR form."""
    order = stable_order(members)
    rows = np.repeat(np.arange(len(offsets) - 1, dtype=np.int32), np.diff(offsets))[order]
    return np.searchsorted(members[order], np.arange(n_members + 1)), rows
