"""Delimited text: a cheap look at its bytes, and its cells as the frame library reads them.

The library reads quickly and lets much pass: short records, blank lines, stray quotes. So a look with
numpy, piece by piece, finds the delimiters and line ends outside quotes and whether every quote stands
where it may; where one does not, :mod:`tacit.io.readers.delimited` says so with the line.

A quote may stand only at both ends of a cell, and doubled inside (RFC 4180 [1]). ``\n``, ``\r\n`` and a
lone ``\r`` end a line; the end of the text ends a last line that holds anything.

[1] Y. Shafranovich. Common Format and MIME Type for CSV Files. RFC 4180, 2005.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from tacit.errors import InputError, Place
from tacit.io.readers.text import line_at
from tacit.typing import Bools, Bytes, Offsets

PIECE = 1 << 23
"""About how many bytes are read at a time: what is held beside the text and its codes stays small."""
FEED, RETURN = b"\n\r"
Kind = type[pl.String | pl.Int32]
"""What the cells of a column are read as."""
LONGEST = 1 << 20
"""The most bytes a cell of a table may have: a longer one is a quote never closed, or no table."""


@dataclass(frozen=True, slots=True)
class Signs:
    """The bytes that part cells, the quote, and the blanks before and after a cell that are no part of it."""

    delimiters: bytes
    quote: bytes = b""
    before: bytes = b""
    after: bytes = b""


@dataclass(frozen=True, eq=False)
class Piece:
    """Whole lines of a text, from the byte ``start`` on; the last one has a line end, given or not."""

    start: int
    text: bytes
    signs: Signs
    quotes: Offsets
    """The places of the quotes."""

    @cached_property
    def marks(self) -> Offsets:
        """The places of the delimiters and line ends outside quotes, ``\\r\\n`` as one at its first byte."""
        return self._looked_at[0]

    @cached_property
    def ends(self) -> Bools:
        """Which of the marks end a line."""
        return self._looked_at[1]

    @property
    def n_lines(self) -> int:
        return int(np.count_nonzero(self.ends))

    @cached_property
    def sound(self) -> bool:
        """Whether quotes open after a mark and close before one; a doubled one closes and opens again."""
        if len(self.quotes) % 2:
            return False
        text = self._bytes
        allowed = np.zeros(256, dtype=bool)
        allowed[list(self.signs.delimiters + self.signs.quote + b"\r\n")] = True
        opening, closing = self.quotes[0::2], self.quotes[1::2]
        before = allowed[text[opening - 1]] | (opening == 0)
        after = allowed[text[np.minimum(closing + 1, len(text) - 1)]] | (closing + 1 == len(text))
        return bool(before.all() and after.all())

    def even(self, width: int) -> bool:
        """Whether every line has as many cells."""
        return len(self.marks) == width * self.n_lines and bool(self.ends[width - 1 :: width].all())

    def longest_line(self) -> int:
        """How many bytes the longest line has."""
        return int(np.diff(self.marks[self.ends], prepend=-1).max(initial=0))

    def has_lines_within(self, size: int) -> bool:
        """Whether a line feed stands in every so many bytes, which the shortest look shows."""
        starts = range(0, len(self.text) - size, size)
        return all(self.text.find(b"\n", start, start + size) >= 0 for start in starts)

    @property
    def _bytes(self) -> Bytes:
        return np.frombuffer(self.text, dtype=np.uint8)

    @cached_property
    def _looked_at(self) -> tuple[Offsets, Bools]:
        array = self._bytes
        wanted = array == FEED
        returns = b"\r" in self.text
        for sign in self.signs.delimiters + (b"\r" if returns else b""):
            wanted |= array == sign
        marks = _outside(np.flatnonzero(wanted), self.quotes)
        kinds = array[marks]
        ends = kinds == FEED
        if returns:
            first = ~(ends & (marks > 0) & (array[marks - 1] == RETURN))
            marks, ends = marks[first], (ends | (kinds == RETURN))[first]
        return marks, ends

    def trimmed(self) -> Piece:
        """The piece without the blanks around its cells."""
        if not self.signs.before:
            return self
        text = _without_blanks(self._plain(), self.signs)
        return replace(self, text=text, quotes=_quotes(np.frombuffer(text, dtype=np.uint8), self.signs))

    def frame(self, kinds: Sequence[Kind]) -> pl.DataFrame:
        """The cells in lines of one of each kind, an empty one null; all as texts where numbers would not do.

        They do where every number is written in the one shortest way. So long a piece is without a plus
        sign, a needless zero or a blank: all that is left out of a number makes it longer.
        """
        texts: list[Kind] = [pl.String] * len(kinds)
        empty = (self.quotes[1::2] == self.quotes[0::2] + 1).any()  # "" is a text, and no missing number
        if pl.Int32 in kinds and b"\r" not in self.text and not empty:
            with suppress(pl.exceptions.PolarsError):
                frame = self._parsed(kinds)
                if self._size_of(frame) == len(self.text):
                    return frame
        return self._parsed(texts)

    def _parsed(self, kinds: Sequence[Kind]) -> pl.DataFrame:
        return _parsed(self._plain(), kinds, chr(self.signs.delimiters[0]), self.signs)

    def _size_of(self, frame: pl.DataFrame) -> int:
        """How many bytes the cells of this piece take, their numbers written in the shortest way."""
        held = sum(
            int(cells.str.len_bytes().sum()) if cells.dtype == pl.String else digits_of(cells)
            for cells in frame
        )
        doubled = int(np.count_nonzero(self.quotes[2::2] == self.quotes[1:-1:2] + 1))  # one is in a cell
        return held + frame.height * frame.width + len(self.quotes) - doubled

    def cells(self) -> pl.Series:
        """All cells one after the other, the last of a line before the first of the next."""
        return _parsed(self._with_feeds(self.marks), [pl.String], "\0", self.signs).to_series()

    def _plain(self) -> bytes:
        """The text without a lone ``\\r`` as line end, which the library does not know."""
        return self._with_feeds(self.marks[self.ends]) if b"\r" in self.text else self.text

    def _with_feeds(self, marks: Offsets) -> bytes:
        """The text with ``\\n`` at these marks, but for a ``\\r\\n``, which stays."""
        text = np.frombuffer(self.text, dtype=np.uint8).copy()
        pair = (text[marks] == RETURN) & (text[np.minimum(marks + 1, len(text) - 1)] == FEED)
        text[marks[~pair]] = FEED
        return text.tobytes()


def pieces(data: bytes, signs: Signs, *, start: int = 0, stop: int | None = None) -> Iterator[Piece]:
    """The lines from ``start`` to ``stop`` in pieces of about ``PIECE`` bytes; a line is never cut."""
    stop = len(data) if stop is None else stop
    array = np.frombuffer(data, dtype=np.uint8)
    while start < stop:
        size, cut = PIECE, 0
        while not cut:
            end = min(start + size, stop)
            quotes = _quotes(array[start:end], signs)
            cut = _cut(data, start, end, signs, quotes) if end < stop else stop
            size *= 2  # not one line ends here: a long one, or a quote that was never closed
        text = data[start:cut]
        quotes = quotes[: np.searchsorted(quotes, cut - start)]
        yield Piece(start, text if text.endswith((b"\n", b"\r")) else text + b"\n", signs, quotes)
        start = cut


def line_start(data: bytes, signs: Signs, number: int, *, start: int = 0, stop: int | None = None) -> int:
    """Where a line begins, counted from 0 at ``start``."""
    for piece in pieces(data, signs, start=start, stop=stop):
        ends = piece.marks[piece.ends]
        if number < len(ends):
            return piece.start + (_after(piece.text, int(ends[number - 1])) if number else 0)
        number -= len(ends)
    raise ValueError("The text has fewer lines.")


def _cut(data: bytes, start: int, stop: int, signs: Signs, quotes: Offsets) -> int:
    """Where the last line that ends between two places does; 0 where none does."""
    feed = stop
    while (feed := data.rfind(b"\n", start, feed)) >= 0:
        if np.searchsorted(quotes, feed - start) % 2 == 0:
            return feed + 1
    piece = Piece(start, data[start:stop], signs, quotes)
    ends = piece.marks[piece.ends]
    ends = ends[ends + 1 < stop - start]  # the last byte may be half of a line end
    return start + _after(piece.text, int(ends[-1])) if len(ends) else 0


def _quotes(text: Bytes, signs: Signs) -> Offsets:
    return np.flatnonzero(text == signs.quote[0]) if signs.quote else np.empty(0, dtype=np.int64)


def _outside(places: Offsets, quotes: Offsets) -> Offsets:
    """The places that stand outside quotes: after an even number of them."""
    if not len(quotes):
        return places
    before = np.cumsum(np.bincount(np.searchsorted(places, quotes), minlength=len(places) + 1))[:-1]
    found: Offsets = places[before & 1 == 0]
    return found


def _without_blanks(text: bytes, signs: Signs) -> bytes:
    """The text without the blanks between a mark and a cell, and between a cell and a mark if asked for."""
    array = np.frombuffer(text, dtype=np.uint8)
    blank, marked = np.zeros(len(text), dtype=bool), (array == FEED) | (array == RETURN)
    for sign in signs.before:
        blank |= array == sign
    for sign in signs.delimiters:
        marked |= array == sign
    places = _outside(np.flatnonzero(blank), _quotes(array, signs))
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


def digits_of(numbers: pl.Series) -> int:
    """How many bytes whole numbers take when they are written one after the other."""
    sizes = numbers.abs()
    tens = sum(int((sizes >= 10**power).sum()) for power in range(1, 10))
    return len(numbers) - numbers.null_count() + tens + int((numbers < 0).sum())


def _parsed(data: bytes, kinds: Sequence[Kind], separator: str, signs: Signs) -> pl.DataFrame:
    if data.startswith(codecs.BOM_UTF8):  # not at the beginning of a file: the library shall drop another one
        data = codecs.BOM_UTF8 + data
    return pl.read_csv(
        data,
        has_header=False,
        schema={str(number): kind for number, kind in enumerate(kinds)},
        separator=separator,
        quote_char=signs.quote.decode() or None,
        raise_if_empty=False,
    )


def _after(text: bytes, mark: int) -> int:
    """The place after the line end that begins at a mark."""
    return mark + (2 if text[mark : mark + 2] == b"\r\n" else 1)


FAULTS = {
    "open": (
        "csv-open-quote",
        "A quote is opened here and never closed.",
        "Close it; a quote inside quotes is written twice.",
    ),
    "stray": (
        "csv-stray-quote",
        "A quote stands inside {} that does not begin with one.",
        "Put the whole of it in quotes and write the quotes inside it twice.",
    ),
    "after": (
        "csv-stray-quote",
        "Text follows the quote that closes {}.",
        "A quote inside quotes is written twice.",
    ),
    "long": (
        "csv-long-cell",
        f"A cell has more than {LONGEST} bytes, the most a cell may have.",
        "A quote before it may not be closed; otherwise shorten the cell.",
    ),
}
"""What may be wrong with a cell: the code, the sentence, the next step."""


class CellError(Exception):
    """A cell that cannot be read: what is wrong, its place, and the number of cells before it on its line."""

    def __init__(self, fault: str, place: int, before: int) -> None:
        super().__init__(fault)
        self.fault, self.place, self.before = fault, place, before

    def refusal(self, data: bytes, file: str, cell: str, column: str | int | None = None) -> InputError:
        """The error with its line, where the text calls its cells so."""
        code, message, hint = FAULTS[self.fault]
        where = Place(file, line_at(data, self.place), column)
        return InputError(message.format(cell), code=code, where=where, hint=hint)


@dataclass(frozen=True, slots=True)
class Cell:
    """What stands between two places, without its outer quotes."""

    start: int
    stop: int
    quoted: bool


class SecondLook:
    """The cells of a text up to ``stop``, found one by one."""

    def __init__(
        self, data: bytes, signs: Signs, *, stop: int | None = None, longest: int | None = None
    ) -> None:
        self._data, self._signs = data, signs
        self._stop = len(data) if stop is None else stop
        self._longest = len(data) if longest is None else longest
        delimiters, quote = re.escape(signs.delimiters), re.escape(signs.quote)
        before = rb"[%s]*+" % re.escape(signs.before) if signs.before else b""
        after = rb"[%s]*+" % re.escape(signs.after) if signs.after else b""
        quoted = rb"%s(?P<quoted>[^%s]*+(?:%s%s[^%s]*+)*+)%s%s" % ((quote,) * 6 + (after,))
        bare = rb"(?P<bare>[^%s%s\r\n]*+)" % (delimiters, quote)
        end = rb"(?P<end>[%s]|\r\n|\r|\n|\Z)" % delimiters
        self._opened = re.compile(before + (quoted if quote else b"(?P<quoted>(?!))"))
        self._cell = re.compile(b"(?:" + self._opened.pattern + b"|" + before + bare + b")" + end)

    def line(self, at: int) -> tuple[list[Cell], int]:
        """The cells of the line that begins here, and where the next one does."""
        cells: list[Cell] = []
        while True:
            found = self._cell.match(self._data, at, self._stop)
            if found is None:
                raise self._misplaced_quote(at, len(cells))
            quoted = found["quoted"] is not None
            start, stop = found.span("quoted" if quoted else "bare")
            if not quoted:
                stop = start + len(self._data[start:stop].rstrip(self._signs.after))
            self._refuse_long(start, stop, len(cells))
            cells.append(Cell(start, stop, quoted))
            at = found.end()
            if found["end"] in (b"", b"\n", b"\r", b"\r\n"):
                return cells, at

    def text(self, cell: Cell) -> str:
        """What a cell holds, a doubled quote as one."""
        held = self._data[cell.start : cell.stop].decode()
        quote = self._signs.quote.decode()
        return held.replace(quote * 2, quote) if cell.quoted else held

    def _misplaced_quote(self, at: int, before: int) -> CellError:
        place = self._data.find(self._signs.quote, at, self._stop)
        if self._data[at:place].strip(self._signs.before):
            return CellError("stray", place, before)
        closed = self._opened.match(self._data, at, self._stop)
        if closed is None:
            return CellError("open", place, before)
        self._refuse_long(*closed.span("quoted"), before)
        return CellError("after", closed.end(), before)

    def _refuse_long(self, start: int, stop: int, before: int) -> None:
        if stop - start > self._longest:
            raise CellError("long", start, before)
