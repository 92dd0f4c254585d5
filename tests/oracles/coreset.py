"""A coreset by its definition: every small set keeps its support, or enough of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations


def capped_supports(rows: Sequence[frozenset[int]], size: int, least: int) -> dict[frozenset[int], int]:
    """The support of every set of up to ``size`` items that occurs, but ``least`` at most."""
    counts = Counter(
        frozenset(chosen)
        for row in rows
        for taken in range(1, size + 1)
        for chosen in combinations(sorted(row), taken)
    )
    return {held: min(count, least) for held, count in counts.items()}
