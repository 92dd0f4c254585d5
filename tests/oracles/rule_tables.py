"""Every table that a list of published rules allows, by trying all.

People are known by their quasi-identifiers; a table gives each of them a sensitive value. By the
definitions alone: which patterns reach the thresholds, which tables have the same list, and how often a
person holds a value among these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product

People = Sequence[tuple[str, ...]]
Held = tuple[str, ...]
Listing = frozenset[tuple[tuple[tuple[int, str], ...], str, int | None]]


def listed(
    people: People, held: Held, least: int, confidence: Fraction, longest: int, *, scores: bool
) -> tuple[frozenset[str], Listing]:
    """The values that occur, and every rule that reaches the thresholds, with its support if told."""
    matching: Counter[tuple[tuple[int, str], ...]] = Counter()
    holding: Counter[tuple[tuple[tuple[int, str], ...], str]] = Counter()
    for person, value in zip(people, held, strict=True):
        for length in range(1, longest + 1):
            for items in combinations(enumerate(person), length):
                matching[items] += 1
                holding[items, value] += 1
    rules = frozenset(
        (items, value, count if scores else None)
        for (items, value), count in holding.items()
        if count >= max(least, confidence * matching[items])
    )
    return frozenset(held), rules


def tables_alike(
    people: People,
    held: Held,
    values: Sequence[str],
    least: int,
    confidence: Fraction,
    longest: int,
    *,
    scores: bool,
) -> list[Held]:
    """All tables of these people that have the same list."""
    found = listed(people, held, least, confidence, longest, scores=scores)
    return [
        other
        for other in product(values, repeat=len(people))
        if listed(people, other, least, confidence, longest, scores=scores) == found
    ]


def shares(tables: Sequence[Held]) -> list[dict[str, Fraction]]:
    """Per person, the share of the tables in which a value is hers."""
    counted = [Counter(column) for column in zip(*tables, strict=True)]
    return [{value: Fraction(n, len(tables)) for value, n in found.items()} for found in counted]
