"""Where a recipe's data are and how they are read: the options of the command line, under their names."""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, create_model

from tacit.options import Option
from tacit.ranges import ListOf, Optional, Share, Whole
from tacit.ranges import Names as NameList
from tacit.surface.reading import OPTIONS, only_for
from tacit.surface.recipe.values import FILE, TABLE, Names, OptionalText, Section, Text, Within

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


class _Path(Section):
    path: Text
    """A file, a database address, sample:NAME, or - for standard input."""


def _key(name: str, option: Option) -> Any:
    """An option of reading as a key of the recipe."""
    kind: Any = {"hierarchies": FolderOrTable | None, "hierarchy": FileOrRule | None}.get(name)
    if kind is None and isinstance(option.range, NameList):
        kind = Names
    elif kind is None:
        asked = option.range
        if isinstance(asked, Optional) and option.default is not None:
            asked = asked.inner  # a recipe has no word for nothing
        kind = Annotated[Any, Within(asked)]
    about = {"table": " (tables).", "transactions": " (transactions)."}.get(only_for(name) or "", ".")
    return kind, Field(default=option.default, description=SAYS[name].removesuffix(".") + about)


SAYS = {name: option.says.help for name, option in OPTIONS.items()} | {
    "hierarchies": "Folder with a hierarchy file per quasi-identifier, or for each a file or a rule.",
    "hierarchy": "Hierarchy of the items: a file, or a rule to build it.",
}
"""What each option of reading means; a recipe may also say how hierarchies are built."""
_Options: Any = create_model(
    "_Options", __base__=_Path, **{name: _key(name, option) for name, option in OPTIONS.items()}
)


class Source(_Options):  # type: ignore[misc]
    """A data set and how it is read; what does not apply to it is refused."""

    @property
    def file(self) -> Path | None:
        """The path as a file; None for a sample, a database address, a table of Spark or standard input."""
        if self.path == "-" or self.path.startswith(("sample:", "spark:")) or "://" in self.path:
            return None
        return Path(self.path)
