"""Rows of tokens in a text, with the distinct tokens numbered as they first occur.

A token is a run of bytes ``data[start:stop]``. A splitting kernel finds the tokens of whole rows,
block by block; the numbering keeps an open-addressed table of where each distinct token first
stands, so no text is copied. Blocks are small enough to stay in the processor's cache, and Ctrl-C
is obeyed between two of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.typing import Bytes, Codes, Offsets, Words

Split = Callable[[Bytes, int, Offsets, Offsets, Offsets], tuple[int, int, int]]
"""``split(data, at, starts, stops, ends)`` finds the tokens of as many whole rows from byte ``at`` on as
``starts`` and ``stops`` have room for, and writes into ``ends`` the number of tokens up to the end of
each row. It returns where it stopped, the number of rows, and 0; or where it stopped, the rows
before, and a number of its own (not 0) for what it could not accept there."""

_BLOCK = 1 << 14


@dataclass(frozen=True, slots=True)
class TokenRows:
    """Row ``r`` holds the tokens ``codes[indptr[r] : indptr[r + 1]]``.

    Token ``c`` first stands at ``data[starts[c] : stops[c]]``. ``refusal`` is 0, or what the split
    could not accept at byte ``at``; the rows are then those before it.
    """

    indptr: Offsets
    codes: Codes
    starts: Offsets
    stops: Offsets
    refusal: int
    at: int


def split_rows(data: Bytes, split: Split) -> TokenRows:
    """The rows of tokens that ``split`` finds in the data."""
    numbering = Numbering(data)
    starts, stops = np.empty(_BLOCK, dtype=np.int64), np.empty(_BLOCK, dtype=np.int64)
    ends = np.empty(_BLOCK, dtype=np.int64)
    codes, row_ends = [], []
    n_tokens = at = refusal = 0
    while at < len(data) and not refusal:
        at, n_rows, refusal = split(data, at, starts, stops, ends)
        if n_rows:
            found = int(ends[n_rows - 1])
            codes.append(numbering.number(starts[:found], stops[:found]))
            row_ends.append(ends[:n_rows] + n_tokens)
            n_tokens += found
        elif at < len(data) and not refusal:  # a row longer than the block
            starts, stops = (
                np.empty(2 * len(starts), dtype=np.int64),
                np.empty(2 * len(stops), dtype=np.int64),
            )
    return TokenRows(
        np.concatenate([np.zeros(1, dtype=np.int64), *row_ends]),
        np.concatenate(codes) if codes else np.empty(0, dtype=np.int32),
        *numbering.places(),
        refusal,
        at,
    )


class Numbering:
    """Numbers for the distinct tokens of one text, in the order in which they are first asked for."""

    def __init__(self, data: Bytes) -> None:
        self._data = data
        self._held = 0
        self._slots = np.full(1 << 10, -1, dtype=np.int32)
        self._marks = np.empty(1 << 9, dtype=np.uint64)
        self._starts = np.empty(1 << 9, dtype=np.int64)
        self._stops = np.empty(1 << 9, dtype=np.int64)

    def number(self, starts: Offsets, stops: Offsets) -> Codes:
        """The number of each of these tokens."""
        codes = np.empty(len(starts), dtype=np.int32)
        done = 0
        while done < len(starts):
            done, self._held = _number(
                self._data,
                starts,
                stops,
                codes,
                done,
                self._held,
                self._slots,
                self._marks,
                self._starts,
                self._stops,
            )
            if done < len(starts):  # half of the slots are taken
                self._marks, self._starts, self._stops = (
                    np.concatenate([array, np.empty_like(array)])
                    for array in (self._marks, self._starts, self._stops)
                )
                self._slots = _slots_for(self._marks[: self._held], 2 * len(self._slots))
        return codes

    def places(self) -> tuple[Offsets, Offsets]:
        """Where each distinct token first stands: its starts and stops."""
        return self._starts[: self._held].copy(), self._stops[: self._held].copy()


@kernel
def _number(
    data: Bytes,
    starts: Offsets,
    stops: Offsets,
    codes: Codes,
    done: int,
    held: int,
    slots: Codes,
    marks: Words,
    first_starts: Offsets,
    first_stops: Offsets,
) -> tuple[int, int]:
    last = np.uint64(len(slots) - 1)
    for token in range(done, len(starts)):
        start, length = starts[token], stops[token] - starts[token]
        mark = np.uint64(length)
        for at in range(start, start + length):
            mark = (((mark << np.uint64(5)) | (mark >> np.uint64(59))) ^ np.uint64(data[at])) * np.uint64(
                0x9E3779B97F4A7C15
            )
        slot = (mark ^ (mark >> np.uint64(32))) & last
        while slots[slot] >= 0:
            code = slots[slot]
            if marks[code] == mark and first_stops[code] - first_starts[code] == length:
                first, same = first_starts[code], 0
                while same < length and data[first + same] == data[start + same]:
                    same += 1
                if same == length:
                    break
            slot = (slot + np.uint64(1)) & last
        if slots[slot] < 0:
            if held == len(marks):
                return token, held
            slots[slot] = held
            marks[held], first_starts[held], first_stops[held] = mark, start, start + length
            held += 1
        codes[token] = slots[slot]
    return len(starts), held


@kernel
def _slots_for(marks: Words, size: int) -> Codes:
    slots = np.full(size, -1, dtype=np.int32)
    last = np.uint64(size - 1)
    for code in range(len(marks)):
        slot = (marks[code] ^ (marks[code] >> np.uint64(32))) & last
        while slots[slot] >= 0:
            slot = (slot + np.uint64(1)) & last
        slots[slot] = code
    return slots
