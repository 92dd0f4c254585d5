"""Conjunctions, rules and negative rules of a table, straight from the definitions, over rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import prod

Row = Mapping[str, str]
Tree = Mapping[str, str]  # parent of each label; the root is the one label without a parent
Conjunction = frozenset[tuple[str, str]]


def ancestors(tree: Tree, label: str) -> list[str]:
    """The label and everything above it, the root left out."""
    found = []
    while label in tree:
        found.append(label)
        label = tree[label]
    return found


def conjunctions(rows: Sequence[Row], trees: Mapping[str, Tree], max_length: int | None) -> set[Conjunction]:
    """Every conjunction of one to ``max_length`` items that some row matches."""
    found: set[Conjunction] = set()
    for row in rows:
        choices = [[None, *ancestors(tree, row[name])] for name, tree in trees.items()]
        for picked in product(*choices):
            items = frozenset(
                (name, label) for name, label in zip(trees, picked, strict=True) if label is not None
            )
            if items and (max_length is None or len(items) <= max_length):
                found.add(items)
    return found


def matches(row: Row, items: Conjunction, trees: Mapping[str, Tree]) -> bool:
    return all(label in ancestors(trees[name], row[name]) for name, label in items)


def counts(
    rows: Sequence[Row], items: Conjunction, trees: Mapping[str, Tree], sensitive: str
) -> dict[str, int]:
    found: dict[str, int] = {}
    for row in rows:
        if matches(row, items, trees):
            found[row[sensitive]] = found.get(row[sensitive], 0) + 1
    return found


def negative_rules(
    rows: Sequence[Row],
    trees: Mapping[str, Tree],
    sensitive: str,
    *,
    min_expectation: Fraction,
    min_confidence: Fraction = Fraction(1),
    max_length: int | None = None,
    tests_per_rule: int = 1,
    values: Mapping[str, int] | None = None,
) -> set[tuple[Conjunction, str]]:
    """The most general rules X ⇒ ¬s, comparing whole numbers only.

    With ``values``, an attribute counts as so many tests, and several as their product.
    """
    n = len(rows)
    totals: dict[str, int] = {}
    for row in rows:
        totals[row[sensitive]] = totals.get(row[sensitive], 0) + 1
    rules = set()
    for items in conjunctions(rows, trees, max_length):
        tests = prod(values[name] for name, _ in items) if values else tests_per_rule
        level = (1 - min_expectation) / tests
        held = counts(rows, items, trees, sensitive)
        size = sum(held.values())
        for value, total in totals.items():
            rare = Fraction(n - total, n) ** size <= level and total < n
            if rare and Fraction(held.get(value, 0), size) <= 1 - min_confidence:
                rules.add((items, value))
    return {
        (items, value)
        for items, value in rules
        if not any((other, value) in rules for other in generalizations(items, trees))
    }


def generalizations(items: Conjunction, trees: Mapping[str, Tree]) -> Iterator[Conjunction]:
    """Every proper generalization: items left out or replaced by an ancestor."""
    choices = [[(name, label) for label in ancestors(trees[name], label)] + [None] for name, label in items]
    for picked in product(*choices):
        general = frozenset(item for item in picked if item is not None)
        if general != items:
            yield general


def fuzzy_count(values: Sequence[float], low: float, high: float, spread: float) -> float:
    """The sum of memberships in [low, high], falling linearly to 0 over spread × width outside it."""
    fall = spread * (high - low)
    total = 0.0
    for value in values:
        outside = max(low - value, value - high, 0.0)
        if outside == 0:
            total += 1.0
        elif fall > 0:
            total += max(0.0, 1.0 - outside / fall)
    return total
