"""Hierarchies as Amnesia writes them, in its text form and in its JSON form.

Text: lines ``distinct`` (or ``range``), ``name X``, ``type string``, ``height N``, a blank line,
then ``parent has child child …`` lines from the bottom up, with a blank line between levels.
JSON: the same from the top down, ``{"hierType": …, "level1": {"ROOT": ["a", "b"]}, …}``.

In a ``range`` hierarchy nodes are ``low,high`` pairs; see :mod:`tacit.io.hierarchies.ranges`.
The height is told by the tree itself, so what the file says of it is not needed.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from tacit.data.hierarchy import NULL_LABEL, Hierarchy
from tacit.errors import InputError, Place, shorten
from tacit.io.hierarchies.delimited import Links
from tacit.io.hierarchies.ranges import range_hierarchy

KINDS = ("distinct", "range")
HEADINGS = ("name", "type", "height")


def is_amnesia(first_line: str) -> bool:
    """Whether a file with this first line is Amnesia's text form."""
    return first_line.strip().lower() in KINDS


def read_amnesia(text: str, *, file: str, name: str | None, default_name: str | None = None) -> Hierarchy:
    """The hierarchy of an Amnesia text file."""
    lines = re.split(r"\r\n|\r|\n", text)
    head: dict[str, str] = {}
    start = next((number for number, line in enumerate(lines) if line.strip()), 0)
    kind = lines[start].strip().lower()
    if kind not in KINDS:
        raise _not_amnesia(Place(file=file, line=start + 1), "Its first line must be 'distinct' or 'range'.")
    links = Links(file)
    heading = True
    for number, line in enumerate(lines[start + 1 :], start=start + 2):
        word, _, rest = line.strip().partition(" ")
        heading = heading and word.lower() in HEADINGS
        if heading:
            head[word.lower()] = rest.strip()
        elif word:
            _add_line(links, line, number)
    return _finish(links, kind, head.get("type", ""), name or head.get("name") or default_name)


def read_amnesia_json(
    text: str, *, file: str, name: str | None, default_name: str | None = None
) -> Hierarchy:
    """The hierarchy of an Amnesia JSON file."""
    try:
        document = json.loads(
            text, object_pairs_hook=_Object, parse_int=_Number, parse_float=_Number, parse_constant=_Number
        )
    except json.JSONDecodeError as error:
        raise _not_amnesia(Place(file=file, line=error.lineno), f"It is not JSON: {error.msg}.") from None
    except RecursionError:
        raise _not_amnesia(Place(file=file), "Its brackets are nested too deep.") from None
    if not isinstance(document, _Object):
        raise _not_amnesia(Place(file=file, line=1), "It must be one JSON object.")
    strings = _Strings(text, file)
    links = Links(file)
    head: dict[str, str] = {}
    for key, value in document.pairs:
        line = strings.line_of(key)
        if re.fullmatch(r"level\d+", key):
            _add_level(links, key, value, strings, line)
        elif isinstance(value, str):
            strings.line_of(value)
            head[key.lower()] = value
        else:
            raise _not_amnesia(
                Place(file=file, line=line, value=key), "Only levels may hold lists or objects."
            )
    kind = head.get("hiertype", "distinct").lower()
    if kind not in KINDS:
        raise _not_amnesia(Place(file=file, value=kind), "Its 'hierType' must be 'distinct' or 'range'.")
    return _finish(links, kind, head.get("type", ""), name or head.get("name") or default_name)


def _finish(links: Links, kind: str, type_: str, name: str | None) -> Hierarchy:
    if kind == "range":
        return range_hierarchy(links, type_, name)
    return links.to_hierarchy(name)


def _add_line(links: Links, line: str, number: int) -> None:
    # Amnesia ends its lines with a space; between tokens there is exactly one.
    parent, *rest = line.rstrip(" \t").split(" ")
    if not rest or rest[0] != "has":
        raise _not_amnesia(
            links.place(number, line),
            "A line of a level reads 'parent has child child', split on single spaces.",
        )
    if not rest[1:]:
        links.add_alone(parent, number)
    for child in rest[1:]:
        links.add(child, parent, number)


def _add_level(links: Links, level: str, value: Any, strings: _Strings, line: int) -> None:
    if not isinstance(value, _Object):
        raise _not_amnesia(
            links.place(line, level), "A level must be an object: parents, each with its children."
        )
    for parent, children in value.pairs:
        line = strings.line_of(parent)
        if not isinstance(children, list):
            raise _not_amnesia(links.place(line, parent), "The children of a parent must be a list.")
        if not children:
            links.add_alone(parent, line)
        for child in children:
            if child is None:
                child = NULL_LABEL
            elif not isinstance(child, str):
                raise _not_amnesia(links.place(line, parent), "A child must be a text or a number.")
            else:
                line = strings.line_of(child)
            links.add(str(child), parent, line)


@dataclass(frozen=True, slots=True)
class _Object:
    """A JSON object as written: a name told twice stays told twice."""

    pairs: list[tuple[str, Any]]


class _Number(str):
    """A JSON number as written, so that 1.0 stays 1.0."""


class _Strings:
    """The strings of a JSON text, names and values, asked for in the order in which they stand."""

    def __init__(self, text: str, file: str) -> None:
        self._text, self._file = text, file
        self._found = re.finditer(r'"(?:[^"\\]|\\.)*"', text)
        self._line, self._end = 1, 0

    def line_of(self, value: str) -> int:
        """The line of the next string, which is ``value``; of the last string for a number."""
        if isinstance(value, _Number):
            return self._line
        start = next(self._found).start()
        self._line += self._text.count("\n", self._end, start)
        self._end = start
        try:
            value.encode()
        except UnicodeEncodeError:  # half of a surrogate pair, which JSON can write and nothing can print
            why = "A string holds half a character."
            raise _not_amnesia(Place(file=self._file, line=self._line), why) from None
        return self._line


def _not_amnesia(where: Place, why: str) -> InputError:
    where = Place(where.file, where.line, where.column, None if where.value is None else shorten(where.value))
    return InputError(
        f"The file is not an Amnesia hierarchy. {why}",
        code="hierarchy-format",
        where=where,
        hint="Name the format if it is another one: 'arx', 'edges', 'amnesia' or 'amnesia-json'.",
    )
