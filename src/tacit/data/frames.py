"""Dataframes of any library, in and out, through narwhals.

Whatever speaks the Arrow interface comes in (pandas, polars, pyarrow, a DuckDB relation) and the
same kind goes back. Inside, a column is of a type whose values can be counted and written as text;
what is not a number means missing.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from tacit.errors import InputError, Place, UsageError, missing_extra

NESTED = (pl.List, pl.Array, pl.Struct, pl.Object, pl.Binary, pl.Unknown)
"""Types that hold no single value a person could read."""


def take_in(frame: Any) -> pl.DataFrame:
    """Any dataframe as a polars frame."""
    if isinstance(frame, pl.DataFrame):
        return frame
    if isinstance(frame, pl.LazyFrame):
        return frame.collect()
    import narwhals.stable.v2 as nw

    try:
        wrapped = nw.from_native(frame)
    except TypeError:
        if hasattr(frame, "__arrow_c_stream__"):
            return pl.DataFrame(frame)
        raise UsageError(
            f"Expected a dataframe with the Arrow interface, got {type(frame).__name__}.",
            code="not-a-dataframe",
            hint="Give a pandas, polars or pyarrow table, a DuckDB relation, or read a file with read_table.",
        ) from None
    except nw.exceptions.DuplicateError:
        raise InputError(
            "The dataframe has two columns of one name.", code="duplicate-column", hint="Rename one of them."
        ) from None
    try:
        eager = wrapped.collect("polars") if isinstance(wrapped, nw.LazyFrame) else wrapped
        taken: pl.DataFrame = eager.to_polars()
        return taken
    except nw.exceptions.DuplicateError:
        raise InputError(
            "The dataframe has two columns of one name.", code="duplicate-column", hint="Rename one of them."
        ) from None
    except ImportError as error:  # pandas text columns go through pyarrow
        raise missing_extra("pyarrow", "all", "Reading this dataframe") from error
    except (ValueError, TypeError) as error:  # what Arrow says of a column that holds both text and numbers
        raise InputError(
            f"A column of the dataframe holds values of different types: {error}.",
            code="mixed-types",
            hint="Turn the column into one type, for instance into text.",
        ) from error


def give_back(frame: pl.DataFrame, like: Any) -> Any:
    """A polars frame as a frame of another library, named by a word or by one of its frames."""
    library = like if isinstance(like, str) else type(like).__module__.split(".")[0].lstrip("_")
    if library == "polars":
        return frame
    if library not in ("pandas", "pyarrow", "duckdb"):
        raise UsageError(
            f"There is no dataframe library {library!r} to give back.",
            code="not-a-dataframe",
            hint="Use 'polars', 'pandas', 'pyarrow' or 'duckdb'.",
        )
    try:
        if library == "pandas":
            return frame.to_pandas(use_pyarrow_extension_array=True)
        if library == "pyarrow":
            return frame.to_arrow()
        import duckdb

        return duckdb.from_arrow(frame.to_arrow())
    except ImportError as error:
        extra = {"pyarrow": "pandas"}.get(library, library)
        raise missing_extra(error.name or library, extra, f"A frame of {library}") from error


def countable(
    frame: pl.DataFrame, *, needed: tuple[str, ...], origin: str | None
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """The frame with columns that can be counted and written as text, and notes on what was changed.

    Categories become text, and what is not a number (NaN) becomes missing. A column of lists or
    bytes is refused where it is needed, else left out.
    """
    notes: list[str] = []
    columns: list[pl.Series] = []
    for series in frame:
        if series.dtype in NESTED:
            if series.name in needed:
                raise InputError(
                    f"The column {series.name!r} is of type {series.dtype}, whose values cannot be counted.",
                    code="unsupported-type",
                    where=Place(file=origin, column=series.name),
                    hint="Turn it into text or a number, or give it no role.",
                )
            notes.append(f"Column {series.name!r} is of type {series.dtype} and is left out.")
            continue
        if series.dtype in (pl.Categorical, pl.Enum, pl.Null):
            series = series.cast(pl.String)
        elif series.dtype.is_float():
            strange = int(series.is_nan().sum())
            if strange:
                notes.append(
                    f"Column {series.name!r}: {strange} values that are not a number (NaN) are missing."
                )
                series = series.fill_nan(None)
            zero = series == 0
            if zero.any():
                series = series.set(zero, 0.0)  # minus zero is zero
        columns.append(series)
    return pl.DataFrame(columns), tuple(notes)
