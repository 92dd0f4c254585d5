"""Transactions in plain text, a line each: FIMI ``.dat``, SPMF text, and baskets with a delimiter.

FIMI: items separated by blanks. They are usually whole numbers, but any word is a name, a negative
number too; ``1`` and ``01`` are two items. An empty line is an empty transaction, and the line end
at the end of the file begins no further one.

SPMF [1]: the same with whole numbers only; lines beginning with ``@``, ``#`` or ``%`` are no
transactions, and ``@ITEM=3=milk`` names item 3. Its sequences (``-1`` and ``-2``) and its
high-utility files (with colons) are other kinds of data and are refused.

Basket: cells separated by a comma or another character, quoted as in CSV where they hold it. Blanks
around a cell that is not quoted are no part of it, and empty cells are no items.

What cannot be read back as it was is refused before a byte is written: a name with a blank in a FIMI file, a
sensitive column in a format that has no place for it.

[1] P. Fournier-Viger et al. The SPMF Open-Source Data Mining Library Version 2. PKDD 2016.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays.groups import AT_ONCE
from tacit.data.transactions import Transactions, is_plain_number
from tacit.errors import InputError, OutputError, Place, UsageError, option, shorten
from tacit.io.readers.delimited import CellError, SecondLook, Signs, line_start, pieces
from tacit.io.readers.text import line_at
from tacit.io.readers.vocabulary import Asked, Dictionary, NamedRows
from tacit.typing import Codes

BLANKS = b" \t"
# The sign comes first, and what may not stand before it second: so the search skips from sign to sign.
SPMF_REMARK = re.compile(rb"[@#%](?<![^\r\n].)[^\r\n]*+")
SPMF_ITEM = re.compile(rb"(?:^|[\r\n])@ITEM=([^=\r\n]*)=?([^\r\n]*)")


def dat_rows(data: bytes, file: str, _: Asked) -> NamedRows:
    """The transactions of a FIMI file."""
    rows = split(data, file, "dat")
    refuse_other_delimiter(rows.names, int(np.diff(rows.indptr).max()), rows.place)
    return replace(rows, notes=negative_notes(rows.names))


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
    rows = split(data, file, "basket", one_character(asked.delimiter))
    longest = int(np.diff(rows.indptr).max())
    # A quoted item may hold any delimiter: somebody took care that it does.
    quoted = {cell.decode() for cell in re.findall(rb'"([^"]*)"', data)} if longest <= 1 else set()
    bare = ["" if name in quoted or '"' in name else name for name in rows.names]
    refuse_other_delimiter(bare, longest, rows.place, others=other_delimiters(asked.delimiter))
    if not asked.header:
        return rows
    return replace(rows, indptr=rows.indptr[1:] - rows.indptr[1], codes=rows.codes[rows.indptr[1] :])


def split(data: bytes, file: str, format: str, delimiter: str = ",") -> NamedRows:
    """The lines of a FIMI or a basket file, or of a piece of one, as they are."""
    if format == "dat":
        return _lines(data, Signs(BLANKS), file)
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

    def place(token: int) -> Place:
        line = int(np.searchsorted(indptr, np.argmax(codes == token), side="right")) - 1
        look = SecondLook(data, signs)
        cells, _ = look.line(line_start(data, signs, line))
        start = next(cell.start for cell in cells if look.text(cell) == names[token])
        return Place(file=file, line=line_at(data, start), value=shorten(names[token]))

    return NamedRows(indptr, codes, names, place)


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


@dataclass(frozen=True, eq=False)
class Layout:
    """A preamble, then each transaction: head, its items' ``pieces`` with separators, its tail.

    There is one tail, or one for each value of the sensitive column.
    """

    pieces: Sequence[bytes]
    separator: bytes
    preamble: bytes = b""
    head: bytes = b""
    tails: Sequence[bytes] = (b"\n",)


def dat_layout(transactions: Transactions, _: str) -> Layout:
    """FIMI: items separated by spaces."""
    _refuse_sensitive(transactions, "dat")
    names = written_names(transactions, str)
    _refuse_names(transactions, r"\s", "white space", "dat")
    return Layout(names, separator=b" ")


def spmf_layout(transactions: Transactions, _: str) -> Layout:
    """SPMF text: whole numbers; other names are given by ``@ITEM`` lines."""
    _refuse_sensitive(transactions, "spmf")
    names = written_names(transactions, str)
    _refuse_names(transactions, r"[\r\n]", "a line end", "spmf")
    if all(map(is_plain_number, transactions.vocabulary)):
        return Layout(names, separator=b" ")
    numbers = [str(number).encode() for number in range(1, len(names) + 1)]
    named = [b"@ITEM=%s=%s\n" % pair for pair in zip(numbers, names, strict=True)]
    return Layout(numbers, separator=b" ", preamble=b"@CONVERTED_FROM_TEXT\n" + b"".join(named))


def basket_layout(transactions: Transactions, delimiter: str) -> Layout:
    """Cells separated by a delimiter, quoted where a reader would otherwise misread them."""
    _refuse_sensitive(transactions, "basket")
    special = {one_character(delimiter), '"', "\r", "\n", ",", ";", "|", "\t"}

    def cell(name: str) -> str:
        bare = name.strip(" \t") == name and not any(character in special for character in name)
        return name if bare else '"' + name.replace('"', '""') + '"'

    return Layout(written_names(transactions, cell), separator=delimiter.encode())


def one_character(delimiter: str) -> str:
    """The delimiter, once it is known to be one that cells can be told apart by."""
    if len(delimiter) == 1 and delimiter.isascii() and delimiter not in '"\r\n\0':
        return delimiter
    raise UsageError(
        f"The delimiter must be one ASCII character, not a quote or a line end. Got {delimiter!r} instead.",
        code="parameter-range",
        hint="Common ones are ',', ';', '|' and a tab.",
    )


def checked_name(name: str) -> str:
    """The name, unless no file could give it back: one of blanks alone, NUL, half of a character."""
    surrogates = not name.isprintable() and any("\ud800" <= sign <= "\udfff" for sign in name)
    if not name.strip() or "\0" in name or surrogates:
        raise OutputError(
            f"The item {shorten(name)!a} has no name that a text file can hold.",
            code="item-not-text",
            where=Place(value=name),
            hint="Rename the item.",
        )
    return name


def written_names(transactions: Transactions, written: Callable[[str], str]) -> list[bytes]:
    """The items' names as they are written."""
    return [written(checked_name(name)).encode() for name in transactions.vocabulary]


def _refuse_names(transactions: Transactions, held: str, what: str, format: str) -> None:
    """Refuse a name that holds what separates items in the format, a pattern."""
    for name in transactions.vocabulary:
        if re.search(held, name):
            raise OutputError(
                f"The item {shorten(name)!r} holds {what}, which separates items in the format {format!r}.",
                code="item-has-delimiter",
                where=Place(value=name),
                hint="Write another format (basket or jsonl), or rename the item.",
            )


def _refuse_sensitive(transactions: Transactions, format: str) -> None:
    if transactions.sensitive is not None:
        raise OutputError(
            f"The format {format!r} has no place for the sensitive column {transactions.sensitive.name!r}.",
            code="format-without-sensitive",
            hint="Write another format (jsonl or long).",
        )
