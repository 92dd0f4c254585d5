"""Reading a recipe: TOML in, a checked recipe or an error with its line out.

What is wrong with a recipe is said in our words: one sentence, the line, what to write instead. The standard
reader gives values without positions, so a text that it has accepted is walked through once more, and the
line and column of every key and of every entry of an array are noted. The walk looks no further than it must:
of a value it knows whether it is text, an array, an inline table or something else that ends at a comma, a
bracket or the end of the line.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from tacit.errors import InputError, Place, UsageError
from tacit.io.samples import is_sample_table
from tacit.methods import METHODS
from tacit.surface.recipe.model import Recipe
from tacit.surface.recipe.section import MISSING, KeyPath, Mistakes


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

    def wrong(self, path: KeyPath, code: str, message: str, hint: str) -> UsageError:
        """The error about a key."""
        option = path[-1] if isinstance(path[-1], str) else None
        return UsageError(message, code=code, where=self.at(path), hint=hint, option=option)


@dataclass(frozen=True)
class RecipeFile:
    """A recipe with the file it was read from: where its keys stand, and what its paths are relative to."""

    recipe: Recipe
    places: Places
    base: Path


def load_recipe(path: str | Path) -> Recipe:
    """The recipe in a file.

    Raises UsageError, with the line, for a key that is unknown or missing or a value out of its range;
    InputError for a file that is not there or is not TOML.
    """
    return open_recipe(path).recipe


def open_recipe(path: str | Path) -> RecipeFile:
    """The recipe in a file (``-`` for standard input), with the places of its keys."""
    from tacit.io.readers.opening import open_bytes
    from tacit.io.readers.text import checked_text

    opened = open_bytes(path)
    text = checked_text(opened.data, file=opened.name).decode()
    recipe, places = _parsed(text, file=opened.name)
    base = Path() if str(path) == "-" else Path(path).parent
    return RecipeFile(recipe, places, base)


def parse_recipe(text: str, *, file: str | None = None) -> Recipe:
    """The recipe in a TOML text; ``file`` is what errors call it.

    >>> recipe = parse_recipe('''
    ... source.path = "sample:hospital"
    ... [[release]]
    ... method = "bucketize"
    ... l = 3
    ... output = "out/patients"
    ... ''')
    >>> recipe.release[0].l
    3
    """
    return _parsed(text, file=file)[0]


def recipe_from(values: Mapping[str, Any], *, places: Places | None = None) -> Recipe:
    """The recipe in plain values, such as those of a form; errors are those of :func:`load_recipe`."""
    values, places = dict(values), places or Places()
    if isinstance(values.get("release"), list):
        values["release"] = [_of_its_kind(one, values.get("source")) for one in values["release"]]
    found: Mistakes = []
    recipe = Recipe.read(values, (), found)
    if found:
        raise _first(found, places)
    return recipe


def _first(found: Mistakes, places: Places) -> UsageError:
    """The mistake that stands first in the file, and how many more there are."""

    def order(mistake: tuple[KeyPath, UsageError]) -> tuple[bool, int, int, int]:
        # What is missing comes last: where a key is misspelt, the misspelling is the mistake.
        place = places.at(mistake[0])
        return mistake[1].code == MISSING, place.line or 0, int(place.column or 0), -len(mistake[0])

    path, error = min(found, key=order)
    error.where = places.at(path)
    if len(found) > 1:
        more = f"{len(found) - 1} more {'mistake follows' if len(found) == 2 else 'mistakes follow'}."
        error.hint = f"{error.hint} {more}" if error.hint else more
    return error


def _of_its_kind(release: Any, sources: Any) -> Any:
    """A release as it is written, but ``generalize`` of a table under the name of its own signature.

    A table has quasi-identifiers, and its release no ``m``.
    """
    if not isinstance(release, dict) or not isinstance(sources, dict) or "method" not in release:
        return release
    of_table = next((one for one in METHODS.values() if one.shares == release["method"]), None)
    if of_table is None:
        return release
    named = {"": sources} if "path" in sources else sources
    asked = release.get("source") or next(iter(named), "")
    source = named.get(asked) if isinstance(asked, str) else None
    is_table = isinstance(source, dict) and ("quasi" in source or is_sample_table(source.get("path")))
    return {**release, "method": of_table.name} if is_table and "m" not in release else release


def _parsed(text: str, *, file: str | None) -> tuple[Recipe, Places]:
    text = text.replace("\r\n", "\n")
    try:
        values = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise _not_toml(str(error), text, file) from None
    except RecursionError:
        raise _not_toml("Brackets are nested too deeply", text, file) from None
    places = locate(text, file=file)
    return recipe_from(values, places=places), places


_AT = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def _not_toml(reason: str, text: str, file: str | None) -> InputError:
    """The error for a text that is not TOML; the reader's reason is kept where it is a plain sentence."""
    found = _AT.search(reason)
    line = column = None
    if found is not None:  # else it ends before it should
        line, column = (int(found[1]), int(found[2])) if found[1] else (text.count("\n") + 1, None)
    plain = next((words for start, words in _REASONS.items() if reason.startswith(start)), None)
    return InputError(
        f"This is not TOML: {plain or 'something is out of place'}.",
        code="recipe-toml",
        where=Place(file=file, line=line, column=column),
        hint='A line reads: key = value, with text in quotation marks, as in path = "patients.csv".',
    )


