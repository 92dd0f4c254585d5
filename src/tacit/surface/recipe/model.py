"""A recipe: sources, what readers know, and the releases to make of them.

The models hold what is written in the file and nothing else; relative paths are those of the file. Their keys
are the options of the verbs and of the readers, and the limits of a release are about the figures of its
method: each range, declared once, gives the error sentence and the JSON Schema.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import quote

from tacit.io.hierarchies import BUILDERS
from tacit.io.readers.database import is_sqlite_address, sqlite_path
from tacit.methods import METHODS, Method, knowledge_options
from tacit.methods.disclose.result import Disclosure
from tacit.options import Option, options_of
from tacit.ranges import ListOf, Names, Optional, Whole, Words
from tacit.release.published import Release as Saved
from tacit.surface.dossier import Facts
from tacit.surface.frames import MEASURING
from tacit.surface.reading import OPTIONS, only_for
from tacit.surface.recipe.section import Either, Key, KeyPath, Mistakes, OneTable, Section, missing, section

if TYPE_CHECKING:
    from tacit.data.hierarchy import Hierarchy

NAMES = ListOf(Words(), '["age", "sex"]')


def keys_of(options: Mapping[str, Option]) -> dict[str, Key]:
    """The keys that options are."""
    return {name: Key.of(option) for name, option in options.items()}


class Rule(Section):
    """A rule to build a hierarchy from the values that are there, as ``tacit hierarchy build`` does."""

    def build(self, values: Iterable[object], name: str | None) -> Hierarchy:
        given = {key: value for key, value in vars(self).items() if key != "by"}
        return BUILDERS[self.by](values, **given, name=name)


GROUPED = {
    "intervals": "Numbers in intervals.",
    "balanced": "Groups of neighbours of equal size.",
    "prefixes": "Codes that begin alike.",
    "dates": "Dates by month, year and decade.",
    "flat": "All values in one group.",
}
RULES: dict[str, Any] = {
    way: section(way.title(), says, {"by": Key(way, way), **keys_of(options_of(BUILDERS[way]))}, Rule)
    for way, says in GROUPED.items()
}
"""The rules by their names."""
FILE_OR_RULE = Either(Words(), OneTable("by", "way to build a hierarchy", RULES))
TREES = {
    "hierarchies": Key(
        Either(Words(), {"": FILE_OR_RULE}),
        None,
        "Folder with a hierarchy file per quasi-identifier, or for each a file or a rule.",
    ),
    "hierarchy": Key(FILE_OR_RULE, None, "Hierarchy of the items: a file, or a rule to build it."),
}
"""A recipe may also say how hierarchies are built."""


def _key(name: str, option: Option) -> Key:
    """An option of reading as a key of the recipe."""
    key = TREES.get(name) or Key.of(option)
    kind = NAMES if isinstance(key.kind, Names) else key.kind
    about = {"table": " (tables).", "transactions": " (transactions)."}.get(only_for(name) or "", ".")
    return Key(kind, key.default, key.says.removesuffix(".") + about)


class Source(Section):
    """A data set and how it is read; what does not apply to it is refused."""

    keys: ClassVar[Mapping[str, Key]] = {
        "path": Key(Words(), says="A file, a database address, sample:NAME, or - for standard input."),
        **{name: _key(name, option) for name, option in OPTIONS.items()},
    }

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


SAVING = {name: option for name, option in options_of(Saved.save).items() if name != "overwrite"}
"""The options of saving that a recipe has."""
STANDARD = "Named standards, or files of your own (.toml), that it must pass, or nothing is published."


class OneRelease(Section):
    """What the releases of all methods have."""

    keys: ClassVar[Mapping[str, Key]] = {
        "method": Key("", says="The method of this release."),
        "output": Key(Words(), says="Folder of the release."),
        "source": Key(
            Optional(Words()), None, "Which source it is made from; not needed where there is one."
        ),
        **keys_of(SAVING),
        "standard": Key(NAMES, (), STANDARD),
        "limits": Key(Section, None, "What must hold, or nothing is published."),
    }

    @property
    def by(self) -> Method:
        return METHODS[self.method]

    def asked(self) -> dict[str, Any]:
        """The options of the verb, as given or by default."""
        return values_of(self, self.by.options)

    def saved(self) -> dict[str, Any]:
        """The options of saving, as given or by default."""
        return values_of(self, SAVING)


KNOWS = "The negative rules that readers of a bucketized table are assumed to know."
Knowledge: Any = section("Knowledge", KNOWS, keys_of(knowledge_options()))


def _limits(method: Method) -> Any:
    """The limits that may be set on the figures of a method."""
    says = f"What must hold of a release by {method.name}, or nothing is published."
    keys = {one.limit: Key(Optional(one.unit.range), None, one.meaning()) for one in method.figures}
    return section(f"{method.name.title()}Limits", says, keys)


def _release(method: Method) -> Any:
    limits = _limits(method)
    keys = {
        "method": Key(method.name, method.name, OneRelease.keys["method"].says),
        "limits": Key(limits, limits(), OneRelease.keys["limits"].says),
        **keys_of(method.options),
    }
    if method.knowledge:
        own = "What readers of this release are assumed to know, in place of the recipe's knowledge."
        keys["knowledge"] = Key(Knowledge, None, own)
    return section(method.name.title(), method.says, keys, OneRelease, owner=method.verb.__name__)


class _Sections(Mapping[str, Any]):
    """The table of a release, by its method: made when it is asked for, with what the method loads."""

    __getitem__ = staticmethod(cache(lambda name: _release(METHODS[name])))

    def __iter__(self) -> Iterator[str]:
        return iter(METHODS)

    def __len__(self) -> int:
        return len(METHODS)


SECTIONS = _Sections()


class OneMeasure(Section):
    """What is measured of a source, and published nowhere."""

    keys: ClassVar[Mapping[str, Key]] = {
        "verb": Key("", says="What is done: the name of the function."),
        "source": Key(Optional(Words()), None, "Which source it is about; not needed where there is one."),
        "output": Key(Optional(Words()), None, "File for what is found, as JSON; it is printed in any case."),
    }

    @property
    def options(self) -> dict[str, Option]:
        """The options of the verb, and of what is told of what it finds."""
        return options_measuring(self.verb)


TOLD: Mapping[str, Mapping[str, Option]] = {"disclose": options_of(Disclosure.report)}
"""By verb, the options of what is told of what it finds."""


def options_measuring(verb: str) -> dict[str, Option]:
    """What may be said of a verb that makes no release."""
    return {**options_of(MEASURING[verb][0]), **TOLD.get(verb, {})}


MEASURES: dict[str, Any] = {
    verb: section(
        "Measure" + verb.title().replace("_", ""),
        " ".join((function.__doc__ or "").partition("\n")[0].split()),
        {"verb": Key(verb, verb, OneMeasure.keys["verb"].says), **keys_of(options_measuring(verb))},
        OneMeasure,
        owner=verb,
    )
    for verb, (function, _) in MEASURING.items()
}
"""The table of a measure, by its verb."""


class KeyChoice(Section):
    """What drives every random choice: the user's own key, unless said otherwise."""

    keys: ClassVar[Mapping[str, Key]] = {
        "file": Key(
            Optional(Words()), None, "A key file, open to its owner alone; the user's own by default."
        ),
        "seed": Key(
            Optional(Whole(0)),
            None,
            "A number instead of a key, for experiments: the releases are marked not for publication.",
        ),
    }


