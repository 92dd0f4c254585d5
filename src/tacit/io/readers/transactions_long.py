"""Transactions as rows of (record, item): from a CSV file, Parquet, Excel, a database or a dataframe.

Rows of one record need not stand together. Records are taken in the order of their values, so
nothing depends on the order of the rows; the values themselves are identifiers and never published. A
long table has no row for an empty transaction, so it cannot hold one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tacit.data.column import Column, frozen
from tacit.data.table import Table, table_from_frame
from tacit.data.transactions import Transactions
from tacit.errors import InputError, Place, UsageError, unknown_column
from tacit.io.readers.opening import plain_suffix
from tacit.io.readers.vocabulary import NamedRows, transactions_from_named
from tacit.typing import Codes

RECORD, ITEM = "record", "item"
"""The columns that are looked for when none are named."""

_TEXT_SUFFIXES = (".csv", ".tsv", ".txt")


def long_transactions(
    source: Any,
    *,
    record: str | None,
    item: str | None,
    sensitive: str | None,
    delimiter: str | None,
    encoding: str | None,
    header: bool,
    twins: str,
    multiset: bool,
    table: str | None,
    query: str | None,
) -> Transactions:
    """The transactions of a long table; without a header its first two columns are record and item."""
    if isinstance(source, str | Path):
        from tacit.io.readers.tables import read_table

        rows = read_table(
            source,
            delimiter=delimiter,
            encoding=encoding,
            header=header,
            recognize=False,  # items and records are names
            twins="keep",  # asked of the items alone, below
            table=table,
            query=query,
        )
        first_line = (2 if header else 1) if plain_suffix(source) in _TEXT_SUFFIXES else 1
    else:
        rows, first_line = table_from_frame(source), 1
    names = rows.names
    record = record or (RECORD if header else names[0])
    item = item or (ITEM if header else names[min(1, len(names) - 1)])
    _refuse_missing(rows, record, item, sensitive)
    named = _named_rows(rows, record, item, sensitive, first_line)
    origin = rows.origin or "dataframe"
    return transactions_from_named(named, twins=twins, multiset=multiset, origin=origin, format="long")


def _named_rows(table: Table, record: str, item: str, sensitive: str | None, first_line: int) -> NamedRows:
    from tacit.arrays.groups import gather_rows

    records, items = table.column(record), table.column(item)
    for column, what in ((records, "record"), (items, "item")):
        if column.null_code is not None:
            row = int(np.argmax(column.codes == column.null_code))
            raise InputError(
                f"A row has no {what}.",
                code=f"null-{what}",
                where=Place(file=table.origin, line=row + first_line, column=column.name),
                hint=f"Give every row a {what}, or remove the row.",
            )
    owners = _in_order(records)
    indptr, codes = gather_rows(owners, items.codes, len(records.values))

    def place(code: int) -> Place:
        row = int(np.argmax(items.codes == code))
        return Place(file=table.origin, line=row + first_line, column=item, value=names[code])

    names = [text or "" for text in items.texts]
    constant = None
    if sensitive is not None:
        constant = _per_record(table, records, owners, table.column(sensitive), first_line)
    of_record = np.empty(len(records.values), dtype=np.int32)
    of_record[owners] = records.codes
    return NamedRows(
        indptr, codes, names, place, constant, records=Column(record, frozen(of_record), records.values)
    )


def _in_order(records: Column) -> Codes:
    """The number of each row's record: by size where records are plain whole numbers kept as text."""
    values = records.values
    if values.dtype != pl.String or not values.str.contains(r"^(0|[1-9][0-9]*)$").all():
        return records.codes
    by_size = pl.DataFrame({"digits": values.str.len_bytes(), "value": values}).select(
        pl.struct("digits", "value").rank("ordinal").cast(pl.Int32) - 1
    )
    order: Codes = by_size.to_series().to_numpy()[records.codes]
    return order


def _per_record(table: Table, records: Column, owners: Codes, sensitive: Column, first_line: int) -> Column:
    """The sensitive column with one value per record; a record with two is refused."""
    of_record = np.empty(len(records.values), dtype=np.int32)
    of_record[owners[::-1]] = sensitive.codes[::-1]  # the first row of each record
    other = of_record[owners] != sensitive.codes
    if other.any():
        row = int(np.argmax(other))
        raise InputError(
            f"A record has two values of {sensitive.name!r}: its rows differ.",
            code="sensitive-varies",
            where=Place(
                file=table.origin,
                line=row + first_line,
                column=sensitive.name,
                value=sensitive.texts[int(sensitive.codes[row])],
            ),
            hint="A sensitive column of transactions has one value for all rows of a record.",
        )
    of_record.flags.writeable = False
    return Column(sensitive.name, of_record, sensitive.values)


def _refuse_missing(table: Table, record: str, item: str, sensitive: str | None) -> None:
    for option, name in (("record", record), ("item", item), ("sensitive", sensitive)):
        if name is not None and name not in table.names:
            raise unknown_column(
                name,
                table.names,
                option=option,
                where=Place(file=table.origin),
                hint=f"Name the column of the {option} with the option {option!r}.",
            )
    if record == item:
        raise UsageError(
            "The record and the item are one column.",
            code="two-roles",
            option="item",
            value=item,
            hint="Name two columns.",
        )
