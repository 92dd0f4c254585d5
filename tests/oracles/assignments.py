"""Assignments of a bucket's values to its rows, enumerated: what "valid" and "likely" mean by definition."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations


def assignments(values: Sequence[int], forbidden: Sequence[set[int]]) -> list[tuple[int, ...]]:
    """Every way to hand the values out one to one so that no row gets what it cannot have."""
    return [
        way
        for way in permutations(values)
        if all(value not in barred for value, barred in zip(way, forbidden, strict=True))
    ]


def valid_values(values: Sequence[int], forbidden: Sequence[set[int]]) -> list[set[int]]:
    """The values that each row gets in some way."""
    ways = assignments(values, forbidden)
    return [{way[row] for way in ways} for row in range(len(values))]


def shares(values: Sequence[int], forbidden: Sequence[set[int]]) -> list[dict[int, Fraction]]:
    """The share of ways in which each row gets each value."""
    ways = assignments(values, forbidden)
    return [
        {value: Fraction(sum(way[row] == value for way in ways), len(ways)) for value in sorted(set(values))}
        for row in range(len(values))
    ]


def valid_by_matching(values: Sequence[int], forbidden: Sequence[set[int]]) -> list[set[int]]:
    """The same by the paper's checking algorithm (Figure 1): a maximum matching for every pair of rows."""
    rows = range(len(values))
    found: list[set[int]] = []
    for row in rows:
        valid = set()
        for other in rows:
            if values[other] in forbidden[row]:
                continue
            rest_rows = [place for place in rows if place != row]
            rest_values = [values[place] for place in rows if place != other]
            if _has_perfect_matching([forbidden[place] for place in rest_rows], rest_values):
                valid.add(values[other])
        found.append(valid)
    return found


def _has_perfect_matching(forbidden: Sequence[set[int]], values: Sequence[int]) -> bool:
    """Whether every row gets a value of its own, by augmenting paths."""
    holder: list[int | None] = [None] * len(values)

    def find(row: int, seen: set[int]) -> bool:
        for place, value in enumerate(values):
            if value in forbidden[row] or place in seen:
                continue
            seen.add(place)
            if holder[place] is None or find(holder[place], seen):  # type: ignore[arg-type]
                holder[place] = row
                return True
        return False

    return all(find(row, set()) for row in range(len(forbidden)))
