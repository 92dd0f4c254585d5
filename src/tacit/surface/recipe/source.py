"""Where a recipe's data are and how they are read: the options of the command line, under their names."""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from tacit.ranges import Letters, ListOf, Optional, Share, Whole
from tacit.surface.recipe.values import (
    FILE,
    TABLE,
    Declared,
    Flag,
    Names,
    OptionalFlag,
    OptionalText,
    Section,
    Symbol,
    Text,
    Within,
)

if TYPE_CHECKING:
    from tacit.data.hierarchy import Hierarchy


class Intervals(Section):
    """Numbers in intervals."""

    by: Literal["intervals"] = "intervals"
    width: Annotated[int | Decimal, Within(Share(high=math.inf))]
    """Width of the narrowest intervals."""
    nesting: Annotated[tuple[int, ...], Within(ListOf(Whole(2), "[2, 5]"))] = ()
    """How many intervals each wider one joins, level by level."""

    def build(self, values: Iterable[object], name: str | None) -> Hierarchy:
        from tacit.io.hierarchies import build_intervals

        return build_intervals(values, width=self.width, nesting=self.nesting, name=name)


class Balanced(Section):
    """Groups of neighbours of equal size."""

    by: Literal["balanced"] = "balanced"
    fanout: Annotated[int, Within(Whole(2))]
    """Size of the groups."""

    def build(self, values: Iterable[object], name: str | None) -> Hierarchy:
        from tacit.io.hierarchies import build_balanced

        return build_balanced(values, fanout=self.fanout, name=name)


class Prefixes(Section):
    """Codes that begin alike."""

    by: Literal["prefixes"] = "prefixes"
    lengths: Annotated[tuple[int, ...] | None, Within(Optional(ListOf(Whole(1), "[4, 3, 2]")))] = None
    """Lengths of the prefixes; every length by default."""

    def build(self, values: Iterable[object], name: str | None) -> Hierarchy:
        from tacit.io.hierarchies import build_prefixes

        return build_prefixes(values, lengths=self.lengths, name=name)


class Dates(Section):
    """Dates by month, year and decade."""

    by: Literal["dates"] = "dates"
    date_format: OptionalText = None
    """How dates are written, as in strftime; by default like 2020-05-17."""

    def build(self, values: Iterable[object], name: str | None) -> Hierarchy:
        from tacit.io.hierarchies import build_dates

        return build_dates(values, date_format=self.date_format, name=name)


class Flat(Section):
    """All values in one group."""

    by: Literal["flat"] = "flat"

    def build(self, values: Iterable[object], name: str | None) -> Hierarchy:
        from tacit.io.hierarchies import build_flat

        return build_flat(values, name=name)


HierarchyRule = Annotated[Intervals | Balanced | Prefixes | Dates | Flat, Field(discriminator="by")]
"""A rule to build a hierarchy from the values that are there, as ``tacit hierarchy build`` does."""


def _file_or_table(value: Any) -> str:
    return FILE if isinstance(value, str) else TABLE


FileOrRule = Annotated[
    Annotated[Text, Tag(FILE)] | Annotated[HierarchyRule, Tag(TABLE)], Discriminator(_file_or_table)
]
FolderOrTable = Annotated[
    Annotated[Text, Tag(FILE)] | Annotated[dict[str, FileOrRule], Tag(TABLE)],
    Discriminator(_file_or_table),
]


class Source(Section):
    """A data set and how it is read; what does not apply to it is refused."""

    path: Text
    """A file, a database address, sample:NAME, or - for standard input."""
    quasi: Names = ()
    """Quasi-identifiers: columns a reader may know from elsewhere (tables)."""
    sensitive: Names = ()
    """Sensitive columns: what must not be learned about a person."""
    drop: Names = ()
    """Identifiers: columns dropped on reading (tables)."""
    keep: Names = ()
    """Other columns to publish, knowingly (tables)."""
    hierarchies: FolderOrTable | None = None
    """Folder with a hierarchy file per quasi-identifier, or for each a file or a rule (tables)."""
    hierarchy: FileOrRule | None = None
    """Hierarchy of the items: a file, or a rule to build it (transactions)."""
    format: OptionalText = None
    """Format of the data where the file name does not tell."""
    header: OptionalFlag = None
    """Whether the first line names columns; in a table it does by default, in a basket file it does not."""
    columns: Names = ()
    """Column names, where there is no header line (tables)."""
    delimiter: Symbol = None
    """Field delimiter."""
    quote: Annotated[str, Within(Letters())] = '"'
    """Quote around a field that holds the delimiter (tables)."""
    skip_rows: Annotated[int, Within(Whole(0))] = 0
    """Lines to pass over before the header (tables)."""
    skip_initial_space: Flag = False
    """Pass over blanks after a delimiter (tables)."""
    sheet: OptionalText = None
    """Sheet of a workbook (tables)."""
    encoding: Text = "utf-8"
    """Text encoding."""
    nulls: Annotated[str, Declared("tacit.surface.recipe.reading", "nulls")] = "own"
    """A missing value is a value of its own (own), an error (reject) or its row is dropped (suppress)."""
    null_values: Names = ()
    """Texts that mean a missing value, beside the empty cell (tables)."""
    twins: Annotated[str, Declared("tacit.surface.recipe.reading", "twins")] = "refuse"
    """Values that differ only in case, spelling form or invisible characters: refuse, fold or keep."""
    record: OptionalText = None
    """Column that names the transaction (long format)."""
    item: OptionalText = None
    """Column that names the item (long format), or field that holds the items (JSON)."""
    multiset: Flag = False
    """Keep how often an item is repeated in a transaction, as items of their own (transactions)."""
    table: OptionalText = None
    """Table to read from a database."""
    query: OptionalText = None
    """Query to read from a database."""
    engine: Annotated[str, Declared("tacit.surface.recipe.reading", "engine")] = "auto"
    """local (in this process), spark (rows stay there), or auto: spark for spark:NAME and for parts."""

    @property
    def file(self) -> Path | None:
        """The path as a file; None for a sample, a database address, a table of Spark or standard input."""
        if self.path == "-" or self.path.startswith(("sample:", "spark:")) or "://" in self.path:
            return None
        return Path(self.path)
