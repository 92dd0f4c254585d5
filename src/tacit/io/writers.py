"""Writing tables and transactions, so that reading them back gives the same values.

What a format cannot hold is written as text, or refused where that would change it. Comma-separated text is
as RFC 4180 wants it, with ``\\n`` after each record: a cell stands in quotes only where it must, where it
holds the separator, a quote or a line end, and where it is the empty text, since nothing at all is a missing
value. The items of a transaction are written in the order of the vocabulary, records in the order they have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tacit.data.column import Column, encode
from tacit.data.settling import countable, take_in
from tacit.data.table import Table, check_names
from tacit.data.transactions import Transactions
from tacit.errors import OutputError, Place, UsageError, option
from tacit.io.output import new_file, whole_file
from tacit.io.readers.csv import SEPARATORS
from tacit.io.readers.database import write_database
from tacit.io.readers.excel import write_excel
from tacit.io.readers.formats import (
    DATABASES,
    FORMATS,
    SET_FORMATS,
    SET_NAMES,
    SET_SUFFIXES,
    TEXT_FORMATS,
    named_format,
    refuse_unmeant,
)
from tacit.io.readers.opening import COMPRESSED, plain_suffix
from tacit.io.readers.transactions import ITEM, RECORD
from tacit.io.readers.transactions_text import Layout, checked_name
from tacit.ranges import OneOf, Optional, check
from tacit.typing import Counts


def write_table(
    data: Any,
    path: str | Path,
    *,
    format: str | None = None,
    table: str | None = None,
    spreadsheet_safe: bool = False,
    overwrite: bool = False,
) -> None:
    """Write a table, or any dataframe, to a file or a database.

    The format follows from the name, or is given by ``format``: CSV and TSV (also ``.gz`` and ``.zst``),
    Parquet, Arrow, Excel, and with the name of a ``table`` SQLite and PostgreSQL. In text a missing
    value is an empty cell and the empty text a pair of quotes. ``spreadsheet_safe`` writes a quote
    before text that a spreadsheet program would take for a formula; the other formats keep text as
    text anyway. What is there already is replaced only with ``overwrite``.
    """
    check("write_table", {"format": Optional(OneOf(FORMATS))}, format=format)
    chosen = named_format(path, format)
    if chosen is None:
        raise UsageError(
            f"The name {str(path)!r} does not say which format to write.",
            code="unknown-format",
            hint=f"Name the format with {option('format')}: one of {', '.join(FORMATS)}.",
        )
    if (chosen in DATABASES) != (table is not None):
        raise UsageError(
            "A database needs the name of the table to write."
            if table is None
            else f"The format {chosen!r} has no use for {option('table')}.",
            code="option-format",
            hint=f"Give {option('table')} with a database, and only there.",
        )
    compressed = Path(path).suffix.lower() in COMPRESSED
    if compressed and chosen not in TEXT_FORMATS:
        raise UsageError(
            f"Only text is compressed as a whole, and the format is {chosen!r}.",
            code="option-format",
            hint="Leave the suffix of the compression out.",
        )
    if chosen in TEXT_FORMATS:
        separator = "\t" if chosen == "tsv" else ","
        known = isinstance(data, Table)
        columns = [data.column(name) for name in data.names] if known else [*map(encode, _frame(data))]
        with whole_file(Path(path), overwrite=overwrite) as file:
            write_csv(columns, file, separator=separator, spreadsheet_safe=spreadsheet_safe)
        return
    frame = _frame(data)
    if chosen in DATABASES:
        write_database(frame, path, table=table or "", overwrite=overwrite)
        return
    with whole_file(Path(path), overwrite=overwrite) as file:
        if chosen == "parquet":
            frame.write_parquet(file)
        elif chosen == "json":
            (frame.write_json if plain_suffix(path) == ".json" else frame.write_ndjson)(file)
        elif chosen == "arrow":
            # the oldest layout is the one that every library reads
            frame.write_ipc(file, compat_level=pl.CompatLevel.oldest())
        else:
            write_excel(frame, file)


def _frame(data: Any) -> pl.DataFrame:
    if isinstance(data, Table):
        return data.to_polars()
    frame = take_in(data)
    check_names(frame.columns, where=None)
    return countable(frame, needed=tuple(frame.columns), origin=None)[0]


FORMULA = r"^[=+\-@\t\r]"
"""How a cell begins that a spreadsheet program may take for a formula."""
NUMBER = r"^[+-]?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?$"


AT_ONCE = 1 << 20
"""So many rows are made into text at a time."""


def write_csv(
    columns: Sequence[Column],
    file: Path,
    *,
    separator: str,
    spreadsheet_safe: bool,
    times: Counts | None = None,
) -> None:
    """Write the columns to a file, compressed where its name ends in ``.gz`` or ``.zst``.

    Each row is written so many ``times``, once where nothing is said.
    """

    # In a single column, any separator in use would look like the file's own, so it is put in quotes.
    special = separator if len(columns) > 1 else "".join(SEPARATORS)

    def cells(texts: pl.Series) -> pl.Series:
        return _cells(texts, special, spreadsheet_safe=spreadsheet_safe, file=file)

    header = cells(pl.Series([column.name for column in columns], dtype=pl.String))
    texts = [cells(pl.Series(column.texts, dtype=pl.String)) for column in columns]
    n_rows = len(columns[0]) if columns else 0
    ends = np.arange(1, n_rows + 1) if times is None else np.cumsum(times)
    with new_file(file) as stream:
        stream.write((separator.join(header) + "\n").encode())
        start = 0
        while start < n_rows:
            before = int(ends[start - 1]) if start else 0
            stop = max(start + 1, int(np.searchsorted(ends, before + AT_ONCE, side="right")))
            written = pl.DataFrame(
                [
                    own.gather(column.codes[start:stop]).alias(str(place))
                    for place, (own, column) in enumerate(zip(texts, columns, strict=True))
                ]
            )
            if times is not None:
                written = written[np.repeat(np.arange(stop - start), times[start:stop])]
            written.write_csv(stream, include_header=False, separator=separator, quote_style="never")
            start = stop


def cells_and_header(
    names: Sequence[str], texts: Sequence[Sequence[str | None] | None], file: Path, *, separator: str
) -> tuple[bytes, list[pl.Series | None]]:
    """The header line of two columns or more, and the cell of each of a column's texts; None stays None."""
    header = _cells(pl.Series(names, dtype=pl.String), separator, spreadsheet_safe=False, file=file)
    cells = [
        None
        if column is None
        else _cells(pl.Series(column, dtype=pl.String), separator, spreadsheet_safe=False, file=file)
        for column in texts
    ]
    return (separator.join(header) + "\n").encode(), cells


