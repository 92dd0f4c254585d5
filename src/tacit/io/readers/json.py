"""JSON: transactions, an array of items a line or an object that holds one; and tables, an object a row.

Transactions are ``["milk", "bread"]`` or ``{"items": ["milk", "bread"], "diagnosis": "flu"}``. An item is
a text or a whole number; a number and a text that read the same are never taken for one item. An empty
transaction is ``[]``; an empty line is not JSON. Other fields of an object are dropped.

The objects of a table stand on a line each, or in one array. Their fields are its columns: texts, numbers as
they are written, ``true`` and ``false``; a field that is null or not there is a missing value.

The standard library reads the lines: the frame library takes ``1`` and ``"1"`` for one text, and lets a
field that is given twice pass.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from tacit.data.column import Column, encode, frozen
from tacit.data.transactions import Transactions
from tacit.errors import InputError, OutputError, Place, option, shorten
from tacit.io.readers.delimited import Signs, pieces
from tacit.io.readers.transactions_text import Layout, written_names
from tacit.io.readers.vocabulary import Asked, NamedRows

ITEMS = "items"
"""The field of an object that holds the items, unless another is named."""
Scalar = str | bytes | bool | None
"""A text, a number as it is written (so that it equals no text), a truth value, null."""


def json_rows(data: bytes, file: str, asked: Asked) -> NamedRows:
    """The transactions of a file of JSON lines; ``item`` and ``sensitive`` name fields of objects."""
    items, sensitive = asked.item or ITEMS, asked.sensitive
    found, values = _Numbers(), _Numbers()
    codes: list[np.ndarray] = []
    of_row: list[int] = []
    lengths = [0]
    for lines in _lines(data):
        part: list[int] = []
        for line in lines:
            try:
                row, value = _row(line, items, sensitive)
                part.extend(map(found.__getitem__, row))
                if sensitive is not None:
                    of_row.append(values[value])
            except (_RefusedError, ValueError, TypeError, RecursionError) as error:
                raise _refusal(error, Place(file=file, line=len(lengths)), line) from None
            lengths.append(len(row))
        codes.append(np.array(part, dtype=np.int32))
    place = _Places(data, file, items, list(found))
    names = _texts(list(found), place, wanted="an item")
    column = None
    if sensitive is not None:
        spelled = _texts(list(values), _Places(data, file, items, list(values), sensitive), wanted=None)
        column = encode(pl.Series(sensitive, spelled, dtype=pl.String))
        column = Column(sensitive, frozen(column.codes[of_row]), column.values)
    return NamedRows(np.cumsum(lengths), np.concatenate(codes), [name or "" for name in names], place, column)


NESTED = (
    "json-nested",
    "Expected texts and numbers, found a nested array or object.",
    "Write a transaction as a flat list of items, a row as an object without others.",
)
TWICE = ("json-field-twice", "A field of the object is given twice.", "Give each field once.")
TRANSACTION = ("a JSON array or object on the line", "Write one transaction a line; an empty one is [].")
ROW = ("a JSON object", "Write a row a line, as an object, or all rows in one array.")
"""What is expected of a text, and how it is written."""
NO_ROW = ("json-malformed", f"Expected {ROW[0]}, found something else.", ROW[1])


class _Object(list[tuple[str, Any]]):
    """The fields of an object, in their order: one may be given twice."""


class _Numbers(dict[Scalar, int]):
    """Numbers for scalars, in the order in which they are first asked for."""

    def __missing__(self, scalar: Scalar) -> int:
        self[scalar] = number = len(self)
        return number


class _RefusedError(Exception):
    """A line that is JSON and cannot be taken: its code, the sentence, the next step."""


def _no_constant(word: str) -> None:
    raise ValueError(f"{word} is not JSON")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_Object, parse_int=str.encode, parse_float=str.encode, parse_constant=_no_constant
)
_SCALAR = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s,:"\[\]{}]+')
_WORDS: dict[Scalar, str] = {True: "true", False: "false", None: "null"}


def _lines(data: bytes) -> Iterator[list[bytes]]:
    """The lines of a text, many at a time."""
    return (piece.text.splitlines() for piece in pieces(data, Signs(b"")))


def _row(line: bytes, items: str, sensitive: str | None) -> tuple[list[Scalar], Scalar]:
    """The items of a line, and its value of the sensitive field."""
    found = _DECODER.decode(line.decode())
    if type(found) is list:
        arrays, values = [found], []
    elif type(found) is _Object:
        arrays = [value for key, value in found if key == items]
        values = [value for key, value in found if key == sensitive]
    else:
        raise ValueError("neither an array nor an object")
    if len(arrays) == 1 and type(arrays[0]) is list and len(values) == (sensitive is not None):
        return arrays[0], values[0] if values else None
    if not arrays or type(arrays[0]) is not list:
        raise _RefusedError(
            "json-no-items",
            f"The object has no array {items!r}.",
            f"Name the field that holds the items with {option('item')}."
            if type(found) is _Object and any(type(value) is list for _, value in found)
            else "A line holds the items of one record in an array; a table is read with its columns named.",
        )
    if any(isinstance(item, list) for item in arrays[0]):
        raise _RefusedError(*NESTED)
    if len(arrays) > 1 or len(values) > 1:
        raise _RefusedError(*TWICE)
    raise _RefusedError(
        "json-no-sensitive",
        f"The line gives no {sensitive!r}.",
        "Every line must be an object with that field; write null where it is missing.",
    )


def json_table(data: bytes, file: str) -> pl.DataFrame:
    """The table whose rows are objects, its cells as text."""
    columns: dict[str, list[str | None]] = {}
    count = 0
    for where, found in _objects(data, file):
        if type(found) is not _Object:
            raise _refusal(_RefusedError(*NO_ROW), where)
        if len(dict(found)) < len(found):
            raise _refusal(_RefusedError(*TWICE), where)
        for name, value in found:
            if isinstance(value, list):
                raise _refusal(_RefusedError(*NESTED), replace(where, column=name))
            if isinstance(value, str):
                _refuse_broken(value, replace(where, column=name, value=_as_json(value)))
            cells = columns.setdefault(name, [])
            cells.extend([None] * (count - len(cells)))
            cells.append(_text(value))
        count += 1
    filled = {name: cells + [None] * (count - len(cells)) for name, cells in columns.items()}
    return pl.DataFrame(filled, schema=dict.fromkeys(filled, pl.String))


def _objects(data: bytes, file: str) -> Iterator[tuple[Place, Any]]:
    """What a text holds, with the line of each where they do not stand in one array."""
    whole = data.lstrip().startswith(b"[")
    texts = [data] if whole else (line for some in _lines(data) for line in some)
    for number, text in enumerate(texts, start=1):
        where = Place(file=file, line=None if whole else number)
        try:
            found = _DECODER.decode(text.decode())
        except (ValueError, RecursionError) as error:
            raise _refusal(error, where, text, *ROW) from None
        yield from ((where, one) for one in (found if whole else [found]))


def _text(scalar: Scalar) -> str | None:
    if isinstance(scalar, bytes):
        return scalar.decode()
    return scalar if isinstance(scalar, str) or scalar is None else _WORDS[scalar]


@dataclass(frozen=True, eq=False)
class _Places:
    """Says where a scalar first stands, by a second look at the lines."""

    data: bytes
    file: str
    items: str
    scalars: Sequence[Scalar]
    sensitive: str | None = None

    def __call__(self, number: int) -> Place:
        wanted = self.scalars[number]
        lines = (line for some in _lines(self.data) for line in some)
        for at, line in enumerate(lines, start=1):
            row, value = _row(line, self.items, self.sensitive)
            if wanted in (row if self.sensitive is None else [value]):
                written = next(
                    token for token in _SCALAR.findall(line.decode()) if _DECODER.decode(token) == wanted
                )
                return Place(file=self.file, line=at, value=shorten(written))
        raise ValueError("The scalar is on no line.")


def _texts(scalars: Sequence[Scalar], place: _Places, *, wanted: str | None) -> list[str | None]:
    """Each scalar as text: items are texts and whole numbers, other values any scalar, null as None."""
    texts: list[str | None] = []
    strings = {scalar: number for number, scalar in enumerate(scalars) if isinstance(scalar, str)}
    alike: list[tuple[int, str]] = []
    for number, scalar in enumerate(scalars):
        if isinstance(scalar, str):
            _refuse_broken(scalar, place, number)
            texts.append(scalar)
            continue
        written = _text(scalar) or "null"
        if wanted is not None and not written.lstrip("-").isdigit():
            raise InputError(
                f"Expected {wanted} that is a text or a whole number, found {shorten(written)}.",
                code="json-item",
                where=place(number),
                hint="Write items as texts, in quotes.",
            )
        if written in strings and scalar is not None:  # null is missing, whatever a text says
            alike.append((number, written))
        texts.append(None if scalar is None else written)
    if alike:
        number, written = alike[0]
        raise InputError(
            f'{written} occurs as a number or a word and as the text "{written}".',
            code="json-two-kinds",
            where=place(max(number, strings[written])),
            hint="Write it in one way.",
        )
    return texts


def _refuse_broken(text: str, where: Place | _Places, number: int = 0) -> None:
    """Refuse what an escape may bring into a text: a NUL, or half of a character."""
    try:
        text.encode()
        if "\0" not in text:
            return
        code, what, hint = "text-nul", "The text holds a NUL character.", "Remove it."
    except UnicodeEncodeError:
        code, what = "text-surrogate", "{} is half of a character (a lone surrogate)."
        hint = "Write the character whole, or remove it."
    where = where if isinstance(where, Place) else where(number)
    raise InputError(what.format(where.value), code=code, where=where, hint=hint)


def _refusal(
    error: Exception,
    where: Place,
    text: bytes = b"",
    wanted: str = TRANSACTION[0],
    hint: str = TRANSACTION[1],
) -> InputError:
    """The error for a text that is not JSON, or that holds something else than it should."""
    if isinstance(error, TypeError):
        error = _RefusedError(*NESTED)
    if not isinstance(error, _RefusedError):
        error = _RefusedError("json-malformed", f"Expected {wanted}, {_complaint(text.decode())}.", hint)
    code, message, step = error.args
    value = shorten(text.decode()) if text else where.value
    return InputError(message, code=code, where=replace(where, value=value), hint=step)


def _complaint(text: str) -> str:
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        line = f"line {error.lineno}, " if error.lineno > 1 else ""
        return f"found none at {line}character {error.colno} ({error.msg.lower()})"
    except RecursionError:
        return "found brackets nested too deeply"
    except ValueError:
        return "found a number of too many digits"
    return "found something else"


def json_layout(transactions: Transactions, _: str) -> Layout:
    """JSON lines: an array, or an object with the items and the sensitive value."""
    pieces = written_names(transactions, _as_json)
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


def _as_json(value: str | None) -> str:
    return json.dumps(value, ensure_ascii=False)
