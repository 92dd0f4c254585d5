"""Hierarchies as Amnesia writes them, in its text form and in its JSON form.

Text: lines ``distinct`` (or ``range``), ``name X``, ``type string``, ``height N``, a blank line,
then ``parent has child child …`` lines from the bottom up, with a blank line between levels.
JSON: the same from the top down, ``{"hierType": …, "level1": {"ROOT": ["a", "b"]}, …}``.

A ``range`` hierarchy ends in ranges of numbers, ``low,high``, not in values. Neighbours share a bound
(``0,10`` and ``10,20``): a range holds its lower bound, and its upper bound where no neighbour starts there.
Ranges of whole numbers are filled on reading; ranges of decimals by :func:`fill_ranges`, once the values are
known. Ranges of dates are read as labels. The height is told by the tree itself: what the file says of it
is not needed.
"""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from itertools import pairwise
from typing import Any

from tacit.data.hierarchy import NULL_LABEL, Hierarchy, from_parents
from tacit.errors import InputError, Place, ResourceError, listed, option, shorten
from tacit.io.hierarchies.delimited import Links

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


MOST_VALUES = 1_000_000
"""The most whole numbers that ranges are filled with on reading."""
WHOLE_TYPES = ("int", "integer")

Bounds = tuple[Decimal, Decimal]


def range_hierarchy(links: Links, type_: str, name: str | None) -> Hierarchy:
    """The tree of these ranges; with the whole numbers as its leaves where ``type_`` says they are whole."""
    told = Links(links.file)
    for child, parent in links.parents.items():
        told.add(_label(child), _label(parent), links.lines[child])
    hierarchy = told.to_hierarchy(name)
    if type_.lower() == "date":
        return hierarchy
    for child, parent in told.parents.items():
        above = _checked_bounds(parent, told, child)
        if child != NULL_LABEL:
            low, high = _checked_bounds(child, told, child)
            if low < above[0] or high > above[1]:
                raise _bad_range(told, child, f"It is not inside its parent, {shorten(parent)!r}.")
    leaves = _range_leaves(hierarchy)
    for (_, end, label), (start, _, neighbour) in pairwise(leaves):
        if start < end:
            raise _bad_range(told, neighbour, f"It overlaps {shorten(label)!r}.")
    hierarchy = replace(hierarchy, ranges=True)
    if type_.lower() not in WHOLE_TYPES:
        return hierarchy
    count = sum(max(0, math.floor(high) - math.ceil(low) + 1) for low, high, _ in leaves)
    if count > MOST_VALUES:
        raise ResourceError(
            f"The ranges hold {count} whole numbers, more than {MOST_VALUES}.",
            code="hierarchy-too-large",
            where=told.place(None),
            hint=f"Build one over the values of the data {option('hierarchy build --by intervals')}.",
        )
    return fill_ranges(
        hierarchy,
        (str(value) for low, high, _ in leaves for value in range(math.ceil(low), math.floor(high) + 1)),
    )


def fill_ranges(hierarchy: Hierarchy, values: Iterable[str | None]) -> Hierarchy:
    """The hierarchy with each value as a leaf under the range that holds it.

    Values that are leaves already, and nulls, stay where they are; a range that holds no value
    stays as an unused leaf. A hierarchy that does not wait for values comes back as it is.

    >>> tree = from_parents({"0,10": "0,20", "10,20": "0,20"})
    >>> fill_ranges(replace(tree, ranges=True), ["2.5", "10"]).labels
    ('2.5', '10', '0,10', '10,20', '0,20')
    """
    if not hierarchy.ranges:
        return hierarchy
    leaves = _range_leaves(hierarchy)
    starts = [low for low, _, _ in leaves]
    under: dict[str, dict[str, Decimal]] = {}
    missing: list[str] = []
    for value in values:
        if value is None or value in hierarchy.index:
            continue
        number = exact_number(value)
        place = -1 if number is None else bisect_right(starts, number) - 1
        if number is None or place < 0 or number > leaves[place][1]:
            missing.append(value)
        else:
            under.setdefault(leaves[place][2], {})[value] = number
    if missing:
        raise InputError(
            f"{len(missing)} of the values are in no range of the hierarchy: {listed(missing)}.",
            code="hierarchy-missing-leaf",
            hint=f"Add ranges that hold them, or build a hierarchy {option('hierarchy build')}.",
        )
    parents: dict[str, str] = {}
    for node in range(hierarchy.n_leaves):
        found = under.get(hierarchy.labels[node], {})
        parents.update(
            (value, hierarchy.labels[node])
            for value in sorted(found, key=lambda value: (found[value], value))
        )
    labels = hierarchy.labels
    for node, children in enumerate(hierarchy.children):
        parents.update((labels[child], labels[node]) for child in children)
    return from_parents(parents, name=hierarchy.name, root=hierarchy.labels[hierarchy.root])


def _range_leaves(hierarchy: Hierarchy) -> list[tuple[Decimal, Decimal, str]]:
    """The ranges among the leaves, by their lower bound."""
    found = []
    for label in hierarchy.labels[: hierarchy.n_leaves]:
        bounds = _bounds(label)
        if bounds is not None:
            found.append((*bounds, label))
    return sorted(found)


def _label(told: str) -> str:
    """Amnesia writes the leaf of a missing value as the range NaN,NaN."""
    return NULL_LABEL if [part.strip().lower() for part in told.split(",")] == ["nan", "nan"] else told


def _bounds(label: str) -> Bounds | None:
    parts = [exact_number(part) for part in label.split(",")]
    if len(parts) != 2 or parts[0] is None or parts[1] is None:
        return None
    return parts[0], parts[1]


def _checked_bounds(label: str, told: Links, child: str) -> Bounds:
    bounds = _bounds(label)
    if bounds is None:
        raise _bad_range(told, child, f"{shorten(label)!r} is not a pair 'low,high' of numbers.")
    if bounds[0] > bounds[1]:
        raise _bad_range(told, child, f"{shorten(label)!r} ends before it begins.")
    return bounds


def _bad_range(told: Links, child: str, why: str) -> InputError:
    return InputError(
        f"The range {shorten(child)!r} cannot be used. {why}",
        code="hierarchy-range",
        where=told.place(told.lines.get(child), child),
        hint="Ranges are written 'low,high', each inside its parent, without overlap.",
    )


MOST_DIGITS = 400
"""Beyond this size a text such as 1e999999999 is no measurement, and exact arithmetic would drown in it."""


def exact_number(text: str) -> Decimal | None:
    """The finite number a text stands for, or None.

    >>> exact_number("-0.5"), exact_number("1_000"), exact_number("inf")
    (Decimal('-0.5'), None, None)
    """
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    if not number.is_finite() or abs(number.adjusted()) > MOST_DIGITS or "_" in text:
        return None
    return number
