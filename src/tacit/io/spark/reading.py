"""Reading a table that stays on Spark: a table of its catalog, files or folders of parts, a data frame.

Cells of CSV are text, as everywhere. A CSV file is read by one task, because a cell may hold line ends; a
folder of parts, or Parquet, is read by many.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from tacit.data.settling import (
    RowLocator,
    missing_and_sensitive,
    missing_values,
    not_countable,
    suppressed_note,
)
from tacit.data.table import Roles, Table, check_names, settled_table
from tacit.errors import InputError, Place, UsageError, option
from tacit.io.readers.csv import CsvForm
from tacit.io.readers.formats import SUFFIXES
from tacit.io.readers.opening import (
    ADDRESS,
    empty_file,
    is_spark_address,
    literal_path,
    named_part,
    plain_suffix,
)
from tacit.io.spark.session import spark_errors, spark_session
from tacit.io.spark.source import SparkSource

if TYPE_CHECKING:
    from tacit.io.readers.tables import Request

_EMPTY = "\0empty"
"""Stands for a quoted empty cell while a file is read: no text of a file may hold a NUL."""
_DAMAGED = "\N{REPLACEMENT CHARACTER}"


def spark_table(source: Any, request: Request, session: Any, format: str | None) -> Table:
    """A table whose rows stay on Spark, with its columns counted and examined."""
    roles, nulls, null_values = request.roles, request.nulls, request.null_values
    origin = str(source) if isinstance(source, str | Path) else None
    if origin is None:
        frame, found = source, None
    else:
        session = spark_session() if session is None else session
        frame, found = opened(session, origin, format, request.form)
    check_names(frame.columns, where=origin)
    roles.check(frame.columns, where=origin)
    frame, names, notes = _countable(frame, roles, null_values, origin)
    with_role = roles.quasi + roles.sensitive + roles.keep
    counted = SparkSource(frame, names, origin=origin)
    if nulls != "own":
        for name in roles.sensitive if nulls == "suppress" else ():
            if counted.frame.filter(counted.frame[counted.place(name)].isNull()).head(1):
                raise missing_and_sensitive(name, origin)
        counted, told = _without_nulls(counted, with_role or names, nulls, origin)
        notes += told
    counted.count_columns(with_role or names)
    if found in ("csv", "tsv"):
        for name in with_role or names:
            check_text(name, counted.column(name).values, origin)
    table = settled_table(
        counted,
        roles,
        nulls="own",
        twins=request.twins,
        locator=RowLocator(origin, ordered=False),
        origin=origin,
        notes=notes,
        format=found,
    )
    return replace(table, nulls=nulls, null_values=null_values)


def opened(session: Any, origin: str, format: str | None, form: CsvForm) -> tuple[Any, str | None]:
    """The frame a name or path stands for, and the format it is in."""
    with spark_errors(origin):
        frame, found = _opened(session, origin, format, form)
        frame.columns  # noqa: B018 - Spark Connect looks for a source only when something is asked of it
    return frame, found


def _opened(session: Any, origin: str, format: str | None, form: CsvForm) -> tuple[Any, str | None]:
    if is_spark_address(origin):
        return session.table(origin.removeprefix(ADDRESS)), None
    found = format or SUFFIXES.get(plain_suffix(named_part(origin, SUFFIXES)))
    path = literal_path(origin)
    if found == "parquet":
        return session.read.parquet(path), found
    if found not in ("csv", "tsv"):
        raise UsageError(
            f"Spark reads CSV and Parquet here, not {found or 'a format that the name does not tell'}.",
            code="spark-format",
            where=Place(file=origin),
            hint="Name the format with 'format' (--format csv), or give a table as spark:NAME.",
        )
    if form.skip_rows or form.skip_last:
        raise UsageError(
            "Lines above or below the table cannot be passed over on Spark.",
            code="option-format",
            hint="Leave skip_rows and skip_last out, or read the file with the engine local.",
        )
    options = {
        "sep": form.delimiter or ("\t" if found == "tsv" else ","),
        "encoding": form.encoding or "utf-8",
        "quote": form.quote or "",
        "escape": form.quote or "",
        "ignoreLeadingWhiteSpace": form.skip_initial_space,
        "nullValue": "",
        "emptyValue": _EMPTY,
        "multiLine": True,
        "mode": "FAILFAST",
    }
    # Spark renames columns of one name; so the header is read as a record, and its names are checked.
    first = session.read.csv(path, **options).head(1)
    if not first:
        raise empty_file(origin)
    header = tuple(cell or "" for cell in first[0])
    header = (header[0].removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}"), *header[1:])
    named = None if form.header is False else header
    names = form.names(named, len(header), "the first record has {} cells", Place(file=origin))
    frame = session.read.csv(path, header=form.header is not False, enforceSchema=False, **options)
    from pyspark.sql import functions

    cells = [
        functions.when(functions.col(f"c{at}") == _EMPTY, "").otherwise(functions.col(f"c{at}")).alias(name)
        for at, name in enumerate(names)
    ]
    return frame.toDF(*(f"c{at}" for at in range(len(names)))).select(*cells), found


def _countable(
    frame: Any, roles: Roles, null_values: tuple[str, ...], origin: str | None
) -> tuple[Any, tuple[str, ...], tuple[str, ...]]:
    """The frame under placeholder names, with columns that can be counted; their names, and notes."""
    from pyspark.sql import functions, types

    kept: list[Any] = []
    names: list[str] = []
    notes: list[str] = []
    placed = frame.toDF(*(f"p{at}" for at in range(len(frame.columns))))
    for at, field in enumerate(frame.schema.fields):
        if field.name in roles.identifiers:
            continue
        cell = functions.col(f"p{at}")
        if not isinstance(field.dataType, types.AtomicType) or isinstance(field.dataType, types.BinaryType):
            if field.name in roles.known + roles.sensitive:
                raise not_countable(field.name, field.dataType.simpleString(), origin)
            notes.append(f"Column {field.name!r} is of type {field.dataType.simpleString()} and is left out.")
            continue
        cell = countable_cell(cell, field, origin)
        if null_values and isinstance(field.dataType, types.StringType):
            cell = functions.when(~cell.isin(*null_values), cell)
        kept.append(cell.alias(f"c{len(names)}"))
        names.append(field.name)
    return placed.select(*kept), tuple(names), tuple(notes)


def countable_cell(cell: Any, field: Any, origin: str | None) -> Any:
    """A cell of a column whose values can be counted: what is not a number is missing, minus zero is zero."""
    from pyspark.sql import functions, types

    if not isinstance(field.dataType, types.AtomicType) or isinstance(field.dataType, types.BinaryType):
        raise not_countable(field.name, field.dataType.simpleString(), origin)
    if not isinstance(field.dataType, types.FloatType | types.DoubleType):
        return cell
    return functions.when(~functions.isnan(cell), cell + functions.lit(0.0).cast(field.dataType))


def _without_nulls(
    source: SparkSource, with_role: tuple[str, ...], nulls: str, origin: str | None
) -> tuple[SparkSource, tuple[str, ...]]:
    """The rows without a missing value in a column that has a role."""
    with spark_errors(origin):
        whole = source.frame.dropna(subset=[source.place(name) for name in with_role])
        n_rows, n_kept = source.n_rows, int(whole.count())
    if n_kept == n_rows:
        return source, ()
    if nulls == "reject":
        raise missing_values(n_rows - n_kept, n_rows, Place(file=origin))
    return SparkSource(whole, source.names, origin=origin), (suppressed_note(n_kept, n_rows, origin),)


def check_text(name: str, values: pl.Series, origin: str | None) -> None:
    """Refuse text that Spark could not decode: it puts a mark in the place of each wrong byte."""
    texts = values.drop_nulls()
    for mark, code, what in (
        (_DAMAGED, "text-encoding", "text of another encoding"),
        ("\0", "text-nul", "a NUL"),
    ):
        if texts.str.contains(mark, literal=True).any():
            raise InputError(
                f"The column {name!r} holds {what}.",
                code=code,
                where=Place(file=origin, column=name),
                hint=f"Name the encoding of the file: {option('encoding')}, or correct the file.",
            )
