"""Reading transactions that stay on Spark: lines of text, arrays of items, or rows of (record, item).

A line is a record, so that a large file of lines is read by many tasks; a cell of a basket may not hold a
line end here. Arrays and long tables come from Spark's catalog, from Parquet or from a data frame, long
tables from CSV as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tacit.data.column import encode, text_of
from tacit.data.table import check_names
from tacit.errors import InputError, Place, UsageError, shorten
from tacit.io.readers.csv import CsvForm
from tacit.io.readers.opening import ADDRESS, empty_file, is_spark_address, literal_path
from tacit.io.readers.transactions import refuse_missing
from tacit.io.readers.transactions_text import (
    negative_notes,
    other_delimiters,
    refuse_other_delimiter,
    split,
)
from tacit.io.readers.vocabulary import no_items, settle_names
from tacit.io.spark.reading import check_text, countable_cell, opened
from tacit.io.spark.session import spark_errors, spark_session
from tacit.io.spark.source import CountedColumn, SparkSource
from tacit.io.spark.transactions import (
    ITEMS,
    SENSITIVE,
    Found,
    SparkTransactions,
    Split,
    Tokens,
    as_rows,
    as_series,
    coded,
    count_tokens,
)

RECORD, ITEM, ARRAY = "record", "item", "items"
"""The columns that are looked for when none are named."""
NULL_RECORD, NULL_ITEM, VARIES, NOT_UTF8, NUL, QUOTE = range(1, 7)
"""What may be wrong with some rows."""
WRONG = "wrong"
"""The column that says so."""


def spark_transactions(
    source: Any,
    layout: str,
    *,
    session: Any = None,
    record: str | None = None,
    item: str | None = None,
    sensitive: str | None = None,
    delimiter: str = ",",
    encoding: str = "utf-8",
    header: bool = True,
    twins: str = "refuse",
) -> SparkTransactions:
    """Transactions whose rows stay on Spark: ``dat`` or ``basket`` lines, or a table, ``long``."""
    origin = str(source) if isinstance(source, str | Path) else None
    if origin is not None and session is None:
        session = spark_session()
    if layout in ("dat", "basket"):
        return _of_lines(session, str(origin), layout, delimiter, encoding, twins)
    if origin is None:
        frame, found_format = source, None
    else:
        form = CsvForm(header=header, delimiter=delimiter, encoding=encoding)
        frame, found_format = opened(session, origin, None, form)
    check_names(frame.columns, where=origin)
    names = list(frame.columns)
    array = item or ARRAY
    if record is None and array in names and frame.schema[array].dataType.typeName() == "array":
        records = _of_arrays(frame, array, sensitive, origin)
        layout = "dat"
    else:
        record = record or (RECORD if header else names[0])
        item = item or (ITEM if header else names[min(1, len(names) - 1)])
        records = _of_pairs(frame, record, item, sensitive, origin)
    told = origin or "dataframe"
    found = count_tokens(records, split_lists, origin=told)
    _refuse_wrong(found, told, sensitive)
    held: CountedColumn | None = None
    if sensitive is not None:
        values = records.select(SENSITIVE).toDF("c0")
        held = SparkSource(values, [sensitive], origin=told).column(sensitive)
    if found_format in ("csv", "tsv"):  # Spark puts a mark in the place of what it cannot decode
        check_text(item or ITEM, found.texts, told)
        if held is not None:
            check_text(held.name, held.values, told)
    return _settled(records, split_lists, found, found.texts.to_list(), twins, told, layout, held)


def _of_lines(
    session: Any, origin: str, layout: str, delimiter: str, encoding: str, twins: str
) -> SparkTransactions:
    if encoding.lower().replace("_", "-") not in ("utf-8", "utf8"):
        raise UsageError(
            f"Lines of text are read on Spark as UTF-8, not as {encoding}.",
            code="option-format",
            hint="Save the file as UTF-8, or read it with the engine local.",
        )
    if is_spark_address(origin):
        raise UsageError(
            f"{origin!r} is a table of Spark's catalog, and holds no lines.",
            code="spark-format",
            hint=f"Leave the format out; {ADDRESS}NAME has an array of items, or records and items.",
        )
    with spark_errors(origin):
        from pyspark.sql import functions

        lines = session.read.text(literal_path(origin)).select(
            functions.col("value").cast("binary").alias("line")
        )
        split = LineSplit(layout, delimiter)
        found = count_tokens(lines, split, origin=origin)
    if not found.n_records:
        raise empty_file(origin)
    _refuse_wrong(found, origin, None)
    names = found.texts.to_list()
    if layout == "dat":
        refuse_other_delimiter(names, found.longest, _places(names, origin))
    else:  # an item with a quote in it stood in quotes: somebody took care that it may hold any delimiter
        bare = ["" if '"' in name else name for name in names]
        others = other_delimiters(delimiter)
        refuse_other_delimiter(bare, found.longest, _places(names, origin), others=others)
    return _settled(lines, split, found, names, twins, origin, layout, None)


def _settled(
    records: Any,
    split: Split,
    found: Found,
    names: list[str],
    twins: str,
    origin: str,
    layout: str,
    sensitive: CountedColumn | None,
) -> SparkTransactions:
    """The transactions with the names of their items settled."""
    if not names:
        raise no_items(found.n_records, origin)
    vocabulary = settle_names(names, found.counts, twins=twins, place=_places(names, origin))
    notes = negative_notes(names) if layout == "dat" else ()
    return coded(
        records,
        split,
        found,
        vocabulary.names,
        vocabulary.codes,
        sensitive=sensitive,
        sorted=isinstance(split, LineSplit),  # lines have their order in the file
        origin=origin,
        format=layout,
        notes=notes + vocabulary.notes,
    )


def _of_arrays(frame: Any, array: str, sensitive: str | None, origin: str | None) -> Any:
    """A row for each record, from a column of arrays."""
    from pyspark.sql import functions, types

    element = frame.schema[array].dataType.elementType
    if not isinstance(element, types.StringType | types.IntegralType):
        raise InputError(
            f"The column {array!r} holds items of type {element.simpleString()}.",
            code="unsupported-type",
            where=Place(file=origin, column=array),
            hint="Items are texts or whole numbers.",
        )
    refuse_missing(frame.columns, origin, item=array, sensitive=sensitive)
    placed = _Placed(frame, origin)
    items = placed.cell(array)
    missing = items.isNull() | functions.exists(items, lambda item: item.isNull())
    wrong = functions.when(missing, NULL_ITEM).otherwise(0).alias(WRONG)
    held = [] if sensitive is None else [placed.value(sensitive).alias(SENSITIVE)]
    return placed.frame.select(items.alias(ITEMS), wrong, *held)


def _of_pairs(frame: Any, record: str, item: str, sensitive: str | None, origin: str | None) -> Any:
    """A row for each record, gathered from rows of (record, item)."""
    from pyspark.sql import functions

    refuse_missing(frame.columns, origin, record=record, item=item, sensitive=sensitive)
    placed = _Placed(frame, origin)
    cells = [placed.value(record).alias(RECORD), placed.value(item).alias(ITEM)]
    held: list[Any] = []
    total, items = functions.count("*"), functions.count(ITEM)
    wrong = functions.when(functions.col(RECORD).isNull(), NULL_RECORD).when(items < total, NULL_ITEM)
    if sensitive is not None:
        there = functions.count(SENSITIVE)
        several = functions.min(SENSITIVE) != functions.max(SENSITIVE)
        wrong = wrong.when(several | ((there > 0) & (there < total)), VARIES)
        held = [functions.min(SENSITIVE).alias(SENSITIVE)]
        cells.append(placed.value(sensitive).alias(SENSITIVE))
    gathered = placed.frame.select(*cells).groupBy(RECORD)
    found = gathered.agg(functions.collect_list(ITEM).alias(ITEMS), wrong.otherwise(0).alias(WRONG), *held)
    return found.drop(RECORD)


class _Placed:
    """A frame whose columns go by their place, so that no name needs quoting."""

    def __init__(self, frame: Any, origin: str | None) -> None:
        self.frame = frame.toDF(*(f"p{at}" for at in range(len(frame.columns))))
        self._fields = {field.name: (at, field) for at, field in enumerate(frame.schema.fields)}
        self._origin = origin

    def cell(self, name: str) -> Any:
        from pyspark.sql import functions

        return functions.col(f"p{self._fields[name][0]}")

    def value(self, name: str) -> Any:
        """The cells of a column of single values."""
        return countable_cell(self.cell(name), self._fields[name][1], self._origin)


def _places(names: Sequence[str], origin: str) -> Callable[[int], Place]:
    """Places of items in a source whose rows have no numbers."""
    return lambda code: Place(file=origin, value=shorten(names[code]))


def _refuse_wrong(found: Found, origin: str, sensitive: str | None) -> None:
    if found.wrong:
        code, message, hint = REFUSALS[found.wrong]
        where = Place(file=origin, column=sensitive if found.wrong == VARIES else None)
        raise InputError(message, code=code, where=where, hint=hint)


_LOCAL = "Read it once with the engine local, which names the line."
REFUSALS = {
    NULL_RECORD: ("null-record", "A row has no record.", "Give every row a record, or remove the row."),
    NULL_ITEM: ("null-item", "A row has no item.", "Give every row an item, or remove the row."),
    VARIES: (
        "sensitive-varies",
        "A record has two values of the sensitive column: its rows differ.",
        "A sensitive column of transactions has one value for all rows of a record.",
    ),
    NOT_UTF8: ("text-utf8", "A line is not valid UTF-8.", "Save the file as UTF-8."),
    NUL: ("text-nul", "The text holds a NUL byte.", "The file is damaged, or is not a text file."),
    QUOTE: (
        "csv-stray-quote",
        "A quote does not stand around a whole item of one line.",
        f"Put the whole item in quotes and write a quote inside it twice. {_LOCAL}",
    ),
}
"""What is said of each thing that may be wrong."""


def split_lists(batch: Any) -> Tokens:
    """Records of a batch of rows: arrays of items, and whether something is wrong with them."""
    indptr, cells = as_rows(batch.column(ITEMS))
    column = encode(as_series(cells))
    wrong = int(np.asarray(batch.column(WRONG)).max(initial=0))
    return Tokens(indptr, column.codes, [text or "" for text in text_of(column.values)], wrong)


class LineSplit:
    """Records of a batch of lines."""

    def __init__(self, layout: str, delimiter: str) -> None:
        self._layout, self._delimiter = layout, delimiter

    def __call__(self, batch: Any) -> Tokens:
        lines = batch.column(0).to_pylist()
        data = b"\n".join([*lines, b""])
        if b"\0" in data:
            return _wrong(NUL)
        try:
            data.decode()
        except UnicodeDecodeError:
            return _wrong(NOT_UTF8)
        try:
            rows = split(data, "", self._layout, self._delimiter)
        except InputError:
            return _wrong(QUOTE)
        if len(rows.indptr) - 1 != len(lines):
            return _wrong(QUOTE)
        return Tokens(rows.indptr, rows.codes, rows.names)


def _wrong(what: int) -> Tokens:
    return Tokens(np.zeros(2, dtype=np.int64), np.zeros(0, dtype=np.int32), [], what)
