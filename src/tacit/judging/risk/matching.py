"""Who may be in which class: original people matched with published values, exact or generalized.

Tools write generalized values in their own ways: ``30-39``, ``[30, 40[``, ``>=50``, ``13***``, ``{a, b}``,
``*``. A value that has none of these forms stands for itself, and for what a hierarchy has below it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation

import numpy as np

from tacit.data.hierarchy import Hierarchy
from tacit.engine.base import Combinations
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
BETWEEN = re.compile(rf"{NUMBER}\s*(?:-|–|—|\.\.|to|bis)\s*{NUMBER}")
BRACKETS = re.compile(rf"([\[\](]){NUMBER}\s*[,;]\s*{NUMBER}([\[\])])")
ABOVE = re.compile(rf"(>=|≥|>)\s*{NUMBER}|{NUMBER}\s*(\+|and more|or more|and older)")
BELOW = re.compile(rf"(<=|≤|<)\s*{NUMBER}")
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
    test = _of_numbers(text.strip()) or _of_letters(text.strip())
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
            return False
        return number.is_finite() and test(number)

    return tested


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
