"""The text of a recipe: written as TOML or as a JSON Schema, and where each key of a text stands.

What is written is what was said, and nothing that goes without saying. By the JSON Schema editors complete
and check recipes while they are written.

The standard reader gives values without positions, and an error should point at its line. So a scanner walks
a text that the reader has already accepted, and notes the line and column of every key and of every entry of
an array. It looks no further than it must: of a value it knows whether it is text, an array, an inline table
or something else that ends at a comma, a bracket or the end of the line.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from tacit.errors import Place
from tacit.surface.recipe.model import Recipe
from tacit.surface.recipe.section import KeyPath, Section

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\b": "\\b", "\f": "\\f"}
FIRST = ("method", "by", "path", "output", "source")
"""The keys that a table begins with."""


def to_toml(recipe: Recipe) -> str:
    """The recipe as text; loading it gives an equal recipe. Values at their defaults are left out."""
    parts = {name: getattr(recipe, name) for name in ("source", "knowledge", "key", "dossier")}
    blocks: list[str] = []
    for name, part in parts.items():
        if isinstance(part, Mapping):
            for source, model in part.items():
                blocks += _blocks(f"{name}.{key_text(source)}", said(model))
        elif said(part):
            blocks += _blocks(name, said(part))
    for release in recipe.release:
        blocks += _blocks("release", said(release), array=True)
    return "\n".join(blocks)


def said(model: Section) -> dict[str, Any]:
    """The keys of a table that are not at their defaults, those that tell tables apart first."""
    values = {}
    for name, declared in model.keys.items():
        value, usual = getattr(model, name), declared.default
        if name in ("method", "by") or value != usual or type(value) is not type(usual):
            values[name] = value
    first = [name for name in FIRST if name in values]
    return {name: values[name] for name in (*first, *(name for name in values if name not in first))}


def value_text(value: Any) -> str:
    """A value as TOML writes it; a whole share such as 1.0 keeps its point, because 1 is a count."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Decimal):
        text = str(value)
        return text if any(sign in text for sign in ".E") else f"{text}.0"
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(value_text, value))}]"
    if isinstance(value, Section):
        pairs = ", ".join(f"{key_text(name)} = {value_text(part)}" for name, part in said(value).items())
        return f"{{ {pairs} }}"
    return quoted(str(value))


def key_text(name: str) -> str:
    """A key, in quotation marks where it needs them."""
    return name if _BARE.fullmatch(name) else quoted(name)


def quoted(text: str) -> str:
    """Text in quotation marks, with what TOML wants escaped."""
    return '"' + "".join(_escaped(letter) for letter in text) + '"'


def _escaped(letter: str) -> str:
    if letter in _ESCAPES:
        return _ESCAPES[letter]
    return f"\\u{ord(letter):04x}" if ord(letter) < 0x20 or letter == "\x7f" else letter


def _blocks(name: str, values: Mapping[str, Any], *, array: bool = False) -> Iterator[str]:
    """A table, and below it the tables inside it, each as a block of lines."""
    inner = {key: value for key, value in values.items() if isinstance(value, Mapping | Section)}
    lines = [f"[[{name}]]" if array else f"[{name}]"]
    lines += [f"{key_text(key)} = {value_text(value)}" for key, value in values.items() if key not in inner]
    yield "\n".join(lines) + "\n"
    for key, value in inner.items():
        below = value if isinstance(value, Mapping) else said(value)
        entries = [f"{key_text(part)} = {value_text(entry)}" for part, entry in below.items()]
        yield "\n".join([f"[{name}.{key_text(key)}]", *entries]) + "\n"


DIALECT = "https://json-schema.org/draft/2020-12/schema"


@dataclass(frozen=True)
class RecipeSchema:
    """The schema; as text it is the JSON that an editor reads."""

    schema: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        return self.schema

    def __str__(self) -> str:
        return json.dumps(self.schema, ensure_ascii=False, indent=2)


def recipe_schema() -> RecipeSchema:
    """The schema of a recipe, made from its models and the ranges that the verbs declare."""
    parts: dict[str, Any] = {}
    schema = Recipe.schema(parts) | {"title": "A recipe of Tacit"}
    return RecipeSchema({"$schema": DIALECT, **schema, "$defs": dict(sorted(parts.items()))})


