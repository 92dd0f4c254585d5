"""Lines of JSON, each an array of scalars or an object that holds one, in one pass over the bytes.

A line is a row, and its tokens are the scalars of the array as they are written, quotes included.
An object may also give the row one value of its own.
"""

from __future__ import annotations

import json
import re

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.io.kernels.json_scan import key_end, scalar_end, skip_blanks, value_end
from tacit.io.kernels.tokens import Numbering
from tacit.typing import Bytes, Codes, Offsets

NOT_JSON, NESTED, NO_ARRAY, NO_VALUE, TWO_OF_A_KEY = 1, 2, 3, 4, 5
"""What the split refuses: a line that is not JSON (or neither an array nor an object), an array or a
value that holds something nested, an object without the array or without the value, a key twice."""

_COMMA, _NEWLINE, _RETURN = 44, 10, 13
_OPEN_ARRAY, _CLOSE_ARRAY, _OPEN_OBJECT, _CLOSE_OBJECT = 91, 93, 123, 125


class JsonLines:
    """The split (see ``tacit.io.kernels.tokens``) of JSON lines; the rows' own values are numbered beside.

    ``array_key`` names the array in a line that is an object; ``value_key``, where it is not empty,
    the value of the row, which every line must then give.
    """

    def __init__(self, data: Bytes, *, array_key: str, value_key: str = "") -> None:
        self._array_keys = _spellings(array_key)
        self._value_keys = _spellings(value_key) if value_key else np.empty((0, 0), dtype=np.uint8)
        self._numbering = Numbering(data)
        self._codes: list[Codes] = []

    def __call__(
        self, data: Bytes, at: int, starts: Offsets, stops: Offsets, ends: Offsets
    ) -> tuple[int, int, int]:
        value_starts, value_stops = np.empty_like(ends), np.empty_like(ends)
        at, n_rows, refusal = _split(
            data, at, starts, stops, ends, value_starts, value_stops, self._array_keys, self._value_keys
        )
        if len(self._value_keys):
            self._codes.append(self._numbering.number(value_starts[:n_rows], value_stops[:n_rows]))
        return at, n_rows, refusal

    def values(self) -> tuple[Codes, Offsets, Offsets]:
        """The number of each row's value, and where each distinct value first stands."""
        codes = np.concatenate([np.empty(0, dtype=np.int32), *self._codes])
        return codes, *self._numbering.places()


def _spellings(key: str) -> Bytes:
    """The ways a key is usually written, a row each, padded with zeros: plain, and escaped in either case."""
    escaped = json.dumps(key)
    upper = re.sub(r"\\u([0-9a-f]{4})", lambda found: "\\u" + found[1].upper(), escaped)
    written = [text.encode() for text in dict.fromkeys((json.dumps(key, ensure_ascii=False), escaped, upper))]
    padded = np.zeros((len(written), max(map(len, written))), dtype=np.uint8)
    for row, text in enumerate(written):
        padded[row, : len(text)] = np.frombuffer(text, dtype=np.uint8)
    return padded


# What one line has given so far, int64[4]: the number of tokens, where its value begins and ends
# (0 and 0 before there is one), and why the scan of the line was given up.
_TOKENS, _VALUE_START, _VALUE_STOP, _REASON = 0, 1, 2, 3
_FULL = -1  # there is no room for the line's tokens: it goes into the next block


