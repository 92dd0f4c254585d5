"""Values far from all others: typing errors and codes such as 999 would stretch a range for everybody.

A few rows at an end are far away where the gap before them is wider than the range of the bulk: of all rows
but so many at either end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import pairwise

import numpy as np

from tacit.typing import Counts

SHARE, FEW, SHARE_OF_FEW = 100, 3, 20
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
    few = max(total // SHARE, min(FEW, total // SHARE_OF_FEW))
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
