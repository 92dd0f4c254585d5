"""A hierarchy for a column that nobody gave one: by what its values look like.

Numbers lie in rounded intervals, each twice as wide as the ones below it; a few that are far from all others
are under an open interval (``≥ 160``), and a few texts among them ("90+") beside the widest. Dates are under
months, quarters, half-years, years, five years, decades and several, a few texts that are none beside these;
diagnoses under their categories and the chapters of the ICD; British postal codes under their sectors,
districts and areas; codes of one length, such as other postal codes, under their prefixes, and those of
digits under a few of the shortest together; ranges, such as 18-24 and 65+, under wider ones. Of anything else
the values that few rows hold are under "other".

Values far from all others, typing errors and codes such as 999, would stretch a range for everybody. A few
rows at an end are far away where the gap before them is wider than the range of the bulk: of all rows but so
many at either end.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from tacit.data.column import Column
from tacit.data.hierarchy import NULL_LABEL, Hierarchy, from_parents
from tacit.io.hierarchies.amnesia import exact_number
from tacit.io.hierarchies.build import (
    Group,
    Namer,
    assembled,
    build_flat,
    build_intervals,
    build_prefixes,
    date_parts,
    dates_above,
    nested,
)
from tacit.io.hierarchies.ranges import range_of, ranges_above
from tacit.typing import Counts, Floats

INTERVALS = 20
"""About how many of the narrowest intervals a range of numbers has."""
RARE = 0.05
"""Values that a smaller share of the rows holds are under "other"."""
FEW = 12
"""Fewer different codes are names rather than codes, unless all are several digits."""
TOGETHER = ((0, 1), (2, 4), (5, 6), (7, 9)), ((0, 4), (5, 9))
"""Which digits stand together where the prefixes of codes begin to differ: about quarters, then halves."""
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
DIGITS = re.compile(r"\d{3,}", re.ASCII)
"""Several digits, as in most postal codes."""
INTERVAL = [
    re.compile(form) for form in (r"\[(-?[\d.]+), (-?[\d.]+)\)", r"(-?\d+) to (-?\d+)", r"(\d+)-(\d+)")
]
"""How :func:`build_intervals` writes its groups."""
OPEN = re.compile(r"(?P<sign>[≥<]) (?P<end>-?[\d.]+)")
"""An interval without an end: what is far from all others."""


def automatic_hierarchy(column: Column) -> Hierarchy:
    """The hierarchy of a column, made from its values and how often they occur.

    >>> from tacit.data.column import encode
    >>> import polars as pl
    >>> tree = automatic_hierarchy(encode(pl.Series("age", [23, 31, 38, 64, 97])))
    >>> [tree.labels[node] for node in tree.ancestors(tree.index["38"])]
    ['35-39', '30-39', '20-39', '0-39', '*']
    """
    found = _numbers(column)
    if found is not None:
        numbers, words = found
        tree = _intervals(numbers, column)
        if not any(word in tree.index for word in words):
            return _with_words(tree, words)
    return by_form(column.texts, column.name) or _by_frequency(column)


def _numbers(column: Column) -> tuple[dict[str, Decimal], list[str]] | None:
    """The numbers of a column, and a few texts among them; None for a column of anything else."""
    exact = {text: exact_number(text) for text in column.texts if text is not None}
    words = [text for text, number in exact.items() if number is None]
    numbers = {text: number for text, number in exact.items() if number is not None}
    if not numbers or not all(map(_plain_number, numbers)) or not _few(words, numbers):
        return None
    return numbers, words


@dataclass(frozen=True, slots=True)
class Odd:
    """Values of a column that are unlike all others."""

    far: tuple[str, ...]
    """Numbers or days far from all others."""
    words: tuple[str, ...]
    """Texts among numbers or days."""
    rows: int
    """How many rows hold one."""


def odd_values(column: Column) -> Odd:
    """The values of a column that its automatic hierarchy puts aside, and days far from all others."""
    found = _numbers(column) or _days(column)
    if found is None:
        return Odd((), (), 0)
    numbers, words = found
    low, _, high = bulk_of(numbers, _rows(column, numbers))
    rows = int(_rows(column, [*low, *high, *words]).sum())
    return Odd((*low, *high), tuple(words), rows)


def _days(column: Column) -> tuple[dict[str, Decimal], list[str]] | None:
    """The days of a column as numbers, and a few texts among them; None for a column of anything else."""
    found = _dates([text for text in column.texts if text is not None])
    if found is None:
        return None
    days = {text: date_parts(text, found.written) for text in found.dates}
    numbers = {text: date(day[0], day[1] or 1, day[2] or 1).toordinal() for text, day in days.items() if day}
    return {text: Decimal(number) for text, number in numbers.items()}, found.words


class _Dates(NamedTuple):
    dates: list[str]
    words: list[str]
    """A few texts that are none."""
    written: str | None


def _dates(texts: Sequence[str]) -> _Dates | None:
    """Texts that are dates but for a few, in the way of writing that reads most; None for other texts."""
    ways = []
    for form, written in DATES:
        dates = [text for text in texts if form.match(text) and date_parts(text, written) is not None]
        words = sorted(set(texts) - set(dates))
        if dates and _few(words, dates):
            ways.append(_Dates(dates, words, written))
    return min(ways, key=lambda way: len(way.words), default=None)


def _rows(column: Column, texts: Iterable[str]) -> Counts:
    """How many rows hold each of these texts."""
    place = {text: code for code, text in enumerate(column.texts)}
    return column.counts[[place[text] for text in texts]]


def by_form(values: Sequence[str | None], name: str | None) -> Hierarchy | None:
    """The hierarchy of values that are all dates, diagnoses or codes; None where they are neither."""
    texts = [text for text in values if text is not None]
    found = _dates(texts)
    if found is not None:
        dated = [text for text in values if text not in found.words]
        return _with_words(dates_above(dated, found.written, name, quarters=True), found.words)
    for form, groups in ((DIAGNOSIS, _diagnosis), (POSTCODE, _postcode)) if texts else ():
        if all(map(form.fullmatch, texts)):
            return nested(sorted(texts), groups, null=len(texts) < len(values), name=name)
    words = [text for text in texts if range_of(text) is None]
    if len(words) <= MOST_WORDS and (ranged := ranges_above(set(values).difference(words), name)) is not None:
        return _with_words(ranged, words)
    if not _codes(texts):
        return None
    return _digits(values, name) if all(map(DIGITS.fullmatch, texts)) else build_prefixes(values, name=name)


def spans(tree: Hierarchy, *, rounded: bool = False) -> Floats | None:
    """For a hierarchy of intervals, the share of the range of all values that each node's interval is wide.

    Of the ``rounded`` range where it is published: the range itself would tell the largest value. It is the
    range of the bulk; an open interval counts as so wide too. Texts among the numbers (``unknown``,
    ``Infinity``) have no width, and stand beside all intervals.
    None for a hierarchy over anything but numbers: codes are none, though they look like it.
    """
    above = [(label, tree.parents[place]) for place, label in enumerate(tree.labels[: tree.n_leaves])]
    numbers = [(label, parent) for label, parent in above if parent != tree.root or _plain_number(label)]
    words = {label for label, _ in above} - {label for label, _ in numbers} - {NULL_LABEL}
    if not all(_plain_number(label) for label, _ in numbers) or not _few([*words], numbers):
        return None
    known = [Decimal(label) for label, parent in numbers if not _is_open(tree, parent)]
    inner = [
        next((found for form in (OPEN, *INTERVAL) if (found := form.fullmatch(label))), None)
        for label in tree.labels[tree.n_leaves : tree.root]
    ]
    if len(set(known)) < 2 or None in inner:
        return None
    span = max(known) - min(known)
    span = _rounded_up(span) if rounded else span
    widths = np.zeros(tree.n_nodes)
    for node, found in enumerate(filter(None, inner), start=tree.n_leaves):
        first, last = found.groups()
        # An open interval is wider than the whole range of the others.
        widths[node] = 1.0 if found.re is OPEN else (Decimal(last) - Decimal(first)) / span
    widths[tree.root] = 1.0
    return np.minimum(1.0, widths)


def _plain_number(text: str) -> bool:
    """Whether a text is a number and no code: codes begin with zeros."""
    return exact_number(text) is not None and re.match(r"-?0\d", text) is None


def _is_open(tree: Hierarchy, node: int) -> bool:
    return OPEN.fullmatch(tree.labels[node]) is not None


def _intervals(numbers: Mapping[str, Decimal], column: Column) -> Hierarchy:
    low, bulk, high = bulk_of(numbers, _rows(column, numbers))
    values = bulk if column.null_code is None else [*bulk, None]
    first, last = (find(numbers[text] for text in bulk) for find in (min, max))
    width = last - first
    if width == 0:
        return build_flat(column.texts, name=column.name)
    step = _rounded_up(width / INTERVALS)
    if all(numbers[text] == numbers[text].to_integral_value() for text in bulk):
        step = max(step, Decimal(1))
    levels, wide = 0, step * 2
    while wide < width:
        levels, wide = levels + 1, wide * 2
    tree = build_intervals(values, width=step, nesting=(2,) * levels, name=column.name)
    # The ends are those of the widest intervals, which are rounded: they tell nobody's value.
    begin, end = (first // (wide / 2)) * (wide / 2), (last // (wide / 2) + 1) * (wide / 2)
    far = dict.fromkeys(low, f"< {begin.normalize():f}") | dict.fromkeys(high, f"≥ {end.normalize():f}")
    return _with_links(tree, far | dict.fromkeys(far.values(), tree.labels[tree.root]))


def _few(words: Sequence[str], numbers: Collection[object]) -> bool:
    """Whether texts among numbers are exceptions: "90+", "unknown"."""
    return not words or (len(words) <= max(MOST_WORDS, len(numbers) // SHARE) and len(numbers) >= FEW)


def _with_words(tree: Hierarchy, words: Sequence[str]) -> Hierarchy:
    """A hierarchy of numbers with texts beside its widest intervals: none tells in which they are."""
    return _with_links(tree, dict.fromkeys(words, tree.labels[tree.root]))


def _with_links(tree: Hierarchy, links: dict[str, str]) -> Hierarchy:
    """The hierarchy with more nodes, each with its parent."""
    if not links:
        return tree
    above = zip(tree.labels, tree.parents.tolist(), strict=True)
    parents = {label: tree.labels[parent] for label, parent in above if parent >= 0}
    return from_parents(parents | links, name=tree.name)


def _rounded_up(width: Decimal) -> Decimal:
    """The next of 1, 2, 5, 10, 20, 50 …"""
    power = Decimal(1).scaleb(width.adjusted())
    return next(power * step for step in (1, 2, 5, 10) if power * step >= width)


def _codes(texts: Sequence[str]) -> bool:
    """Whether texts are codes: many or of digits, of one length, with a digit in each."""
    lengths = {len(text) for text in texts}
    enough = len(texts) >= FEW or (len(texts) > 2 and all(map(DIGITS.fullmatch, texts)))
    return (
        enough
        and len(lengths) == 1
        and lengths.pop() > 1
        and all(re.search(r"\d", text) and re.fullmatch(r"[\w. -]+", text) for text in texts)
    )


def _digits(values: Sequence[str | None], name: str | None) -> Hierarchy:
    """Codes of digits under their prefixes, and neighbours together where they begin to differ.

    Ten shortest prefixes below the root would leave nothing between one of them and nothing at all.
    """
    texts = sorted(text for text in values if text is not None)
    length = len(texts[0])
    same = next(place for place in range(length) if texts[0][place] != texts[-1][place])

    def groups(code: str) -> Iterator[Group]:
        for kept in range(length, 0, -1):
            if kept < length:
                yield code[:kept], code[:kept] + "*" * (length - kept), " (group)"
            if kept == same + 1:
                yield from _together(code, same)

    return nested(texts, groups, null=len(texts) < len(values), name=name)


def _together(code: str, place: int) -> Iterator[Group]:
    """The ranges of codes that a code is in by one of its digits."""
    rest = len(code) - place - 1
    for level, spans in enumerate(TOGETHER):
        low, high = next(span for span in spans if span[0] <= int(code[place]) <= span[1])
        begin, end = f"{code[:place]}{low}{'0' * rest}", f"{code[:place]}{high}{'9' * rest}"
        yield (level, low), f"{begin}-{end}", " (range)"


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


SHARE, FEW_ROWS, SHARE_OF_FEW = 100, 3, 20
"""Few rows are one in a hundred, or three where these are not more than one in twenty."""


def far_apart(numbers: Sequence[Decimal], rows: Counts) -> tuple[frozenset[Decimal], frozenset[Decimal]]:
    """The numbers far below and far above all others; so many rows hold each of them.

    >>> low, high = far_apart([Decimal(age) for age in (*range(100), 1999)], np.ones(101, dtype=np.int64))
    >>> sorted(low), sorted(high)
    ([], [Decimal('1999')])
    """
    held: dict[Decimal, int] = {}
    for number, count in zip(numbers, rows.tolist(), strict=True):
        held[number] = held.get(number, 0) + count
    ordered = sorted(held)
    total = sum(held.values())
    few = max(total // SHARE, min(FEW_ROWS, total // SHARE_OF_FEW))
    if not few:
        return frozenset(), frozenset()
    reached = np.cumsum([held[number] for number in ordered])
    first = int(np.searchsorted(reached, few, side="right"))
    last = int(np.searchsorted(reached, total - few))
    width = ordered[last] - ordered[first]
    if width <= 0:
        return frozenset(), frozenset()
    gaps = [after - before for before, after in pairwise(ordered)]
    begin = max((place + 1 for place in range(first) if gaps[place] > width), default=0)
    end = min((place for place in range(last, len(gaps)) if gaps[place] > width), default=len(ordered) - 1)
    return frozenset(ordered[:begin]), frozenset(ordered[end + 1 :])


def bulk_of(numbers: Mapping[str, Decimal], rows: Counts) -> tuple[list[str], list[str], list[str]]:
    """Texts of numbers: those far below, the bulk, those far above."""
    low, high = far_apart(list(numbers.values()), rows)
    texts: tuple[list[str], list[str], list[str]] = ([], [], [])
    for text, number in numbers.items():
        texts[0 if number in low else 2 if number in high else 1].append(text)
    return texts
