"""Tables from SQLite and PostgreSQL and into them, through ADBC: a whole table, or the result of a query.

What a database cannot hold is written as text.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit, urlunsplit

import polars as pl

from tacit.data.column import text_of
from tacit.data.table import check_names
from tacit.errors import InputError, OutputError, Place, UsageError, listed, missing_extra, option
from tacit.io.output import check_path
from tacit.io.readers.opening import STANDARD_INPUT, existing_file

NUMBERS = {"integer", "real"}
MOST_DIGITS = 38
"""The most digits a decimal number may have; a longer one is kept as text."""
SQLITE_TABLES = """
    SELECT name FROM sqlite_master
    WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite#_%' ESCAPE '#' ORDER BY name
"""
POSTGRESQL_TABLES = """
    SELECT CASE table_schema WHEN 'public' THEN '' ELSE table_schema || '.' END || table_name AS name
    FROM information_schema.tables
    WHERE table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY name
"""


def read_database(source: str | Path, *, table: str | None, query: str | None) -> pl.DataFrame:
    """A table or a query of a database; a file of SQLite is opened for reading alone."""
    if not is_postgresql(source):
        existing_file(sqlite_path(source))
    statement = _statement(source, table, query)
    name = without_password(source)
    with _tables_named(source), connected(source) as connection, connection.cursor() as cursor:
        cursor.execute(statement)
        if not is_postgresql(source):
            names = [column[0] for column in cursor.description]
            check_names(names, where=name)
            rows = _checked_types(cursor, statement, names, name)
            # The driver takes a column's type from the first rows it fetches at a time: it shall see all.
            cursor.adbc_statement.set_options(**{"adbc.sqlite.query.batch_rows": str(max(1, rows))})
            cursor.execute(statement)
        return _frame(cursor.fetch_arrow_table(), name)


@contextmanager
def connected(source: str | Path, *, writing: bool = False) -> Iterator[Any]:
    """A connection to a database, with its errors told as ours."""
    try:
        import adbc_driver_manager
        import adbc_driver_postgresql.dbapi
        import adbc_driver_sqlite.dbapi
        import pyarrow  # noqa: F401 - results come as its tables
    except ImportError as error:
        raise missing_extra(error.name or "adbc", "sql", "A database") from error
    name = without_password(source)
    try:
        if is_postgresql(source):
            connection = adbc_driver_postgresql.dbapi.connect(str(source))
        else:
            mode = "rwc" if writing else "ro"
            connection = adbc_driver_sqlite.dbapi.connect(f"file:{quote(sqlite_path(source))}?mode={mode}")
        with connection:
            yield connection
    except adbc_driver_manager.Error as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        # The first line says what went wrong, after the driver's own word for it.
        reason = lines[0].split(": ", 1)[-1].rstrip(".")
        connecting = isinstance(error, adbc_driver_manager.OperationalError)
        raise InputError(
            f"The database says: {reason}.",
            code="database-connection" if connecting else "database-query",
            where=Place(file=name),
            hint="Check the address and that the server is running."
            if connecting
            else "Check the names of the table and its columns, or the query.",
        ) from error


def table_name(table: str) -> str:
    """The name of a table as a statement writes it; a point parts the schema from the table.

    >>> table_name('clinic.visits')
    '"clinic"."visits"'
    """
    return ".".join(map(quoted, table.split(".")))


def quoted(name: str) -> str:
    """A name as a statement writes it, whatever characters it has."""
    return '"' + name.replace('"', '""') + '"'


def _statement(source: str | Path, table: str | None, query: str | None) -> str:
    if (table is None) == (query is None):
        there = _tables_there(source) if table is None else ""
        raise UsageError(
            "A database needs a table or a query to read."
            if table is None
            else "Both a table and a query are given.",
            code="database-query",
            hint=f"{there}Name one with {option('table')} or {option('query')}.",
        )
    return query.strip().rstrip(";") if query is not None else f"SELECT * FROM {table_name(table or '')}"


@contextmanager
def _tables_named(source: str | Path) -> Iterator[None]:
    """Answer a table or a query that cannot be read with the tables that are there."""
    try:
        yield
    except InputError as error:
        if error.code == "database-query":
            error.hint = f"{_tables_there(source)}{error.hint}"
        raise


def _tables_there(source: str | Path) -> str:
    """The sentence that names the tables of a database; nothing where they cannot be listed."""
    try:
        with connected(source) as connection, connection.cursor() as cursor:
            cursor.execute(POSTGRESQL_TABLES if is_postgresql(source) else SQLITE_TABLES)
            names = [str(row[0]) for row in cursor.fetchall()]
    except InputError:  # what keeps them from being listed is not what was asked
        return ""
    return f"The tables are {listed(names)}. " if names else "There is no table in it. "


def _checked_types(cursor: Any, statement: str, names: list[str], source: str) -> int:
    """The number of rows, once every column is known to hold values of one type."""
    kinds = ", ".join(f"group_concat(DISTINCT typeof({quoted(name)}))" for name in names)
    cursor.execute(f"SELECT count(*), {kinds} FROM ({statement})")
    found = cursor.fetchone()
    for name, kind in zip(names, found[1:], strict=True):
        present = set((kind or "null").split(",")) - {"null"}
        if len(present) > 1 and not present <= NUMBERS:
            raise InputError(
                f"The column {name!r} holds values of different types: {', '.join(sorted(present))}.",
                code="mixed-types",
                where=Place(file=source, column=name),
                hint="Convert them in a query, for instance with CAST.",
            )
    return int(found[0])


def _frame(table: Any, origin: str) -> pl.DataFrame:
    """The result of a query as a frame; numbers that a database keeps in decimal digits stay exact."""
    import pyarrow as pa

    check_names(table.column_names, where=origin)
    columns = []
    for name, column in zip(table.column_names, table.columns, strict=True):
        exact = False
        if isinstance(column.type, pa.BaseExtensionType):
            exact = getattr(column.type, "type_name", None) == "numeric"
            column = pa.chunked_array([chunk.storage for chunk in column.chunks], column.type.storage_type)
        if pa.types.is_interval(column.type):  # no value a person could read: left out where it has no role
            column = pa.chunked_array([pa.nulls(len(column), pa.binary())])
        series = pl.Series(name, column)
        columns.append(_decimal(series) if exact else series)
    return pl.DataFrame(columns)


def _decimal(texts: pl.Series) -> pl.Series:
    """Decimal numbers from their digits; what is not a number is missing."""
    texts = texts.replace(["NaN", "nan"], [None, None])
    parts = texts.to_frame("text").select(
        whole=pl.col("text").str.extract(r"^-?([0-9]+)").str.len_bytes().max(),
        scale=pl.col("text").str.extract(r"^-?[0-9]+\.([0-9]*)$").str.len_bytes().max(),
    )
    whole, scale = (int(count or 0) for count in parts.row(0))
    if whole + scale > MOST_DIGITS or not texts.str.contains(r"^-?[0-9]+(\.[0-9]*)?$").all():
        return texts
    return texts.cast(pl.Decimal(MOST_DIGITS, scale))


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


def is_postgresql(source: str | Path) -> bool:
    """Whether a source is the address of a PostgreSQL database."""
    return str(source).startswith(("postgresql://", "postgres://"))


def is_sqlite_address(source: str | Path) -> bool:
    """Whether a source is the address of an SQLite database, ``sqlite:///path``."""
    return str(source).startswith("sqlite://")


