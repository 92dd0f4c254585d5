"""Tables into SQLite and PostgreSQL, through ADBC, in one transaction.

SQLite knows text and numbers alone, so dates and truth values go in as text; PostgreSQL keeps them.
A column that a database has no type for is written as text.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from tacit.data.column import text_of
from tacit.errors import InputError, OutputError, UsageError
from tacit.io.output import check_path
from tacit.io.readers.database import connected
from tacit.io.readers.formats import is_postgresql, sqlite_path

LARGEST = 2**63 - 1
PLAIN = (pl.String, pl.Float64, pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32)
RICH = (*PLAIN, pl.Boolean, pl.Date, pl.Datetime, pl.Time, pl.Decimal)


def write_database(frame: pl.DataFrame, address: str | Path, *, table: str, overwrite: bool) -> None:
    """Create the table (in PostgreSQL also ``schema.table``), or replace it with ``overwrite``."""
    rich = is_postgresql(address)
    schema, _, name = table.rpartition(".")
    if schema and not rich:
        raise UsageError(
            f"The name {table!r} has a point, and SQLite has no schemas.",
            code="table-name",
            hint="Choose another.",
        )
    held = pl.DataFrame([_held(series, RICH if rich else PLAIN) for series in frame])
    made = None
    if not rich:
        path = Path(sqlite_path(address))
        check_path(path)
        made = None if path.exists() else path
    try:
        with connected(address, writing=True) as connection, connection.cursor() as cursor:
            mode = "replace" if overwrite else "create"
            cursor.adbc_ingest(name, held.to_arrow(), mode=mode, db_schema_name=schema or None)
            connection.commit()
    except BaseException as error:
        if made is not None:
            made.unlink(missing_ok=True)
        if isinstance(error, InputError):
            raise _refusal(error, table) from error
        raise


def _refusal(error: InputError, table: str) -> OutputError:
    """What a database says against a table, as an output that cannot be put in place."""
    if "already exists" in error.message:
        return OutputError(
            f"The table {table!r} exists.",
            code="output-exists",
            where=error.where,
            hint="Choose another name, or replace it with overwrite=True.",
        )
    return OutputError(error.message, code=error.code, where=error.where, hint=error.hint)


def _held(series: pl.Series, kept: tuple[type[pl.DataType], ...]) -> pl.Series:
    """The column as the database can hold it: as it is, or as text."""
    if series.dtype == pl.UInt64 and bool((series <= LARGEST).all()):
        return series.cast(pl.Int64)
    if series.dtype == pl.Float32:
        return series.cast(pl.Float64)
    if series.dtype in kept:
        return series
    return pl.Series(series.name, text_of(series), dtype=pl.String)
