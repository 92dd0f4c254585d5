"""Hierarchies built from values: balanced groups, common prefixes, intervals of numbers, dates, or one level.

A label is one node, whatever the values are called: a group that would be called like a value gets its kind
as well.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Annotated

from tacit.data.hierarchy import NULL_LABEL, Hierarchy, from_parents
from tacit.data.transactions import sorted_names
from tacit.errors import InputError, Place, listed
from tacit.io.hierarchies.amnesia import exact_number
from tacit.options import Says, verb
from tacit.ranges import ListOf, Optional, Share, Whole, Words


@verb
def build_balanced(
    values: Iterable[object],
    *,
    fanout: Annotated[int, Whole(2), Says("Size of the groups", "Size of the groups.")],
    name: str | None = None,
) -> Hierarchy:
    """Sorted values in groups of ``fanout``, those groups in groups of ``fanout``, up to the root.

    Values are sorted by size where all are whole numbers, else by text. Value ``i`` is in group
    ``i // fanout`` of the first level, ``i // fanout**2`` of the second, and so on; a group is named
    by its first and last value.

    >>> tree = build_balanced(["1", "2", "10", "11", "20"], fanout=2)
    >>> [tree.labels[node] for node in tree.ancestors(tree.index["10"])]
    ['10..11', '1..11', '*']
    """
    texts, null = distinct_texts(values)
    texts = sorted_names(texts)
    namer = Namer(texts)
    parents: dict[str, str] = {}
    members, size = texts, 1
    while len(members) > fanout:
        size *= fanout
        groups: list[str] = []
        for position, member in enumerate(members):
            number = position // fanout
            if number == len(groups):
                first, last = texts[number * size], texts[min((number + 1) * size, len(texts)) - 1]
                groups.append(namer.label((size, number), f"{first}..{last}", "^"))
            parents[member] = groups[number]
        members = groups
    parents.update(dict.fromkeys(members, namer.root()))
    return assembled(parents, namer, null=null, name=name)


@verb
def build_prefixes(
    values: Iterable[object],
    *,
    lengths: Annotated[
        Sequence[int] | None,
        Optional(ListOf(Whole(1), "[4, 3, 2]")),
        Says("Lengths", "Lengths of the prefixes; every length by default."),
    ] = None,
    name: str | None = None,
) -> Hierarchy:
    """Codes under their prefixes: postal codes, ICD codes.

    ``lengths`` are the lengths of the prefixes; by default every length, but for prefixes that end
    in a sign of punctuation. A group is written with one star for each character left open
    (``130**``), or with a single star where codes have different lengths (``A01*``).

    >>> tree = build_prefixes(["13053", "13068", "14850"], lengths=[3, 1])
    >>> [tree.labels[node] for node in tree.ancestors(tree.index["13053"])]
    ['130**', '1****', '*']
    """
    texts, null = distinct_texts(values)
    longest = max(map(len, texts), default=0)
    even = all(len(text) == longest for text in texts)
    wanted = sorted(set(range(1, longest) if lengths is None else lengths), reverse=True)

    def groups(value: str) -> Iterator[Group]:
        for length in wanted:
            prefix = value[:length]
            # A code that is no longer than the prefix stands beside the longer ones of its group.
            beside = len(value) < length or (even and length >= longest)
            if not beside and (lengths is not None or prefix[-1].isalnum()):
                yield prefix, prefix + "*" * (longest - length if even else 1), " (group)"

    return nested(sorted(texts), groups, null=null, name=name)


@verb
def build_flat(values: Iterable[object], *, name: str | None = None) -> Hierarchy:
    """Every value directly under the root.

    >>> build_flat(["b", "a"]).labels
    ('a', 'b', '*')
    """
    texts, null = distinct_texts(values)
    texts = sorted_names(texts)
    namer = Namer(texts)
    return assembled(dict.fromkeys(texts, namer.root()), namer, null=null, name=name)


@verb
def build_intervals(
    values: Iterable[object],
    *,
    width: Annotated[
        int | float | Decimal, Share(high=math.inf), Says("Width", "Width of the narrowest intervals.")
    ],
    nesting: Annotated[
        Sequence[int],
        ListOf(Whole(2), "[2, 5]"),
        Says("Nesting", "How many intervals each wider one joins, level by level."),
    ] = (),
    name: str | None = None,
) -> Hierarchy:
    """Values under intervals of ``width``, those under intervals ``nesting[0]`` times as wide, and so on.

    Intervals start at multiples of their width. Of whole numbers they are written ``20-29``
    (``-10 to -1`` below zero), of others ``[0.5, 1)``, the upper end left out.

    >>> tree = build_intervals(["23", "31", "38", "44"], width=10, nesting=(2,))
    >>> [tree.labels[node] for node in tree.ancestors(tree.index["31"])]
    ['30-39', '20-39', '*']
    """
    texts, null = distinct_texts(values)
    if NULL_LABEL in texts:  # how a float that is not a number is written
        texts.remove(NULL_LABEL)
        null = True
    numbers = _numbers(texts, name)
    # Everything in whole multiples of the smallest decimal place used, so that arithmetic is exact and fast.
    step_decimal = Decimal(repr(width)) if isinstance(width, float) else Decimal(width)
    places = max(map(_places, [step_decimal, *numbers.values()]))
    step = _scaled(step_decimal, places)
    positions = {text: _scaled(number, places) for text, number in numbers.items()}
    spans = [step * math.prod(nesting[:level]) for level in range(len(nesting) + 1)]
    if places == 0 and step == 1:  # an interval of one whole number is that number
        spans = spans[1:]

    def groups(value: str) -> Iterator[Group]:
        for span in spans:
            start = positions[value] // span * span
            yield (span, start), _interval(start, span, places), " (interval)"

    return nested(sorted(texts, key=lambda text: (positions[text], text)), groups, null=null, name=name)


def _numbers(texts: Sequence[str], name: str | None) -> dict[str, Decimal]:
    found = {text: exact_number(text) for text in texts}
    refused = [text for text, number in found.items() if number is None]
    if refused:
        raise InputError(
            f"{len(refused)} of the values are not numbers: {listed(refused)}.",
            code="hierarchy-not-numbers",
            where=Place(column=name, value=refused[0]),
            hint="Use another builder: balanced, prefixes, dates or flat.",
        )
    return {text: number for text, number in found.items() if number is not None}


def _places(number: Decimal) -> int:
    """How many decimal places a number needs: 2 for 0.25, none for 3.0."""
    _, denominator = number.as_integer_ratio()
    places = 0
    while 10**places % denominator:
        places += 1
    return places


def _scaled(number: Decimal, places: int) -> int:
    numerator, denominator = number.as_integer_ratio()
    return int(numerator * (10**places // denominator))


def _interval(start: int, span: int, places: int) -> str:
    if places:
        return f"[{_decimal(start, places)}, {_decimal(start + span, places)})"
    last = start + span - 1
    return f"{start}-{last}" if start >= 0 else f"{start} to {last}"


def _decimal(scaled: int, places: int) -> str:
    digits = str(abs(scaled)).rjust(places + 1, "0")
    fraction = digits[-places:].rstrip("0")
    return ("-" if scaled < 0 else "") + digits[:-places] + (f".{fraction}" if fraction else "")


_ISO = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ].+)?)?)?", re.ASCII)

Parts = tuple[int, int | None, int | None]
"""Year, month and day; a date may be known to the month or the year only."""


@verb
def build_dates(
    values: Iterable[object],
    *,
    date_format: Annotated[
        str | None,
        Optional(Words()),
        Says("Date format", "How dates are written, as in strftime; by default like 2020-05-17."),
    ] = None,
    name: str | None = None,
) -> Hierarchy:
    """Days under months, months under years, years under decades; times of day under days.

    Values are ISO dates (``2020-05-17``, with a time of day or not, or only ``2020-05`` or
    ``2020``), or whatever ``date_format`` says in the letters of ``strftime`` (``%d.%m.%Y``).

    >>> tree = build_dates(["2020-05-17", "2020-06-01", "1999-12-31"])
    >>> [tree.labels[node] for node in tree.ancestors(tree.index["2020-05-17"])]
    ['2020-05', '2020', '2020s', '*']
    """
    return dates_above(values, date_format, name, quarters=False)


def dates_above(
    values: Iterable[object], date_format: str | None, name: str | None, *, quarters: bool
) -> Hierarchy:
    """The hierarchy over dates: months, years and decades; or ``quarters`` and others between as well.

    These are half-years, five years and several decades: two, four, eight … as long as the years span more.
    """
    texts, null = distinct_texts(values)
    parts = {text: date_parts(text, date_format) for text in texts}
    refused = [text for text, found in parts.items() if found is None]
    if refused:
        raise InputError(
            f"{len(refused)} of the values are not dates: {listed(refused)}.",
            code="hierarchy-not-dates",
            where=Place(column=name, value=refused[0]),
            hint="Dates are written like 2020-05-17; for another way of writing them give --date-format"
            " (date_format=), for example '%d.%m.%Y'.",
        )
    dated = {text: found for text, found in parts.items() if found is not None}
    full = [found for found in dated.values() if found[2] is not None]
    # Several values of one day are told apart by the time or by how they are written.
    days = len(set(full)) < len(full)
    years = [found[0] for found in dated.values()]
    spans = [
        20 << level for level in range(8) if quarters and 20 << level < max(years, default=0) - min(years)
    ]

    def groups(value: str) -> Iterator[Group]:
        year, month, day = dated[value]
        if month is not None:
            if days and day is not None:
                yield (year, month, day), f"{year:04}-{month:02}-{day:02}", " (day)"
            yield (year, month), f"{year:04}-{month:02}", " (month)"
            if quarters:
                quarter, half = (month + 2) // 3, (month + 5) // 6
                yield (year, f"Q{quarter}"), f"{year:04}-Q{quarter}", " (quarter)"
                yield (year, f"H{half}"), f"{year:04}-H{half}", " (half-year)"
        yield year, f"{year:04}", " (year)"
        if quarters:
            yield ("years", year // 5), f"{year // 5 * 5:04}-{year // 5 * 5 + 4:04}", " (years)"
        yield ("decade", year // 10), f"{year // 10 * 10:04}s", " (decade)"
        for span in spans:
            first = year // span * span
            yield (span, first), f"{first:04}s-{first + span - 10:04}s", " (decades)"

    in_order = sorted(dated, key=lambda text: ([part or 0 for part in dated[text]], text))
    return nested(in_order, groups, null=null, name=name)


def date_parts(text: str, date_format: str | None) -> Parts | None:
    """Year, month and day of a text; None where it is no date."""
    if date_format is not None:
        try:
            moment = datetime.strptime(text, date_format)
        except ValueError:
            return None
        return moment.year, moment.month, moment.day
    found = _ISO.fullmatch(text)
    if found is None:
        return None
    year, month, day = (None if part is None else int(part) for part in found.groups())
    try:
        datetime(year or 0, month or 1, day or 1)  # refuses the 31st of June
    except ValueError:
        return None
    return (year or 0), month, day


ROOT_LABEL = "*"


class Namer:
    """Gives each group a label that no value and no other group has, in capitals or small letters.

    A group that would be called like a value gets its kind as well: the year of the leaf ``2020``
    is ``2020 (year)``.
    """

    def __init__(self, values: Iterable[str]) -> None:
        self._taken = {value.casefold() for value in (*values, NULL_LABEL)}
        self._given: dict[object, str] = {}

    def label(self, group: object, wanted: str, mark: str) -> str:
        """The label of ``group``, the same each time; ``mark`` is added as often as it takes."""
        if group not in self._given:
            while wanted.casefold() in self._taken:
                wanted += mark
            self._taken.add(wanted.casefold())
            self._given[group] = wanted
        return self._given[group]

    def root(self) -> str:
        return self.label("root", ROOT_LABEL, " (all)")


def distinct_texts(values: Iterable[object]) -> tuple[list[str], bool]:
    """The distinct values as text in the order they come, and whether one of them is null."""
    found = dict.fromkeys(None if value is None else str(value) for value in values)
    null = None in found
    return [value for value in found if value is not None], null


Group = tuple[object, str, str]
"""A group above a value: what tells it from others, its label, and what is added if a value is called so."""


def nested(
    values: Sequence[str], groups: Callable[[str], Iterable[Group]], *, null: bool, name: str | None
) -> Hierarchy:
    """Values, in their order, under the groups that each is in, the smallest first."""
    namer = Namer(values)
    parents: dict[str, str] = {}
    for value in values:
        child = value
        for group in groups(value):
            parents[child] = child = namer.label(*group)
        parents[child] = namer.root()
    return assembled(parents, namer, null=null, name=name)


def assembled(parents: dict[str, str], namer: Namer, *, null: bool, name: str | None) -> Hierarchy:
    """The hierarchy of a builder's links; the leaf of missing values hangs from the root, at the end."""
    if null:
        parents[NULL_LABEL] = namer.root()
    if not parents:
        raise InputError(
            "There are no values to build a hierarchy over.",
            code="hierarchy-empty",
            where=Place(file=name),
            hint="Give data with at least one row.",
        )
    return from_parents(parents, name=name)


BUILDERS: dict[str, Callable[..., Hierarchy]] = {
    "intervals": build_intervals,
    "balanced": build_balanced,
    "prefixes": build_prefixes,
    "dates": build_dates,
    "flat": build_flat,
}
"""What builds a hierarchy from values and a rule, by what the rule is called."""
