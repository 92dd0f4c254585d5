"""Which numbers are far from all others, from the definition: every place for a cut is tried."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction


def far_apart(rows: Sequence[Fraction]) -> tuple[set[Fraction], set[Fraction]]:
    """Far below and above: few rows, beyond a gap wider than the range of all rows but few at each end."""
    ordered, n = sorted(rows), len(rows)
    few = max(n // 100, min(3, n // 20))
    if not few:
        return set(), set()
    bulk = ordered[few : n - few]
    width = bulk[-1] - bulk[0]
    low: set[Fraction] = set()
    high: set[Fraction] = set()
    for cut in range(1, n):
        if width and ordered[cut] - ordered[cut - 1] > width:
            if cut <= few:
                low |= set(ordered[:cut])
            if n - cut <= few:
                high |= set(ordered[cut:])
    return low, high
