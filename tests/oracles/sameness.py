"""Whether two sets of records have people in common, from the definition: pair by pair."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product


def excess(first: Sequence[int], second: Sequence[int]) -> Fraction:
    """Pairs alike across both sets, less what pairs alike within a set lead one to expect."""
    ratio = Fraction(len(second), len(first))
    across = sum(one == two for one, two in product(first, second))
    within = [sum(one == two for one, two in combinations(side, 2)) for side in (first, second)]
    return across - ratio * within[0] - within[1] / ratio


def beyond(first: Sequence[int], second: Sequence[int]) -> tuple[Fraction, Fraction]:
    """The weighted excess and its variance over exchanges."""
    ratio = Fraction(len(second), len(first))
    total, variance = Fraction(0), Fraction(0)
    for content in {*first, *second}:
        a, b = first.count(content), second.count(content)
        if a + b > 1:
            one = a * b - ratio * Fraction(a * (a - 1), 2) - Fraction(b * (b - 1), 2) / ratio
            total += one / (a + b - 1)
            variance += Fraction(a + b, 2 * (a + b - 1))
    return total, variance


def moments(together: int, share: Fraction) -> tuple[Fraction, Fraction]:
    """The mean and variance of one content's excess when chance says in which set each of its records is."""
    mean = square = Fraction(0)
    for sides in product((0, 1), repeat=together):
        a = sides.count(0)
        b = together - a
        chance = share**a * (1 - share) ** b
        ratio = (1 - share) / share
        one = a * b - ratio * Fraction(a * (a - 1), 2) - Fraction(b * (b - 1), 2) / ratio
        mean += chance * one
        square += chance * one * one
    return mean, square - mean**2
