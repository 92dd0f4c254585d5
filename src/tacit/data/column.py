"""One attribute of a table, dictionary-encoded once, and the sources that attributes come from.

Codes follow the order of the values, not of the rows, so nothing computed from them can depend
on how the rows happened to be sorted.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import polars as pl

from tacit.typing import Codes, Counts


@dataclass(frozen=True, eq=False)
class Column:
    """Row ``r`` holds ``values[codes[r]]``.

    ``values`` are distinct and sorted (text by its bytes, numbers by size); a null is a value of
    its own and comes last. Every value occurs in at least one row.
    """

    name: str
    codes: Codes
    values: pl.Series

    def __post_init__(self) -> None:
        # polars takes a name such as ^a$ for a pattern of names, so the values go without one.
        if self.values.name:
            object.__setattr__(self, "values", self.values.alias(""))

    def __len__(self) -> int:
        return len(self.codes)

    def __repr__(self) -> str:
        return f"<Column: {self.name}, {len(self):,} rows, {len(self.values):,} values>"

    @cached_property
    def texts(self) -> list[str | None]:
        """Each value as text, as a CSV cell would show it; None for the null."""
        return text_of(self.values)

    @cached_property
    def text_ranks(self) -> Codes:
        """The rank of each value's text, as UTF-8 bytes sort: the published order. A null comes first."""
        keys = [(text is not None, (text or "").encode()) for text in self.texts]
        ranks = np.empty(len(keys), dtype=np.int32)
        ranks[sorted(range(len(keys)), key=keys.__getitem__)] = np.arange(len(keys), dtype=np.int32)
        return ranks

    @cached_property
    def counts(self) -> Counts:
        """The support of each value."""
        return np.bincount(self.codes, minlength=len(self.values))

    @property
    def null_code(self) -> int | None:
        """The code of the null, or None where no row is null."""
        return len(self.values) - 1 if self.values.null_count() else None

    def to_series(self) -> pl.Series:
        """The column as it came in."""
        return self.values.gather(self.codes).alias(self.name)

    def take(self, rows: np.ndarray) -> Column:
        """The rows named by an index or a mask, with values that no longer occur left out."""
        codes = self.codes[rows]
        present = np.bincount(codes, minlength=len(self.values)) > 0
        if present.all():
            return Column(self.name, frozen(codes), self.values)
        packed = np.cumsum(present, dtype=np.int32) - np.int32(1)
        return Column(self.name, frozen(packed[codes]), self.values.gather(np.flatnonzero(present)))

    def standing_for(self, times: Counts) -> Column:
        """The same column where each row stands for so many: its supports are of all of them."""
        found = Column(self.name, self.codes, self.values)
        counts = np.bincount(self.codes, weights=times, minlength=len(self.values)).astype(np.int64)
        found.__dict__["counts"] = counts  # what is kept of it once it was asked for
        return found

    def recoded(self, values: pl.Series, codes: Codes) -> Column:
        """The column with other values: what had code ``c`` has ``codes[c]`` now."""
        return Column(self.name, frozen(codes[self.codes]), values)


def encode(series: pl.Series) -> Column:
    """The series as a dictionary-encoded column."""
    name, series = series.name, series.alias("")
    missing = series.null_count() > 0
    if series.dtype == pl.String and len(series) <= FEW:
        values, codes = _encode_few(series)
    elif series.dtype in NARROW and (width := _width(series)) <= max(1 << 16, 2 * len(series)):
        values, codes = _encode_narrow(series, width)
    else:
        values = series.drop_nulls().unique().sort()
        codes = codes_among(series, values)
    if missing:
        values = values.extend_constant(None, 1)
    return Column(name, frozen(codes), values)


def codes_among(series: pl.Series, values: pl.Series) -> np.ndarray:
    """The place of each element among distinct values; a null comes after them."""
    if series.dtype == pl.String and len(values) <= SOME:
        # the library's own dictionary type does half the work of a join, as long as its table stays small
        physical = series.cast(pl.Enum(values)).to_physical()
        return physical.cast(pl.UInt32).fill_null(len(values)).to_numpy()
    dictionary = pl.DataFrame({"value": values, "code": np.arange(len(values), dtype=np.int32)})
    joined = pl.DataFrame({"value": series}).join(dictionary, on="value", how="left", maintain_order="left")
    return joined.get_column("code").fill_null(len(values)).to_numpy()


def numbered(name: str, codes: np.ndarray) -> Column:
    """A column of numbers, by which rows agree can be seen, and not in what; a cell with the code -1 is null.

    Numbers follow the rows: codes that follow the values would be the identifiers 1, 2, 3 themselves.
    """
    rows = np.arange(len(codes), dtype=np.int32)
    seen = np.zeros(int(codes.max(initial=-1)) + 1, dtype=bool)
    if codes.min(initial=0) >= 0:
        seen[codes] = True
        if np.count_nonzero(seen) == len(codes):
            return Column(name, frozen(rows), pl.Series(rows))
    first = np.empty(int(codes.max(initial=-1)) + 2, dtype=np.int32)  # -1 indexes the last place
    first[codes[::-1]] = rows[::-1]  # of several rows the last one written stays
    alike = first[codes]
    missing = codes < 0
    new = (alike == rows) & ~missing
    values = pl.Series(rows[: np.count_nonzero(new)])
    found = (np.cumsum(new, dtype=np.int32) - np.int32(1))[alike]
    if missing.any():
        found[missing] = len(values)
        values = values.extend_constant(None, 1)
    return Column(name, frozen(found), values)


