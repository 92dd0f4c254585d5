"""Hierarchies over numbers: intervals of a fixed width, nested into wider ones."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal

from tacit.data.hierarchy import NULL_LABEL, Hierarchy
from tacit.errors import InputError, ParameterError, Place, listed
from tacit.io.hierarchies.naming import Namer, assembled, distinct_texts
from tacit.io.hierarchies.numbers import exact_number
from tacit.ranges import Share, Whole, check


def build_intervals(
    values: Iterable[object],
    *,
    width: int | float | Decimal,
    nesting: Sequence[int] = (),
    name: str | None = None,
) -> Hierarchy:
    """Values under intervals of ``width``, those under intervals ``nesting[0]`` times as wide, and so on.

    Intervals start at multiples of their width. Of whole numbers they are written ``20-29``
    (``-10 to -1`` below zero), of others ``[0.5, 1)``, the upper end left out.

    >>> tree = build_intervals(["23", "31", "38", "44"], width=10, nesting=(2,))
    >>> [tree.labels[node] for node in tree.ancestors(tree.index["31"])]
    ['30-39', '20-39', '*']
    """
    check("build_intervals", {"width": Share(high=math.inf)}, width=width)
    for factor in nesting:
        if not Whole(2).holds(factor):
            raise ParameterError(
                "nesting", "build_intervals", "a list of ints in the range [2, inf)", tuple(nesting)
            )
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
    namer = Namer(texts)
    parents: dict[str, str] = {}
    for value in sorted(texts, key=lambda text: (positions[text], text)):
        child = value
        for span in spans:
            start = positions[value] // span * span
            label = namer.label((span, start), _interval(start, span, places), " (interval)")
            parents[child] = label
            child = label
        parents[child] = namer.root()
    return assembled(parents, namer, null=null, name=name)


def _numbers(texts: Sequence[str], name: str | None) -> dict[str, Decimal]:
    found: dict[str, Decimal] = {}
    refused: list[str] = []
    for text in texts:
        number = exact_number(text)
        if number is None:
            refused.append(text)
        else:
            found[text] = number
    if refused:
        raise InputError(
            f"{len(refused)} of the values are not numbers: {listed(refused)}.",
            code="hierarchy-not-numbers",
            where=Place(column=name, value=refused[0]),
            hint="Use another builder: balanced, prefixes, dates or flat.",
        )
    return found


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
