"""A slow look at delimited text, one cell at a time: what is wrong with its form, and where things stand.

It is taken for the header, once a cheap look (:mod:`tacit.io.readers.delimited`) has found that
something is wrong, and to name the place of a value in a message.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from tacit.io.readers.delimited import Signs


class Fault(Enum):
    """What may be wrong with a cell."""

    OPEN_QUOTE = "a quote that is never closed"
    STRAY_QUOTE = "a quote inside a cell that does not begin with one"
    AFTER_QUOTE = "text after the quote that closes a cell"
    LONG_CELL = "more bytes than a cell may have"


class CellError(Exception):
    """A cell that cannot be read: what is wrong, its place, and the number of cells before it on its line."""

    def __init__(self, fault: Fault, place: int, before: int) -> None:
        super().__init__(fault)
        self.fault, self.place, self.before = fault, place, before


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
            return CellError(Fault.STRAY_QUOTE, place, before)
        closed = self._opened.match(self._data, at, self._stop)
        if closed is None:
            return CellError(Fault.OPEN_QUOTE, place, before)
        self._refuse_long(*closed.span("quoted"), before)
        return CellError(Fault.AFTER_QUOTE, closed.end(), before)

    def _refuse_long(self, start: int, stop: int, before: int) -> None:
        if stop - start > self._longest:
            raise CellError(Fault.LONG_CELL, start, before)