_REASONS = {
    "Expected '=' after a key": "an equals sign is missing after a key",
    "Invalid value": "a value cannot be read; text needs quotation marks",
    "Invalid initial character for a key part": "a key cannot begin like this",
    "Invalid statement": "a line cannot begin like this",
    "Expected newline or end of document": "something follows a value on its line",
    "Cannot overwrite a value": "a key is given twice",
    "Cannot declare": "a table is given twice",
    "Duplicate inline table key": "a key is given twice",
    "Unclosed array": "a list is not closed with ]",
    "Unclosed inline table": "a table is not closed with }",
    "Unterminated string": "a quotation mark is not closed",
    "Illegal character": "a quotation mark is not closed, or a character is not allowed here",
    "Expected ']' at the end of a table": "the bracket of a table is not closed",
    "Expected ']]' at the end of an array": "the brackets of a table are not closed",
    "Brackets are nested": "brackets are nested too deeply",
}
"""What the reader says, by its first words, and what that means."""


_STRING = r'"""(?:[^\\]|\\.)*?"{3,5}|' + r"'''.*?'{3,5}|" + r'"(?:[^"\\\n]|\\.)*"|' + r"'[^'\n]*'"
_NAME = rf"(?:{_STRING}|[A-Za-z0-9_-]+)"
_NAMES = rf"({_NAME}(?:[ \t]*\.[ \t]*{_NAME})*)"
_HEADER = re.compile(rf"(\[\[?)[ \t]*{_NAMES}[ \t]*\]\]?", re.DOTALL)
_KEY = re.compile(rf"{_NAMES}[ \t]*=[ \t]*", re.DOTALL)
_SINGLE = re.compile(rf"{_STRING}|[^,\]}}\n#]*", re.DOTALL)
_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_BETWEEN = re.compile(f"{_BLANK.pattern},?{_BLANK.pattern}")


def locate(text: str, *, file: str | None = None) -> Places:
    """The place of every key of a TOML text that is known to be well formed."""
    walk = _Walk(text)
    walk.through()
    return Places(file, walk.found)


class _Walk:
    """One walk through a text; ``at`` is where it is."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.found: dict[KeyPath, tuple[int, int]] = {}
        self.counts: dict[KeyPath, int] = {}
        """How many tables each array of tables has so far."""

    def through(self) -> None:
        table: KeyPath = ()
        self._take(_BLANK)
        while self.at < len(self.text):
            if self.text[self.at] == "[":
                table = self._header()
            else:
                self._pair(table)
            self._take(_BLANK)

    def _header(self) -> KeyPath:
        """A table's header: names that stand for an array of tables mean its last table."""
        start, (signs, key) = self.at, self._take(_HEADER).groups()
        path: KeyPath = ()
        names = list(_names(key))
        for number, name in enumerate(names, start=1):
            path = (*path, name)
            if signs == "[[" and number == len(names):
                self.counts[path] = self.counts.get(path, 0) + 1
            if path in self.counts:
                self._note(path, start)
                path = (*path, self.counts[path] - 1)
            self._note(path, start)
        return path

    def _pair(self, table: KeyPath) -> None:
        """``key = value``; a dotted key is also the place of the tables it opens."""
        start = self.at
        for name in _names(self._take(_KEY)[1]):
            table = (*table, name)
            self._note(table, start)
        self._value(table)

    def _value(self, path: KeyPath) -> None:
        end = {"[": "]", "{": "}"}.get(self.text[self.at])
        if end is None:
            self._take(_SINGLE)
            return
        self.at += 1
        self._take(_BLANK)
        number = 0
        while self.text[self.at] != end:
            if end == "]":
                self._note((*path, number), self.at)
                self._value((*path, number))
                number += 1
            else:
                self._pair(path)
            self._take(_BETWEEN)
        self.at += 1

    def _note(self, path: KeyPath, at: int) -> None:
        line = self.text.count("\n", 0, at) + 1
        self.found.setdefault(path, (line, at - self.text.rfind("\n", 0, at)))

    def _take(self, pattern: re.Pattern[str]) -> re.Match[str]:
        found = pattern.match(self.text, self.at)
        assert found is not None, f"nothing that the reader would have taken at {self.at}"
        self.at = found.end()
        return found


def _names(key: str) -> Iterator[str]:
    """The names of a dotted key, as the reader takes them."""
    held: Any = tomllib.loads(f"{key} = 0")
    while isinstance(held, dict):
        ((name, held),) = held.items()
        yield name