@kernel
def _split(
    data: Bytes,
    at: int,
    starts: Offsets,
    stops: Offsets,
    ends: Offsets,
    value_starts: Offsets,
    value_stops: Offsets,
    array_keys: Bytes,
    value_keys: Bytes,
) -> tuple[int, int, int]:
    end = len(data)
    found = np.zeros(4, dtype=np.int64)
    n_rows = 0
    while at < end and n_rows < len(ends):
        line = at
        found[_VALUE_START] = found[_VALUE_STOP] = 0
        found[_REASON] = NOT_JSON
        at = first = skip_blanks(data, at)
        if at < end and data[at] == _OPEN_ARRAY:
            at = _array_end(data, at, starts, stops, found)
        elif at < end and data[at] == _OPEN_OBJECT:
            at = _object_end(data, at, starts, stops, found, array_keys, value_keys)
        else:
            at = -1
        if at >= 0:
            at = skip_blanks(data, at)
            if not _line_ends(data, at):
                at = -1
            elif len(value_keys) and found[_VALUE_STOP] == 0:
                found[_REASON] = NO_VALUE
                at = -1
        if at < 0:
            if found[_REASON] == _FULL:
                return line, n_rows, 0
            # Whatever else is wrong with it, a line that is not JSON is called just that.
            whole = value_end(data, first)
            is_json = whole >= 0 and _line_ends(data, skip_blanks(data, whole))
            return line, n_rows, found[_REASON] if is_json else NOT_JSON
        ends[n_rows] = found[_TOKENS]
        value_starts[n_rows], value_stops[n_rows] = found[_VALUE_START], found[_VALUE_STOP]
        n_rows += 1
        at += 2 if at + 1 < end and data[at] == _RETURN and data[at + 1] == _NEWLINE else 1
    return at, n_rows, 0


@kernel
def _array_end(data: Bytes, at: int, starts: Offsets, stops: Offsets, found: Offsets) -> int:
    """The place after the array that begins here, its scalars taken as tokens; -1 where it is refused."""
    end = len(data)
    at = skip_blanks(data, at + 1)
    if at < end and data[at] == _CLOSE_ARRAY:
        return at + 1
    while True:
        start = at
        at = scalar_end(data, start)
        if at < 0:
            found[_REASON] = NESTED
            return -1
        token = found[_TOKENS]
        if token == len(starts):
            found[_REASON] = _FULL
            return -1
        starts[token], stops[token] = start, at
        found[_TOKENS] += 1
        at = skip_blanks(data, at)
        if at < end and data[at] == _CLOSE_ARRAY:
            return at + 1
        if at >= end or data[at] != _COMMA:
            return -1
        at = skip_blanks(data, at + 1)


@kernel
def _object_end(
    data: Bytes,
    at: int,
    starts: Offsets,
    stops: Offsets,
    found: Offsets,
    array_keys: Bytes,
    value_keys: Bytes,
) -> int:
    """The place after the object that begins here, its array and its value taken; -1 where it is refused."""
    end = len(data)
    arrays = values = 0
    at = skip_blanks(data, at + 1)
    while at < end and data[at] != _CLOSE_OBJECT:
        key = at
        start = key_end(data, at)
        if start < 0:
            return -1
        if _is_key(data, key, array_keys):
            arrays += 1
            if start < end and data[start] == _OPEN_ARRAY:
                at = _array_end(data, start, starts, stops, found)
            else:
                at = -1
                found[_REASON] = NO_ARRAY
        elif _is_key(data, key, value_keys):
            at = scalar_end(data, start)
            values += 1
            if at < 0:
                found[_REASON] = NESTED
            found[_VALUE_START], found[_VALUE_STOP] = start, at
        else:
            at = value_end(data, start)
        if at < 0:
            return -1
        if arrays > 1 or values > 1:
            found[_REASON] = TWO_OF_A_KEY
            return -1
        at = skip_blanks(data, at)
        if at < end and data[at] == _COMMA:
            at = skip_blanks(data, at + 1)
            if at < end and data[at] == _CLOSE_OBJECT:
                return -1  # a comma with nothing after it
        elif at >= end or data[at] != _CLOSE_OBJECT:
            return -1
    if at >= end:
        return -1
    if arrays == 0:
        found[_REASON] = NO_ARRAY
        return -1
    return at + 1


@kernel
def _line_ends(data: Bytes, at: int) -> bool:
    return at >= len(data) or data[at] == _NEWLINE or data[at] == _RETURN


@kernel
def _is_key(data: Bytes, at: int, spellings: Bytes) -> bool:
    for row in range(len(spellings)):
        length = spellings.shape[1]
        while length > 0 and spellings[row, length - 1] == 0:
            length -= 1
        if at + length <= len(data):
            same = 0
            while same < length and data[at + same] == spellings[row, same]:
                same += 1
            if same == length:
                return True
    return False
