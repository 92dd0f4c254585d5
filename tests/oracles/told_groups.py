"""What stated rules tell of the groups of a table: every original that could have given table and rules.

One quasi-identifier with a hierarchy. A reader sees the published nodes with their values, the rules, and how
these are mined, and knows nobody. A group is told of where every such original has it. What follows from
rules that are not listed is left out here: it is looked at by itself (:mod:`tests.oracles.silence`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product

Rule = tuple[str, str]
"""A node of the quasi-identifier, and the value that nobody there has."""


def told_groups(
    parents: Mapping[str, str], published: Sequence[tuple[str, str]], reader: Mapping[str, object]
) -> dict[str, tuple[int, int]]:
    """Of every node below the root, the fewest and the most rows that it can have."""
    mined: Mapping[str, object] = reader["mined"]  # type: ignore[assignment]
    stated = {(next(iter(rule["when"].values())), rule["value"]) for rule in reader["rules"]}  # type: ignore[attr-defined]
    held, n = Counter(value for _, value in published), len(published)
    level = 1 - Fraction(str(mined["min_expectation"]))
    needed = {
        value: next(c for c in range(1, 100) if Fraction(n - some, n) ** c <= level or some == n)
        for value, some in held.items()
    }
    group = int(str(mined.get("min_group", 0)))
    choices = [list(_spread(parents, published, value)) for value in held]
    found: dict[str, set[int]] = {node: set() for node in parents}
    for chosen in product(*choices):
        counts = {node: sum(one[node] for one in chosen) for node in parents}
        having = dict(zip(held, chosen, strict=True))
        if all(
            not having[value][node] and counts[node] >= max(group, needed[value]) for node, value in stated
        ):
            for node, count in counts.items():
                found[node].add(count)
    return {node: (min(counts), max(counts)) for node, counts in found.items()}


def _spread(
    parents: Mapping[str, str], published: Sequence[tuple[str, str]], value: str
) -> Iterator[dict[str, int]]:
    """The ways in which the holders of a value can be below the nodes that are published of them."""
    shown = Counter(node for node, one in published if one == value)
    ways = [combinations_with_replacement(leaves(parents, node), count) for node, count in shown.items()]
    seen = set()
    for chosen in product(*ways):
        exact = Counter(leaf for some in chosen for leaf in some)
        counts = {node: sum(exact[leaf] for leaf in leaves(parents, node)) for node in parents}
        if (key := tuple(counts.values())) not in seen:
            seen.add(key)
            yield counts


def leaves(parents: Mapping[str, str], node: str) -> list[str]:
    """The leaves below a node, or it alone."""
    below = [one for one, above in parents.items() if above == node]
    return [leaf for one in below for leaf in leaves(parents, one)] if below else [node]
