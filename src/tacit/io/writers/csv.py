"""Comma-separated text as RFC 4180 wants it, with ``\\n`` after each record.

A cell stands in quotes only where it must: where it holds the separator, a quote or a line end, and
where it is the empty text, since nothing at all is a missing value. Quoting is done once per
distinct value.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

import polars as pl

from tacit.data.column import Column
from tacit.errors import OutputError, Place
from tacit.io.readers.csv_text import SEPARATORS

FORMULA = r"^[=+\-@\t\r]"
"""How a cell begins that a spreadsheet program may take for a formula."""
NUMBER = r"^[+-]?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?$"


def write_csv(columns: Sequence[Column], file: Path, *, separator: str, spreadsheet_safe: bool) -> None:
    """Write the columns to a file, compressed where its name ends in ``.gz`` or ``.zst``."""

    # In a single column, any separator in use would look like the file's own, so it is put in quotes.
    special = separator if len(columns) > 1 else "".join(SEPARATORS)

    def cells(texts: pl.Series) -> pl.Series:
        return _cells(texts, special, spreadsheet_safe=spreadsheet_safe, file=file)

    header = cells(pl.Series([column.name for column in columns], dtype=pl.String))
    written = pl.DataFrame(
        [
            cells(pl.Series(column.texts, dtype=pl.String)).gather(column.codes).alias(str(place))
            for place, column in enumerate(columns)
        ]
    )
    with _opened(file) as stream:
        stream.write((separator.join(header) + "\n").encode())
        written.write_csv(
            cast("IO[bytes]", stream), include_header=False, separator=separator, quote_style="never"
        )


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


@contextmanager
def _opened(file: Path) -> Iterator[Any]:
    with file.open("wb") as plain:
        if file.suffix.lower() == ".gz":
            # neither the name nor the time goes into the file, so that the same table gives the same bytes
            with gzip.GzipFile(filename="", fileobj=plain, mode="wb", mtime=0) as packed:
                yield packed
        elif file.suffix.lower() == ".zst":
            import zstandard

            with zstandard.ZstdCompressor().stream_writer(plain, closefd=False) as packed:
                yield packed
        else:
            yield plain
