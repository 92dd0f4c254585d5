"""The grammar of JSON [1], as functions that say where a value ends.

Each takes the bytes and the place where something begins and returns the place after it, or -1
where the text is not JSON. A line end is no white space here: a value stands on one line.

[1] T. Bray. The JavaScript Object Notation (JSON) Data Interchange Format. RFC 8259, 2017.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.typing import Bytes

DEEPEST = 64
"""Values nested deeper than this are refused."""

_QUOTE, _BACKSLASH, _COMMA, _COLON, _MINUS, _PLUS, _POINT, _ZERO, _NINE = 34, 92, 44, 58, 45, 43, 46, 48, 57
_OPEN_ARRAY, _CLOSE_ARRAY, _OPEN_OBJECT, _CLOSE_OBJECT = 91, 93, 123, 125
_LETTER_E, _LETTER_F, _LETTER_N, _LETTER_T, _LETTER_U = 101, 102, 110, 116, 117
_ESCAPED = (34, 92, 47, 98, 102, 110, 114, 116)
_TRUE, _FALSE, _NULL = (116, 114, 117, 101), (102, 97, 108, 115, 101), (110, 117, 108, 108)


@kernel
def skip_blanks(data: Bytes, at: int) -> int:
    """The place of the first byte that is no blank."""
    while at < len(data) and (data[at] == 32 or data[at] == 9):
        at += 1
    return at


@kernel
def string_end(data: Bytes, at: int) -> int:
    """The place after a string that should begin here."""
    end = len(data)
    if at >= end or data[at] != _QUOTE:
        return -1
    at += 1
    while at < end:
        byte = data[at]
        if byte == _QUOTE:
            return at + 1
        if byte < 32:
            return -1
        if byte == _BACKSLASH:
            at += 1
            if at >= end:
                return -1
            if data[at] == _LETTER_U:
                for _ in range(4):
                    at += 1
                    if at >= end or not _is_hexadecimal(data[at]):
                        return -1
            elif data[at] not in _ESCAPED:
                return -1
        at += 1
    return -1


@kernel
def scalar_end(data: Bytes, at: int) -> int:
    """The place after a string, a number, ``true``, ``false`` or ``null`` that should begin here."""
    if at >= len(data):
        return -1
    byte = data[at]
    if byte == _QUOTE:
        return string_end(data, at)
    if byte == _LETTER_T:
        return _word_end(data, at, _TRUE)
    if byte == _LETTER_F:
        return _word_end(data, at, _FALSE)
    if byte == _LETTER_N:
        return _word_end(data, at, _NULL)
    return _number_end(data, at)


@kernel
def key_end(data: Bytes, at: int) -> int:
    """The place after a key, its colon and the blanks that follow."""
    at = string_end(data, at)
    if at < 0:
        return -1
    at = skip_blanks(data, at)
    if at >= len(data) or data[at] != _COLON:
        return -1
    return skip_blanks(data, at + 1)


@kernel
def value_end(data: Bytes, at: int) -> int:
    """The place after any value that should begin here, however it is nested."""
    end = len(data)
    depth, objects = 0, np.uint64(0)  # the lowest bit of objects: whether the innermost is an object
    while True:
        if at >= end:
            return -1
        byte = data[at]
        if byte == _OPEN_ARRAY or byte == _OPEN_OBJECT:  # noqa: SIM109 - compiled, two tests are faster
            depth += 1
            if depth > DEEPEST:
                return -1
            objects = (objects << np.uint64(1)) | np.uint64(byte == _OPEN_OBJECT)
            at = skip_blanks(data, at + 1)
            if at >= end:
                return -1
            if data[at] != (_CLOSE_OBJECT if byte == _OPEN_OBJECT else _CLOSE_ARRAY):
                if byte == _OPEN_OBJECT:
                    at = key_end(data, at)
                    if at < 0:
                        return -1
                continue
        else:
            at = scalar_end(data, at)
            if at < 0:
                return -1
        while depth > 0:  # a value has ended: its container goes on or ends too
            at = skip_blanks(data, at)
            if at >= end:
                return -1
            inside_object = objects & np.uint64(1) == np.uint64(1)
            if data[at] == _COMMA:
                at = skip_blanks(data, at + 1)
                if inside_object:
                    at = key_end(data, at)
                    if at < 0:
                        return -1
                break
            if data[at] != (_CLOSE_OBJECT if inside_object else _CLOSE_ARRAY):
                return -1
            at += 1
            depth -= 1
            objects >>= np.uint64(1)
        if depth == 0:
            return at


@kernel
def _number_end(data: Bytes, at: int) -> int:
    end = len(data)
    if at < end and data[at] == _MINUS:
        at += 1
    first = at
    at = _digits_end(data, at)
    if at == first or (data[first] == _ZERO and at > first + 1):
        return -1
    if at < end and data[at] == _POINT:
        first = at + 1
        at = _digits_end(data, first)
        if at == first:
            return -1
    if at < end and data[at] | 32 == _LETTER_E:
        at += 1
        if at < end and (data[at] == _PLUS or data[at] == _MINUS):
            at += 1
        first = at
        at = _digits_end(data, first)
        if at == first:
            return -1
    return at


@kernel
def _digits_end(data: Bytes, at: int) -> int:
    while at < len(data) and _ZERO <= data[at] <= _NINE:
        at += 1
    return at


@kernel
def _word_end(data: Bytes, at: int, word: tuple[int, ...]) -> int:
    for letter in word:
        if at >= len(data) or data[at] != letter:
            return -1
        at += 1
    return at


@kernel
def _is_hexadecimal(byte: int) -> bool:
    return _ZERO <= byte <= _NINE or 97 <= byte | 32 <= 102
