"""Who may be in which class: original people matched with published values, exact or generalized.

Tools write generalized values in their own ways: ``30-39``, ``[30, 40[``, ``>=50``, ``13***``, ``{a, b}``,
``*``. A value that has none of these forms stands for itself, and for what a hierarchy has below it.

What a reader finds so about somebody, and how sure they can be of a value. A promise such as ℓ has its own
threshold, so that figures about it cannot be compared between two promises: of a stronger one more rows fall
short. One threshold for all releases can.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

import numpy as np

from tacit.arrays.groups import group_rows
from tacit.data.hierarchy import Hierarchy
from tacit.data.table import Table
from tacit.engine.base import Combinations
from tacit.io.hierarchies.ranges import range_of
from tacit.judging.risk.classes import Classes
from tacit.typing import Counts


def matches(
    classes: Classes, people: Combinations, hierarchies: Mapping[str, Hierarchy]
) -> Iterator[tuple[int, Counts]]:
    """Each class with the combinations of original values that its published values may stand for.

    ``people`` are the combinations of the same columns in the original; classes without any are left out.
    """
    if not any(
        text is not None and covered_by(text, hierarchies.get(name)) is not None
        for name, texts in zip(classes.names, classes.texts, strict=True)
        for text in texts
    ) and not any(None in texts for texts in classes.texts):
        yield from _equal(classes, people)
        return
    covers = [
        covering(texts, original, hierarchies.get(name))
        for name, texts, original in zip(classes.names, classes.texts, people.texts, strict=True)
    ]
    yield from _descend(classes, people, covers, 0, np.arange(len(classes)), np.arange(len(people)))


def _equal(classes: Classes, people: Combinations) -> Iterator[tuple[int, Counts]]:
    """Where every published value is an original one: by looking them up."""
    known = {
        tuple(texts[code] for texts, code in zip(people.texts, row, strict=True)): place
        for place, row in enumerate(people.codes.tolist())
    }
    rows = zip(*(column.tolist() for column in classes.codes), strict=True)
    for which, row in enumerate(rows):
        place = known.get(tuple(texts[code] for texts, code in zip(classes.texts, row, strict=True)))
        if place is not None:
            yield which, np.array([place])


def _descend(
    classes: Classes,
    people: Combinations,
    covers: Sequence[Sequence[Counts]],
    column: int,
    which: Counts,
    among: Counts,
) -> Iterator[tuple[int, Counts]]:
    """Column by column: classes with the same values so far share the people who are left."""
    if column == len(covers):
        for one in which:
            yield int(one), among
        return
    held = people.codes[among, column]
    stands = np.zeros(len(people.texts[column]), dtype=np.bool_)
    codes = classes.codes[column][which]
    for code in np.unique(codes):
        stands[:] = False
        stands[covers[column][code]] = True
        left = among[stands[held]]
        if len(left):
            yield from _descend(classes, people, covers, column + 1, which[codes == code], left)


Test = Callable[[str], bool]

NUMBER = r"(-?\d+(?:\.\d+)?)"
BETWEEN = re.compile(rf"{NUMBER}\s*(?:-|–|—|\.\.|to|bis)\s*{NUMBER}(?: \(years\))?")
BRACKETS = re.compile(rf"([\[\](]){NUMBER}\s*[,;]\s*{NUMBER}([\[\])])")
ABOVE = re.compile(rf"(>=|≥|>)\s*{NUMBER}|{NUMBER}\s*(\+|and more|or more|and older)")
BELOW = re.compile(rf"(<=|≤|<)\s*{NUMBER}")
DATES = re.compile(
    r"((?:1[89]|20)\d\d)(?:-(\d\d)|-([QH][1-4])|(s))?(?: \((?:month|quarter|half-year|year|decade)\))?"
)
PARTS = {
    "Q1": "0[123]", "Q2": "0[456]", "Q3": "0[789]", "Q4": "1.", "H1": "0[1-6]", "H2": "(?:0[789]|1.)"
}  # fmt: skip
"""The months of quarters and half-years."""
DAY = re.compile(r"(\d{4})(?:-\d\d){1,2}(?:[T ].*)?")
DECADES = re.compile(r"(\d{3})0s-(\d{3})0s")
EVERYTHING = re.compile(r"\*+|\[\*\]|any|ANY")


def covering(
    published: Sequence[str | None], values: Sequence[str | None], hierarchy: Hierarchy | None = None
) -> list[Counts]:
    """For each published value, the places of the original values that it may stand for."""
    places = {value: place for place, value in enumerate(values)}
    every = np.arange(len(values))
    nulls = every[[value is None for value in values]]
    found = []
    for text in published:
        test = None if text is None else covered_by(text, hierarchy)
        if text is None:
            # Local suppression leaves nothing: it stands for everything, unless nulls are a value.
            found.append(nulls if len(nulls) else every)
        elif test is None:
            found.append(np.array([places[text]] if text in places else [], dtype=np.int64))
        elif EVERYTHING.fullmatch(text.strip()):
            found.append(every)
        else:
            found.append(np.flatnonzero([value is not None and test(value) for value in values]))
    return found


def covered_by(text: str, hierarchy: Hierarchy | None = None) -> Test | None:
    """How to tell whether a published value may stand for an original one; None where it is one itself.

    >>> covered_by("30-39")("34"), covered_by("13***")("13001"), covered_by("[30, 40[")("40")
    (True, True, False)
    >>> covered_by("2024-06")("2024-06-19"), covered_by("2024-Q2")("2024-07-01")
    (True, False)
    >>> covered_by("2024-H2")("2024-07-01"), covered_by("2020-2024")("2025-01-01")
    (True, False)
    >>> covered_by("18-34")("25-34"), covered_by("55+")("65+"), covered_by("≤ 24")("25-34")
    (True, True, False)
    >>> covered_by("1960s-1990s")("1971-07-01"), covered_by("1960s-1970s")("1980-07-01")
    (True, False)
    """
    plain = text.strip()
    if EVERYTHING.fullmatch(plain):
        return lambda value: True
    if hierarchy is not None and hierarchy.index.get(text, 0) >= hierarchy.n_leaves:
        begin, end = hierarchy.leaf_ranges[hierarchy.index[text]]
        below = {*hierarchy.labels[begin:end], text}
        # A published hierarchy ends where the data end: its leaves may be intervals themselves.
        tests = [test for label in below if (test := _by_form(label)) is not None]
        return lambda value: value in below or any(test(value) for test in tests)
    return _by_form(text)


def _by_form(text: str) -> Test | None:
    test = _of_numbers(text.strip()) or _of_dates(text.strip()) or _of_letters(text.strip())
    return None if test is None else lambda value: value == text or test(value)


def _of_numbers(text: str) -> Test | None:
    """The test of an interval."""
    if match := BETWEEN.fullmatch(text):
        low, high = Decimal(match[1]), Decimal(match[2])
        return _number(lambda value: low <= value <= high) if low <= high else None
    if match := BRACKETS.fullmatch(text):
        low, high = Decimal(match[2]), Decimal(match[3])
        opens, closes = match[1] == "[", match[4] == "]"
        return _number(
            lambda value: (
                (low <= value if opens else low < value) and (value <= high if closes else value < high)
            )
        )
    if match := ABOVE.fullmatch(text):
        low, strict = Decimal(match[2] or match[3]), match[1] == ">"
        return _number(lambda value: value > low if strict else value >= low)
    if match := BELOW.fullmatch(text):
        high, strict = Decimal(match[2]), match[1] == "<"
        return _number(lambda value: value < high if strict else value <= high)
    return None


def _number(test: Callable[[Decimal], bool]) -> Test:
    def tested(value: str) -> bool:
        try:
            number = Decimal(value)
        except InvalidOperation:
            if day := DAY.fullmatch(value):  # 2020-2024 stands for the days of five years
                return test(Decimal(day[1]))
            held = range_of(value)  # where the original has ranges, a wider one stands for them
            return held is not None and test(held.low) and test(held.high)
        return number.is_finite() and test(number)

    return tested


def _of_dates(text: str) -> Test | None:
    """The test of a part of a year, a year or decades, for days that are written year first."""
    if decades := DECADES.fullmatch(text):
        return lambda value: value[:4].isdecimal() and decades[1] <= value[:3] <= decades[2]
    match = DATES.fullmatch(text)
    if match is None:
        return None
    year, month, part, decade = match.groups()
    months = PARTS.get(part, month)
    if decade:
        year = f"{year[:3]}."
    begin = re.compile(f"{year}-{months}" if months else f"{year}(-|$)")
    return lambda value: begin.match(value) is not None


def _of_letters(text: str) -> Test | None:
    """The test of a mask or of a set."""
    if text.startswith("{") and text.endswith("}"):
        members = {part.strip() for part in text[1:-1].split(",")}
        return lambda value: value in members
    if "*" in text:
        stars = re.escape(text).replace(r"\*", ".")
        exact, longer = re.compile(stars), re.compile(re.escape(text.rstrip("*")) + ".*")
        # One star at the end may stand for any number of letters.
        several = text.endswith("*") and text.count("*") == 1
        return lambda value: bool(exact.fullmatch(value) or (several and longer.fullmatch(value)))
    return None


@dataclass(frozen=True, slots=True)
class Found:
    """One person as a reader finds them.

    ``known`` is what the reader knows, ``looks`` how it is published (several where rows differ), ``rows``
    how many published rows could be the person's, ``values`` what these could have in each sensitive column.
    """

    known: dict[str, str | None]
    looks: tuple[dict[str, str | None], ...]
    rows: int
    values: dict[str, tuple[str | None, ...]]


def found(published: Table, known: Mapping[str, str | None], group: str | None = None) -> Found:
    """What the table tells about a person; in buckets, a row of one may have any of its values."""
    told = {name: value for name, value in known.items() if name in published.names}
    columns = [published.column(name) for name in told]
    could = np.ones(len(published), dtype=np.bool_)
    for column, value in zip(columns, told.values(), strict=True):
        covers = covering(column.texts, [value], published.hierarchies.get(column.name))
        could &= np.array([len(places) > 0 for places in covers], dtype=np.bool_)[column.codes]
    sharing = could
    if group is not None:
        buckets = published.column(group).codes
        sharing = np.isin(buckets, buckets[could])
    codes = np.stack([column.codes[could] for column in columns], axis=1) if columns else np.empty((0, 0))
    looks = {
        tuple(column.texts[code] for column, code in zip(columns, row, strict=True))
        for row in np.unique(codes, axis=0).tolist()
    }
    return Found(
        known=told,
        looks=tuple(dict(zip(told, look, strict=True)) for look in sorted(looks, key=repr)),
        rows=int(could.sum()),
        values={
            column.name: tuple(column.texts[code] for code in np.unique(column.codes[sharing]).tolist())
            for column in published.sensitive
        },
    )


def surer_than(published: Table, group: str | None, thresholds: Sequence[float]) -> tuple[float, ...]:
    """For each threshold, the share of rows of which some sensitive value is likelier than it.

    A reader finds the class of a person (the bucket, where there are buckets) and takes its rows for equally
    likely. A value of a class that exactly reaches the threshold is not above it.
    """
    known = [published.column(name) for name in ([group] if group else published.roles.quasi)]
    classes, first = group_rows([column.codes for column in known], [len(column.values) for column in known])
    sizes = np.bincount(classes, minlength=len(first))
    largest = np.zeros(len(first), dtype=np.int64)
    for name in published.roles.sensitive:
        column = published.column(name)
        pairs, counts = np.unique(
            classes.astype(np.int64) * len(column.values) + column.codes, return_counts=True
        )
        np.maximum.at(largest, pairs // len(column.values), counts)
    rows = max(1, len(published))
    return tuple(float(sizes[largest > limit * sizes].sum() / rows) for limit in thresholds)
