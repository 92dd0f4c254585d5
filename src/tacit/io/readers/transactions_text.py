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
from dataclasses import replace

import numpy as np

from tacit.data.transactions import is_plain_number
from tacit.errors import InputError, Place, shorten
from tacit.io.readers.text import line_at
from tacit.io.readers.vocabulary import NamedRows

SPMF_REMARKS = b"@#%"
SPMF_ITEM = re.compile(rb"(?:^|[\r\n])@ITEM=([^=\r\n]*)=?([^\r\n]*)")


def dat_rows(data: bytes, *, file: str) -> NamedRows:
    """The transactions of a FIMI file."""
    rows = split_dat(data, file=file)
    refuse_other_delimiter(rows.names, int(np.diff(rows.indptr).max()), rows.place)
    return replace(rows, notes=negative_notes(rows.names))


def split_dat(data: bytes, *, file: str) -> NamedRows:
    """The lines of a FIMI file, or of a piece of one, as they are."""
    from tacit.io.kernels.fimi import line_split
    from tacit.io.kernels.tokens import split_rows

    found = split_rows(np.frombuffer(data, dtype=np.uint8), line_split())
    text = Tokens(data, file, found.starts, found.stops)
    return NamedRows(found.indptr, found.codes, text.names(), text.place)


def spmf_rows(data: bytes, *, file: str) -> NamedRows:
    """The transactions of an SPMF file."""
    from tacit.io.kernels.fimi import line_split
    from tacit.io.kernels.tokens import split_rows

    found = split_rows(np.frombuffer(data, dtype=np.uint8), line_split(remarks=SPMF_REMARKS))
    text = Tokens(data, file, found.starts, found.stops)
    numbers = text.names()
    for token, number in enumerate(numbers):
        if not is_plain_number(number):
            raise _not_spmf(number, text.place(token))
    given = _spmf_names(data, file)
    names = [given.get(number, number) for number in numbers]
    _refuse_shared_names(names, numbers, text)
    return NamedRows(found.indptr, found.codes, names, text.place)


def basket_rows(data: bytes, *, file: str, delimiter: str, header: bool) -> NamedRows:
    """The transactions of a file with one basket a line."""
    from tacit.io.kernels.baskets import cell_split
    from tacit.io.kernels.tokens import split_rows

    found = split_rows(np.frombuffer(data, dtype=np.uint8), cell_split(delimiter.encode()))
    text = Tokens(data, file, found.starts, found.stops)
    if found.refusal:
        raise _misplaced_quote(found.refusal, Place(file=file, line=line_at(data, found.at)))
    names = [name[1:-1].replace('""', '"') if name.startswith('"') else name for name in text.names()]
    indptr, codes = found.indptr, found.codes
    if header:
        codes, indptr = codes[indptr[1] :], indptr[1:] - indptr[1]
    # A quoted item may hold any delimiter: somebody took care that it does.
    bare = [
        "" if b'"' in data[max(0, start - 1) : start + 1] else name
        for start, name in zip(found.starts.tolist(), names, strict=True)
    ]
    others = "".join(sorted(set(",;\t|") - {delimiter}))
    refuse_other_delimiter(bare, int(np.diff(found.indptr).max()), text.place, others=others)
    return NamedRows(indptr, codes, names, text.place)


class Tokens:
    """The distinct tokens of a text."""

    def __init__(self, data: bytes, file: str, starts: np.ndarray, stops: np.ndarray) -> None:
        self._data, self._file = data, file
        self._starts, self._stops = starts, stops

    def raw(self) -> list[bytes]:
        """Each token's bytes."""
        data = self._data
        return [
            data[start:stop] for start, stop in zip(self._starts.tolist(), self._stops.tolist(), strict=True)
        ]

    def names(self) -> list[str]:
        """Each token as text."""
        return [token.decode() for token in self.raw()]

    def place(self, token: int) -> Place:
        """Where a token first stands."""
        start, stop = int(self._starts[token]), int(self._stops[token])
        value = shorten(self._data[start:stop].decode())
        return Place(file=self._file, line=line_at(self._data, start), value=value)


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
                hint=f"If it separates the items, use format='basket' and delimiter={other!r}.",
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


def _misplaced_quote(refusal: int, place: Place) -> InputError:
    from tacit.io.kernels.baskets import OPEN_QUOTE, STRAY_QUOTE

    if refusal == OPEN_QUOTE:
        code, message = "csv-open-quote", "A quote is opened here and never closed."
    elif refusal == STRAY_QUOTE:
        code, message = "csv-stray-quote", "A quote stands inside an item that does not begin with one."
    else:
        code, message = "csv-stray-quote", "Text follows the quote that closes an item."
    hint = "Put the whole item in quotes and write a quote inside it twice."
    return InputError(message, code=code, where=place, hint=hint)


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
        hint="Items of an SPMF file are numbers; for items with names use format='dat'.",
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


def _refuse_shared_names(names: list[str], numbers: list[str], text: Tokens) -> None:
    owner: dict[str, int] = {}
    for token, name in enumerate(names):
        if owner.setdefault(name, token) != token:
            raise InputError(
                f"Items {numbers[owner[name]]} and {numbers[token]} have one name, {shorten(name)!r}.",
                code="spmf-name",
                where=text.place(token),
                hint="Give each item its own name.",
            )