def unnamed(column: Column) -> Column:
    """An encoded column as :func:`numbered` makes it."""
    codes = column.codes
    if column.values.dtype == pl.String:  # spellings of one name are one
        codes = frozen(told_apart(column.values)[1][codes])
    null = column.null_code
    return numbered(column.name, codes if null is None else np.where(column.codes == null, -1, codes))


def told_apart(texts: pl.Series) -> tuple[pl.Series, np.ndarray]:
    """The names that texts are spellings of, in order, and the place of each text's; a null comes after them.

    Spellings of one name differ only in case, width or blanks.

    >>> told_apart(pl.Series(["p1", "P1 ", "p2"]))[1].tolist()
    [0, 0, 1]
    """
    # Most numbers of people are ASCII without blanks.
    if texts.str.contains("^[!-~]*$").fill_null(True).all():
        plain = texts.str.to_lowercase()
    else:
        plain = pl.Series([None if text is None else folded(text) for text in texts], dtype=pl.String)
    names = plain.drop_nulls().unique().sort()
    return names, codes_among(plain, names).astype(np.int32)


def folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def text_of(values: pl.Series) -> list[str | None]:
    """The canonical text of each value: what a CSV cell shows, whatever the type it was read as."""
    if values.dtype == pl.String:
        return values.to_list()
    if values.dtype == pl.Boolean:
        return [None if value is None else ("true" if value else "false") for value in values]
    if values.dtype.is_float():
        # the shortest digits that give the number back, the same whatever library's version wrote it
        shortest = [str(value) for value in values.to_numpy()]
        return [text if there else None for text, there in zip(shortest, values.is_not_null(), strict=True)]
    if values.dtype == pl.Duration:
        return values.dt.to_string("iso").to_list()
    return values.cast(pl.String).to_list()


def frozen(codes: np.ndarray) -> Codes:
    """The codes as an array that nobody can change."""
    array: Codes = np.ascontiguousarray(codes, dtype=np.int32)
    array.flags.writeable = False
    return array


NARROW = (pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.Date)
"""Types whose values may be looked up in an array over their range."""


FEW = 1000
"""So few rows are encoded one by one: asking the frame library costs more than they do."""

SOME = 100_000
"""Up to so many values, the library's dictionary type is faster than a join."""


def _encode_few(series: pl.Series) -> tuple[pl.Series, np.ndarray]:
    texts = series.to_list()
    values = sorted({text for text in texts if text is not None})  # by characters, which is by bytes in UTF-8
    number: dict[str | None, int] = {text: code for code, text in enumerate(values)}
    number[None] = len(values)
    return pl.Series(values, dtype=pl.String), np.array([number[text] for text in texts], dtype=np.int32)


def _width(series: pl.Series) -> int:
    physical = series.to_physical()
    low, high = physical.min(), physical.max()
    return 0 if low is None else int(high) - int(low) + 1  # type: ignore[arg-type]


def _encode_narrow(series: pl.Series, width: int) -> tuple[pl.Series, np.ndarray]:
    physical = series.to_physical()
    if width == 0:  # no row, or nothing but nulls
        return series.clear(), np.zeros(len(series), dtype=np.int32)
    low = int(physical.min())  # type: ignore[arg-type]
    # A null has the place after the last.
    wide = physical if physical.dtype == pl.Int32 else physical.cast(pl.Int64)  # the differences fit
    places = (wide - low).fill_null(width).to_numpy()
    seen = np.zeros(width + 1, dtype=bool)
    seen[places] = True
    codes = (np.cumsum(seen, dtype=np.int32) - np.int32(1))[places]
    values = pl.Series(np.flatnonzero(seen[:width]) + low).cast(physical.dtype).cast(series.dtype)
    return values, codes


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


class EncodedSource(Source):
    """Columns in memory; a series among them is encoded the first time it is asked for."""

    def __init__(
        self, columns: Iterable[Column | pl.Series], n_rows: int, times: Counts | None = None
    ) -> None:
        self._columns = {column.name: column for column in columns}
        self._n_rows, self._times = n_rows, times

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._columns)

    @property
    def n_rows(self) -> int:
        return self._n_rows

    @property
    def times(self) -> Counts | None:
        return self._times

    def column(self, name: str) -> Column:
        column = self._columns[name]
        if isinstance(column, pl.Series):
            column = self._columns[name] = encode(column)
        return column


class SettledSource(Source):
    """A source in memory some of whose columns were settled, or added."""

    def __init__(self, source: Source, settled: Mapping[str, Column]) -> None:
        self._source = source
        self._settled = dict(settled)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self._source.names, *self._settled)))

    @property
    def n_rows(self) -> int:
        return self._source.n_rows

    @property
    def times(self) -> Counts | None:
        return self._source.times

    def column(self, name: str) -> Column:
        return self._settled[name] if name in self._settled else self._source.column(name)
