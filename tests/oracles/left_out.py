"""Which rows may be left out, by the definition: every choice of rows is tried."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from fractions import Fraction
from itertools import product


def largest_share(rows: Sequence[tuple[Hashable, Sequence[Hashable]]]) -> Fraction:
    """The largest share of a value among rows that cannot have the same values.

    A row is what it cannot have, and its value of each sensitive attribute.
    """
    largest = Fraction(0)
    for barred in {row[0] for row in rows}:
        alike = [values for other, values in rows if other == barred]
        for column in zip(*alike, strict=True):
            largest = max(largest, Fraction(max(Counter(column).values()), len(alike)))
    return largest


def fewest_for_anatomy(held: Sequence[int], l: int, bound: Fraction) -> int | None:
    """The fewest rows left out, over all choices, that keep the bound and leave no value above one in ℓ."""
    best = None
    for out in product(*(range(count + 1) for count in held)):
        left, stay = sum(out), [count - gone for count, gone in zip(held, out, strict=True)]
        if not sum(stay) or l * max(stay) > sum(stay):
            continue
        if left and max(out) > bound * left:
            continue
        best = left if best is None else min(best, left)
    return best


def fewest_more(held: Sequence[int], must: Sequence[int], bound: Fraction) -> int | None:
    """The fewest rows left out, over all choices that hold those that must be, that keep the bound."""
    ranges = [range(least, count + 1) for least, count in zip(must, held, strict=True)]
    sizes = [sum(out) for out in product(*ranges) if max(out) <= bound * sum(out)]
    return min(sizes, default=None)
