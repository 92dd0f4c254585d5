"""Transactions from wherever they are kept: files of several layouts, databases, dataframes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import polars as pl

from tacit.data.column import Column, frozen
from tacit.data.hierarchy import Hierarchy
from tacit.data.spelling import Twins
from tacit.data.table import Table, table_from_frame
from tacit.data.transactions import LongForm, Transactions, listing
from tacit.errors import InputError, Place, TacitError, UsageError, unknown_column
from tacit.io.hierarchies import read_hierarchy
from tacit.io.readers import formats, tables
from tacit.io.readers.detecting import basket_delimiter
from tacit.io.readers.opening import (
    STANDARD_INPUT,
    empty_file,
    is_spark_address,
    named_part,
    open_bytes,
    plain_suffix,
)
from tacit.io.readers.recognizing import said
from tacit.io.readers.text import decoded
from tacit.io.readers.transactions_text import one_character
from tacit.io.readers.vocabulary import Asked, NamedRows, transactions_from_named
from tacit.io.samples import is_sample, sample_of_kind
from tacit.options import Says, verb
from tacit.ranges import FileOrObject, Letters, Optional, Switch, Words
from tacit.typing import Codes

AS_SETS = (
    "This looks like a table, and every cell was read as an item. Where a line is an item of a record, name"
    " --record and --item; of a table name --quasi."
)
RECORD, ITEM = "record", "item"
"""The columns that are looked for when none are named."""


@verb
def read_transactions(
    source: Any,
    *,
    format: Annotated[formats.SetFormatName | None, tables.FORMAT] = None,
    record: Annotated[
        str | None,
        Optional(Words()),
        Says("Column that names the person", "Column that names the transaction, in the long format."),
    ] = None,
    item: Annotated[
        str | None,
        Optional(Words()),
        Says(
            "Column that names the item",
            "Column that names the item, in the long format, or field of JSON that holds the items.",
        ),
    ] = None,
    sensitive: Annotated[
        str | None,
        Optional(Words()),
        Says("Not to be learned", "Column or field with one value per record that must not be learned."),
    ] = None,
    hierarchy: Annotated[
        Hierarchy | str | Path | None,
        Optional(FileOrObject()),
        Says("Hierarchy", "Hierarchy file of the items, with a leaf for every item."),
    ] = None,
    delimiter: Annotated[str | None, Optional(Letters()), tables.DELIMITER] = None,
    encoding: Annotated[str | None, Optional(Words()), tables.ENCODING] = None,
    header: Annotated[bool | None, Optional(Switch()), tables.HEADER] = None,
    twins: Annotated[Twins, tables.TWINS] = "refuse",
    multiset: Annotated[
        bool,
        Switch(),
        Says(
            "An item that is repeated",
            "Keep how often an item is repeated in a transaction, as items of their own, such as milk×2.",
            values=(("no", "counts once"), ("yes", "is an item of its own")),
        ),
    ] = False,
    table: Annotated[str | None, Optional(Words()), tables.TABLE] = None,
    query: Annotated[str | None, Optional(Words()), tables.QUERY] = None,
    engine: Any = None,
) -> Transactions:
    """The transactions of a file, of standard input (``-``), of a database, a dataframe or a ``sample:NAME``.

    With ``engine=SparkEngine(...)`` the records stay on Spark: of a file or a folder of parts (``dat``,
    ``basket``, and ``long`` as CSV or Parquet), of a table of its catalog (``spark:NAME``, which needs no
    engine named), or of a Spark data frame. Tables there may also have an array of items in each row, in the
    column ``item`` names, by default ``items``.

    {options}
    """
    session = None if engine is None else engine.session
    on_spark = session is not None or is_spark_address(source)
    told_by = _told_by(source) if on_spark else source
    layout = format or _format_of(told_by, record, item, table, query)
    unsaid = layout == "basket" and format is None and str(source) != STANDARD_INPUT
    listed = formats.lists_items(Path(told_by)) if unsaid else None
    if unsaid and not on_spark:
        listed = listed or listed_items(source, delimiter=delimiter, encoding=encoding, header=header)
    if listed is not None:
        layout, record, item = "long", listed.record, listed.item
    columns = {"record": record, "item": item, "sensitive": sensitive}
    said_of_file: dict[str, Any] = {"delimiter": delimiter, "header": header, "table": table, "query": query}
    formats.refuse_unmeant(layout, {**columns, **said_of_file})
    numbers: Mapping[str, str] = {}
    if on_spark:
        from tacit.io.spark.transactions_reading import spark_transactions  # it builds on these readers

        _refuse_on_spark(source, layout, header, table, query, multiset=multiset)
        transactions: Transactions = spark_transactions(
            source,
            layout,
            session=session,
            **columns,
            delimiter=one_character(delimiter or _delimiter_of(told_by)),
            encoding=encoding or "utf-8",
            header=header is not False,
            twins=twins,
        )
    elif layout == "sample":
        transactions = sample_of_kind(source, "transactions")
    else:
        if layout == "long":
            rows, origin = _long_rows(source, columns, encoding, **said_of_file)
        else:
            rows, origin = _rows_of_lines(source, layout, encoding, columns, delimiter, header=bool(header))
        numbers = rows.numbers
        transactions = transactions_from_named(
            rows, twins=twins, multiset=multiset, origin=origin, format=layout
        )
    if listed is not None:
        named = f"{listed.record!r} names the transaction (--record) and {listed.item!r} the item (--item)"
        transactions = transactions.noted(*said((f"an item a line: {named}",), ()))
    elif unsaid and not on_spark and of_cells(source) and formats.looks_like_table(Path(source)):
        transactions = transactions.noted(AS_SETS)
    return transactions if hierarchy is None else _under(transactions, hierarchy, numbers)


def _rows_of_lines(
    source: Any,
    layout: str,
    encoding: str | None,
    columns: Mapping[str, str | None],
    delimiter: str | None,
    *,
    header: bool,
) -> tuple[NamedRows, str]:
    """The records of a file that has one a line, and what the file is called."""
    if not isinstance(source, str | Path):
        raise UsageError(
            f"Expected the name of a file, got {type(source).__name__}.",
            code="not-a-file",
            hint="A dataframe is read with format='long'.",
        )
    opened = open_bytes(source)
    data, told = decoded(opened, encoding)
    if not data:
        raise empty_file(opened.name)
    usual = delimiter or _delimiter_of(source)
    found = delimiter or basket_delimiter(data, usual)
    if layout == "basket" and found != usual:
        told.append(f"{found!r} between items")
    read = formats.SET_FORMATS[layout].read
    assert read is not None  # it is no table
    rows = read(data, opened.name, Asked(columns["item"], columns["sensitive"], found, header))
    return replace(rows, notes=(*said(told, ()), *rows.notes)), opened.name


def of_cells(source: str | Path) -> bool:
    """Whether a file may hold a table as well, by its name."""
    return plain_suffix(source) in formats.SET_FORMATS["basket"].also and Path(source).is_file()


def listed_items(source: str | Path, **told: Any) -> LongForm | None:
    """The columns of a file that lists an item a line; None where it does not, or no name allows it.

    Read as a set a line, such a file would have the numbers of its transactions for items.
    """
    if not of_cells(source) or formats.looks_like_sets(Path(source)) is not None:
        return None
    try:
        rows = tables.read_table(source, recognize=False, twins="keep", **told)
    except TacitError:  # it is no table; reading its transactions says what is wrong with it
        return None
    columns = {name: rows.column(name) for name in rows.names}
    return listing(
        len(rows),
        {name: len(column.values) for name, column in columns.items()},
        lambda record, item: pl.DataFrame([columns[record].codes, columns[item].codes]).n_unique(),
    )


def _under(
    transactions: Transactions, hierarchy: Hierarchy | str | Path, numbers: Mapping[str, str]
) -> Transactions:
    """The transactions with a hierarchy in which every item is a leaf, by its name or by its number."""
    if not isinstance(hierarchy, Hierarchy):
        hierarchy = read_hierarchy(hierarchy)
    by_number = {number: name for name, number in numbers.items() if name not in hierarchy.index}
    if by_number and all(number in hierarchy.index for number in by_number):
        hierarchy = replace(hierarchy, labels=tuple(by_number.get(one, one) for one in hierarchy.labels))
    hierarchy.leaves_of(transactions.vocabulary, where=Place(file=transactions.origin))
    return transactions.with_hierarchy(hierarchy)


def _format_of(
    source: Any, record: str | None, item: str | None, table: str | None, query: str | None
) -> str:
    if not isinstance(source, str | Path) or "://" in str(source) or is_spark_address(source):
        return "long"
    if is_sample(source):
        return "sample"
    if record is not None or table is not None or query is not None:
        return "long"
    suffix = "" if str(source) == STANDARD_INPUT else plain_suffix(source)
    layout = formats.SET_SUFFIXES.get(suffix)
    if layout is None and suffix == ".txt":
        layout = formats.looks_like_sets(Path(source))
    if layout is None:
        raise UsageError(
            f"The name {str(source)!r} does not tell how its transactions are laid out.",
            code="unknown-format",
            hint=f"Name the format, {formats.SET_NAMES}.",
        )
    return "long" if layout == "basket" and item is not None else layout


def _told_by(source: Any) -> Any:
    """What names the format of a source on Spark: the path, or the first part in it."""
    if not isinstance(source, str | Path) or is_sample(source) or is_spark_address(source):
        return source
    return named_part(source, formats.SET_SUFFIXES)


def _refuse_on_spark(
    source: Any, layout: str, header: bool | None, table: str | None, query: str | None, *, multiset: bool
) -> None:
    read = [entry.name for entry in formats.SET_FORMATS.values() if entry.on_spark]
    if layout not in read or source == STANDARD_INPUT or table or query:
        *others, last = read
        raise UsageError(
            f"Spark cannot read {str(source)!r} here: it reads {', '.join(others)} and {last}, from files and"
            " tables.",
            code="spark-format",
            hint="Write it to a file of one of these formats, or leave the engine out.",
        )
    if (layout == "basket" and header) or multiset:
        what = "A line before the baskets cannot be passed over" if header else "Repeats cannot be kept"
        raise UsageError(
            f"{what} on Spark.",
            code="option-format",
            hint="Leave the option out, or read the file with the engine local.",
        )


def _delimiter_of(source: Any) -> str:
    return "\t" if isinstance(source, str | Path) and plain_suffix(source) == ".tsv" else ","


def _long_rows(
    source: Any, columns: Mapping[str, str | None], encoding: str | None, *, header: bool | None, **told: Any
) -> tuple[NamedRows, str]:
    """The records of a table with a row for each (record, item), and what the table is called.

    Rows of one record need not stand together. Records are taken in the order of their values, so
    nothing depends on the order of the rows; the values themselves are identifiers and never published. A
    long table has no row for an empty transaction, so it cannot hold one. Without a header the first two
    columns are record and item.
    """
    first_line = 1
    named = header is not False
    if isinstance(source, str | Path):
        # Items and records are names; whether items are twins is asked of them alone, later.
        rows = tables.read_table(
            source, encoding=encoding, header=named, recognize=False, twins="keep", **told
        )
        first_line += named and plain_suffix(source) in (".csv", ".tsv", ".txt")
    else:
        rows = table_from_frame(source)
    record = columns["record"] or (RECORD if named else rows.names[0])
    item = columns["item"] or (ITEM if named else rows.names[min(1, len(rows.names) - 1)])
    refuse_missing(rows.names, rows.origin, record=record, item=item, sensitive=columns["sensitive"])
    return _named_rows(rows, record, item, columns["sensitive"], first_line), rows.origin or "dataframe"


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


def refuse_missing(names: Sequence[str], origin: str | None, **wanted: str | None) -> None:
    """Raise for an option that names no column, and where the record and the item are one column."""
    for option, name in wanted.items():
        if name is not None and name not in names:
            raise unknown_column(
                name,
                names,
                option=option,
                where=Place(file=origin),
                hint=f"Name the column of the {option} with the option {option!r}.",
            )
    if wanted.get("record") == wanted["item"]:
        raise UsageError(
            "The record and the item are one column.",
            code="two-roles",
            option="item",
            value=wanted["item"],
            hint="Name two columns.",
        )
