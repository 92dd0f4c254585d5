"""Which format a table is in: by the option, by the name, and by how its content begins.

Name and content must agree: a Parquet file called ``.csv`` is refused by name rather than read as
damaged text. A name that says nothing leaves it to the content, and text is taken for CSV.
Parquet and Arrow files are read here, with their types.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, get_args
from urllib.parse import unquote, urlsplit, urlunsplit

import polars as pl

from tacit.errors import InputError, Place, UsageError
from tacit.io.readers.opening import STANDARD_INPUT, plain_suffix

TEXT_FORMATS = ("csv", "tsv")
DATABASES = ("sqlite", "postgresql")
Format = Literal["csv", "tsv", "parquet", "arrow", "xlsx", "sqlite", "postgresql"]
FORMATS = get_args(Format)
"""The formats a table is read from and written to."""

SUFFIXES = {
    ".csv": "csv",
    ".txt": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
    ".sqlite": "sqlite",
    ".sqlite3": "sqlite",
    ".db": "sqlite",
}

ARROW_STREAM = b"\xff\xff\xff\xff"
BEGINNINGS = {
    b"PAR1": "parquet",
    b"ARROW1": "arrow",
    ARROW_STREAM: "arrow",
    b"PK\x03\x04": "xlsx",
    b"SQLite format 3\0": "sqlite",
}


def named_format(source: str | Path, format: str | None) -> str | None:
    """The format that the option or the name says; None where neither does."""
    if is_postgresql(source):
        said = "postgresql"
    elif is_sqlite_address(source):
        said = "sqlite"
    else:
        return format or SUFFIXES.get(plain_suffix(source))
    if format not in (None, said):
        raise UsageError(
            f"The address is of a {said} database, and the format {format!r} is asked for.",
            code="format-conflict",
            hint="Leave the format out.",
        )
    return said


def checked_format(data: bytes, *, name: str, said: str | None) -> str:
    """The format of this content, once it agrees with the one that was said."""
    found = next((kind for start, kind in BEGINNINGS.items() if data.startswith(start)), None)
    if said is None:
        return found or "csv"
    if (said in TEXT_FORMATS) != (found is None) or (found is not None and found != said):
        wanted = "text" if said in TEXT_FORMATS else f"a file of the format {said!r}"
        shown = "text or damaged" if found is None else f"a file of the format {found!r}"
        if not data:
            shown = "empty"
        raise InputError(
            f"Expected {wanted}, but the content is {shown}.",
            code="empty-file" if not data else "file-format",
            where=Place(file=name),
            hint="Name the format it is in with the option 'format', or check the file.",
        )
    return said


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


def read_parquet(data: bytes, *, file: str) -> pl.DataFrame:
    """The table in a Parquet file."""
    with _damage_reported(file, "Parquet"):
        return pl.read_parquet(io.BytesIO(data))


def read_arrow(data: bytes, *, file: str) -> pl.DataFrame:
    """The table in an Arrow file (also called Feather) or an Arrow stream."""
    with _damage_reported(file, "Arrow"):
        if data.startswith(ARROW_STREAM):
            return pl.read_ipc_stream(io.BytesIO(data))
        return pl.read_ipc(io.BytesIO(data))


@contextmanager
def _damage_reported(file: str, kind: str) -> Iterator[None]:
    try:
        yield
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(
            f"The {kind} file cannot be read: {reason}.",
            code="file-damaged",
            where=Place(file=file),
            hint="It may be cut short; write it again.",
        ) from error
