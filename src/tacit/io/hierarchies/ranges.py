"""Hierarchies whose nodes are ranges of numbers, ``low,high``, and the values that go under them.

Amnesia's ``range`` hierarchies end in ranges, not in values. Neighbours share a bound (``0,10``
and ``10,20``): a range holds its lower bound, and its upper bound where no neighbour starts there.
Ranges of whole numbers are filled on reading; ranges of decimals by :func:`fill_ranges`, once the
values are known. Ranges of dates are read as labels.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from itertools import pairwise

from tacit.data.hierarchy import NULL_LABEL, Hierarchy, from_parents
from tacit.errors import InputError, ResourceError, listed, option, shorten
from tacit.io.hierarchies.delimited import Links

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
    parents.update(_links_in_order(hierarchy))
    return from_parents(parents, name=hierarchy.name, root=hierarchy.labels[hierarchy.root])


def _links_in_order(hierarchy: Hierarchy) -> Iterable[tuple[str, str]]:
    labels = hierarchy.labels
    for node, children in enumerate(hierarchy.children):
        for child in children:
            yield labels[child], labels[node]


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
