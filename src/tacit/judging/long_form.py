"""Notice a table that lists the items of transactions, one a line, wherever its rows are."""

from __future__ import annotations

from tacit.data.table import Table
from tacit.data.transactions import LongForm, listing
from tacit.engine.choice import engine_for


def long_form(table: Table) -> LongForm | None:
    """The two columns, where a table looks like a list of items; None where it does not."""
    return listing(
        len(table),
        {name: len(table.column(name).values) for name in table.names},
        lambda record, item: len(engine_for(table).combinations(table, [record, item])),
    )