_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACE = re.compile(r"[ \t]*")
_TEXT = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}|' + r"'''.*?'{3,5}|" + r'"(?:[^"\\\n]|\\.)*"|' + r"'[^'\n]*'", re.DOTALL
)
_OTHER = re.compile(r"[^,\]}\n#]*")


@dataclass(frozen=True)
class Places:
    """The positions of the keys of a recipe, and the file it was read from."""

    file: str | None = None
    found: dict[KeyPath, tuple[int, int]] = field(default_factory=dict)

    def at(self, path: Sequence[str | int]) -> Place:
        """The place of a key, or of the nearest table around it that is written down."""
        way = tuple(path)
        while way and way not in self.found:
            way = way[:-1]
        line, column = self.found.get(way, (None, None))
        return Place(file=self.file, line=line, column=column)


def locate(text: str, *, file: str | None = None) -> Places:
    """The place of every key of a TOML text that is known to be well formed."""
    return Places(file, _Scanner(text).scan())


class _Scanner:
    """Walks a text once; ``position`` is where it is."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.found: dict[KeyPath, tuple[int, int]] = {}
        self.counts: dict[KeyPath, int] = {}
        """How many tables each array of tables has so far."""

    def scan(self) -> dict[KeyPath, tuple[int, int]]:
        table: KeyPath = ()
        self._skip(_BLANK)
        while self.position < len(self.text):
            if self._next("[["):
                table = self._header("]]", array=True)
            elif self._next("["):
                table = self._header("]", array=False)
            else:
                self._pair(table)
            self._skip(_BLANK)
        return self.found

    def _header(self, end: str, *, array: bool) -> KeyPath:
        """A table's header: names that stand for an array of tables mean its last table."""
        start = self.position
        self.position += len(end)
        names = self._names()
        self.position += len(end)
        path: KeyPath = ()
        for number, name in enumerate(names):
            path = (*path, name)
            if array and number == len(names) - 1:
                self.counts[path] = self.counts.get(path, 0) + 1
            if path in self.counts:
                self._note(path, start)
                path = (*path, self.counts[path] - 1)
            self._note(path, start)
        return path

    def _pair(self, table: KeyPath) -> None:
        """``key = value``; a dotted key is also the place of the tables it opens."""
        start = self.position
        path = table
        for name in self._names():
            path = (*path, name)
            self._note(path, start)
        self._skip(_SPACE)
        self.position += 1  # the equals sign
        self._skip(_SPACE)
        self._value(path)

    def _names(self) -> list[str]:
        names = []
        while True:
            self._skip(_SPACE)
            quoted = _TEXT.match(self.text, self.position)
            found = quoted or _BARE.match(self.text, self.position)
            if found is None:  # nothing that a key could be: the reader would have refused it
                raise ValueError(f"no key at {self.position}")
            self.position = found.end()
            names.append(_unquoted(found.group()) if quoted else found.group())
            self._skip(_SPACE)
            if not self._next("."):
                return names
            self.position += 1

    def _value(self, path: KeyPath) -> None:
        if self._next("["):
            self._entries(path)
        elif self._next("{"):
            self._inline(path)
        else:
            self._skip(_TEXT if self._next('"') or self._next("'") else _OTHER)

    def _entries(self, path: KeyPath) -> None:
        self.position += 1
        number = 0
        self._skip(_BLANK)
        while not self._next("]"):
            self._note((*path, number), self.position)
            self._value((*path, number))
            number += 1
            self._separator()
        self.position += 1

    def _inline(self, path: KeyPath) -> None:
        self.position += 1
        self._skip(_BLANK)
        while not self._next("}"):
            self._pair(path)
            self._separator()
        self.position += 1

    def _separator(self) -> None:
        self._skip(_BLANK)
        if self._next(","):
            self.position += 1
            self._skip(_BLANK)

    def _note(self, path: KeyPath, position: int) -> None:
        if path not in self.found:
            line = self.text.count("\n", 0, position) + 1
            self.found[path] = line, position - (self.text.rfind("\n", 0, position) + 1) + 1

    def _next(self, sign: str) -> bool:
        return self.text.startswith(sign, self.position)

    def _skip(self, pattern: re.Pattern[str]) -> None:
        found = pattern.match(self.text, self.position)
        if found is not None:
            self.position = found.end()


def _unquoted(text: str) -> str:
    """A quoted key as the reader takes it."""
    (name,) = tomllib.loads(f"{text} = 0")
    return name
