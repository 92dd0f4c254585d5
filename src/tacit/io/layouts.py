"""How each text format writes a transaction, and which names and columns it cannot hold.

What cannot be read back as it was is refused before a byte is written: a name with a blank in a
FIMI file, a sensitive column in a format that has no place for it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tacit.data.transactions import Transactions, is_plain_number
from tacit.errors import OutputError, Place, UsageError, shorten

ITEMS = "items"
"""The field of a JSON object that holds the items, unless another is named."""

_NEWLINE = (b"\n",)


@dataclass(frozen=True, eq=False)
class Layout:
    """A preamble, then each transaction: head, its items' ``pieces`` with separators, its tail.

    There is one tail, or one for each value of the sensitive column.
    """

    pieces: Sequence[bytes]
    separator: bytes
    preamble: bytes = b""
    head: bytes = b""
    tails: Sequence[bytes] = _NEWLINE


def dat_layout(transactions: Transactions, _: str) -> Layout:
    """FIMI: items separated by spaces."""
    _refuse_sensitive(transactions, "dat")
    return Layout(_encoded(transactions, _without_blanks), separator=b" ")


def spmf_layout(transactions: Transactions, _: str) -> Layout:
    """SPMF text: whole numbers; other names are given by ``@ITEM`` lines."""
    _refuse_sensitive(transactions, "spmf")
    names = _encoded(transactions, _without_line_ends)
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

    return Layout(_encoded(transactions, cell), separator=delimiter.encode())


def one_character(delimiter: str) -> str:
    """The delimiter, once it is known to be one that cells can be told apart by."""
    if len(delimiter) == 1 and delimiter.isascii() and delimiter not in '"\r\n\0':
        return delimiter
    raise UsageError(
        f"The delimiter must be one ASCII character, not a quote or a line end. Got {delimiter!r} instead.",
        code="parameter-range",
        hint="Common ones are ',', ';', '|' and a tab.",
    )


def json_layout(transactions: Transactions, _: str) -> Layout:
    """JSON lines: an array, or an object with the items and the sensitive value."""
    pieces = _encoded(transactions, _as_json)
    sensitive = transactions.sensitive
    if sensitive is None:
        return Layout(pieces, separator=b", ", head=b"[", tails=(b"]\n",))
    if sensitive.name == ITEMS:
        raise OutputError(
            f"The sensitive column is called {ITEMS!r}, as is the field of the items.",
            code="column-name-taken",
            hint="Rename the column.",
        )
    tails = [f"], {_as_json(sensitive.name)}: {_as_json(value)}}}\n".encode() for value in sensitive.texts]
    head = f'{{"{ITEMS}": ['.encode()
    return Layout(pieces, separator=b", ", head=head, tails=tails)


def checked_name(name: str) -> str:
    """The name, unless no file could give it back: one of blanks alone, NUL, half of a character."""
    if not name.strip() or "\0" in name or (not name.isprintable() and _broken(name)):
        raise OutputError(
            f"The item {shorten(name)!a} has no name that a text file can hold.",
            code="item-not-text",
            where=Place(value=name),
            hint="Rename the item.",
        )
    return name


def _encoded(transactions: Transactions, written: Callable[[str], str]) -> list[bytes]:
    return [written(checked_name(name)).encode() for name in transactions.vocabulary]


def _without_blanks(name: str) -> str:
    if name.split() != [name]:
        raise _has_delimiter(name, "white space", "dat")
    return name


def _without_line_ends(name: str) -> str:
    if "\n" in name or "\r" in name:
        raise _has_delimiter(name, "a line end", "spmf")
    return name


def _as_json(value: str | None) -> str:
    return json.dumps(value, ensure_ascii=False)


def _broken(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return True
    return False


def _has_delimiter(name: str, what: str, format: str) -> OutputError:
    return OutputError(
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
