"""Several rows of one person: a promise about rows becomes one about people.

A reader who knows all rows of a person may know as well that a chronic disease repeats. Two rows of the
person in one bucket or class, or in two that share a single value, would then name it, however many values
each row could have. So one row of every person is published. The key draws it, alike likely among the
person's rows and whatever values they hold: which row was drawn says nothing about a value, the person is
in one bucket only, and there is nothing to intersect. What holds for every row holds for every person.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tacit.data.table import Drawn, Table
from tacit.errors import InputError, Place, UsageError, option
from tacit.random.key import Key
from tacit.typing import Counts, Words


def one_row_per_person(table: Table, person: str | None, key: Key) -> Table:
    """The table with one row of everybody, drawn by the key; the column ``person`` tells people apart.

    Names that differ only in case, width or blanks are one person's. Without a column every row is a person.
    """
    if person is None:
        return table
    column = table.column(person)
    if person in (*table.roles.known, *table.roles.sensitive):
        raise UsageError(
            f"The column {person!r} tells people apart, so it cannot be published.",
            code="person-published",
            hint=f"Take it out of the roles, or leave out {option('person')}.",
        )
    if column.null_code is not None:
        missing = int(column.counts[column.null_code])
        raise InputError(
            f"{missing:,} rows do not say whose they are.",
            code="person-missing",
            where=Place(file=table.origin, column=person),
            hint="Fill the column in, or leave those rows out of the data.",
        )
    if table.drawn is not None:
        return table
    names, number = np.unique([folded(str(text)) for text in column.texts], return_inverse=True)
    who = number.reshape(-1)[column.codes]
    order = np.lexsort((_draws(table, who, names.tolist(), key), who))
    drawn = np.sort(order[np.diff(who[order], prepend=-1) > 0])
    return replace(table.take(drawn), drawn=Drawn(drawn, len(table)))


def _draws(table: Table, who: Counts, names: Sequence[str], key: Key) -> Words:
    """A keyed word for each row by its person and content, so that the order of rows does not matter."""
    from tacit.random.digests import ranks, record_digests, value_digests
    from tacit.random.keyed import draws

    content = key.subkey("people: content")
    columns = [table.column(name) for name in (*table.roles.known, *table.roles.sensitive)]
    digests = record_digests(
        [
            (who.astype(np.int32), value_digests(content, "", names)),
            *((column.codes, value_digests(content, column.name, column.texts)) for column in columns),
        ]
    )
    # Equal rows of one person are alike: whichever is drawn, the same is published.
    return draws(key.subkey("people: row"), digests, ranks(digests))


def folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
