"""Tables from Excel workbooks.

A workbook holds every number as a binary fraction and every day as a number. A column of whole
numbers is read as such, and a column of days without a time of day as days.
"""

from __future__ import annotations

import logging
from typing import Any

import polars as pl

from tacit.data.table import check_names
from tacit.errors import InputError, Place, UsageError, listed, missing_extra, option

EXACT = 2**53
"""Whole numbers up to here are exact in a workbook."""


def read_excel(
    data: bytes,
    *,
    file: str,
    sheet: str | None,
    header: bool,
    columns: tuple[str, ...] | None,
    skip_rows: int = 0,
) -> pl.DataFrame:
    """The table on one sheet of a workbook, the first unless another is named, below the rows passed over."""
    reader, fastexcel = _open(data, file)
    if sheet is not None and sheet not in reader.sheet_names:
        raise UsageError(
            f"There is no sheet {sheet!r}; the sheets are {listed(reader.sheet_names)}.",
            code="unknown-sheet",
            where=Place(file=file),
            hint=f"Name one of them with {option('sheet')}.",
        )
    which: str | int = 0 if sheet is None else sheet
    try:
        first = reader.load_sheet(
            which, header_row=None, skip_rows=skip_rows, n_rows=1, dtypes="string"
        ).to_polars()
        if first.width == 0:
            raise InputError("The sheet is empty.", code="empty-file", where=Place(file=file))
        body = reader.load_sheet(
            which,
            header_row=None,
            skip_rows=skip_rows + 1 if header else skip_rows,
            schema_sample_rows=None,
            dtype_coercion="strict",
        ).to_polars()
    except fastexcel.UnsupportedColumnTypeCombinationError as error:
        raise InputError(
            f"A column holds values of different types: {_reason(error)}.",
            code="mixed-types",
            where=Place(file=file),
            hint="Give the cells of the column one type, for instance text; titles above the table are passed"
            f" over with {option('skip_rows', 3)}, if they are three rows.",
        ) from error
    except fastexcel.FastExcelError as error:
        raise _damaged(file, error) from error
    given = tuple(text or "" for text in first.row(0)) if header else None
    names = columns or given or tuple(f"column{place + 1}" for place in range(body.width))
    if len(names) != body.width:
        raise InputError(
            f"{len(names)} column names are given, and the sheet has {body.width} columns.",
            code="csv-columns",
            where=Place(file=file),
            hint="Give one name per column.",
        )
    check_names(names, where=file, line=1 if header else None)
    return pl.DataFrame([_exact(series).alias(name) for series, name in zip(body, names, strict=True)])


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
