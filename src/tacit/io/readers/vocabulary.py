"""The items of some transactions, as they were written: named, checked for twins, numbered.

A reader finds tokens; a token becomes a name, and several tokens may become one (``"milk"`` and
``milk`` in a basket file). What is checked about names is checked here, once per distinct name and
whatever the format: an item has a name that is not empty, and twins are refused, folded or kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from tacit.data.column import Column, encode
from tacit.data.spelling import number_notes, settle_spelling
from tacit.data.transactions import Transactions, from_rows
from tacit.errors import InputError, Place
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
    counts = np.bincount(rows.codes, minlength=len(rows.names))
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
