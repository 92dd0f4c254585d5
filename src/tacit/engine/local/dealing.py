"""Carrying out a plan on the rows of a table: what an engine does after a solver has spoken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from tacit.data.table import Table
from tacit.engine.base import TableCounting
from tacit.random.key import Key
from tacit.typing import Codes, Counts, Offsets


@dataclass(frozen=True, eq=False)
class Dealt:
    """The place of each row (-1: none was left for it), and the row it takes its sensitive values from."""

    places: Codes
    sources: Counts
    digest: str
    """A keyed digest of the records, whatever their order."""


class TableDealing(TableCounting, Protocol):
    """Dealing verbs for tables."""

    def deal(
        self, table: Table, names: Sequence[str], kind_of: Codes, ends: Offsets, places: Codes, key: Key
    ) -> Dealt:
        """Deal the rows of each kind out to its places, in an order that the key alone decides.

        ``kind_of`` is the kind of each of the table's combinations of the named columns, as
        :meth:`combinations` lists them; kind k has ``places[ends[k] : ends[k + 1]]``. Rows of one
        place exchange their sensitive values at random.
        """
        ...


def deal_in_memory(
    table: Table, names: Sequence[str], kind_of: Codes, ends: Offsets, places: Codes, key: Key
) -> Dealt:
    """Deal the rows of a table in memory."""
    from tacit.arrays.dealing import deal_out, exchange_inside
    from tacit.arrays.grouping import group_rows
    from tacit.random.digests import ranks, record_digests, value_digests
    from tacit.random.keyed import draws, keyed_order

    columns = [table.column(name) for name in names]
    combination, _ = group_rows(
        [column.codes for column in columns], [len(column.values) for column in columns]
    )
    # Every column that is published takes part, so that records of equal digest look the same.
    content = key.subkey("rows: content")
    published = [table.column(name) for name in dict.fromkeys((*table.roles.known, *table.roles.sensitive))]
    digests = record_digests(
        [(column.codes, value_digests(content, column.name, column.texts)) for column in published]
    )
    rank = ranks(digests)
    words = draws(key.subkey("rows: places"), digests, rank)
    order = keyed_order(words, digests, rank)
    dealt = deal_out(order, kind_of[combination], ends, places)
    others = draws(key.subkey("rows: exchange"), digests, rank)
    sources = exchange_inside(order, keyed_order(others, digests, rank), dealt)
    marks = [draws(key.subkey("rows: digest"), digests, rank, label=label).sum() for label in (0, 1)]
    return Dealt(dealt, sources, "".join(f"{int(mark):016x}" for mark in marks))
