"""What readers of published sets can work out, from the definitions: every choice of items is tried."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

Record = frozenset[str]


def narrowed(records: Sequence[Record], k: int, size: int, *, absence: bool = False) -> list[bool]:
    """Which records some 1 to ``size`` of whose items leave fewer than k candidates.

    With ``absence`` the reader may also know one item that the record lacks.
    """
    everything = sorted(set().union(*records)) if records else []
    found = []
    for record in records:
        known = [set(chosen) for n in range(1, size + 1) for chosen in combinations(sorted(record), n)]
        lacking: list[set[str]] = [set()]
        if absence:
            lacking += [{item} for item in everything if item not in record]
        found.append(any(candidates(records, has, lacks) < k for has in known for lacks in lacking))
    return found


def candidates(records: Sequence[Record], has: set[str], lacks: set[str]) -> int:
    """How many records hold all of some items and none of some others."""
    return sum(has <= record and not lacks & record for record in records)


def with_whole_set(records: Sequence[Record]) -> list[int]:
    """How many records hold everything that each record holds."""
    return [sum(record <= other for other in records) for record in records]


def with_exact_set(records: Sequence[Record]) -> list[int]:
    """How many records hold exactly what each record holds."""
    return [sum(record == other for other in records) for record in records]
