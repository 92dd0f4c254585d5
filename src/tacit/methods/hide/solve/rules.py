"""Hiding a rule A ⇒ B: by its confidence or by its support, whichever changes fewer transactions.

A rule is not minable when too few transactions hold both sides, or when too few of those that hold A hold
B too. Taking an item of B out of transactions that hold both sides lowers both and leaves A as frequent as
it was. The text names this as future work; the choice between the two is this project's.

By support, the pattern A ∪ B goes to the sanitization matrix, and a pair of it is no longer frequent. By
confidence, transactions lose an item of B until the confidence lies below the threshold; the pattern may
stay frequent.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np

from tacit.engine.sanitizing import Removal, Sanitizer
from tacit.methods.hide.solve.patterns import Pattern, SecretRule
from tacit.mining.itemsets import Itemsets


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


def thin_rules(
    rules: Sequence[SecretRule],
    removed: Removal,
    sanitizer: Sanitizer[Removal],
    *,
    kept: Itemsets,
    least: int,
    min_confidence: Fraction,
    confidences: Mapping[SecretRule, Fraction],
) -> Removal:
    """The removal with these rules hidden by their confidence in what is left of the transactions.

    Hiding one rule may take items from the left side of another and so raise that one's confidence: the
    rules are gone through until all are hidden. Every round takes items out, so there is a last one.
    ``confidences`` are what each rule should be left with, below the threshold.
    """
    patterns_of = np.bincount(kept.items, minlength=len(kept.vocabulary))
    while True:
        counts = sanitizer.supports(
            [part for rule in rules for part in (rule.items, rule.antecedent)], removed
        )
        open_rules = [
            (rule, int(left))
            for rule, both, left in zip(rules, counts[::2], counts[1::2], strict=True)
            if both > allowed_support(int(left), min_confidence, least)
        ]
        if not open_rules:
            return removed
        rule, left = open_rules[0]
        allowed = allowed_support(left, min_confidence, least)
        # The item that the fewest patterns to keep hold.
        victim = min(rule.consequent, key=lambda item: (int(patterns_of[item]), item))
        keep = max(min(1, allowed), min(allowed, math.floor(confidences[rule] * left)))
        removed = sanitizer.thinned(removed, rule.items, victim, keep=keep)
