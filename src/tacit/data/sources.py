"""Where the columns of a table come from: data in memory here, a cluster elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import polars as pl

from tacit.data.column import Column, encode


class Source(Protocol):
    """Where a table's columns come from."""

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def n_rows(self) -> int: ...

    def column(self, name: str) -> Column: ...

    def settled(self, columns: Mapping[str, Column]) -> Source:
        """The source with some of its columns settled: their spelling made one, for instance."""
        return SettledSource(self, columns)

    def in_memory(self, names: Sequence[str], most: int) -> Source | None:
        """At least these columns in this process; None where more than ``most`` rows had to be brought."""
        return self

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
