"""Where the columns of a table come from: data in memory here, a cluster elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import polars as pl

from tacit.data.column import Column, encode
from tacit.errors import InputError, Place, UsageError, missing_extra
from tacit.typing import Counts


class Source(Protocol):
    """Where a table's columns come from."""

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def n_rows(self) -> int: ...

    @property
    def times(self) -> Counts | None:
        """For how many rows each row of the columns stands; None where for itself alone."""
        return None

    def column(self, name: str) -> Column: ...

    def settled(self, columns: Mapping[str, Column]) -> Source:
        """The source with some of its columns settled: their spelling made one, for instance."""
        return SettledSource(self, columns)

    def in_memory(self, names: Sequence[str], most: int) -> Source | None:
        """At least these columns in this process; None where more than ``most`` rows had to be brought."""
        return self

    def distinct(self, names: Sequence[str], most: int) -> Source | None:
        """The same; of rows elsewhere the distinct ones come, each standing for so many (:attr:`times`)."""
        return self.in_memory(names, most)

    def first(self, count: int) -> list[tuple[str | None, ...]]:
        """The first rows, their cells as texts."""
        columns = [self.column(name) for name in self.names]
        texts = [[column.texts[code] for code in column.codes[:count]] for column in columns]
        return list(zip(*texts, strict=True))


class FrameSource(Source):
    """Columns of a polars frame in memory, each encoded the first time it is asked for."""

    def __init__(self, frame: pl.DataFrame) -> None:
        self._frame = frame
        self._encoded: dict[str, Column] = {}

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._frame.columns)

    @property
    def n_rows(self) -> int:
        return self._frame.height

    def column(self, name: str) -> Column:
        if name not in self._encoded:
            self._encoded[name] = encode(self._frame.get_column(name))
        return self._encoded[name]


class EncodedSource(Source):
    """Columns that are encoded already."""

    def __init__(self, columns: Iterable[Column], n_rows: int) -> None:
        self._columns = {column.name: column for column in columns}
        self._n_rows = n_rows

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._columns)

    @property
    def n_rows(self) -> int:
        return self._n_rows

    def column(self, name: str) -> Column:
        return self._columns[name]


class DistinctSource(EncodedSource):
    """Distinct rows in the order of their codes, the first column first; each stands for so many."""

    def __init__(self, columns: Iterable[Column], times: Counts) -> None:
        super().__init__(columns, int(times.sum()))
        self._times = times

    @property
    def times(self) -> Counts:
        return self._times


class SettledSource(Source):
    """A source in memory some of whose columns were settled."""

    def __init__(self, source: Source, settled: Mapping[str, Column]) -> None:
        self._source = source
        self._settled = dict(settled)

    @property
    def names(self) -> tuple[str, ...]:
        return self._source.names

    @property
    def n_rows(self) -> int:
        return self._source.n_rows

    def column(self, name: str) -> Column:
        return self._settled[name] if name in self._settled else self._source.column(name)


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
