"""Tables from Excel workbooks, and into them: one sheet, text as text and never as a formula.

A workbook holds every number as a binary fraction and every day as a number. A column of whole
numbers is read as such, and a column of days without a time of day as days. Days are kept from March 1900
on and times to the millisecond; a column that could not be kept exactly is written as text. A workbook has no
empty text and no blank last row: those are refused.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import date, datetime
from math import isfinite
from pathlib import Path
from typing import Any

import polars as pl

from tacit.data.column import text_of
from tacit.data.table import check_names
from tacit.errors import InputError, OutputError, Place, UsageError, listed, missing_extra, option
from tacit.io.readers.csv import CsvForm, nameless, without_blanks
from tacit.io.readers.detecting import around, header_of, told_around
from tacit.io.readers.opening import Opened, empty_file
from tacit.io.readers.recognizing import MISSING

AHEAD = 3
"""The sheet with the table has so many times as many cells as any other."""
NUMBER = r"^-?\d+(\.\d+)?$"
EXACT = 2**53
"""Whole numbers up to here are exact in a workbook."""


@dataclass(frozen=True, eq=False)
class Sheet:
    """The table on a sheet, and what is told of how it was found."""

    frame: pl.DataFrame
    told: tuple[str, ...]
    questions: tuple[str, ...]


def read_excel(opened: Opened, *, sheet: str | None, form: CsvForm, named: frozenset[str]) -> Sheet:
    """The table of a workbook: on the sheet that is named or holds it, without what stands around it."""
    file = opened.name
    reader, fastexcel = _open(opened.data, file)
    if sheet is not None and sheet not in reader.sheet_names:
        raise UsageError(
            f"There is no sheet {sheet!r}; the sheets are {listed(reader.sheet_names)}.",
            code="unknown-sheet",
            where=Place(file=file),
            hint=f"Name one of them with {option('sheet')}.",
        )
    try:
        which, told = (sheet, ()) if sheet is not None else _with_table(reader, file)
        rows = _rows(reader, which)
        if not rows or not rows[0]:
            raise empty_file(file, "The sheet is empty.")
        above, below = around(rows, rows)
        above = above if form.skip_rows is None else form.skip_rows
        below = below if form.skip_last is None else form.skip_last
        header, asked = header_of(rows[above : len(rows) - below], form, named)
        told += (*told_around("row", form, above, below, header=header),)
        first = above + header
        whole = next((place for place, row in enumerate(rows) if all(row)), 0)
        body = _body(
            reader, fastexcel, which, file, first=first, count=len(rows) - first - below, whole=whole
        )
    except fastexcel.FastExcelError as error:
        raise _damaged(file, error) from error
    given: tuple[str, ...] | None = None
    if form.columns is None and header and above < len(rows):
        given, trimmed = without_blanks(rows[above])
        told += trimmed
    names = form.names(given, body.width, "the sheet has {} columns", Place(file=file))
    blank = [place for place, name in enumerate(names) if not name and body.to_series(place).is_null().all()]
    if given and blank:
        told += nameless(len(blank))
        body = body.select([series for place, series in enumerate(body) if place not in blank])
        names = tuple(name for place, name in enumerate(names) if place not in blank)
    check_names(names, where=file, line=above + 1 if header else None)
    columns = [_exact(series).alias(name) for series, name in zip(body, names, strict=True)]
    return Sheet(pl.DataFrame(columns), told, asked)


def _with_table(reader: Any, file: str) -> tuple[str, tuple[str, ...]]:
    """The sheet that holds the table: the only one, or one with far more cells than any other."""
    names = reader.sheet_names
    if len(names) == 1:
        return names[0], ()
    # So many cells hold something in rows that hold more than one.
    held = {name: [sum(map(bool, row)) for row in _rows(reader, name)] for name in names}
    sizes = {name: sum(count for count in counts if count > 1) for name, counts in held.items()}
    largest, next_largest = sorted(names, key=lambda name: -sizes[name])[:2]
    if sizes[largest] < AHEAD * sizes[next_largest]:
        raise UsageError(
            f"The workbook has several sheets with a table: {listed(names)}.",
            code="which-sheet",
            where=Place(file=file),
            hint=f"Name the one to read with {option('sheet')}.",
        )
    return largest, (f"the sheet {largest!r}",)


def _rows(reader: Any, sheet: str) -> list[list[str]]:
    """The cells of a sheet as texts; its rows end before blank ones."""
    frame = reader.load_sheet(sheet, header_row=None, skip_rows=0, dtypes="string").to_polars()
    return [[cell or "" for cell in row] for row in frame.rows()]


def _body(
    reader: Any, fastexcel: Any, sheet: str, file: str, *, first: int, count: int, whole: int
) -> pl.DataFrame:
    """So many rows of a sheet from one on, with their types.

    ``whole`` is the first row without an empty cell: where titles stand above the names of columns, or
    headings over several of them, the names.
    """
    part = {"header_row": None, "skip_rows": first, "n_rows": max(count, 0), "schema_sample_rows": None}
    try:
        frame: pl.DataFrame = reader.load_sheet(sheet, **part, dtype_coercion="strict").to_polars()
    except fastexcel.UnsupportedColumnTypeCombinationError as error:
        frame = reader.load_sheet(sheet, **part, dtype_coercion="coerce").to_polars()
        # Where the words only say that a number is missing, the column is one of numbers.
        for series in frame.select(pl.col(pl.String)):
            texts = series.drop_nulls().str.strip_chars()
            numbers = texts.str.contains(NUMBER)
            if numbers.any() and not (numbers | texts.str.to_lowercase().is_in(MISSING)).all():
                raise InputError(
                    f"A column holds values of different types: {_reason(error)}.",
                    code="mixed-types",
                    where=Place(file=file),
                    hint="Give the cells of the column one type, for instance text."
                    + (
                        f" If row {whole + 1} names the columns, pass over what is above it with"
                        f" {option('skip_rows', whole)}."
                        if whole >= first
                        else ""
                    ),
                ) from error
    return frame


def _open(data: bytes, file: str) -> tuple[Any, Any]:
    try:
        import fastexcel
    except ImportError as error:
        raise missing_extra("fastexcel", "excel", "Reading a workbook") from error
    # A column without a value is text here; the library need not warn of it on standard error.
    logging.getLogger("fastexcel").setLevel(logging.ERROR)
    try:
        return fastexcel.read_excel(data), fastexcel
    except fastexcel.FastExcelError as error:
        raise _damaged(file, error) from error


def _exact(series: pl.Series) -> pl.Series:
    """The column as the sheet shows it: 1 rather than 1.0, a day rather than its midnight."""
    if series.dtype.is_float():
        whole = series.drop_nulls()
        if (whole == whole.floor()).all() and (whole.abs() <= EXACT).all():
            return series.cast(pl.Int64)
    if series.dtype == pl.Datetime and (series.dt.truncate("1d") == series).all():
        return series.cast(pl.Date)
    return series


def _damaged(file: str, error: Exception) -> InputError:
    return InputError(
        f"The workbook cannot be read: {_reason(error)}.",
        code="file-damaged",
        where=Place(file=file),
        hint="Open it in a spreadsheet program and save it again as .xlsx.",
    )


def _reason(error: Exception) -> str:
    return str(error).splitlines()[0].rstrip(".")


MOST_ROWS = 1_048_575
LONGEST = 32_767
UNWRITABLE = "[\x00-\x08\x0b-\x1f\ufffe\uffff]"
FIRST_DAY = date(1900, 3, 1)
"""Before it, a workbook counts a day that never was."""
WRITTEN = datetime(2000, 1, 1)
"""The date a workbook says it was made on: the same table gives the same bytes."""


def write_excel(frame: pl.DataFrame, file: Path) -> None:
    """Write the frame as the only sheet of a workbook."""
    try:
        import xlsxwriter
    except ImportError as error:
        raise missing_extra("xlsxwriter", "excel", "Writing a workbook") from error
    held = pl.DataFrame([_held(series.alias("")).alias(series.name) for series in frame])
    _refuse(held, file)
    options = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with xlsxwriter.Workbook(file, options) as workbook:
        workbook.set_properties({"created": WRITTEN})
        held.write_excel(workbook, "data", autofit=False)


def _held(series: pl.Series) -> pl.Series:
    """The column as a workbook can hold it exactly: as it is, or as text."""
    dtype = series.dtype
    if dtype.is_integer():
        fits = bool((series.cast(pl.Int128).abs() <= EXACT).all())
    elif dtype.is_float():
        distinct = series.drop_nulls().unique().to_list()
        # sixteen digits are written, and no infinity
        fits = all(isfinite(value) and float(f"{value:.16G}") == value for value in distinct)
    elif dtype == pl.Date:
        fits = bool((series >= FIRST_DAY).all())
    elif isinstance(dtype, pl.Datetime):
        fits = dtype.time_zone is None and bool(
            ((series.dt.date() >= FIRST_DAY) & (series.dt.truncate("1ms") == series)).all()
        )
    else:
        fits = dtype in (pl.String, pl.Boolean)
    return series if fits else pl.Series(text_of(series), dtype=pl.String)


def _refuse(frame: pl.DataFrame, file: Path) -> None:
    texts = [series.alias("") for series in frame if series.dtype == pl.String]
    problem = None
    if frame.height > MOST_ROWS:
        problem = f"The table has {frame.height} rows, and a sheet has room for {MOST_ROWS}."
    elif any((series == "").any() for series in texts):
        problem = "The table holds the empty text, which a workbook cannot tell from a missing value."
    elif any((series.str.len_chars() > LONGEST).any() for series in texts):
        problem = f"A value has more than {LONGEST} characters, the most a cell can hold."
    elif any(series.str.contains(UNWRITABLE).any() for series in texts):
        problem = "A value holds a control character, which a workbook cannot hold."
    elif frame.height and all(value is None for value in frame.row(-1)):
        problem = "All values of the last row are missing, and a workbook would lose the row."
    if problem is not None:
        raise OutputError(
            problem,
            code="excel-limit",
            where=Place(file=str(file)),
            hint="Write another format, for instance CSV.",
        )
