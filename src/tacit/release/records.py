"""Whose records a release shows: what the ledger recognizes them by.

People and transactions are recognized by what they hold (:mod:`tacit.release.likeness`). Identifiers are
dropped on reading and are never seen here.

An earlier version of the ledger kept a word for each record instead: of a person's quasi-identifiers with
their names, or of all items of a transaction, told apart by rank where several are alike. Releases that it
has on record are still compared so (:meth:`Records.digests`): always by the columns of the earlier release.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from tacit.data.table import Table
from tacit.data.transactions import Transactions
from tacit.io.canonical import canonical
from tacit.random.key import Key
from tacit.release.likeness import Likeness, PeopleLikeness, SetsLikeness
from tacit.typing import Counts, Words

ITEMS = "items"
MOST_COUNTED = 5_000_000
"""Up to so many people of a table on Spark are known to the ledger, each by the counts of their look, and up
to so many transactions."""


@dataclass(frozen=True, eq=False)
class Records:
    """The published ``rows`` of some data; ``columns`` are a table's quasi-identifiers."""

    data: Table | Transactions
    rows: Counts
    columns: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    def have(self, columns: tuple[str, ...]) -> bool:
        """Whether these columns, of another release, are columns of these records too."""
        if isinstance(self.data, Table):
            return bool(columns) and set(columns) <= set(self.data.names)
        return not columns

    def digests(self, key: Key, columns: tuple[str, ...]) -> Words:
        """A keyed 64-bit word for each record by its content in these columns and its rank there."""
        from tacit.random.digests import ranks, record_digests, set_digests, value_digests
        from tacit.random.keyed import draws

        content = key.subkey("ledger: content")
        if isinstance(self.data, Table):
            shown = [self.data.column(name) for name in columns]
            found = record_digests(
                [
                    (column.codes[self.rows], value_digests(content, column.name, column.texts))
                    for column in shown
                ]
            )
        else:
            items = value_digests(content, ITEMS, self.data.vocabulary)
            found = set_digests(self.data.indptr, self.data.items, items)[self.rows]
        # Digests add up value by value, and only a keyed hash of them may be kept.
        return draws(key.subkey("ledger: record"), found, ranks(found))

    def likeness(self, key: Key) -> Likeness:
        """What these records hold, as the ledger compares it."""
        kind = PeopleLikeness if isinstance(self.data, Table) else SetsLikeness
        return kind(self.data, self.rows, key)  # type: ignore[arg-type]

    def looks(self, columns: tuple[str, ...], rows: Counts) -> pl.DataFrame:
        """What the people in these rows look like: the columns in one spelling."""
        assert isinstance(self.data, Table)
        shown = [self.data.column(name) for name in columns]
        return pl.DataFrame(
            [canonical(column.values).gather(column.codes[rows]).alias(column.name) for column in shown]
        )


def people_of(table: Table, columns: tuple[str, ...]) -> Records | None:
    """Everybody in a table by their look in these columns; None for more people on Spark than are counted."""
    here = table.in_memory(columns, MOST_COUNTED)
    return None if here is None else Records(here, np.arange(len(here)), columns)


def sets_of(transactions: Transactions) -> Records | None:
    """All transactions by what they hold; None for more of them on Spark than are counted."""
    here = transactions.in_memory(MOST_COUNTED)
    return None if here is None else Records(here, np.arange(len(here)))