def _cells(texts: pl.Series, separators: str, *, spreadsheet_safe: bool, file: Path) -> pl.Series:
    """The texts as they are written; a null stays one."""
    if spreadsheet_safe:
        formula = texts.str.contains(FORMULA) & ~texts.str.contains(NUMBER)
        texts = pl.select(pl.when(formula).then("'" + texts).otherwise(texts)).to_series()
    # A byte order mark at the very beginning would be taken for one, so it is put behind a quote.
    special = texts.str.contains('^$|["\0\r\n\ufeff' + separators + "]")
    if not special.any():
        return texts
    if texts.str.contains("\0", literal=True).any():
        raise OutputError(
            "A value holds a NUL character, which no text file may.",
            code="text-nul",
            where=Place(file=str(file)),
            hint="Remove it, or write another format.",
        )
    quoted = '"' + texts.str.replace_all('"', '""', literal=True) + '"'
    return pl.select(pl.when(special).then(quoted).otherwise(texts)).to_series()


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
    check("write_transactions", {"format": Optional(SET_NAMES)}, format=format)
    chosen = format or (
        "long" if table is not None else SET_SUFFIXES.get(plain_suffix(path), transactions.format)
    )
    refuse_unmeant(chosen, {"delimiter": delimiter, "table": table}, writing=True)
    written = SET_FORMATS[chosen].layout
    if written is None:
        write_table(long_frame(transactions), path, table=table, overwrite=overwrite)
        return
    layout = written(transactions, delimiter or ("\t" if plain_suffix(path) == ".tsv" else ","))
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
