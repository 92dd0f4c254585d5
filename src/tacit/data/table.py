"""A table about people: columns with roles, each dictionary-encoded once.

A :class:`Table` is a source of columns with roles and hierarchies; it never changes. What encodes
the columns is the source: data in memory here, a cluster elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from tacit.data.column import Column, EncodedSource, SettledSource, Source, encode, unnamed
from tacit.data.hierarchy import Hierarchy
from tacit.data.settling import Locator, RowLocator, check_words, countable, examine, give_back, take_in
from tacit.errors import InputError, Place, UsageError, nearest, option, unknown_column
from tacit.typing import Counts


@dataclass(frozen=True, slots=True)
class Roles:
    """What each column is; a column named nowhere is dropped from a release."""

    quasi: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()

    @property
    def known(self) -> tuple[str, ...]:
        """The columns shown beside the sensitive ones: a reader is taken to know them of everybody."""
        return self.quasi + self.keep

    def among(self, names: Sequence[str]) -> Roles:
        """The roles that these columns have."""
        roles = (self.quasi, self.sensitive, self.identifiers, self.keep)
        return Roles(*(tuple(name for name in role if name in names) for role in roles))

    def check(self, names: Iterable[str], *, where: str | None = None) -> None:
        """Raise unless every role names a column, and no column has two roles."""
        known = list(names)
        seen: dict[str, str] = {}
        for role in ("quasi", "sensitive", "identifiers", "keep"):
            for name in getattr(self, role):
                if name not in known:
                    near = nearest(name, known)
                    todo = f"Name an existing column with {option(role)}."
                    if near is not None and near.strip() == name:  # lists are read without blanks
                        todo = "Take the blanks around the name out of the first line of the file."
                    raise unknown_column(
                        name,
                        known,
                        option=role,
                        where=Place(file=where),
                        hint=(f"Did you mean {near!r}? " if near else "") + todo,
                    )
                if name in seen:
                    raise UsageError(
                        f"The column {name!r} is given two roles, {seen[name]!r} and {role!r}.",
                        code="two-roles",
                        hint="A column has one role.",
                        option=role,
                        value=name,
                    )
                seen[name] = role


@dataclass(frozen=True, eq=False)
class Drawn:
    """Which rows of a table as it was read these are: one of each person, so many rows there were."""

    rows: Counts
    of: int

    @property
    def left_out(self) -> int:
        return self.of - len(self.rows)


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Rows about people, with roles.

    ``notes`` are things the owner of the data should be told (values that differ only in case, rows
    suppressed for nulls); they are shown, never published. ``format`` is the format the table came
    in, None for a dataframe; ``null_values`` the texts that meant a missing value in it.
    """

    source: Source
    roles: Roles
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    origin: str | None = None
    nulls: str = "own"
    notes: tuple[str, ...] = ()
    format: str | None = None
    null_values: tuple[str, ...] = ()
    drawn: Drawn | None = None
    """Where one row of each person was drawn: which."""
    person: str | None = None
    """The column that tells people apart, where their owner named it."""
    dropped: tuple[Column, ...] = ()
    """Identifiers that were left out on reading, as numbers: they tell whether people have several rows."""

    def __post_init__(self) -> None:
        self.roles.check(self.source.names, where=self.origin)

    def __len__(self) -> int:
        return self.source.n_rows

    def __repr__(self) -> str:
        roles = "".join(
            f"; {role}: {', '.join(names)}" for role, names in asdict(self.roles).items() if names
        )
        return f"<Table: {len(self):,} rows{roles or '; columns: ' + ', '.join(self.names)}>"

    @property
    def n_rows(self) -> int:
        return self.source.n_rows

    @property
    def names(self) -> tuple[str, ...]:
        return self.source.names

    def column(self, name: str) -> Column:
        """One column, dictionary-encoded."""
        if name not in self.names:
            raise unknown_column(name, self.names)
        return self.source.column(name)

    @property
    def quasi(self) -> tuple[Column, ...]:
        return tuple(self.column(name) for name in self.roles.quasi)

    @property
    def known(self) -> tuple[Column, ...]:
        return tuple(self.column(name) for name in self.roles.known)

    @property
    def sensitive(self) -> tuple[Column, ...]:
        return tuple(self.column(name) for name in self.roles.sensitive)

    def with_roles(self, **roles: tuple[str, ...]) -> Table:
        """The same rows under other roles."""
        return replace(self, roles=replace(self.roles, **roles))

    def with_hierarchies(self, hierarchies: Mapping[str, Hierarchy]) -> Table:
        """The same rows with these hierarchies, by attribute."""
        return replace(self, hierarchies={**self.hierarchies, **hierarchies})

    def with_columns(self, columns: Iterable[Column]) -> Table:
        """The same rows with these columns: others of their names are replaced."""
        found = {column.name: column for column in columns}
        return replace(self, source=SettledSource(self.source, found)) if found else self

    def take(self, rows: np.ndarray) -> Table:
        """The rows named by an index or a mask."""
        columns = [self.source.column(name).take(rows) for name in self.names]
        n_rows = int(rows.sum()) if rows.dtype == bool else len(rows)
        dropped = tuple(column.take(rows) for column in self.dropped)
        return replace(self, source=EncodedSource(columns, n_rows), drawn=None, dropped=dropped)

    @property
    def is_here(self) -> bool:
        """Whether the rows are in this process, so that a column of many values costs nothing to look at."""
        return self.source.in_memory((), 0) is not None

    def in_memory(self, names: Sequence[str], most: int) -> Table | None:
        """At least these columns in this process; None where more than ``most`` rows had to be brought."""
        source = self.source.in_memory(names, most)
        return None if source is None else replace(self, source=source, roles=self.roles.among(source.names))

    def distinct(self, names: Sequence[str], most: int) -> Table | None:
        """The same; of rows elsewhere the distinct ones come, each standing for so many (:attr:`times`)."""
        source = self.source.distinct(names, most)
        return None if source is None else replace(self, source=source, roles=self.roles.among(source.names))

    @property
    def times(self) -> Counts | None:
        """For how many rows each row in this process stands; None where for itself alone."""
        return self.source.times

    def to_polars(self) -> pl.DataFrame:
        """The table as a polars frame, values as they came in."""
        return pl.DataFrame([self.source.column(name).to_series() for name in self.names])

    def to_frame(self, like: Any) -> Any:
        """The table as a frame of another library, by its name ("pandas") or by one of its frames."""
        return give_back(self.to_polars(), like)


