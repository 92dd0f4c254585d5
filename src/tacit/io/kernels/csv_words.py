"""Text eight bytes at a time: the first of a few wanted bytes in a word, without a branch per byte.

A word holds eight bytes, the first in its lowest bits. The test for bytes equal to a wanted one is
the classic one on the difference [1]: it may mark bytes above a true match but none below the first,
and only the first is asked for.

[1] H. S. Warren. Hacker's Delight, 2nd edition. Addison-Wesley, 2012. Section 6-1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.typing import Bytes

# isort: split
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

ONES = np.uint64(0x0101010101010101)
HIGHS = np.uint64(0x8080808080808080)
LINE_FEEDS = np.uint64(0x0A0A0A0A0A0A0A0A)
RETURNS = np.uint64(0x0D0D0D0D0D0D0D0D)
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
NONE = np.uint64(0)


def _load_word(_context: Any, text: Any, _position: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        place = builder.gep(array.data, [arguments[1]])
        pointer = context.get_value_type(types.uint64).as_pointer()
        return builder.load(builder.bitcast(place, pointer), align=1)

    return types.uint64(text, types.int64), generate


def _first_mark(_context: Any, _marked: Any) -> Any:
    def generate(_target: Any, builder: Any, _signature: Any, words: Any) -> Any:
        zeros = builder.cttz(words[0], cgutils.true_bit)
        return builder.lshr(zeros, zeros.type(3))

    return types.int64(types.uint64), generate


load_word = cast("Callable[[Bytes, int], np.uint64]", intrinsic(_load_word))
"""The eight bytes from a position on; the caller knows that the text holds them."""

first_mark = cast("Callable[[np.uint64], int]", intrinsic(_first_mark))
"""The place, 0 to 7, of the first marked byte of a word that has one."""


@kernel
def last_word(text: Bytes, position: int) -> np.uint64:
    """The bytes from ``position`` on where fewer than eight are left; line ends stand in for the others."""
    word = LINE_FEEDS
    for place in range(position, text.size):
        shift = np.uint64(8 * (place - position))
        word = (word & ~(np.uint64(0xFF) << shift)) | (np.uint64(text[place]) << shift)
    return word


@kernel
def word_at(text: Bytes, position: int) -> np.uint64:
    """The eight bytes from ``position`` on; beyond the text come line ends."""
    if position + 8 <= text.size:
        return load_word(text, position)
    return last_word(text, position)


@kernel
def marks(word: np.uint64, pattern: np.uint64) -> np.uint64:
    """A word in which the first byte that equals the pattern's is marked in its highest bit."""
    difference = word ^ pattern
    return (difference - ONES) & ~difference & HIGHS


@kernel
def low_bytes(word: np.uint64, count: int) -> np.uint64:
    """The first ``count`` bytes, 1 to 8, of a word; the others are zero."""
    return word & (ALL >> np.uint64(64 - 8 * count))
