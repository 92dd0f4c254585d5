"""Frequent itemsets straight from their definition: every set of items is counted in every row."""

from collections import Counter
from collections.abc import Collection, Iterable
from itertools import combinations

Found = list[tuple[tuple[int, ...], int]]


def itemsets(
    rows: Iterable[Collection[int]],
    *,
    min_count: int,
    kind: str,
    min_length: int,
    max_length: int,
    allowed: Collection[int],
    required: Collection[int],
) -> Found:
    """The sets with their supports: shorter ones first, then in lexicographic order."""
    held = Counter(frozenset(row) & frozenset(allowed) for row in rows)  # equal rows are counted together
    items = sorted(frozenset().union(*held))
    supports = {}
    for length in range(1, len(items) + 1):
        for chosen in combinations(items, length):
            wanted = frozenset(chosen)
            supports[wanted] = sum(times for row, times in held.items() if wanted <= row)
    found = []
    for chosen, support in supports.items():
        # A superset's support never grows: those with one item more decide what is closed and maximal.
        above = [supports[chosen | {item}] for item in items if item not in chosen]
        wanted = {
            "complete": True,
            "closed": all(other < support for other in above),
            "maximal": all(other < min_count for other in above),
        }[kind]
        in_bounds = min_length <= len(chosen) <= max_length
        if support >= min_count and wanted and in_bounds and chosen.issuperset(required):
            found.append((tuple(sorted(chosen)), support))
    return sorted(found, key=lambda entry: (len(entry[0]), entry[0]))
