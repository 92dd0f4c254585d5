"""Writing a table to a file or a database, so that reading it back gives the same values.

What a format cannot hold is written as text, or refused where that would change it.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import polars as pl

from tacit.data.column import Column, encode
from tacit.data.frames import countable, take_in
from tacit.data.table import Table, check_names
from tacit.errors import UsageError
from tacit.io.output import whole_file
from tacit.io.readers.formats import DATABASES, FORMATS, TEXT_FORMATS, named_format
from tacit.io.readers.opening import COMPRESSED
from tacit.io.writers.csv import write_csv
from tacit.io.writers.database import write_database
from tacit.io.writers.excel import write_excel
from tacit.ranges import OneOf, Optional, check


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
            hint=f"Name the format with the option 'format': one of {', '.join(FORMATS)}.",
        )
    if (chosen in DATABASES) != (table is not None):
        raise UsageError(
            "A database needs the name of the table to write."
            if table is None
            else f"The option 'table' says nothing to the format {chosen!r}.",
            code="option-format",
            hint="Give the option 'table' with a database, and only there.",
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
        columns = list(_columns(data))
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
        elif chosen == "arrow":
            # the oldest layout is the one that every library reads
            frame.write_ipc(file, compat_level=pl.CompatLevel.oldest())
        else:
            write_excel(frame, file)


def _columns(data: Any) -> Iterable[Column]:
    """The columns of a table or a dataframe, encoded one at a time."""
    if isinstance(data, Table):
        return (data.column(name) for name in data.names)
    return (encode(series) for series in _frame(data))


def _frame(data: Any) -> pl.DataFrame:
    if isinstance(data, Table):
        return data.to_polars()
    frame = take_in(data)
    check_names(frame.columns, where=None)
    return countable(frame, needed=tuple(frame.columns), origin=None)[0]