Dossier: Any = section("Dossier", "What only the owner can say of a release.", keys_of(options_of(Facts)))


def _is_one(value: Any) -> bool:
    """Whether ``[source]`` is one source, and no table of named ones."""
    if not isinstance(value, dict) or any(not isinstance(part, dict | Source) for part in value.values()):
        return True
    return value.keys() <= Source.keys.keys()


ONLY = "source"
"""The name that the only source goes by where it has none."""


class Recipe(Section):
    """What to publish, from what, and what must hold of it."""

    keys: ClassVar[Mapping[str, Key]] = {
        "source": Key(
            Either(Source, {"": Source}, _is_one),
            says="The data: one source, or several by name ([source.patients], [source.baskets]).",
        ),
        "release": Key(
            [OneTable("method", "method", SECTIONS)], (), "The releases to make, one table for each."
        ),
        "measure": Key(
            [OneTable("verb", "verb", MEASURES)],
            (),
            "What to measure and not to publish, one table for each; there is a release or a measure.",
        ),
        "knowledge": Key(Knowledge, Knowledge(), "What readers of bucketized tables are assumed to know."),
        "key": Key(KeyChoice, KeyChoice(), "What drives every random choice."),
        "dossier": Key(
            Dossier,
            Dossier(),
            "What only the owner can say of the releases, for their dossiers: tacit report --recipe.",
        ),
    }

    @classmethod
    def read(cls, given: Mapping[str, Any], path: KeyPath, found: Mistakes) -> Recipe:
        """The recipe as it is written; one that asks for nothing lacks a release."""
        made = super().read(given, path, found)
        if not given.keys() & {"release", "measure"}:
            found.append(missing(path, "release"))
        return made

    @classmethod
    def schema(cls, parts: dict[str, Any]) -> dict[str, Any]:
        return super().schema(parts) | {"anyOf": [{"required": [one]} for one in ("release", "measure")]}

    @property
    def sources(self) -> dict[str, Source]:
        """The sources by name; the only one, where it has no name, as ``"source"``."""
        return {ONLY: self.source} if isinstance(self.source, Source) else dict(self.source)

    def source_of(self, one: OneRelease | OneMeasure) -> str:
        """The name of the source of a release or a measure; validation has shown that there is one."""
        return one.source if one.source is not None else next(iter(self.sources))
