"""Tables as Excel workbooks: one sheet, text as text and never as a formula.

A workbook keeps numbers as binary fractions, days from March 1900 on and times to the millisecond;
a column that it could not keep exactly is written as text. It has no empty text and no blank last
row: those are refused.
"""

from __future__ import annotations

from datetime import date, datetime
from math import isfinite
from pathlib import Path

import polars as pl

from tacit.data.column import text_of
from tacit.errors import OutputError, Place, missing_extra

EXACT = 2**53
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
    held = pl.DataFrame([_held(series) for series in frame])
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
    return series if fits else pl.Series(series.name, text_of(series), dtype=pl.String)


def _refuse(frame: pl.DataFrame, file: Path) -> None:
    texts = frame.select(pl.col(pl.String))
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
