"""Tables from comma-separated text (RFC 4180), encoded while they are read.

Every cell is text: ``1``, ``1.0`` and ``01`` are three values. An empty cell is missing, and one with
nothing but quotes is the empty text. What is not in the form is refused, with its line; nothing is
guessed, repaired or skipped. Of identifiers the cells are never kept, only which rows agree; columns that
have neither a name nor a value are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from tacit.data.column import Column, EncodedSource, codes_among, frozen, numbered
from tacit.data.table import Roles, check_names
from tacit.errors import InputError, ParameterError, Place, option
from tacit.io.readers.delimited import LONGEST, CellError, Kind, Piece, SecondLook, Signs, line_start, pieces
from tacit.io.readers.opening import empty_file
from tacit.io.readers.text import line_at
from tacit.io.readers.vocabulary import Dictionary


def read_csv(
    data: bytes, *, file: str, form: CsvForm, roles: Roles, null_values: Sequence[str]
) -> tuple[EncodedSource, CsvText]:
    """The columns of a text that was checked to be UTF-8 without NUL bytes."""
    text = CsvText.of(data, file=file, form=form)
    blank = [name for name in text.names if name.startswith(NAMELESS)]
    roles.check((name for name in text.names if name not in blank), where=file)
    source = read_text(text, roles.identifiers, null_values)
    if not blank:
        return source, text
    held = [name for name in blank if len(source.column(name).values.drop_nulls())]
    # A column without a name is left out where it holds nothing, and refused with its place where it does.
    check_names(["" if name in held else name for name in text.names], where=file, line=text.first_line)
    left = [source.column(name) for name in source.names if name not in blank]
    return EncodedSource(left, source.n_rows), replace(text, told=(*text.told, *nameless(len(blank))))


def read_text(text: CsvText, identifiers: Sequence[str], null_values: Sequence[str]) -> EncodedSource:
    """The columns of a text, of identifiers the numbers alone."""
    wanted = {name: Dictionary() for name in text.names}
    n_rows = 0
    for piece in text.pieces():
        # Words for a missing value are compared with texts.
        kinds = [
            pl.String if null_values and name in identifiers else dictionary.kind
            for name, dictionary in wanted.items()
        ]
        frame = text.frame(piece, kinds)
        for cells, (name, dictionary) in zip(frame, wanted.items(), strict=True):
            hidden = null_values if name in identifiers else ()
            dictionary.add(cells.set(cells.is_in(hidden), None) if hidden else cells)
        n_rows += frame.height
    columns = [
        numbered(name, wanted.pop(name).names())
        if name in identifiers
        else _column(name, wanted.pop(name), null_values)
        for name in text.names
    ]
    return EncodedSource(columns, n_rows)


def _column(name: str, dictionary: Dictionary, null_values: Sequence[str]) -> Column:
    """The column of the cells that were numbered, its values in the order of their bytes."""
    numbers, texts = dictionary.codes()
    found = texts.set(texts.is_in(null_values), None) if null_values else texts
    values = found.drop_nulls().sort()
    # An empty cell has the number -1, which indexes the last place: that of the null.
    ranks = np.append(codes_among(found, values), len(values)).astype(np.int32)
    codes = ranks[numbers]
    if len(codes) and codes.max() == len(values):
        values = values.extend_constant(None, 1)
    return Column(name, frozen(codes), values)


def nameless(count: int) -> tuple[str]:
    """What is told of columns that are left out."""
    what = "a column that has" if count == 1 else f"{count} columns that have"
    return (f"without {what} neither a name nor a value",)


def without_blanks(names: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Column names without the blanks around them, and what is told of that."""
    found = tuple(name.strip(" \t\N{NO-BREAK SPACE}") for name in names)
    return found, () if found == tuple(names) else ("column names without the blanks around them",)


SEPARATORS = (",", ";", "\t", "|")
"""The separators in use."""

NOTHING_LEFT = "Nothing is left after the rows to skip."
NEARLY_ALL = 0.9
NAMELESS = "\0column "
"""How a column without a name is called until it is known to hold nothing; no text has such a sign."""

SAMPLE = 1 << 16
"""How many bytes are looked at for the separator, and at a time for blank lines at the end."""


