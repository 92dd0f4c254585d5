"""A hierarchy for a column that nobody gave one: by what its values look like.

Numbers lie in rounded intervals, each twice as wide as the ones below it, and a few texts among them ("90+")
beside the widest; dates under months, quarters, years
and decades; diagnoses under their categories and the chapters of the ICD; British postal codes under their
sectors, districts and areas; codes of one length, such as other postal codes, under their prefixes. Of
anything else the values that few rows hold are under "other".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

import numpy as np

from tacit.data.column import Column
from tacit.data.hierarchy import NULL_LABEL, Hierarchy, from_parents
from tacit.errors import InputError
from tacit.io.hierarchies.amnesia import exact_number
from tacit.io.hierarchies.build import (
    Group,
    Namer,
    assembled,
    build_flat,
    build_intervals,
    build_prefixes,
    dates_above,
    nested,
)
from tacit.typing import Floats

INTERVALS = 20
"""About how many of the narrowest intervals a range of numbers has."""
RARE = 0.05
"""Values that a smaller share of the rows holds are under "other"."""
FEW = 12
"""Fewer different codes are names rather than codes."""
MOST_WORDS = 3
"""So many texts may stand among numbers, as "90+" among ages."""
DATES = [
    (re.compile(form), written)
    for form, written in (
        (r"\d{4}-\d\d", None),
        (r"\d\d?\.\d\d?\.\d{4}$", "%d.%m.%Y"),
        (r"\d\d?/\d\d?/\d{4}$", "%d/%m/%Y"),
        (r"\d\d?/\d\d?/\d{4}$", "%m/%d/%Y"),
    )
]
"""What dates look like, and how they are then written; of two ways the first that reads all of them."""
DIAGNOSIS = re.compile(r"[A-Z]\d\d(\.?[\dA-Z]{1,4})?")
"""A code of the ICD-10: a letter, two digits, and what tells more, with a dot before it or without."""
CHAPTERS = (
    "A00-B99", "C00-D48", "D50-D89", "E00-E90", "F00-F99", "G00-G99", "H00-H59", "H60-H95", "I00-I99",
    "J00-J99", "K00-K93", "L00-L99", "M00-M99", "N00-N99", "O00-O99", "P00-P96", "Q00-Q99", "R00-R99",
    "S00-T98", "U00-U99", "V01-Y98", "Z00-Z99",
)  # fmt: skip
"""The chapters of the ICD-10, in the order of their codes."""
POSTCODE = re.compile(r"(?P<area>[A-Z]{1,2})(?P<district>\d[A-Z\d]?) ?(?P<sector>\d)[A-Z]{2}")
"""A British postal code."""
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
    words = [text for text in texts if exact_number(text) is None]
    numbers = [text for text in texts if exact_number(text) is not None]
    if numbers and all(map(_plain_number, numbers)) and (not words or _few(words, numbers)):
        values = [text for text in column.texts if text not in words]
        tree = _intervals(numbers, values, column.name)
        if not any(word in tree.index for word in words):
            return _with_words(tree, words)
    return by_form(column.texts, column.name) or _by_frequency(column)


def by_form(values: Sequence[str | None], name: str | None) -> Hierarchy | None:
    """The hierarchy of values that are all dates, diagnoses or codes; None where they are neither."""
    texts = [text for text in values if text is not None]
    for form, written in DATES if texts else ():
        if all(map(form.match, texts)):
            try:
                return dates_above(values, written, name, quarters=True)
            except InputError:  # only some of them are dates
                continue
    for form, groups in ((DIAGNOSIS, _diagnosis), (POSTCODE, _postcode)) if texts else ():
        if all(map(form.fullmatch, texts)):
            return nested(sorted(texts), groups, null=len(texts) < len(values), name=name)
    return build_prefixes(values, name=name) if _codes(texts) else None


def spans(tree: Hierarchy, *, rounded: bool = False) -> Floats | None:
    """For a hierarchy of intervals, the share of the range of all values that each node's interval is wide.

    Of the ``rounded`` range where it is published: the range itself would tell the largest value.
    None for a hierarchy over anything but numbers: codes are none, though they look like it.
    """
    labels = [label for label in tree.labels[: tree.n_leaves] if label != NULL_LABEL]
    known = [number for number in map(exact_number, labels) if number is not None]
    if len(known) < 2 or not all(map(_plain_number, labels)):
        return None
    span = max(known) - min(known)
    span = _rounded_up(span) if rounded else span
    widths = np.zeros(tree.n_nodes)
    for node in range(tree.n_leaves, tree.n_nodes - 1):
        first, last = next(found.groups() for form in INTERVAL if (found := form.match(tree.labels[node])))
        widths[node] = (Decimal(last) - Decimal(first)) / span
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


def _few(words: Sequence[str], numbers: Sequence[str]) -> bool:
    """Whether texts among numbers are exceptions: "90+", "unknown"."""
    return len(words) <= MOST_WORDS and len(numbers) >= FEW


def _with_words(tree: Hierarchy, words: Sequence[str]) -> Hierarchy:
    """A hierarchy of numbers with texts beside its widest intervals: none tells in which they are."""
    if not words:
        return tree
    above = zip(tree.labels, tree.parents.tolist(), strict=True)
    parents = {label: tree.labels[parent] for label, parent in above if parent >= 0}
    return from_parents(parents | dict.fromkeys(words, tree.labels[tree.root]), name=tree.name)


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
        and all(re.search(r"\d", text) and re.fullmatch(r"[\w. -]+", text) for text in texts)
    )


def _diagnosis(code: str) -> Iterator[Group]:
    """Its three-character category, ten categories together, and its chapter."""
    for length in (3, 2):
        if len(code) > length:
            yield code[:length], f"{code[:length]}*", " (group)"
    chapter = next((one for one in reversed(CHAPTERS) if one[:3] <= code[:3]), CHAPTERS[0])
    yield chapter, chapter, " (chapter)"


def _postcode(code: str) -> Iterator[Group]:
    """Its sector, district and area."""
    found = POSTCODE.fullmatch(code)
    assert found is not None
    area, district, sector = found.groups()
    yield f"{area}{district} {sector}", f"{area}{district} {sector}**", " (sector)"
    yield f"{area}{district}", f"{area}{district} ***", " (district)"
    yield area, f"{area}*", " (area)"


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
