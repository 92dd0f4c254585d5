"""Dataframes of any library, in and out, through narwhals.

Whatever speaks the Arrow interface comes in (pandas, polars, pyarrow, a DuckDB relation) and the
same kind goes back.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from tacit.exceptions import UsageError, missing_extra


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
    if isinstance(wrapped, nw.LazyFrame):
        wrapped = wrapped.collect("polars")
    try:
        return wrapped.to_polars()
    except ImportError as error:  # pandas text columns go through pyarrow
        raise missing_extra("pyarrow", "all", "Reading this dataframe") from error


def give_back(frame: pl.DataFrame, like: Any) -> Any:
    """A polars frame as a frame of another library, named by a word or by one of its frames."""
    library = like if isinstance(like, str) else type(like).__module__.split(".")[0].lstrip("_")
    if library == "polars":
        return frame
    if library == "pandas":
        return frame.to_pandas()
    if library == "pyarrow":
        return frame.to_arrow()
    if library == "duckdb":
        import duckdb

        return duckdb.from_arrow(frame.to_arrow())
    raise UsageError(
        f"There is no dataframe library {library!r} to give back.",
        code="not-a-dataframe",
        hint="Use 'polars', 'pandas', 'pyarrow' or 'duckdb'.",
    )
