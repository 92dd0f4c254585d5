"""A recipe: sources, what readers know, and the releases to make of them.

The models hold what is written in the file and nothing else; relative paths are those of the file. Their keys
are the options of the verbs and of the readers, and the limits of a release are about the figures of its
method: each range, declared once, gives the error sentence and the JSON Schema.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, cast
from urllib.parse import quote

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    Tag,
    create_model,
)
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from tacit.io.readers.database import is_sqlite_address, sqlite_path
from tacit.methods import METHODS, Method, knowledge_options
from tacit.options import Option, options_of
from tacit.ranges import ListOf, Optional, Range, Share, Whole, Words
from tacit.ranges import Names as NameList
from tacit.release.published import Release as Saved
from tacit.surface.dossier import Facts
from tacit.surface.reading import OPTIONS, only_for

if TYPE_CHECKING:
    from tacit.data.hierarchy import Hierarchy


OUT_OF_RANGE = "out_of_range"
"""The type of the errors that :class:`Within` raises."""
FILE, TABLE, ONE, SEVERAL = TAGS = ("(file)", "(table)", "(one)", "(several)")
"""How pydantic calls what a key may hold where it may hold two things: names that no key has."""


class Section(BaseModel):
    """A table of a recipe: frozen, and without keys that nobody reads."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


@dataclass(frozen=True)
class Within:
    """Annotates a field with the range its value must be in."""

    range: Range

    def check(self, value: Any) -> Any:
        """The value as the recipe keeps it: exact decimals, tuples."""
        if isinstance(value, float):
            value = Decimal(repr(value))
        if isinstance(value, list):
            value = tuple(value)
        if not self.range.holds(value):
            allowed = str(self.range.schema())
            about = {"words": "'enum'" in allowed, "list": "'array'" in allowed}
            raise PydanticCustomError(OUT_OF_RANGE, "{wanted}", {"wanted": _wording(self.range), **about})
        return value

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self.check)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return self.range.schema()


Text = Annotated[str, Within(Words())]
OptionalText = Annotated[str | None, Within(Optional(Words()))]
Names = Annotated[tuple[str, ...], Within(ListOf(Words(), '["age", "sex"]'))]


def _wording(range: Range) -> str:
    """What is wanted, in words; that nothing may be given goes without saying."""
    wanted = str(range.inner if isinstance(range, Optional) else range)
    return "text in quotation marks" if isinstance(range, Words) or wanted == str(Words()) else wanted


class Rule(Section):
    """A rule to build a hierarchy from the values that are there, as ``tacit hierarchy build`` does."""

    by: str

    def build(self, values: Iterable[object], name: str | None) -> Hierarchy:
        given = {key: getattr(self, key) for key in type(self).model_fields if key != "by"}
        return built_by(self.by, values, **given, name=name)


def built_by(way: str, values: Iterable[object], **given: Any) -> Hierarchy:
    """The hierarchy of some values that one of the builders makes."""
    from tacit.io import hierarchies

    built: Hierarchy = getattr(hierarchies, f"build_{way}")(values, **given)
    return built


class Intervals(Rule):
    """Numbers in intervals."""

    by: Literal["intervals"] = "intervals"
    width: Annotated[int | Decimal, Within(Share(high=math.inf))]
    """Width of the narrowest intervals."""
    nesting: Annotated[tuple[int, ...], Within(ListOf(Whole(2), "[2, 5]"))] = ()
    """How many intervals each wider one joins, level by level."""


class Balanced(Rule):
    """Groups of neighbours of equal size."""

    by: Literal["balanced"] = "balanced"
    fanout: Annotated[int, Within(Whole(2))]
    """Size of the groups."""


class Prefixes(Rule):
    """Codes that begin alike."""

    by: Literal["prefixes"] = "prefixes"
    lengths: Annotated[tuple[int, ...] | None, Within(Optional(ListOf(Whole(1), "[4, 3, 2]")))] = None
    """Lengths of the prefixes; every length by default."""


class Dates(Rule):
    """Dates by month, year and decade."""

    by: Literal["dates"] = "dates"
    date_format: OptionalText = None
    """How dates are written, as in strftime; by default like 2020-05-17."""


class Flat(Rule):
    """All values in one group."""

    by: Literal["flat"] = "flat"


BUILDERS = {
    str(rule.model_fields["by"].default): rule for rule in (Intervals, Balanced, Prefixes, Dates, Flat)
}
"""The rules by their names."""
AnyRule: Any = Annotated[Union[tuple(BUILDERS.values())], Field(discriminator="by")]  # noqa: UP007


def _file_or_table(value: Any) -> str:
    return FILE if isinstance(value, str) else TABLE


