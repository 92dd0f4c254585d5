"""A hierarchy for a column that nobody gave one: by what its values look like.

Numbers lie in rounded intervals, each twice as wide as the ones below it; dates under months, quarters, years
and decades; codes of one length, postal codes for instance, under their prefixes. Of anything else the
values that few rows hold are under "other".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

import numpy as np

from tacit.data.column import Column
from tacit.data.hierarchy import NULL_LABEL, Hierarchy
from tacit.errors import InputError
from tacit.io.hierarchies.build import (
    Namer,
    assembled,
    build_flat,
    build_intervals,
    build_prefixes,
    dates_above,
)
from tacit.io.hierarchies.ranges import exact_number
from tacit.typing import Floats

INTERVALS = 20
"""About how many of the narrowest intervals a range of numbers has."""
RARE = 0.05
"""Values that a smaller share of the rows holds are under "other"."""
FEW = 12
"""Fewer different codes are names rather than codes."""
INTERVAL = [
    re.compile(form) for form in (r"\[(-?[\d.]+), (-?[\d.]+)\)", r"(-?\d+) to (-?\d+)", r"(\d+)-(\d+)")
]
"""How :func:`build_intervals` writes its groups."""


def automatic_hierarchy(column: Column) -> Hierarchy:
    """The hierarchy of a column, made from its values and how often they occur.

    >>> from tacit.data.column import encode
    >>> import polars as pl
    >>> tree = automatic_hierarchy(encode(pl.Series("age", [23, 31, 38, 64, 97])))
    >>> [tree.labels[node] for node in tree.ancestors(tree.index["38"])]
    ['35-39', '30-39', '20-39', '0-39', '*']
    """
    texts = [text for text in column.texts if text is not None]
    values = column.texts
    if texts and all(map(_plain_number, texts)):
        return _intervals(texts, values, column.name)
    if texts and all(re.match(r"\d{4}-\d\d", text) for text in texts):
        try:
            return dates_above(values, None, column.name, quarters=True)
        except InputError:  # only some of them are dates
            pass
    if _codes(texts):
        return build_prefixes(values, name=column.name)
    return _by_frequency(column)


def spans(tree: Hierarchy) -> Floats | None:
    """For a hierarchy of intervals, the share of the range of all values that each node's interval is wide.

    None for a hierarchy over anything but numbers: codes are none, though they look like it.
    """
    labels = [label for label in tree.labels[: tree.n_leaves] if label != NULL_LABEL]
    known = [number for number in map(exact_number, labels) if number is not None]
    if len(known) < 2 or not all(map(_plain_number, labels)):
        return None
    widths = np.zeros(tree.n_nodes)
    for node in range(tree.n_leaves, tree.n_nodes - 1):
        first, last = next(found.groups() for form in INTERVAL if (found := form.match(tree.labels[node])))
        widths[node] = (Decimal(last) - Decimal(first)) / (max(known) - min(known))
    widths[tree.root] = 1.0
    return np.minimum(1.0, widths)


def _plain_number(text: str) -> bool:
    """Whether a text is a number and no code: codes begin with zeros."""
    return exact_number(text) is not None and re.match(r"-?0\d", text) is None


def _intervals(texts: Sequence[str], values: Sequence[str | None], name: str) -> Hierarchy:
    numbers = [Decimal(text) for text in texts]
    width = max(numbers) - min(numbers)
    if width == 0:
        return build_flat(values, name=name)
    step = _rounded_up(width / INTERVALS)
    if all(number == number.to_integral_value() for number in numbers):
        step = max(step, Decimal(1))
    levels, wide = 0, step * 2
    while wide < width:
        levels, wide = levels + 1, wide * 2
    return build_intervals(values, width=step, nesting=(2,) * levels, name=name)


def _rounded_up(width: Decimal) -> Decimal:
    """The next of 1, 2, 5, 10, 20, 50 …"""
    power = Decimal(1).scaleb(width.adjusted())
    return next(power * step for step in (1, 2, 5, 10) if power * step >= width)


def _codes(texts: Sequence[str]) -> bool:
    """Whether texts are codes: many, of one length, with a digit in each."""
    lengths = {len(text) for text in texts}
    return (
        len(texts) >= FEW
        and len(lengths) == 1
        and lengths.pop() > 1
        and all(re.search(r"\d", text) and re.fullmatch(r"[\w.-]+", text) for text in texts)
    )


def _by_frequency(column: Column) -> Hierarchy:
    least = RARE * int(column.counts.sum())
    there = [code for code, text in enumerate(column.texts) if text is not None]
    rare = {code for code in there if column.counts[code] < least}
    texts = [str(column.texts[code]) for code in there]
    if len(rare) < 2 or len(rare) == len(there):
        return build_flat(column.texts, name=column.name)
    namer = Namer(texts)
    other = namer.label("other", "other", " (group)")
    parents = {text: other if code in rare else namer.root() for code, text in zip(there, texts, strict=True)}
    parents[other] = namer.root()
    return assembled(parents, namer, null=column.null_code is not None, name=column.name)
