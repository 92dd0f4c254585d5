"""Transactions in plain text, a line each: FIMI ``.dat``, SPMF text, and baskets with a delimiter.

FIMI: items separated by blanks. They are usually whole numbers, but any word is a name, a negative
number too; ``1`` and ``01`` are two items. An empty line is an empty transaction, and the line end
at the end of the file begins no further one.

SPMF [1]: the same with whole numbers only; lines beginning with ``@``, ``#`` or ``%`` are no
transactions, and ``@ITEM=3=milk`` names item 3. Its sequences (``-1`` and ``-2``) and its
high-utility files (with colons) are other kinds of data and are refused.

Basket: cells separated by a comma or another character, quoted as in CSV where they hold it. Blanks
around a cell that is not quoted are no part of it, and empty cells are no items.

[1] P. Fournier-Viger et al. The SPMF Open-Source Data Mining Library Version 2. PKDD 2016.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays.groups import AT_ONCE
from tacit.data.transactions import is_plain_number
from tacit.errors import InputError, Place, option, shorten
from tacit.io.layouts import one_character
from tacit.io.readers.delimited import CellError, SecondLook, Signs, line_start, pieces
from tacit.io.readers.text import line_at
from tacit.io.readers.vocabulary import Asked, Dictionary, NamedRows
from tacit.typing import Codes, Offsets

BLANKS = b" \t"
# The sign comes first, and what may not stand before it second: so the search skips from sign to sign.
SPMF_REMARK = re.compile(rb"[@#%](?<![^\r\n].)[^\r\n]*+")
SPMF_ITEM = re.compile(rb"(?:^|[\r\n])@ITEM=([^=\r\n]*)=?([^\r\n]*)")


def dat_rows(data: bytes, file: str, _: Asked) -> NamedRows:
    """The transactions of a FIMI file."""
    rows = split_dat(data, file=file)
    refuse_other_delimiter(rows.names, int(np.diff(rows.indptr).max()), rows.place)
    return replace(rows, notes=negative_notes(rows.names))


def split_dat(data: bytes, *, file: str) -> NamedRows:
    """The lines of a FIMI file, or of a piece of one, as they are."""
    return _lines(data, Signs(BLANKS), file)


def spmf_rows(data: bytes, file: str, _: Asked) -> NamedRows:
    """The transactions of an SPMF file."""
    signs = Signs(BLANKS)
    rows = _lines(SPMF_REMARK.sub(b" ", data), signs, file)
    for token, number in enumerate(rows.names):
        if not is_plain_number(number):
            raise _not_spmf(number, rows.place(token))
    given = _spmf_names(data, file)
    names = [given.get(number, number) for number in rows.names]
    _refuse_shared_names(names, rows)
    # A remark is a blank line by now. It is no row: its end goes, which is where it begins.
    ends = np.concatenate([piece.start + piece.marks[piece.ends] for piece in pieces(data, signs)])
    remarks = np.searchsorted(ends, [found.start() for found in SPMF_REMARK.finditer(data)])
    indptr = np.delete(rows.indptr, remarks[remarks < len(rows.indptr) - 1] + 1)
    numbers = {name: number for number, name in given.items()}
    return replace(rows, indptr=indptr, names=names, numbers=numbers)


def basket_rows(data: bytes, file: str, asked: Asked) -> NamedRows:
    """The transactions of a file with one basket a line."""
    rows = split_baskets(data, file=file, delimiter=one_character(asked.delimiter))
    longest = int(np.diff(rows.indptr).max())
    # A quoted item may hold any delimiter: somebody took care that it does.
    quoted = {cell.decode() for cell in re.findall(rb'"([^"]*)"', data)} if longest <= 1 else set()
    bare = ["" if name in quoted or '"' in name else name for name in rows.names]
    refuse_other_delimiter(bare, longest, rows.place, others=other_delimiters(asked.delimiter))
    if not asked.header:
        return rows
    return replace(rows, indptr=rows.indptr[1:] - rows.indptr[1], codes=rows.codes[rows.indptr[1] :])


def split_baskets(data: bytes, *, file: str, delimiter: str) -> NamedRows:
    """The lines of a basket file, or of a piece of one, as they are."""
    blanks = BLANKS.replace(delimiter.encode(), b"")
    return _lines(data, Signs(delimiter.encode(), b'"', before=blanks, after=blanks), file)


def other_delimiters(delimiter: str) -> str:
    """The delimiters that a basket file may have used in place of its own."""
    return "\t,;|".replace(delimiter, "")


def _lines(data: bytes, signs: Signs, file: str) -> NamedRows:
    """Each line as a row of the cells in it that hold anything."""
    dictionary = Dictionary()
    n_cells = 0
    ends = [np.zeros(1, dtype=np.int64)]  # the number of cells up to the end of each line
    for piece in pieces(data, signs):
        lines = piece.trimmed()
        if not lines.sound:
            raise _misplaced_quote(data, signs, piece.start, file)
        dictionary.add(lines.cells())
        ends.append(n_cells + 1 + np.flatnonzero(lines.ends))
        n_cells += len(lines.marks)
    codes, found = dictionary.codes()
    del dictionary
    names = found.to_list()
    held = codes >= 0
    if "" in names:
        held &= codes != names.index("")
    indptr = np.concatenate(ends)
    if not held.all():
        indptr = np.concatenate([[0], np.cumsum(held)])[indptr]
        codes = codes[held]
    codes, names = _as_first_found(codes, names)
    return NamedRows(indptr, codes, names, _Places(data, signs, file, indptr, codes, names))


def _as_first_found(codes: Codes, names: Sequence[str]) -> tuple[Codes, list[str]]:
    """The names in the order in which they are first found, which the library's threads do not keep."""
    first = np.full(len(names), len(codes), dtype=np.int64)
    for start in range(0, len(codes), AT_ONCE):
        some = codes[start : start + AT_ONCE]
        new = np.flatnonzero(first[some] == len(codes))
        first[some[new[::-1]]] = start + new[::-1]
    order = np.argsort(first)[: int(np.count_nonzero(first < len(codes)))]
    number = np.empty(len(names), dtype=np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    return number[codes], [names[place] for place in order.tolist()]


@dataclass(frozen=True, eq=False)
class _Places:
    """Says where a token first stands."""

    data: bytes
    signs: Signs
    file: str
    indptr: Offsets
    codes: Codes
    names: Sequence[str]

    def __call__(self, token: int) -> Place:
        line = int(np.searchsorted(self.indptr, np.argmax(self.codes == token), side="right")) - 1
        look = SecondLook(self.data, self.signs)
        cells, _ = look.line(line_start(self.data, self.signs, line))
        start = next(cell.start for cell in cells if look.text(cell) == self.names[token])
        return Place(file=self.file, line=line_at(self.data, start), value=shorten(self.names[token]))


def _misplaced_quote(data: bytes, signs: Signs, at: int, file: str) -> InputError:
    """The error for the first quote from a line on that does not stand around a whole item."""
    look = SecondLook(data, signs)
    try:
        while True:
            _, at = look.line(at)
    except CellError as error:
        return error.refusal(data, file, "an item")


def refuse_other_delimiter(
    names: Sequence[str], longest: int, place: Callable[[int], Place], *, others: str = ",;|"
) -> None:
    """Refuse a file in which no line was split, while most of its items hold another delimiter.

    Such a file is nearly always one of another layout, read as if every basket were one item.
    """
    if longest > 1:
        return
    for other in others:
        holding = [code for code, name in enumerate(names) if other in name]
        if 2 * len(holding) > len(names):
            raise InputError(
                f"No line holds two items, but {len(holding)} of {len(names)} items hold {other!r}.",
                code="csv-delimiter",
                where=place(holding[0]),
                hint=f"If it separates the items, use {option('format', 'basket')} and"
                f" {option('delimiter', other)}.",
            )


def negative_notes(names: Sequence[str]) -> tuple[str, ...]:
    """A note where items are negative numbers, which are names here and marks elsewhere."""
    negative = [name for name in names if name.startswith("-") and is_plain_number(name[1:])]
    if not negative:
        return ()
    return (
        f"Some items are negative numbers ({len(negative)}, for instance {shorten(negative[0])!r}), taken as"
        " names. If -1 and -2 mark the ends of itemsets, these are sequences, not transactions.",
    )


def _not_spmf(token: str, place: Place) -> InputError:
    if token in ("-1", "-2"):
        return InputError(
            f"This is an SPMF file of sequences: {token} marks the end of an itemset or of a sequence.",
            code="spmf-sequence",
            where=place,
            hint="Convert the sequences to transactions: one line of items each, without -1 and -2.",
        )
    if ":" in token:
        return InputError(
            f"Expected items separated by blanks, found {shorten(token)!r}, as in a high-utility file.",
            code="spmf-item",
            where=place,
            hint="Keep what stands before the first colon of each line.",
        )
    return InputError(
        f"Expected a whole number without sign or leading zero, found {shorten(token)!r}.",
        code="spmf-item",
        where=place,
        hint=f"Items of an SPMF file are numbers; for items with names use {option('format', 'dat')}.",
    )


def _spmf_names(data: bytes, file: str) -> Mapping[str, str]:
    """The names that ``@ITEM=number=name`` lines give."""
    names: dict[str, str] = {}
    if b"@ITEM=" not in data:
        return names
    for found in SPMF_ITEM.finditer(data):
        number, name = found[1].decode(), found[2].decode()
        if not is_plain_number(number) or not name or number in names:
            raise InputError(
                f"Item {number!r} is named twice."
                if number in names
                else "Expected '@ITEM=number=name', with a whole number and a name.",
                code="spmf-name",
                where=Place(file=file, line=line_at(data, found.start(1)), value=found[0].decode().strip()),
                hint="Name each item once.",
            )
        names[number] = name
    return names


def _refuse_shared_names(names: list[str], rows: NamedRows) -> None:
    owner: dict[str, int] = {}
    for token, name in enumerate(names):
        if owner.setdefault(name, token) != token:
            raise InputError(
                f"Items {rows.names[owner[name]]} and {rows.names[token]} have one name, {shorten(name)!r}.",
                code="spmf-name",
                where=rows.place(token),
                hint="Give each item its own name.",
            )
