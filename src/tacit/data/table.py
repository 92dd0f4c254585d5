"""A table about people: columns with roles, each dictionary-encoded once.

A :class:`Table` is a source of columns with roles and hierarchies; it never changes. What encodes
the columns is the source: data in memory here, a cluster elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
import polars as pl

from tacit.data.column import Column, encode
from tacit.data.hierarchy import Hierarchy
from tacit.exceptions import InputError, Place, UsageError


@dataclass(frozen=True, slots=True)
class Roles:
    """What each column is; a column named nowhere is dropped from a release."""

    quasi: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()

    @property
    def published(self) -> tuple[str, ...]:
        """The columns a release shows beside the sensitive ones."""
        return self.quasi + self.keep

    def check(self, names: Iterable[str], *, where: str | None = None) -> None:
        """Raise unless every role names a column, and no column has two roles."""
        known = list(names)
        seen: dict[str, str] = {}
        for role in ("quasi", "sensitive", "identifiers", "keep"):
            for name in getattr(self, role):
                if name not in known:
                    raise UsageError(
                        f"There is no column {name!r}; the columns are {', '.join(map(repr, known))}.",
                        code="unknown-column",
                        where=Place(file=where),
                        hint=f"Name an existing column for {role!r}.",
                    )
                if name in seen:
                    raise UsageError(
                        f"The column {name!r} is given two roles, {seen[name]!r} and {role!r}.",
                        code="two-roles",
                        hint="A column has one role.",
                    )
                seen[name] = role


class Source(Protocol):
    """Where a table's columns come from."""

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def n_rows(self) -> int: ...

    def column(self, name: str) -> Column: ...


class FrameSource:
    """Columns of a polars frame in memory, each encoded the first time it is asked for."""

    def __init__(self, frame: pl.DataFrame, encoded: Mapping[str, Column] | None = None) -> None:
        self._frame = frame
        self._encoded = dict(encoded or {})

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


class EncodedSource:
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


@dataclass(frozen=True, eq=False)
class Table:
    """Rows about people, with roles.

    ``notes`` are things the reader of the data should be told (values that differ only in case,
    rows suppressed for nulls); they are shown, never published. ``line_numbers`` gives the line of
    each row in the file it came from, where rows were left out on reading.
    """

    source: Source
    roles: Roles
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    origin: str | None = None
    nulls: str = "own"
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.roles.check(self.source.names, where=self.origin)

    def __len__(self) -> int:
        return self.source.n_rows

    @property
    def n_rows(self) -> int:
        return self.source.n_rows

    @property
    def names(self) -> tuple[str, ...]:
        return self.source.names

    def column(self, name: str) -> Column:
        """One column, dictionary-encoded."""
        if name not in self.names:
            raise UsageError(
                f"There is no column {name!r}; the columns are {', '.join(map(repr, self.names))}.",
                code="unknown-column",
            )
        return self.source.column(name)

    @property
    def quasi(self) -> tuple[Column, ...]:
        return tuple(self.column(name) for name in self.roles.quasi)

    @property
    def sensitive(self) -> tuple[Column, ...]:
        return tuple(self.column(name) for name in self.roles.sensitive)

    def with_roles(self, **roles: tuple[str, ...]) -> Table:
        """The same rows under other roles."""
        return replace(self, roles=replace(self.roles, **roles))

    def with_hierarchies(self, hierarchies: Mapping[str, Hierarchy]) -> Table:
        """The same rows with these hierarchies, by attribute."""
        return replace(self, hierarchies={**self.hierarchies, **hierarchies})

    def take(self, rows: np.ndarray) -> Table:
        """The rows named by an index or a mask."""
        columns = [self.source.column(name).take(rows) for name in self.names]
        n_rows = int(rows.sum()) if rows.dtype == bool else len(rows)
        return replace(self, source=EncodedSource(columns, n_rows))

    def to_polars(self) -> pl.DataFrame:
        """The table as a polars frame, values as they came in."""
        return pl.DataFrame([self.source.column(name).to_series() for name in self.names])

    def to_frame(self, like: Any) -> Any:
        """The table as a frame of the same library as ``like`` ("pandas", "polars", "pyarrow", or a frame)."""
        from tacit.data.frames import give_back

        return give_back(self.to_polars(), like)


def table_from_frame(
    frame: Any,
    *,
    quasi: Iterable[str] = (),
    sensitive: Iterable[str] | str = (),
    identifiers: Iterable[str] = (),
    keep: Iterable[str] = (),
    hierarchies: Mapping[str, Hierarchy] | None = None,
    nulls: str = "own",
    origin: str | None = None,
    notes: tuple[str, ...] = (),
) -> Table:
    """A table from any dataframe with the Arrow interface; identifiers are dropped here and now.

    ``nulls`` says what a missing value in a column with a role is: a value of its own, a reason to
    refuse the table, or a reason to suppress the row.
    """
    from tacit.data.frames import take_in

    roles = Roles(as_names(quasi), as_names(sensitive), as_names(identifiers), as_names(keep))
    taken = take_in(frame)
    roles.check(taken.columns, where=origin)
    taken = taken.drop(roles.identifiers)
    used = list(roles.quasi + roles.sensitive + roles.keep)
    if nulls != "own" and used:
        empty = taken.select(pl.any_horizontal(pl.col(used).is_null())).to_series()
        if nulls == "reject" and empty.any():
            row = int(empty.arg_max() or 0)
            column = next(name for name in used if taken.get_column(name)[row] is None)
            raise InputError(
                f"{int(empty.sum())} rows have a missing value in a column that has a role.",
                code="null-value",
                where=Place(file=origin, line=row + 1, column=column),
                hint="Use nulls='own' to treat a missing value as a value, or nulls='suppress' to drop the rows.",
            )
        if empty.any():
            taken = taken.filter(~empty)
            notes = (*notes, f"{int(empty.sum())} rows with a missing value were suppressed.")
    roles = replace(roles, identifiers=())
    return Table(FrameSource(taken), roles, dict(hierarchies or {}), origin, nulls, notes)


def as_names(names: Iterable[str] | str) -> tuple[str, ...]:
    """Column names from a list, or from one comma-separated string."""
    if isinstance(names, str):
        return tuple(name.strip() for name in names.split(",") if name.strip())
    return tuple(names)
