"""Hiding a rule A ⇒ B: by its confidence or by its support, whichever changes fewer transactions.

A rule is not minable when too few transactions hold both sides, or when too few of those that hold A hold
B too. The text names this as future work; the choice between the two is this project's.

By support, the pattern A ∪ B goes to the sanitization matrix, and a pair of it is no longer frequent. By
confidence, transactions lose items until the confidence lies below the threshold, or until the pattern is
too rare where that comes first (see :mod:`tacit.methods.hide.solve.thinning`); the pattern may stay frequent.

A rule that is brought just below the least confidence is found by looking there. Its target is therefore the
confidence of a rule that cannot be mined anyway although its items are frequent, and whose left side is about
as frequent, drawn by the key from the middle of those. Other rules are hidden beside it, as patterns are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np

from tacit.methods.hide.solve.patterns import Frequent, Pattern, SecretRule
from tacit.methods.hide.solve.targets import ALIKE, drawn_rank
from tacit.random.key import Key
from tacit.typing import AnyArray, Counts


@dataclass(frozen=True)
class RuleRoute:
    """How one rule is hidden, and about how many transactions that changes."""

    rule: SecretRule
    way: str
    """``"support"``, ``"confidence"``, or ``"hidden"`` where it is not minable as it is."""
    changed: int


def route_rules(
    rules: Sequence[SecretRule],
    supports: Mapping[Pattern, int],
    pairs: Mapping[tuple[int, int], int],
    *,
    least: int,
    min_confidence: Fraction | None,
) -> list[RuleRoute]:
    """The cheaper way to hide each rule; without a threshold of confidence, by support."""
    routes = []
    for rule in rules:
        both, left = supports[rule.items], supports[rule.antecedent]
        hidden = both < least or (min_confidence is not None and both < min_confidence * left)
        if hidden:
            routes.append(RuleRoute(rule, "hidden", 0))
            continue
        by_support = min(pairs[pair] for pair in combinations(rule.items, 2)) - (least - 1)
        by_confidence = (
            None if min_confidence is None else both - allowed_support(left, min_confidence, least)
        )
        if by_confidence is not None and by_confidence < by_support:
            routes.append(RuleRoute(rule, "confidence", by_confidence))
        else:
            routes.append(RuleRoute(rule, "support", by_support))
    return routes


def allowed_support(antecedent: int, min_confidence: Fraction, least: int) -> int:
    """The largest support of both sides with which a rule is hidden, given the support of its left side."""
    return max(least - 1, math.ceil(min_confidence * antecedent) - 1)


def rule_confidences(
    rules: Sequence[SecretRule], frequent: Frequent, *, min_confidence: Fraction, key: Key
) -> dict[SecretRule, Fraction]:
    """The confidence that each rule should be left with, drawn by the key."""
    found = {}
    examples: dict[tuple[int, int], tuple[Counts, Counts]] = {}
    for rule in rules:
        sides = len(rule.antecedent), len(rule.consequent)
        if sides not in examples:
            _, _, both, left = _splits(*sides, frequent)
            below = both * min_confidence.denominator < min_confidence.numerator * left
            order = np.argsort(left[below], kind="stable")
            examples[sides] = both[below][order], left[below][order]
        both, left = examples[sides]
        named = [frequent.itemsets.vocabulary[item] for item in (*rule.antecedent, *rule.consequent)]
        rank = drawn_rank(key, "hide: rule " + "\0".join(named))
        found[rule] = _like(rule, rank, both, left, frequent, min_confidence)
    return found


def _like(
    rule: SecretRule, rank: Fraction, both: Counts, left: Counts, frequent: Frequent, most: Fraction
) -> Fraction:
    """A confidence from the middle of the rules whose left side is about as frequent as this one's."""
    if not len(both):
        return most * (1 - rank)
    # A left side of several items is looked up where it is frequent, and it is where the rule can be mined.
    items = rule.antecedent
    if len(items) == 1:
        own = int(frequent.item_supports[items[0]])
    else:
        own = _supports_of_length(len(items), frequent).get(items, frequent.least)
    size = min(len(both), max(ALIKE, len(both) // 50))
    first = min(max(0, int(np.searchsorted(left, own)) - size // 2), len(both) - size)
    near = [
        Fraction(one, other)
        for one, other in zip(
            both[first : first + size].tolist(), left[first : first + size].tolist(), strict=True
        )
    ]
    return sorted(near, reverse=True)[int(rank * len(near))]


def routed_rules(
    way: str, sides: tuple[int, ...], frequent: Frequent, min_confidence: Fraction | None
) -> tuple[AnyArray, AnyArray, Counts]:
    """All rules with such sides that can be mined and would be hidden this way: sides, support of both."""
    lefts, rights, both, left = _splits(sides[0], sides[1], frequent)
    if min_confidence is not None:
        mined = both * min_confidence.denominator >= min_confidence.numerator * left
        lefts, rights, both, left = lefts[mined], rights[mined], both[mined], left[mined]
    rules = [
        SecretRule(*map(tuple, both_sides))
        for both_sides in zip(lefts.tolist(), rights.tolist(), strict=True)
    ]
    supports: dict[Pattern, int] = {}
    for rule, n_both, n_left in zip(rules, both.tolist(), left.tolist(), strict=True):
        supports |= {rule.items: n_both, rule.antecedent: n_left}
    routes = route_rules(rules, supports, frequent.pairs, least=frequent.least, min_confidence=min_confidence)
    kept = np.array([route.way == way for route in routes], dtype=np.bool_)
    return lefts[kept], rights[kept], both[kept]


def _splits(one: int, other: int, frequent: Frequent) -> tuple[AnyArray, AnyArray, Counts, Counts]:
    """Every rule of frequent items with sides of these lengths: both sides, their support, the left one's."""
    matrix, supports, _ = frequent.itemsets.of_length(one + other)
    lefts, rights = [], []
    for places in combinations(range(one + other), one):
        rest = [place for place in range(one + other) if place not in places]
        lefts.append(matrix[:, list(places)])
        rights.append(matrix[:, rest])
    all_lefts = np.concatenate(lefts)
    if one == 1:
        left_supports = frequent.item_supports[all_lefts[:, 0]]
    else:
        known = _supports_of_length(one, frequent)
        left_supports = np.array([known[tuple(row)] for row in all_lefts.tolist()], dtype=np.int64)
    return all_lefts, np.concatenate(rights), np.tile(supports, len(lefts)), left_supports


def _supports_of_length(length: int, frequent: Frequent) -> dict[Pattern, int]:
    matrix, supports, _ = frequent.itemsets.of_length(length)
    return {tuple(row): count for row, count in zip(matrix.tolist(), supports.tolist(), strict=True)}
