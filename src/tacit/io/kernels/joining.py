"""Rows of codes written out as text: the inverse of splitting.

A row is a head, the pieces of its codes with a separator between them, and one of a few tails.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.typing import Bytes, Codes, Offsets

_BLOCK = 1 << 20
"""How many codes are written out at a time."""


def join_rows(
    indptr: Offsets,
    codes: Codes,
    pieces: Sequence[bytes],
    *,
    head: bytes = b"",
    separator: bytes,
    tails: Sequence[bytes],
    row_tails: Codes,
) -> Iterator[memoryview]:
    """The text of the rows, block by block; row ``r`` ends with ``tails[row_tails[r]]``."""
    text, text_ends = _gathered(pieces)
    tail, tail_ends = _gathered(tails)
    edges = np.frombuffer(head, dtype=np.uint8), np.frombuffer(separator, dtype=np.uint8)
    n_rows = len(indptr) - 1
    row = 0
    while row < n_rows:
        stop = max(row + 1, int(np.searchsorted(indptr, indptr[row] + _BLOCK, side="right")) - 1)
        stop = min(stop, row + _BLOCK, n_rows)
        span = indptr[row : stop + 1]
        yield _join(span, codes, text, text_ends, *edges, tail, tail_ends, row_tails[row:stop]).data
        row = stop


def _gathered(pieces: Sequence[bytes]) -> tuple[Bytes, Offsets]:
    ends = np.cumsum([0, *map(len, pieces)], dtype=np.int64)
    return np.frombuffer(b"".join(pieces), dtype=np.uint8), ends


@kernel
def _join(
    indptr: Offsets,
    codes: Codes,
    text: Bytes,
    text_ends: Offsets,
    head: Bytes,
    separator: Bytes,
    tail: Bytes,
    tail_ends: Offsets,
    row_tails: Codes,
) -> Bytes:
    n_rows = len(indptr) - 1
    size = n_rows * len(head) + (indptr[-1] - indptr[0]) * len(separator)
    for at in range(indptr[0], indptr[-1]):
        size += text_ends[codes[at] + 1] - text_ends[codes[at]]
    for row in range(n_rows):
        size += tail_ends[row_tails[row] + 1] - tail_ends[row_tails[row]]
    joined = np.empty(size, dtype=np.uint8)
    place = 0
    for row in range(n_rows):
        for byte in head:
            joined[place] = byte
            place += 1
        for at in range(indptr[row], indptr[row + 1]):
            if at > indptr[row]:
                for byte in separator:
                    joined[place] = byte
                    place += 1
            for byte in text[text_ends[codes[at]] : text_ends[codes[at] + 1]]:
                joined[place] = byte
                place += 1
        for byte in tail[tail_ends[row_tails[row]] : tail_ends[row_tails[row] + 1]]:
            joined[place] = byte
            place += 1
    return joined[:place]
