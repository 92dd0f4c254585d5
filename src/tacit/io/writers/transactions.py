"""Transactions into files of every layout they are read from.

The items of a record are written in the order of the vocabulary, records in the order they have.
Writing and reading back gives the same transactions; what a format cannot hold is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

from tacit.data.transactions import Transactions
from tacit.errors import OutputError
from tacit.io.layouts import Layout, checked_name
from tacit.io.output import new_file, whole_file
from tacit.io.readers.opening import plain_suffix
from tacit.io.readers.set_formats import FORMATS, SET_FORMATS, SUFFIXES, refuse_unmeant
from tacit.io.readers.transactions_long import ITEM, RECORD
from tacit.ranges import Optional, check


def write_transactions(
    transactions: Transactions,
    path: str | Path,
    *,
    format: str | None = None,
    delimiter: str | None = None,
    table: str | None = None,
    overwrite: bool = False,
) -> None:
    """Write the transactions to a file; the format follows from its suffix, else from how they were read.

    A long table is CSV, Parquet or what else the suffix says, or with the name of a ``table`` part of a
    database. ``delimiter`` is for baskets. A file whose name ends in ``.gz`` or ``.zst`` is compressed.
    What is there already is replaced only with ``overwrite``. Transactions on Spark have no order: they are
    written sorted by their text, and not as a long table.
    """
    check("write_transactions", {"format": Optional(FORMATS)}, format=format)
    chosen = format or (
        "long" if table is not None else SUFFIXES.get(plain_suffix(path), transactions.format)
    )
    refuse_unmeant(chosen, {"delimiter": delimiter, "table": table}, writing=True)
    lines = SET_FORMATS[chosen].lines
    if lines is None:
        from tacit.io.writers.tables import write_table

        write_table(long_frame(transactions), path, table=table, overwrite=overwrite)
        return
    layout = lines.layout(transactions, delimiter or ("\t" if plain_suffix(path) == ".tsv" else ","))
    with whole_file(Path(path), overwrite=overwrite) as beside, new_file(beside) as file:
        file.write(layout.preamble)
        for part in transactions.in_order():
            for block in transaction_text(part, layout):
                file.write(block)


def transaction_text(transactions: Transactions, layout: Layout) -> Iterator[memoryview]:
    """The text of some transactions under a layout, block by block."""
    from tacit.arrays.csr import join_rows

    column = transactions.sensitive
    yield from join_rows(
        transactions.indptr,
        transactions.items,
        layout.pieces,
        head=layout.head,
        separator=layout.separator,
        tails=layout.tails,
        row_tails=np.zeros(len(transactions), dtype=np.int32) if column is None else column.codes,
    )


def long_frame(transactions: Transactions) -> pl.DataFrame:
    """The transactions as rows of (record, item), with the sensitive column; records are numbered from 1."""
    empty = int((transactions.lengths == 0).sum())
    if empty:
        raise OutputError(
            f"{empty} transactions are empty, and a long table has no row for them.",
            code="empty-record",
            hint="Write another format (dat, basket or jsonl), or leave the empty transactions out.",
        )
    names = pl.Series(ITEM, [checked_name(name) for name in transactions.vocabulary], dtype=pl.String)
    owners = np.repeat(np.arange(len(transactions), dtype=np.int64), transactions.lengths)
    columns = [pl.Series(RECORD, owners + 1), names.gather(transactions.items)]
    if transactions.sensitive is not None:
        if transactions.sensitive.name in (RECORD, ITEM):
            raise OutputError(
                f"The sensitive column {transactions.sensitive.name!r} has the name of another one.",
                code="column-name-taken",
                hint="Rename the column.",
            )
        columns.append(transactions.sensitive.to_series().gather(owners))
    return pl.DataFrame(columns)
