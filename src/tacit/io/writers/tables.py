"""Writing a table to a file or a database, so that reading it back gives the same values.

What a format cannot hold is written as text, or refused where that would change it. Comma-separated text is
as RFC 4180 wants it, with ``\\n`` after each record: a cell stands in quotes only where it must, where it
holds the separator, a quote or a line end, and where it is the empty text, since nothing at all is a missing
value.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tacit.data.column import Column, encode
from tacit.data.sources import countable, take_in
from tacit.data.table import Table, check_names
from tacit.errors import OutputError, Place, UsageError
from tacit.io.output import new_file, whole_file
from tacit.io.readers.csv import SEPARATORS
from tacit.io.readers.database import write_database
from tacit.io.readers.excel import write_excel
from tacit.io.readers.formats import DATABASES, FORMATS, TEXT_FORMATS, named_format
from tacit.io.readers.opening import COMPRESSED
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
    if texts.str.contains("\0", literal=True).any():
        raise OutputError(
            "A value holds a NUL character, which no text file may.",
            code="text-nul",
            where=Place(file=str(file)),
            hint="Remove it, or write another format.",
        )
    if spreadsheet_safe:
        formula = texts.str.contains(FORMULA) & ~texts.str.contains(NUMBER)
        texts = pl.select(pl.when(formula).then("'" + texts).otherwise(texts)).to_series()
    # A byte order mark at the very beginning would be taken for one, so it is put behind a quote.
    special = texts.str.contains('["\r\n\ufeff' + separators + "]") | (texts == "")
    quoted = '"' + texts.str.replace_all('"', '""', literal=True) + '"'
    return pl.select(pl.when(special).then(quoted).otherwise(texts)).to_series()
