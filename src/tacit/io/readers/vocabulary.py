"""Distinct texts: the cells of a column numbered while they are read, the items of transactions named.

A reader finds tokens; a token becomes a name, and several tokens may become one (``"milk"`` and
``milk`` in a basket file). What is checked about names is checked here, once per distinct name and
whatever the format: an item has a name that is not empty, and twins are refused, folded or kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from tacit.arrays.groups import AT_ONCE
from tacit.data.column import Column, encode, told_apart
from tacit.data.spelling import number_notes, settle_spelling
from tacit.data.transactions import Transactions, from_rows
from tacit.errors import InputError, Place
from tacit.io.readers.delimited import Kind, digits_of
from tacit.typing import Codes, Counts, Offsets

SUBJECT = "The list of items"


@dataclass(frozen=True, eq=False)
class NamedRows:
    """Records as a reader found them: row ``r`` has the codes ``codes[indptr[r] : indptr[r + 1]]``.

    Code ``c`` is called ``names[c]``, and ``place(c)`` says where it first stands. Names may
    repeat, and some may be in no row.
    """

    indptr: Offsets
    codes: Codes
    names: Sequence[str]
    place: Callable[[int], Place]
    sensitive: Column | None = None
    notes: tuple[str, ...] = ()
    numbers: Mapping[str, str] = field(default_factory=dict)
    """Of items that a file names beside their numbers: the number of each name."""
    records: Column | None = None
    """What names each record."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked for of a file with a record a line: columns, the delimiter, whether names come first."""

    item: str | None
    sensitive: str | None
    delimiter: str
    header: bool


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The items' names once settled, and the place among them of each name that was found (-1: unused)."""

    names: list[str]
    codes: Codes
    notes: tuple[str, ...]


def transactions_from_named(
    rows: NamedRows, *, twins: str, multiset: bool, origin: str, format: str
) -> Transactions:
    """The transactions that a reader found, with the names of their items settled."""
    counts = np.zeros(len(rows.names), dtype=np.int64)
    for first in range(0, len(rows.codes), AT_ONCE):  # numpy makes each code of a block eight bytes long
        counts += np.bincount(rows.codes[first : first + AT_ONCE], minlength=len(counts))
    if not rows.codes.size:
        raise no_items(len(rows.indptr) - 1, origin)
    vocabulary = settle_names(rows.names, counts, twins=twins, place=rows.place)
    return from_rows(
        rows.indptr,
        vocabulary.codes[rows.codes],
        vocabulary.names,
        sensitive=rows.sensitive,
        origin=origin,
        format=format,
        notes=rows.notes + vocabulary.notes,
        multiset=multiset,
        records=rows.records,
    )


def settle_names(
    names: Sequence[str], counts: Counts, *, twins: str, place: Callable[[int], Place]
) -> Vocabulary:
    """The names with their twins refused, folded or kept; ``counts`` are how often each was found."""
    used = np.flatnonzero(counts)
    column = encode(pl.Series("item", [names[token] for token in used.tolist()], dtype=pl.String))
    supports = np.zeros(len(column.values), dtype=np.int64)
    np.add.at(supports, column.codes, counts[used])
    first = np.empty(len(column.values), dtype=np.int64)
    first[column.codes[::-1]] = used[::-1]
    settled = settle_spelling(
        column.values,
        lambda: supports,
        twins=twins,
        subject=SUBJECT,
        place=lambda code: place(int(first[code])),
    )
    final = column.codes if settled.codes is None else settled.codes[column.codes]
    blank = settled.values.str.strip_chars() == ""
    if blank.any():
        where = place(int(used[np.argmax(final == blank.arg_true()[0])]))
        raise InputError(
            "An item has no name, or one of blanks alone.",
            code="empty-item",
            where=where,
            hint="Give the item a name, or leave it out.",
        )
    codes = np.full(len(names), -1, dtype=np.int32)
    codes[used] = final
    return Vocabulary(settled.values.to_list(), codes, settled.notes + number_notes(settled.values, SUBJECT))


def no_items(n_records: int, origin: str) -> InputError:
    """The error for data that hold transactions but no item at all."""
    held = (
        "no transaction"
        if n_records == 0
        else "one empty transaction"
        if n_records == 1
        else f"{n_records} empty transactions"
    )
    return InputError(
        f"Expected transactions with items, found {held} and no item.",
        code="no-items",
        where=Place(file=origin),
        hint="Check that this is the right file.",
    )


MISSING = np.uint32(0xFFFFFFFF)
"""The number of an empty cell, which is -1 as a code."""

SOME = 1000
"""So many cells tell how a column is spelled, and so many texts are quickly asked for one by one."""

WIDEST = 4
"""Over a range so many times as wide as there are cells, numbers are as good as the places of a table."""


