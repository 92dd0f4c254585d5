"""What a table tells of its groups beside what it shows: every original that could have given it.

One quasi-identifier with a hierarchy. A reader sees the published nodes with their values and how rules were
looked for, and knows nobody. Of an original whose own rules leave somebody of a class fewer than ℓ values the
table could not have been made. A group is told of where every other original has it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from math import comb, prod

from tests.oracles.assignments import valid_by_matching

Row = tuple[str, str]
"""A node of the quasi-identifier, and a value."""


def told_groups(
    parents: Mapping[str, str], published: Sequence[Row], reader: Mapping[str, object], l: int
) -> dict[str, tuple[int, int]]:
    """Of every node below the root, the fewest and the most rows that it can have."""
    assert not reader["rules"]
    mined: Mapping[str, object] = reader["mined"]  # type: ignore[assignment]
    held, n = Counter(value for _, value in published), len(published)
    level = 1 - Fraction(str(mined["min_expectation"]))
    needed = {
        value: next(c for c in range(1, 100) if Fraction(n - some, n) ** c <= level or some == n)
        for value, some in held.items()
    }
    below = {node: leaves(parents, node) for node in parents}
    found: dict[str, set[int]] = {node: set() for node in parents}
    for original in _originals(parents, published):
        holders = {node: Counter(dict.fromkeys(held, 0)) for node in parents}
        for rows in original.values():
            for (leaf, value), number in rows.items():
                for node in parents:
                    if leaf in below[node]:
                        holders[node][value] += number
        barred: dict[str, set[str]] = {leaf: set() for leaf in leaves(parents, "*")}
        for node, some in holders.items():
            for value, number in some.items():
                if not number and some.total() >= needed[value]:
                    for leaf in below[node]:
                        barred[leaf].add(value)
        if not any(barred.values()) or all(_fewest(_class(rows, barred)) >= l for rows in original.values()):
            for node, some in holders.items():
                found[node].add(some.total())
    return {node: (min(counts), max(counts)) for node, counts in found.items()}


def originals(parents: Mapping[str, str], published: Sequence[Row]) -> int:
    """How many there are, before it is asked whether the table could have been made of them."""
    return prod(comb(n + len(leaves(parents, node)) - 1, n) for (node, _), n in Counter(published).items())


def _originals(parents: Mapping[str, str], published: Sequence[Row]) -> Iterator[dict[str, Counter[Row]]]:
    """Of every class, its rows by exact value: the ways in which they can be below what is published."""
    cells = Counter(published)
    ways = [combinations_with_replacement(leaves(parents, node), n) for (node, _), n in cells.items()]
    for chosen in product(*ways):
        found: dict[str, Counter[Row]] = {}
        for (node, value), some in zip(cells, chosen, strict=True):
            found.setdefault(node, Counter()).update((leaf, value) for leaf in some)
        yield found


Class = tuple[tuple[str, tuple[str, ...]], ...]
"""Of each row, its value and what rules exclude for it."""


def _class(rows: Counter[Row], barred: Mapping[str, set[str]]) -> Class:
    return tuple(sorted((value, tuple(sorted(barred[leaf]))) for leaf, value in rows.elements()))


@cache
def _fewest(rows: Class) -> int:
    """The fewest values that a row of a class could have."""
    names = sorted({value for value, _ in rows})
    values = [names.index(value) for value, _ in rows]
    barred = [{names.index(one) for one in excluded if one in names} for _, excluded in rows]
    return min(map(len, valid_by_matching(values, barred)))


def leaves(parents: Mapping[str, str], node: str) -> list[str]:
    """The leaves below a node, or it alone."""
    below = [one for one, above in parents.items() if above == node]
    return [leaf for one in below for leaf in leaves(parents, one)] if below else [node]
