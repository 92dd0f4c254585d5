"""Which items are held together, by the definition, counted pair by pair."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations


def close_pairs(sets: Sequence[set[str]], *, least: int, farthest: int) -> dict[tuple[str, str], int]:
    """Pairs that ``least`` records hold, by how often their number is doubled to reach that of either."""
    found = {}
    for pair in combinations(sorted(set().union(*sets)), 2):
        both = sum(set(pair) <= one for one in sets)
        either = sum(bool(set(pair) & one) for one in sets)
        doubled = 0
        while both >= least and both * 2**doubled < either:
            doubled += 1
        if both >= least and doubled <= farthest:
            found[pair] = doubled
    return found