class Dictionary:
    """The distinct cells of a column of text, numbered while the column is read in pieces.

    The frame library numbers the cells of most columns. Numbers take it longer, four times as long where most
    are different, than a table over their range. So they are read as numbers and written out again; unless
    that gives every cell to the letter (``01`` is not ``1``), the library does the work.
    """

    def __init__(self) -> None:
        self._categories = pl.Categories.random()
        self._kind = pl.Categorical(self._categories)
        self._spelling: Spelling | None = None
        self._pieces: list[pl.Series] = []

    @property
    def kind(self) -> Kind:
        """What the cells of the next piece may be read as."""
        return pl.String if self._spelling is None or self._spelling.digits else pl.Int32

    def add(self, cells: pl.Series) -> None:
        """Take the cells of the next piece: texts, or whole numbers where :attr:`kind` says so."""
        if not self._pieces:
            self._spelling = _spelling_of(cells)
        if self._spelling is not None:
            numbers = cells if cells.dtype == pl.Int32 else self._spelling.numbers(cells)
            if numbers is not None:
                self._pieces.append(numbers)
                return
            self._pieces = [self._spelling.texts(piece).cast(self._kind) for piece in self._pieces]
            self._spelling = None
        self._pieces.append(cells.cast(self._kind))

    def names(self) -> Codes:
        """A number for each cell, -1 for an empty one, the same for spellings of one name."""
        if self._spelling is not None:
            cells = self._cells()
            low, high = int(cells.min()), int(cells.max())  # type: ignore[arg-type]
            return (
                (cells - low).fill_null(-1).to_numpy()
                if high - low < WIDEST * len(cells)
                else self._numbered()[0]
            )
        codes, texts = self.codes()
        names = told_apart(texts)[1].astype(np.int32)
        return np.where(codes < 0, np.int32(-1), np.append(names, np.int32(-1))[codes])

    def codes(self) -> tuple[Codes, pl.Series]:
        """The number of each cell, -1 for an empty one, and the text of each number."""
        if self._spelling is not None:
            codes, numbers = self._numbered()
            return codes, self._spelling.texts(numbers)
        cells = self._cells()
        codes = cells.to_physical().fill_null(MISSING).to_numpy().view(np.int32)
        count = int(codes.max(initial=-1)) + 1
        if count <= SOME:
            return codes, pl.Series([self._categories[number] for number in range(count)], dtype=pl.String)
        # The row of each number; an empty cell has the number -1, which indexes the last place.
        rows = np.zeros(count + 1, dtype=np.int32)
        rows[codes] = np.arange(len(codes), dtype=np.int32)
        return codes, cells.gather(rows[:-1]).cast(pl.String)

    def _numbered(self) -> tuple[Codes, pl.Series]:
        """The same of cells that are numbers, which are not written out."""
        column = encode(self._cells())
        null = column.null_code
        if null is None:
            return column.codes, column.values
        return np.where(column.codes == null, np.int32(-1), column.codes), column.values.head(null)

    def _cells(self) -> pl.Series:
        """All cells, as the numbers they hold or as the library's categories."""
        if len(self._pieces) != 1:
            self._pieces = [pl.concat(self._pieces) if self._pieces else pl.Series(dtype=self._kind)]
        return self._pieces[0]


@dataclass(frozen=True, slots=True)
class Spelling:
    """One way to write numbers: how many digits stand behind the point, and how a number becomes text."""

    digits: int
    written: Callable[[pl.Series], pl.Series]

    def numbers(self, cells: pl.Series) -> pl.Series | None:
        """The number in each cell, in units of the last digit; None where one is not spelled so."""
        if not self.digits:
            found = cells.cast(pl.Int32, strict=False)
            # Another spelling of a whole number is longer than its own: +1, 01.
            as_long = cells.str.len_bytes().sum() == digits_of(found)
            return found if as_long and found.null_count() == cells.null_count() else None
        found = (cells.cast(pl.Float64, strict=False) * 10**self.digits).round().cast(pl.Int32, strict=False)
        return found if self.texts(found).equals(cells) else None

    def texts(self, numbers: pl.Series) -> pl.Series:
        """The text of each number."""
        if not self.digits:
            return numbers.cast(pl.String)
        # numpy divides to the last bit, the frame library multiplies by the inverse
        parts = pl.Series(numbers.cast(pl.Float64).to_numpy() / 10**self.digits)
        return self.written(parts.fill_nan(None) if numbers.has_nulls() else parts)


def _spelling_of(cells: pl.Series) -> Spelling | None:
    """How the numbers of a piece are written; None where it holds no numbers, or few kinds of fractions."""
    some = cells.head(SOME)
    digits = int(some.str.extract(r"\.(\d*)$").str.len_bytes().max() or 0)  # type: ignore[arg-type]
    if some.null_count() == len(some) or (digits and 2 * some.n_unique() <= SOME):
        return None
    fixed = pl.Decimal(38, digits)
    ways = (  # in which programs write numbers with at most so many digits behind the point
        Spelling(digits, lambda numbers: numbers.cast(pl.String)),
        Spelling(digits, lambda numbers: numbers.cast(pl.String).str.strip_suffix(".0")),
        Spelling(digits, lambda numbers: numbers.cast(fixed).cast(pl.String)),
    )
    return next((way for way in ways if way.numbers(some) is not None), None)