@dataclass(frozen=True, slots=True)
class CsvForm:
    """How a text is to be read; what is None is found out."""

    header: bool | None = None
    columns: tuple[str, ...] | None = None
    delimiter: str | None = None
    encoding: str | None = None
    quote: str | None = '"'
    skip_rows: int | None = None
    skip_last: int | None = None
    skip_initial_space: bool = False

    def __post_init__(self) -> None:
        for name in ("delimiter", "quote"):
            sign = getattr(self, name)
            if sign is not None and not (len(sign) == 1 and sign.isascii() and sign not in "\r\n\0"):
                raise ParameterError(name, "read_table", "one ASCII character, not a line end", sign)
        if self.quote is not None and self.quote == self.delimiter:
            raise ParameterError(
                "delimiter", "read_table", "another character than the quote", self.delimiter
            )

    def names(self, header: tuple[str, ...] | None, width: int, found: str, where: Place) -> tuple[str, ...]:
        """The names of so many columns: those given, those of the header, or numbers."""
        names = self.columns or header or tuple(f"column{number}" for number in range(1, width + 1))
        if len(names) != width:
            raise InputError(
                f"{len(names)} column names are given, and {found.format(width)}.",
                code="csv-columns",
                where=where,
                hint="Give one name per column.",
            )
        return names

    @property
    def signs(self) -> Signs:
        """The bytes by which the text is taken apart."""
        blanks = b" " if self.skip_initial_space else b""
        return Signs((self.delimiter or ",").encode(), (self.quote or "").encode(), before=blanks)


