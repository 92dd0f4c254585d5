"""Where each key of a TOML text stands, so that an error can point at its line.

The standard reader gives values without positions. This scanner walks a text that the reader has
already accepted, and notes the line and column of every key and of every entry of an array. It
looks no further than it must: of a value it knows whether it is text, an array, an inline table or
something else that ends at a comma, a bracket or the end of the line.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field

from tacit.errors import Place

KeyPath = tuple[str | int, ...]
"""The way to a value: names of keys, and numbers of entries in arrays."""

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACE = re.compile(r"[ \t]*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
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
