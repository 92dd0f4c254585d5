"""Transactions as JSON lines: an array of items a line, or an object that holds one.

``["milk", "bread"]`` or ``{"items": ["milk", "bread"], "diagnosis": "flu"}``. An item is a text or a
whole number; a number and a text that read the same are never taken for one item. An empty
transaction is ``[]``; an empty line is not JSON. Other fields of an object are dropped.
"""

from __future__ import annotations

import json

import numpy as np
import polars as pl

from tacit.data.column import Column, encode
from tacit.errors import InputError, Place, shorten
from tacit.io.readers.text import line_at
from tacit.io.readers.transactions_text import Tokens
from tacit.io.readers.vocabulary import NamedRows

ITEMS = "items"
"""The field of an object that holds the items, unless another is named."""


def json_rows(data: bytes, *, file: str, items: str = ITEMS, sensitive: str | None = None) -> NamedRows:
    """The transactions of a file of JSON lines; ``items`` and ``sensitive`` name fields of objects."""
    from tacit.io.kernels.json_lines import JsonLines
    from tacit.io.kernels.tokens import split_rows

    array = np.frombuffer(data, dtype=np.uint8)
    lines = JsonLines(array, array_key=items, value_key=sensitive or "")
    found = split_rows(array, lines)
    if found.refusal:
        raise _refusal(data, file, found.at, found.refusal, items, sensitive)
    text = Tokens(data, file, found.starts, found.stops)
    names = _texts(text, wanted="an item")
    column = None
    if sensitive is not None:
        codes, starts, stops = lines.values()
        column = _sensitive_column(sensitive, codes, Tokens(data, file, starts, stops))
    return NamedRows(found.indptr, found.codes, [name or "" for name in names], text.place, column)


def _sensitive_column(name: str, codes: np.ndarray, text: Tokens) -> Column:
    values = encode(pl.Series(name, _texts(text, wanted=None), dtype=pl.String))
    packed = values.codes[codes]
    packed.flags.writeable = False
    return Column(name, packed, values.values)


def _texts(text: Tokens, *, wanted: str | None) -> list[str | None]:
    """Each token as text: items are texts and whole numbers, other values any scalar, null as None."""
    texts: list[str | None] = []
    numbers: dict[str, int] = {}
    strings: dict[str, int] = {}
    for token, raw in enumerate(text.raw()):
        written = raw.decode()
        if written[0] == '"':
            value = _string(written, text.place(token) if "\\" in written else None)
            strings.setdefault(value, token)
            texts.append(value)
            continue
        whole = written.lstrip("-").isdigit()
        if wanted is not None and not whole:
            raise InputError(
                f"Expected {wanted} that is a text or a whole number, found {shorten(written)}.",
                code="json-item",
                where=text.place(token),
                hint="Write items as texts, in quotes.",
            )
        numbers.setdefault(written, token)
        texts.append(None if written == "null" else written)
    both = next((value for value in numbers if value in strings), None)
    if both is not None:
        raise InputError(
            f'{both} occurs as a number or a word and as the text "{both}".',
            code="json-two-kinds",
            where=text.place(max(numbers[both], strings[both])),
            hint="Write it in one way.",
        )
    return texts


def _string(written: str, place: Place | None) -> str:
    """The text of a JSON string; only one with a backslash needs decoding."""
    if place is None:
        return written[1:-1]
    value: str = json.loads(written)
    if "\0" in value:
        raise InputError("The text holds a NUL character.", code="text-nul", where=place, hint="Remove it.")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InputError(
            f"{shorten(written)} is half of a character (a lone surrogate).",
            code="text-surrogate",
            where=place,
            hint="Write the character whole, or remove it.",
        ) from None
    return value


def _refusal(data: bytes, file: str, at: int, refusal: int, items: str, sensitive: str | None) -> InputError:
    from tacit.io.kernels.json_lines import NESTED, NO_ARRAY, NO_VALUE, NOT_JSON

    end = min(
        (place for place in (data.find(b"\n", at), data.find(b"\r", at)) if place >= 0), default=len(data)
    )
    line = data[at:end].decode()
    where = Place(file=file, line=line_at(data, at), value=shorten(line))
    if refusal == NOT_JSON:
        return InputError(
            f"Expected a JSON array or object on the line, {_complaint(line)}.",
            code="json-malformed",
            where=where,
            hint="Write one transaction a line; an empty one is [].",
        )
    if refusal == NESTED:
        message, code = "Expected texts and numbers, found a nested array or object.", "json-nested"
        hint = "Write a transaction as a flat list of items."
    elif refusal == NO_ARRAY:
        message, code = f"The object has no array {items!r}.", "json-no-items"
        hint = "Name the field that holds the items with the option 'item'."
    elif refusal == NO_VALUE:
        message, code = f"The line gives no {sensitive!r}.", "json-no-sensitive"
        hint = "Every line must be an object with that field; write null where it is missing."
    else:
        message, code = "A field of the object is given twice.", "json-field-twice"
        hint = "Give each field once."
    return InputError(message, code=code, where=where, hint=hint)


def _complaint(line: str) -> str:
    try:
        json.loads(line)
    except json.JSONDecodeError as error:
        return f"found none at character {error.colno} ({error.msg.lower()})"
    except RecursionError:
        return "found brackets nested too deeply"
    except ValueError:
        return "found a number of too many digits"
    return "found something else"