@dataclass(frozen=True, eq=False)
class CsvText:
    """A text with its column names, ready to give its records, and the places of values and rows in it."""

    file: str
    data: bytes
    signs: Signs
    names: tuple[str, ...]
    start: int
    """Where the first record after the header begins."""
    stop: int
    """Where the last record ends; blank lines may follow."""
    above: int = 0
    """Where the header begins, or the first record where there is none."""
    told: tuple[str, ...] = ()
    """What was found out in reading the header."""

    @classmethod
    def of(cls, data: bytes, *, file: str, form: CsvForm) -> CsvText:
        """The text, once its header is read and its separator found to be right."""
        start = after_lines(data, form.skip_rows or 0)
        if re.compile(rb"\S").search(data, start) is None:
            raise empty_file(file, NOTHING_LEFT) if form.skip_rows else empty_file(file)
        text = cls(file, data, form.signs, (), start, len(data), above=start)
        look = text._look
        try:
            found, after = look.line(start)
        except CellError as error:
            raise text._unreadable(error) from None
        cells = tuple(map(look.text, found))
        if form.columns is None and form.header is not False:
            cells, told = without_blanks(cells)
            text = replace(text, told=told)
        if len(cells) == 1 and (form.columns is None or len(form.columns) > 1):
            text._refuse_wrong_separator()
        named = form.header is not False
        place = Place(file=file, line=line_at(data, start))
        names = form.names(cells if named else None, len(cells), "the first line has {} cells", place)
        if form.columns is None and named and any(names):
            names = tuple(name or f"{NAMELESS}{place}" for place, name in enumerate(names, start=1))
        check_names(names, where=file, line=text.first_line if named else None)
        return text.below(names, after if named else start)

    @property
    def first_line(self) -> int:
        """The line of the first record, the header where there is one."""
        return line_at(self.data, self.above)

    def below(self, names: tuple[str, ...], start: int) -> CsvText:
        """The text with these names, its records from ``start`` on."""
        # Of a single column, a blank line is a record with a missing value.
        stop = len(self.data) if len(names) == 1 else _before_blank_lines(self.data, self.signs.before)
        return replace(self, names=names, start=start, stop=stop)

    def pieces(self) -> Iterator[Piece]:
        """The records, some at a time."""
        return pieces(self.data, self.signs, start=self.start, stop=self.stop)

    def frame(self, piece: Piece, kinds: Sequence[Kind]) -> pl.DataFrame:
        """The records of a piece, their form checked.

        A look at its quotes is enough where what the library read shows the rest: it raises for a long
        record, and where no last cell is empty, no record is short or blank. Otherwise all delimiters and
        line ends are looked at.
        """
        plain = not self.signs.before and b"\r" not in piece.text
        if plain and piece.has_lines_within(LONGEST // 2) and piece.sound:
            with suppress(pl.exceptions.PolarsError):
                frame = piece.frame(kinds)
                if frame.width == 1 or not frame.to_series(-1).has_nulls():
                    return frame
        lines = piece.trimmed()
        # no cell is longer than its line
        if not (lines.sound and lines.even(len(kinds)) and lines.longest_line() <= LONGEST):
            self._refuse(piece)
        return lines.frame(kinds)

    def value(self, column: Column, code: int) -> Place:
        """Where a value of a column is first found."""
        row = int(np.argmax(column.codes == code))
        line = self._line_of_cell(row, self.names.index(column.name))
        return Place(self.file, line, column.name, column.texts[code])

    def row(self, number: int, column: str) -> Place:
        """The place of a row, counted from 0 after the header."""
        return Place(self.file, self._line_of_cell(number, 0), column)

    def _line_of_cell(self, row: int, column: int) -> int:
        start = line_start(self.data, self.signs, row, start=self.start, stop=self.stop)
        cells, _ = self._look.line(start)
        return line_at(self.data, cells[column].start)

    @property
    def _look(self) -> SecondLook:
        return SecondLook(self.data, self.signs, stop=self.stop, longest=LONGEST)

    def _refuse(self, piece: Piece) -> None:
        """Raise for what is wrong with the form of a piece; a long cell in quotes may prove short enough."""
        look, at = self._look, piece.start
        while at < min(self.stop, piece.start + len(piece.text)):
            start = at
            try:
                cells, at = look.line(start)
            except CellError as error:
                raise self._unreadable(error) from None
            if len(cells) != len(self.names):
                blank = len(cells) == 1 and cells[0].start == cells[0].stop and not cells[0].quoted
                raise self._ragged(start, 0 if blank else len(cells))

    def _unreadable(self, error: CellError) -> InputError:
        name = self.names[error.before] if error.before < len(self.names) else NAMELESS
        column = error.before + 1 if name.startswith(NAMELESS) else name
        return error.refusal(self.data, self.file, "a cell", column)

    def _ragged(self, place: int, found: int) -> InputError:
        if not found:
            hint = "Take the blank line out, or all that follows it where it belongs to another table."
        elif found == len(self.names) + 1:
            cells, _ = self._look.line(place)
            hint = (
                "The line ends with a delimiter and the first one does not: let both or neither end so."
                if cells[-1].start == cells[-1].stop
                else "R writes the names of rows so: put a name for their column before the others in the"
                " first line. Otherwise, a cell that holds the delimiter must stand in quotes."
            )
        elif (likely := self._likely_separator()) is not None:
            hint = f"The cells are separated by {likely!r}, it seems: use {option('delimiter', likely)}."
        else:
            hint = (
                "A cell that holds the delimiter or a line end must stand in quotes. Where each line is a"
                f" set of items, say so with {option('format', 'basket')}, or {option('format', 'dat')} for"
                " blanks."
            )
        what = f"found {found}" if found else "but the line is blank"
        return InputError(
            f"Expected {len(self.names)} cells, {what}.",
            code="csv-ragged",
            where=Place(self.file, line_at(self.data, place)),
            hint=hint,
        )

    def _refuse_wrong_separator(self) -> None:
        """Raise where a text of one column seems to have another separator."""
        likely = self._likely_separator()
        if likely is not None:
            raise InputError(
                f"The cells seem to be separated by {likely!r}, not by {self.signs.delimiters.decode()!r}.",
                code="csv-delimiter",
                where=Place(self.file, line_at(self.data, self.start)),
                hint=f"Read the file with {option('delimiter', likely)}; name a single column"
                f" with {option('columns')}.",
            )

    def _likely_separator(self) -> str | None:
        """The separator, other than the one in use, that nearly all lines have as often as the first."""
        sample = self.data[self.start : self.start + SAMPLE]
        lines = re.sub(rb'"(?:[^"]|"")*"', b"", sample).splitlines()
        if len(sample) == SAMPLE:
            del lines[-1]  # it may be cut
        lines = [line for line in lines if line.strip()][:100]
        counts: dict[str, int] = {}
        for separator in SEPARATORS:
            found = [line.count(separator.encode()) for line in lines]
            alike = bool(found) and found.count(found[0]) >= NEARLY_ALL * len(found) and found[0] > 0
            if separator.encode() != self.signs.delimiters and alike:
                counts[separator] = found[0]
        return max(counts, key=lambda separator: counts[separator], default=None)


def after_lines(data: bytes, count: int) -> int:
    """Where the line after the first ``count`` lines begins."""
    position = 0
    for _ in range(count):
        end = re.compile(rb"\r\n|\n|\r").search(data, position)
        if end is None:
            return len(data)
        position = end.end()
    return position


def _before_blank_lines(data: bytes, blanks: bytes) -> int:
    """Where the last line that is not blank ends."""
    stop = len(data)
    while stop:
        part = data[max(0, stop - SAMPLE) : stop]
        held = part.rstrip(b"\r\n" + blanks)
        stop -= len(part) - len(held)
        if held:
            break
    if not stop:
        return 0
    # Blanks behind the last cell belong to its line.
    ends = (place for place in (data.find(b"\r", stop), data.find(b"\n", stop)) if place >= 0)
    return min(ends, default=len(data))