def sqlite_path(source: str | Path) -> str:
    """The file of an SQLite database, given by its path or its address.

    >>> sqlite_path("sqlite:///people.db"), sqlite_path("sqlite:////srv/people.db")
    ('people.db', '/srv/people.db')
    """
    if not is_sqlite_address(source):
        if str(source) == STANDARD_INPUT:
            raise UsageError("A database cannot be read from standard input.", code="database-address")
        return str(source)
    path = unquote(str(source).removeprefix("sqlite://"))
    if not path.startswith("/") or len(path) < 2:
        raise UsageError(
            f"{str(source)!r} is not the address of an SQLite database.",
            code="database-address",
            hint="Write it as sqlite:///path/to/file.",
        )
    return path[1:]


def without_password(source: str | Path) -> str:
    """The name that messages call a source by: an address without its password.

    >>> without_password("postgresql://ann:secret@host/db")
    'postgresql://ann@host/db'
    """
    if not is_postgresql(source):
        return str(source)
    parts = urlsplit(str(source))
    user, at, host = parts.netloc.rpartition("@")
    kept = "&".join(
        pair for pair in parts.query.split("&") if not pair.startswith(("password=", "sslpassword="))
    )
    return urlunsplit(parts._replace(netloc=user.partition(":")[0] + at + host, query=kept))
