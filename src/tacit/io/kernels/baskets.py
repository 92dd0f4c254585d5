"""Lines of cells separated by a delimiter, with quotes as in CSV [1], in one pass over the bytes.

A line is a row and may hold any number of cells. Blanks around a cell are no part of it unless they
stand inside its quotes, and an empty cell is no token. Inside quotes everything is text, line ends
too, and a quote is written twice; such a token keeps its outer quotes, so that it cannot be taken
for an unquoted one of the same bytes.

[1] Y. Shafranovich. Common Format and MIME Type for Comma-Separated Values (CSV) Files. RFC 4180, 2005.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.io.kernels.tokens import Split
from tacit.typing import Bytes, Offsets

OPEN_QUOTE, STRAY_QUOTE, AFTER_QUOTE = 1, 2, 3
"""What the split refuses: a quote never closed, one inside an unquoted cell, text after a closing one."""

_PART, _BLANK, _END, _DELIMITER = 0, 1, 2, 3
_NEWLINE, _RETURN, _QUOTE = 10, 13, 34


def cell_split(delimiter: bytes) -> Split:
    """The split (see ``tacit.io.kernels.tokens``) of lines into cells; the delimiter is one byte."""
    kinds = np.full(256, _PART, dtype=np.uint8)
    kinds[list(b" \t")] = _BLANK
    kinds[list(b"\n\r")] = _END
    kinds[delimiter[0]] = _DELIMITER
    return lambda data, at, starts, stops, ends: _split(data, at, starts, stops, ends, kinds)


@kernel
def _split(
    data: Bytes, at: int, starts: Offsets, stops: Offsets, ends: Offsets, kinds: Bytes
) -> tuple[int, int, int]:
    end = len(data)
    n_rows = n_tokens = 0
    while at < end and n_rows < len(ends):
        line = at
        while True:  # one cell at a time
            while at < end and kinds[data[at]] == _BLANK:
                at += 1
            start = stop = at
            if at < end and data[at] == _QUOTE:
                doubled = False
                at += 1
                while at < end and (data[at] != _QUOTE or (at + 1 < end and data[at + 1] == _QUOTE)):
                    if data[at] == _QUOTE:
                        doubled = True
                        at += 1
                    at += 1
                if at >= end:
                    return start, n_rows, OPEN_QUOTE
                start, stop = (start, at + 1) if doubled else (start + 1, at)
                at += 1
                while at < end and kinds[data[at]] == _BLANK:
                    at += 1
                if at < end and kinds[data[at]] == _PART:
                    return at, n_rows, AFTER_QUOTE
            else:
                while at < end and kinds[data[at]] <= _BLANK:
                    if data[at] == _QUOTE:
                        return at, n_rows, STRAY_QUOTE
                    if kinds[data[at]] == _PART:
                        stop = at + 1
                    at += 1
            if stop > start:
                if n_tokens == len(starts):
                    return line, n_rows, 0  # this line goes into the next block
                starts[n_tokens], stops[n_tokens] = start, stop
                n_tokens += 1
            if at >= end or kinds[data[at]] == _END:
                break
            at += 1
        ends[n_rows] = n_tokens
        n_rows += 1
        at += 2 if at + 1 < end and data[at] == _RETURN and data[at + 1] == _NEWLINE else 1
    return at, n_rows, 0