def table_from_frame(
    frame: Any,
    *,
    quasi: Iterable[str] | str = (),
    sensitive: Iterable[str] | str = (),
    identifiers: Iterable[str] | str = (),
    keep: Iterable[str] | str = (),
    hierarchies: Mapping[str, Hierarchy] | None = None,
    nulls: str = "own",
    null_values: Iterable[str] | str = (),
    twins: str = "refuse",
    origin: str | None = None,
    notes: tuple[str, ...] = (),
    format: str | None = None,
) -> Table:
    """A table from any dataframe with the Arrow interface; identifiers are dropped here and now.

    ``nulls`` says what a missing value in a column with a role is: a value of its own, a reason to
    refuse the table, or a reason to suppress the row. ``null_values`` are texts that mean missing.
    ``twins`` says what becomes of texts that differ only in case, form or invisible characters:
    they are refused, folded into one, or kept apart.

    >>> table = table_from_frame(pl.DataFrame({"age": [41, 27], "disease": ["flu", "ulcer"]}), quasi="age")
    >>> table.names, table.column("age").texts
    (('age', 'disease'), ['27', '41'])
    """
    roles = Roles(as_names(quasi), as_names(sensitive), as_names(identifiers), as_names(keep))
    taken = take_in(frame)
    check_names(taken.columns, where=origin)
    roles.check(taken.columns, where=origin)
    with_role = roles.quasi + roles.sensitive + roles.keep
    identifying, _ = countable(taken.select(roles.identifiers), needed=(), origin=origin)
    taken, told = countable(taken.drop(roles.identifiers), needed=with_role, origin=origin)
    words = check_words(as_names(null_values))
    if words:
        texts = pl.col(pl.String)
        taken = taken.with_columns(pl.when(~texts.is_in(words)).then(texts))
    table = settled_table(
        EncodedSource(taken, taken.height),
        roles,
        hierarchies=hierarchies,
        nulls=nulls,
        twins=twins,
        locator=RowLocator(origin),
        origin=origin,
        notes=(*notes, *told),
        format=format,
        dropped=[unnamed(encode(series)) for series in identifying],
    )
    return replace(table, null_values=words)


def settled_table(
    source: Source,
    roles: Roles,
    *,
    nulls: str,
    twins: str,
    locator: Locator,
    origin: str | None,
    notes: tuple[str, ...],
    format: str | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    dropped: Iterable[Column] = (),
) -> Table:
    """A table from a source without identifiers (``dropped`` are their numbers), its columns examined."""
    roles = replace(roles, identifiers=())
    examined = examine(
        source.column,
        with_role=roles.quasi + roles.sensitive + roles.keep,
        sensitive=roles.sensitive,
        names=source.names,
        n_rows=source.n_rows,
        nulls=nulls,
        twins=twins,
        locator=locator,
        origin=origin,
    )
    settled = source.settled(examined.columns)
    table = Table(settled, roles, hierarchies or {}, origin, nulls, (*notes, *examined.notes), format)
    table = replace(table, dropped=tuple(dropped))
    return table if examined.kept is None else table.take(examined.kept)


ABOVE = f"Lines above the names are passed over with {option('skip_rows', 1)}."


def check_names(names: Sequence[str], *, where: str | None, line: int | None = None) -> None:
    """Raise unless every column has a name, and a name of its own."""
    seen: set[str] = set()
    for place, name in enumerate(names, start=1):
        if not name.strip():
            raise InputError(
                f"Column {place} has no name.",
                code="empty-column-name",
                where=Place(file=where, line=line, column=place),
                hint=_naming_hint(names),
            )
        if name in seen:
            raise InputError(
                f"Two columns are called {name!r}.",
                code="duplicate-column",
                where=Place(file=where, line=line, column=name),
                hint=f"Rename one of them, or give all names with {option('columns')}. {ABOVE}",
            )
        seen.add(name)


def _naming_hint(names: Sequence[str]) -> str:
    """How to go on where a column has no name: pandas and R write their row numbers without one."""
    if names[0].strip() or not all(name.strip() for name in names[1:]) or len(names) > 40:
        return f"Name the column, or give all names with {option('columns')}. {ABOVE}"
    given = ",".join(["row_number", *names[1:]])
    return (
        "pandas and R write row numbers so. Name the column in the file, or give all names: "
        f"--columns '{given}'."
    )


def as_names(names: Iterable[str] | str) -> tuple[str, ...]:
    """Column names from a list, or from one comma-separated string."""
    if isinstance(names, str):
        return tuple(name.strip() for name in names.split(",") if name.strip())
    return tuple(names)
