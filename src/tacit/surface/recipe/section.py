"""Tables of a recipe: what each key may hold, what is wrong with what it holds, and both as JSON Schema.

What a key may hold is data: a range, a kind of table, a word that tells tables apart, ``[kind]`` for arrays,
``{"": kind}`` for values under names of the owner's choice, :class:`OneTable` or :class:`Either`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal
from typing import Any, ClassVar, TypeVar

from tacit.errors import ParameterError, UsageError, nearest, shorten
from tacit.options import REQUIRED, Asked, Option
from tacit.ranges import Optional, Range, Words

KeyPath = tuple[str | int, ...]
"""The way to a value: names of keys, and numbers of entries in arrays."""
Mistakes = list[tuple[KeyPath, UsageError]]
"""What is wrong, and where."""
MISSING = "recipe-key-missing"
EXAMPLES = {
    "source": 'Name the data: [source] with path = "patients.csv".',
    "release": 'Say what to make: [[release]] with method = "bucketize", l = 3, output = "out/patients".',
    "measure": 'Say what to measure: [[measure]] with verb = "risk".',
    "path": 'Name the data: path = "patients.csv".',
    "output": 'Name the folder of the release: output = "out/patients".',
    "patterns": 'Name what is secret: patterns = ["beer, diapers"], or a file.',
}
"""How a missing key may be written."""
Made = TypeVar("Made", bound="Section")


@dataclass(frozen=True)
class Key:
    """A key of a table."""

    kind: Any
    default: Any = REQUIRED
    says: str = ""

    @classmethod
    def of(cls, option: Option) -> Key:
        """An option as a key: a number by default is exact, and there is no word for nothing."""
        usual = Decimal(repr(option.default)) if isinstance(option.default, float) else option.default
        kind = option.range
        if isinstance(kind, Optional) and usual is not None:
            kind = kind.inner
        return cls(kind, usual, option.says.help)

    def schema(self, parts: dict[str, Any]) -> dict[str, Any]:
        """There is no null in TOML, and a table by default goes without saying."""
        about: dict[str, Any] = {"description": self.says} if self.says else {}
        if isinstance(self.default, Decimal):
            about["default"] = float(self.default)
        elif self.default not in (REQUIRED, None) and not isinstance(self.default, Section):
            about["default"] = list(self.default) if isinstance(self.default, tuple) else self.default
        return schema_of(self.kind, parts) | about


@dataclass(frozen=True)
class OneTable:
    """A table of one of several kinds, told by the word under a key."""

    tag: str
    called: str
    tables: Mapping[str, type[Section]]


@dataclass(frozen=True)
class Either:
    """One of two kinds; a value tells which is meant."""

    one: Any
    other: Any
    is_one: Callable[[Any], bool] = lambda value: isinstance(value, str)


class Section(Asked):
    """A table of a recipe: frozen, with a value for each of its keys and no others."""

    keys: ClassVar[Mapping[str, Key]] = {}
    owner: ClassVar[str | None] = None
    """The verb whose options the keys are."""

    def __init__(self, **given: Any) -> None:
        found: Mistakes = []
        vars(self).update(vars(self.read(given, (), found)))
        if found:
            raise found[0][1]

    @classmethod
    def read(cls: type[Made], given: Mapping[str, Any], path: KeyPath, found: Mistakes) -> Made:
        """The table as it is written; every mistake is noted."""
        made = cls.__new__(cls)
        for name, key in cls.keys.items():
            value, way = given.get(name, key.default), (*path, name)
            if value is REQUIRED:
                found.append(missing(path, name))
            elif value is not key.default:
                value = read_value(key.kind, value, way, found, cls.owner)
            vars(made)[name] = value
        for name in given:
            if name not in cls.keys:
                wrong = f"{section_name(path)} has no key {shorten(name)!r}."
                hint = unknown_name(name, list(cls.keys))
                found.append(((*path, name), UsageError(wrong, code="recipe-key-unknown", hint=hint)))
        return made

    @classmethod
    def schema(cls, parts: dict[str, Any]) -> dict[str, Any]:
        properties = {name: key.schema(parts) for name, key in cls.keys.items()}
        told = [name for name, part in properties.items() if "const" in part]
        needed = [*told, *(name for name, key in cls.keys.items() if key.default is REQUIRED)]
        about = {"title": cls.__name__, "description": cls.__doc__, "type": "object"}
        required = {"required": needed} if needed else {}
        return {**about, "properties": properties, **required, "additionalProperties": False}


def section(name: str, says: str, keys: Mapping[str, Key], base: type[Section] = Section, **more: Any) -> Any:
    """A kind of table, with the keys of another and some of its own."""
    return type(name, (base,), {"__doc__": says, "keys": {**base.keys, **keys}, **more})


def read_value(kind: Any, value: Any, path: KeyPath, found: Mistakes, verb: str | None = None) -> Any:
    """A value as the recipe keeps it: exact decimals, tuples, tables; ``verb`` is whose option it is."""
    if isinstance(kind, Range):
        value = Decimal(repr(value)) if isinstance(value, float) else value
        value = tuple(value) if isinstance(value, list) else value
        if not kind.holds(value):
            owner = verb or section_name(path[:-1])
            wrong = ParameterError(str(path[-1]), owner, wanted(kind), _shown(kind, value))
            found.append((path, wrong))
        return value
    if isinstance(kind, str) or isinstance(value, Section):
        return value  # the word that a table was found by, or what was read before
    if isinstance(kind, Either):
        return read_value(kind.one if kind.is_one(value) else kind.other, value, path, found)
    if isinstance(kind, list) and isinstance(value, list | tuple):
        if not value:
            hint, what = (
                EXAMPLES[str(path[-1])],
                "makes no release" if path == ("release",) else "measures nothing",
            )
            found.append((path, UsageError(f"The recipe {what}.", code=MISSING, hint=hint)))
        return tuple(read_value(kind[0], entry, (*path, at), found) for at, entry in enumerate(value))
    if not isinstance(value, Mapping) or isinstance(kind, list):
        found.append((path, _no_table(path, value)))
        return value
    if isinstance(kind, dict):
        return {name: read_value(kind[""], entry, (*path, name), found) for name, entry in value.items()}
    if isinstance(kind, OneTable):
        chosen = value.get(kind.tag)
        if not isinstance(chosen, str) or chosen not in kind.tables:
            found.append((path, _no_choice(kind, chosen, path)))
            return value
        kind = kind.tables[chosen]
    return kind.read(value, path, found)


def schema_of(kind: Any, parts: dict[str, Any]) -> dict[str, Any]:
    """What a key may hold as JSON Schema; the tables that it refers to go to ``parts``."""
    if isinstance(kind, Range):
        return kind.schema()
    if isinstance(kind, str):
        return {"const": kind, "type": "string"}
    if isinstance(kind, Either):
        return {"oneOf": [schema_of(kind.one, parts), schema_of(kind.other, parts)]}
    if isinstance(kind, list):
        return {"type": "array", "items": schema_of(kind[0], parts), "minItems": 1}
    if isinstance(kind, dict):
        return {"type": "object", "additionalProperties": schema_of(kind[""], parts)}
    if isinstance(kind, OneTable):
        tables = {word: schema_of(one, parts) for word, one in kind.tables.items()}
        mapping = {word: one["$ref"] for word, one in tables.items()}
        told = {"propertyName": kind.tag, "mapping": mapping}
        return {"oneOf": list(tables.values()), "discriminator": told}
    if kind.__name__ not in parts:
        parts[kind.__name__] = kind.schema(parts)
    return {"$ref": f"#/$defs/{kind.__name__}"}


def missing(path: KeyPath, name: str) -> tuple[KeyPath, UsageError]:
    """The mistake of a table that lacks a key."""
    named = "[[release]]" if (*path, name) == ("release",) else repr(name)
    hint = EXAMPLES.get(name, "See the reference of recipes for what it may be.")
    wrong = f"{section_name(path)} lacks {named}."
    return (*path, name), UsageError(wrong, code=MISSING, option=name, hint=hint)


def section_name(path: Sequence[str | int]) -> str:
    """What a table of the recipe is called: ``[source]``, ``[release.limits]``, ``The recipe``."""
    names = [part for part in path if isinstance(part, str)]
    return f"[{'.'.join(names)}]" if names else "The recipe"


def unknown_name(name: str, known: Sequence[str]) -> str:
    """The hint for a name that is not known: the nearest that is, or all of them."""
    near = nearest(name, known)
    return f"Did you mean {near!r}?" if near else f"Known are {', '.join(map(repr, known))}."


def wanted(range: Range) -> str:
    """What is wanted, in words; that nothing may be given goes without saying."""
    words = str(range.inner if isinstance(range, Optional) else range)
    return "text in quotation marks" if words == str(Words()) else words


def _no_choice(kind: OneTable, chosen: Any, path: KeyPath) -> UsageError:
    if chosen is None:
        hint = f"It is one of {', '.join(map(repr, kind.tables))}."
        return UsageError(f"{section_name(path)} lacks {kind.tag!r}.", code=MISSING, hint=hint)
    return UsageError(
        f"There is no {kind.called} {shorten(str(chosen))!r}.",
        code="recipe-choice",
        hint=unknown_name(str(chosen), list(kind.tables)),
    )


def _no_table(path: KeyPath, value: Any) -> UsageError:
    asked = f"one or more tables [[{path[0]}]]" if path in (("release",), ("measure",)) else "a table"
    if {"hierarchies", "hierarchy"} & {*path}:
        asked = "the name of a file or folder in quotation marks, or a table"
    return UsageError(
        f"{section_name(path)} must be {asked}, and is {_called(value)}.",
        code="recipe-value",
        hint="See the reference of recipes, or begin with: tacit init DATA",
    )


class _Word(str):
    """Text that is shown without quotation marks."""

    __repr__ = str.__str__


def _shown(range: Range, value: Any) -> Any:
    """A value that was refused; lists and long texts, which may be secret, are not repeated."""
    allowed = str(range.schema())
    if isinstance(value, bool):
        return _Word("true" if value else "false")
    if isinstance(value, int | Decimal) or (isinstance(value, str) and "'enum'" in allowed):
        return value
    several = isinstance(value, tuple) and "'array'" in allowed
    return _Word("a list with something else in it" if several else _called(value))


def _called(value: Any) -> str:
    """What kind of value was found, without the value."""
    if isinstance(value, str) and not value.strip():
        return "blank text"
    kinds: tuple[tuple[Any, str], ...] = (
        (bool, "true or false"), (str, "text"), (int | Decimal, "a number"), (list | tuple, "a list"),
        (date | time, "a date"), (Mapping, "a table"), (object, "nothing"),
    )  # fmt: skip
    return next(words for kind, words in kinds if isinstance(value, kind))