FileOrRule = Annotated[
    Annotated[Text, Tag(FILE)] | Annotated[AnyRule, Tag(TABLE)], Discriminator(_file_or_table)
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

    def address(self, base: Path) -> str:
        """What the readers are given: a file beside the recipe, or an address as it is."""
        if self.file is not None:
            return str(base / self.path)
        if is_sqlite_address(self.path):
            return "sqlite:///" + quote(str(base / sqlite_path(self.path)))
        return str(self.path)


def values_of(section: Section | None, options: Mapping[str, Option]) -> dict[str, Any]:
    """The options that a table of a recipe gives, as given or by default."""
    return {} if section is None else {name: getattr(section, name) for name in options}


def fields_of(options: Mapping[str, Option]) -> dict[str, Any]:
    """The keys that options are: a number by default is exact."""
    found = {}
    for option in options.values():
        usual = ... if option.required else option.default
        if isinstance(usual, float):
            usual = Decimal(repr(usual))
        kind = Annotated[Any, Within(option.range)]
        found[option.name] = (kind, Field(default=usual, description=option.says.help))
    return found


SAVING = {name: option for name, option in options_of(Saved.save).items() if name != "overwrite"}
"""The options of saving that a recipe has."""
STANDARD = "Named standards, or files of your own (.toml), that it must pass, or nothing is published."


class _Release(Section):
    method: str
    """The method of this release."""
    output: Text
    """Folder of the release."""
    source: OptionalText = None
    """Which source it is made from; not needed where there is one."""


_Saving: Any = create_model("_Saving", __base__=_Release, **fields_of(SAVING))


class OneRelease(_Saving):  # type: ignore[misc]
    """What the releases of all methods have."""

    standard: Names = Field(default=(), description=STANDARD)
    limits: Any = None
    """What must hold, or nothing is published."""

    @property
    def by(self) -> Method:
        return METHODS[self.method]

    def asked(self) -> dict[str, Any]:
        """The options of the verb, as given or by default."""
        return values_of(self, self.by.options)

    def saved(self) -> dict[str, Any]:
        """The options of saving, as given or by default."""
        return values_of(self, SAVING)


Knowledge: Any = create_model(
    "Knowledge",
    __base__=Section,
    __doc__="The negative rules that readers of a bucketized table are assumed to know.",
    **fields_of(knowledge_options()),
)


def _limits(method: Method) -> type[Section]:
    """The limits that may be set on the figures of a method."""
    fields: dict[str, Any] = {
        figure.limit: (
            Annotated[Any, Within(Optional(figure.unit.range))],
            Field(default=None, description=figure.meaning()),
        )
        for figure in method.figures
    }
    says = f"What must hold of a release by {method.name}, or nothing is published."
    return create_model(f"{method.name.title()}Limits", __base__=Section, __doc__=says, **fields)


LIMITS = {name: _limits(method) for name, method in METHODS.items()}


def _section(method: Method) -> Any:
    more: dict[str, Any] = {}
    if method.knowledge:
        own = "What readers of this release are assumed to know, in place of the recipe's knowledge."
        more["knowledge"] = (Knowledge | None, Field(default=None, description=own))
    limits = LIMITS[method.name]
    must = Field(default=limits(), description="What must hold, or nothing is published.")
    name = Field(default=method.name, description="The method of this release.")
    return create_model(
        method.name.title(),
        __base__=OneRelease,
        __doc__=method.says,
        method=(cast(Any, Literal[method.name]), name),
        **fields_of(method.options),
        **more,
        limits=(limits, must),
    )


SECTIONS: dict[str, Any] = {name: _section(method) for name, method in METHODS.items()}
"""The table of a release, by its method."""
Release: Any = Annotated[Union[tuple(SECTIONS.values())], Field(discriminator="method")]  # noqa: UP007


class KeyChoice(Section):
    """What drives every random choice: the user's own key, unless said otherwise."""

    file: OptionalText = None
    """A key file, open to its owner alone; the user's own by default."""
    seed: Annotated[int | None, Within(Optional(Whole(0)))] = None
    """A number instead of a key, for experiments: the releases are marked not for publication."""


Dossier: Any = create_model(
    "Dossier",
    __base__=Section,
    __doc__="What only the owner can say of a release.",
    **fields_of(options_of(Facts)),
)


def _one_or_several(value: Any) -> str:
    """Whether ``[source]`` is one source or a table of named ones."""
    if isinstance(value, Source) or not isinstance(value, dict):
        return ONE
    if any(not isinstance(part, dict | Source) for part in value.values()):
        return ONE
    return ONE if value.keys() <= Source.model_fields.keys() else SEVERAL


Sources = Annotated[
    Annotated[Source, Tag(ONE)] | Annotated[dict[str, Source], Tag(SEVERAL)],
    Discriminator(_one_or_several),
]

ONLY = "source"
"""The name that the only source goes by where it has none."""


class Recipe(Section):
    """What to publish, from what, and what must hold of it."""

    source: Sources
    """The data: one source, or several by name ([source.patients], [source.baskets])."""
    release: Annotated[tuple[Release, ...], Field(min_length=1)]
    """The releases to make, one table for each."""
    knowledge: Knowledge = Knowledge()
    """What readers of bucketized tables are assumed to know."""
    key: KeyChoice = KeyChoice()
    """What drives every random choice."""
    dossier: Dossier = Dossier()
    """What only the owner can say of the releases, for their dossiers: tacit report --recipe."""

    @property
    def sources(self) -> dict[str, Source]:
        """The sources by name; the only one, where it has no name, as ``"source"``."""
        return {ONLY: self.source} if isinstance(self.source, Source) else dict(self.source)

    def source_of(self, release: OneRelease) -> str:
        """The name of the source that a release is made from; validation has shown that there is one."""
        return release.source if release.source is not None else next(iter(self.sources))
