"""Tables from Parquet and Arrow files, with their types."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager

import polars as pl

from tacit.errors import InputError, Place
from tacit.io.readers.formats import ARROW_STREAM


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
