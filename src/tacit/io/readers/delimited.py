"""Delimited text: a cheap look at its bytes, and its cells as the frame library reads them.

The library reads quickly and lets much pass: short records, blank lines, stray quotes. So a look with
numpy, piece by piece, finds the delimiters and line ends outside quotes and whether every quote stands
where it may; where one does not, :mod:`tacit.io.readers.second_look` says so with the line.

A quote may stand only at both ends of a cell, and doubled inside (RFC 4180 [1]). ``\\n``, ``\\r\\n`` and a
lone ``\\r`` end a line; the end of the text ends a last line that holds anything.

[1] Y. Shafranovich. Common Format and MIME Type for CSV Files. RFC 4180, 2005.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from tacit.typing import Bools, Bytes, Codes, Offsets

PIECE = 1 << 24
"""About how many bytes are read at a time: what is held beside the text and its codes stays small."""
FEED, RETURN = b"\n\r"
MISSING = np.uint32(0xFFFFFFFF)
"""The number of an empty cell, which is -1 as a code."""


@dataclass(frozen=True, slots=True)
class Signs:
    """The bytes that part cells, the quote, and the blanks before and after a cell that are no part of it."""

    delimiters: bytes
    quote: bytes = b""
    before: bytes = b""
    after: bytes = b""


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """Whole lines of a text, from the byte ``start`` on; the last one has a line end, given or not.

    ``marks`` are the places in ``text`` of the delimiters and line ends outside quotes, ``\\r\\n`` as one
    at its first byte; ``ends`` says which of them end a line. ``sound``: every quote stands where it may.
    """

    start: int
    text: bytes
    marks: Offsets
    ends: Bools
    sound: bool

    @property
    def n_lines(self) -> int:
        return int(np.count_nonzero(self.ends))

    def trimmed(self, signs: Signs) -> Piece:
        """The piece without the blanks around its cells."""
        return _piece(self.start, _without_blanks(self._plain(), signs), signs)

    def frame(self, types: Mapping[int, pl.DataType], width: int, signs: Signs) -> pl.DataFrame:
        """The cells of the columns that have a type here, of lines that have ``width`` cells each."""
        return _parsed(self._plain(), types, width, chr(signs.delimiters[0]), signs)

    def cells(self, kind: pl.DataType, signs: Signs) -> pl.Series:
        """All cells one after the other, the last of a line before the first of the next."""
        return _parsed(self._with_feeds(self.marks), {0: kind}, 1, "\0", signs).to_series()

    def _plain(self) -> bytes:
        """The text without a lone ``\\r`` as line end, which the library does not know."""
        return self._with_feeds(self.marks[self.ends]) if b"\r" in self.text else self.text

    def _with_feeds(self, marks: Offsets) -> bytes:
        """The text with ``\\n`` at these marks, but for a ``\\r\\n``, which stays."""
        text = np.frombuffer(self.text, dtype=np.uint8).copy()
        pair = (text[marks] == RETURN) & (text[np.minimum(marks + 1, len(text) - 1)] == FEED)
        text[marks[~pair]] = FEED
        return text.tobytes()


class Dictionary:
    """The distinct cells of a column, numbered by the frame library while pieces are read."""

    def __init__(self) -> None:
        self._categories = pl.Categories.random()
        self.kind = pl.Categorical(self._categories)
        self._pieces: list[pl.Series] = []

    def add(self, cells: pl.Series) -> None:
        """Take the cells of the next piece."""
        self._pieces.append(cells)

    def codes(self) -> tuple[Codes, list[str]]:
        """The number of each cell, -1 for an empty one, and the text of each number; texts may be unused."""
        numbers = [piece.to_physical().fill_null(MISSING).to_numpy() for piece in self._pieces]
        codes = np.concatenate([np.empty(0, dtype=np.uint32), *numbers]).view(np.int32)
        count = int(codes.max(initial=-1)) + 1
        return codes, [str(self._categories[number]) for number in range(count)]


def pieces(data: bytes, signs: Signs, *, start: int = 0, stop: int | None = None) -> Iterator[Piece]:
    """The lines from ``start`` to ``stop`` in pieces of about ``PIECE`` bytes; a line is never cut."""
    stop = len(data) if stop is None else stop
    while start < stop:
        size, cut = PIECE, 0
        while not cut:
            cut = _cut(data, start, min(start + size, stop), signs) if start + size < stop else stop
            size *= 2  # not one line ends here: a long one, or a quote that was never closed
        text = data[start:cut]
        yield _piece(start, text if text.endswith((b"\n", b"\r")) else text + b"\n", signs)
        start = cut


def line_start(data: bytes, signs: Signs, number: int, *, start: int = 0, stop: int | None = None) -> int:
    """Where a line begins, counted from 0 at ``start``."""
    for piece in pieces(data, signs, start=start, stop=stop):
        ends = piece.marks[piece.ends]
        if number < len(ends):
            return piece.start + (_after(piece.text, int(ends[number - 1])) if number else 0)
        number -= len(ends)
    raise ValueError("The text has fewer lines.")


def _cut(data: bytes, start: int, stop: int, signs: Signs) -> int:
    """Where the last line that ends between two places does; 0 where none does."""
    if not signs.quote or data.find(signs.quote, start, stop) < 0:
        cut = data.rfind(b"\n", start, stop) + 1
        if cut:
            return cut
    piece = _piece(start, data[start:stop], signs)
    ends = piece.marks[piece.ends]
    ends = ends[ends + 1 < stop - start]  # the last byte may be half of a line end
    return start + _after(piece.text, int(ends[-1])) if len(ends) else 0


def _piece(start: int, text: bytes, signs: Signs) -> Piece:
    """A text of whole lines as a piece."""
    array = np.frombuffer(text, dtype=np.uint8)
    wanted = array == FEED
    returns = b"\r" in text
    for sign in signs.delimiters + (b"\r" if returns else b""):
        wanted |= array == sign
    sound = True
    if signs.quote and signs.quote in text:
        quotes = array == signs.quote[0]
        wanted &= _outside(quotes)
        sound = _sound(array, np.flatnonzero(quotes), signs)
    marks = np.flatnonzero(wanted)
    kinds = array[marks]
    ends = kinds == FEED
    if returns:
        first = ~(ends & (marks > 0) & (array[marks - 1] == RETURN))
        marks, ends = marks[first], (ends | (kinds == RETURN))[first]
    return Piece(start, text, marks, ends, sound)


def _outside(quotes: Bools) -> Bools:
    """Which bytes stand outside quotes: those with an even number of quotes up to them."""
    outside: Bools = np.cumsum(quotes, dtype=np.uint8) & 1 == 0  # the sum may wrap: its lowest bit is right
    return outside


def _sound(text: Bytes, quotes: Offsets, signs: Signs) -> bool:
    """Whether quotes open after a mark and close before one; a doubled one closes and opens again."""
    if len(quotes) % 2:
        return False
    allowed = np.zeros(256, dtype=bool)
    allowed[list(signs.delimiters + signs.quote + b"\r\n")] = True
    opening, closing = quotes[0::2], quotes[1::2]
    before = allowed[text[opening - 1]] | (opening == 0)
    after = allowed[text[np.minimum(closing + 1, len(text) - 1)]] | (closing + 1 == len(text))
    return bool(before.all() and after.all())


def _without_blanks(text: bytes, signs: Signs) -> bytes:
    """The text without the blanks between a mark and a cell, and between a cell and a mark if asked for."""
    array = np.frombuffer(text, dtype=np.uint8)
    blank, marked = np.zeros(len(text), dtype=bool), (array == FEED) | (array == RETURN)
    for sign in signs.before:
        blank |= array == sign
    for sign in signs.delimiters:
        marked |= array == sign
    if signs.quote and signs.quote in text:
        outside = _outside(array == signs.quote[0])
        blank &= outside
        marked &= outside
    places = np.flatnonzero(blank)
    # Blanks in a row go together, as a run from first to last.
    begins = np.flatnonzero(np.diff(places, prepend=-2) != 1)
    lengths = np.diff(begins, append=len(places))
    first, last = places[begins], places[begins + lengths - 1]
    dropped = marked[first - 1] | (first == 0)
    if signs.after:
        dropped |= marked[np.minimum(last + 1, len(text) - 1)] | (last + 1 == len(text))
    kept = np.ones(len(text), dtype=bool)
    kept[places[np.repeat(dropped, lengths)]] = False
    return array[kept].tobytes()


def _parsed(
    data: bytes, types: Mapping[int, pl.DataType], width: int, separator: str, signs: Signs
) -> pl.DataFrame:
    if data.startswith(codecs.BOM_UTF8):  # not at the beginning of a file: the library shall drop another one
        data = codecs.BOM_UTF8 + data
    names = [f"column_{number + 1}" for number in range(width)]
    return pl.read_csv(
        data,
        has_header=False,
        schema={name: types.get(at, pl.String()) for at, name in enumerate(names)},
        columns=[names[at] for at in types],
        separator=separator,
        quote_char=signs.quote.decode() or None,
        raise_if_empty=False,
    )


def _after(text: bytes, mark: int) -> int:
    """The place after the line end that begins at a mark."""
    return mark + (2 if text[mark : mark + 2] == b"\r\n" else 1)
