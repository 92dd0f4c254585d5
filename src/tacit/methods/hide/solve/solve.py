"""A plan of hiding, and how it is made from a secret and the counts of the data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from tacit.engine.sanitizing import HitCounts, Sanitizer
from tacit.methods.hide.solve.decoys import PATTERN, Thing, block_of
from tacit.methods.hide.solve.matrix import (
    Probabilities,
    SanitizationMatrix,
    certified_probabilities,
    make_matrix,
    paper_probabilities,
)
from tacit.methods.hide.solve.patterns import Frequent, Pattern, Secret, SecretRule, sensitive_mask
from tacit.methods.hide.solve.rules import RuleRoute, route_rules, rule_confidences
from tacit.methods.hide.solve.targets import Targets, example_items, make_examples
from tacit.mining.itemsets import Itemsets
from tacit.random.key import Key
from tacit.typing import Bools, Counts


@dataclass(frozen=True, eq=False)
class Sliding:
    """The parameters of the method with sliding windows."""

    disclosure: Fraction
    window: int


@dataclass(frozen=True, eq=False)
class Plan:
    """What will be done to the transactions; one of probabilities, limits and sliding is there."""

    frequent: Frequent
    named: tuple[Pattern, ...]
    """The frequent patterns that are secret, without those that contain another of them."""
    sensitive: Bools
    """Which frequent patterns are secret or contain one that is; ``frequent.sensitive`` counts decoys too."""
    seeds: tuple[Pattern, ...]
    """The frequent patterns that the matrix or the windows must break: the secret ones and their decoys."""
    matrix: SanitizationMatrix
    hits: HitCounts
    routes: tuple[RuleRoute, ...]
    min_confidence: Fraction | None
    thinned_rules: tuple[SecretRule, ...] = ()
    """The rules to be hidden by their confidence, in an order that does not tell which are secret.

    Without decoys also those that were hidden as the data stood: taking items from their left side may raise
    them. With decoys nothing may be done for these, because nothing is done for what could have been in
    their place.
    """
    confidences: Mapping[SecretRule, Fraction] = field(default_factory=dict)
    """What each rule that is hidden by its confidence should be left with, where that is drawn."""
    probabilities: Probabilities | None = None
    limits: Counts | None = None
    sliding: Sliding | None = None

    @property
    def least(self) -> int:
        """The least support of a frequent pattern."""
        return self.frequent.least

    @property
    def decoys(self) -> tuple[Pattern, ...]:
        """The patterns that are hidden only so that the secret ones are some of several."""
        secret = set(self.named)
        return tuple(seed for seed in self.seeds if seed not in secret)

    @property
    def decoy_rules(self) -> tuple[SecretRule, ...]:
        """The rules that are hidden by their confidence only so that the secret ones are some of several."""
        secret = {route.rule for route in self.routes}
        return tuple(rule for rule in self.thinned_rules if rule not in secret)

    def expected_changes(self) -> float:
        """About how many items will be taken out, overlaps counted twice."""
        if self.probabilities is not None:
            high, low = self.probabilities.high, self.probabilities.low
            gone = (self.hits.positive * (1 - high)).sum()
            gone += ((self.hits.hits - self.hits.positive) * (1 - low)).sum()
        elif self.limits is not None:
            gone = (self.hits.hits - self.limits).clip(0).sum()
        else:
            assert self.sliding is not None
            gone = float(1 - self.sliding.disclosure) * self.hits.hits.sum()
        return float(gone) + sum(route.changed for route in self.routes if route.way == "confidence")

    def _expected(self, number: int) -> float:
        """In how many transactions a marked pair is expected to stay."""
        if self.limits is not None:
            return float(min(self.hits.hits[number], self.limits[number]))
        assert self.probabilities is not None
        positive = float(self.hits.positive[number])
        others = float(self.hits.hits[number]) - positive
        return positive * float(self.probabilities.high[number]) + others * float(
            self.probabilities.low[number]
        )

    def to_dict(self) -> dict[str, Any]:
        """The plan in plain values, for the private record."""
        names, marks = self.matrix.names, []
        for number, mark in enumerate(self.matrix.marks):
            entry: dict[str, Any] = {
                "pair": names(mark.items),
                "victim": " or ".join(names((mark.victim,) if self.limits is None else mark.items)),
                "support": int(self.hits.hits[number]),
                "expected": self._expected(number),
            }
            if self.probabilities is not None:
                entry["stays_with"] = {
                    "positive": float(self.probabilities.high[number]),
                    "other": float(self.probabilities.low[number]),
                }
            if self.limits is not None:
                entry["limit"] = int(self.limits[number])
            marks.append(entry)
        plan: dict[str, Any] = {
            "patterns": [names(seed) for seed in self.named],
            "decoys": [names(seed) for seed in self.decoys],
            "marked": marks,
            "matrix": self.matrix.to_dict() if self.limits is None else [],
            "rules": [
                dict(zip(("antecedent", "consequent"), map(names, route.rule.sides), strict=True))
                | {"way": route.way}
                for route in self.routes
            ],
        }
        if self.decoy_rules:
            plan["decoy_rules"] = [[names(side) for side in rule.sides] for rule in self.decoy_rules]
        if self.sliding is not None:
            plan["disclosure"] = str(self.sliding.disclosure)
            plan["window"] = self.sliding.window
        return plan


@dataclass(frozen=True)
class Wish:
    """What is asked of the solver; ``bound`` is σ·|D|, ``least`` the least whole number that reaches it."""

    least: int
    bound: Fraction
    confidence: Fraction
    method: str = "matrix"
    policy: str = "certified"
    targets: str = "drawn"
    min_confidence: Fraction | None = None
    disclosure: Fraction | None = None
    window: int = 5_000
    decoys: int = 0


def solve(
    secret: Secret, itemsets: Itemsets, item_supports: Counts, sanitizer: Sanitizer[Any], key: Key, wish: Wish
) -> Plan:
    """The plan that hides the secret; ``itemsets`` are the frequent patterns of two and more items."""
    supports = _supports(secret, sanitizer)
    nothing = np.zeros(len(itemsets), dtype=np.bool_)
    frequent = Frequent(itemsets, nothing, item_supports, wish.least)
    pairs = frequent.pairs if secret.rules else {}
    routes = route_rules(secret.rules, supports, pairs, least=wish.least, min_confidence=wish.min_confidence)
    secrets = [Thing(PATTERN, (one,)) for one in secret.patterns if supports[one] >= wish.least]
    secrets += [Thing(route.way, route.rule.sides) for route in routes if route.way != "hidden"]
    hidden = set(secrets)
    if wish.decoys:
        block = block_of(secrets, frequent, wish.min_confidence, decoys=wish.decoys, key=key)
        hidden = {thing for one in block for thing in one}
    named, seeds = (
        _minimal({thing.items for thing in things if thing.way != "confidence"})
        for things in (secrets, hidden)
    )
    sensitive = sensitive_mask(itemsets, named)
    frequent = replace(frequent, sensitive=sensitive_mask(itemsets, seeds) if wish.decoys else sensitive)
    rules = {SecretRule(*thing.sides) for thing in hidden if thing.way == "confidence"}
    if not wish.decoys:
        rules |= {route.rule for route in routes if route.way == "hidden"}
    thinned: dict[str, Any] = {"thinned_rules": tuple(sorted(rules))}
    if wish.min_confidence is not None and wish.targets == "drawn":
        thinned["confidences"] = rule_confidences(
            thinned["thinned_rules"], frequent, min_confidence=wish.min_confidence, key=key
        )

    if wish.method == "swa":
        counts = sanitizer.supports(seeds)
        disclosure = largest_disclosure(counts, wish.least) if wish.disclosure is None else wish.disclosure
        thinned["sliding"] = Sliding(disclosure, wish.window)
        matrix = SanitizationMatrix(itemsets.vocabulary, (), {})
        hits = HitCounts(counts, np.zeros_like(counts))
    else:
        targets = _targets(frequent, sanitizer, key, wish)
        matrix = make_matrix(seeds, frequent, targets)
        hits = sanitizer.hits(matrix.columns, len(matrix.marks))
    plan = Plan(
        frequent, named, sensitive, seeds, matrix, hits, tuple(routes), wish.min_confidence, **thinned
    )
    return plan if wish.method == "swa" else _with_policy(plan, targets, wish)


def _with_policy(plan: Plan, targets: Targets, wish: Wish) -> Plan:
    """The plan with the probabilities or the limits of a policy."""
    if wish.policy == "paper":
        probabilities = paper_probabilities(
            plan.matrix, plan.frequent, plan.hits, bound=wish.bound, confidence=float(wish.confidence)
        )
        return replace(plan, probabilities=probabilities)
    aims = np.array([targets.of(mark.items) for mark in plan.matrix.marks], dtype=np.int64)
    if wish.policy == "exact":
        return replace(plan, limits=aims)
    probabilities = certified_probabilities(
        plan.hits,
        least=wish.least,
        bound=wish.bound,
        confidence=wish.confidence,
        targets=aims if wish.targets == "drawn" else None,
    )
    return replace(plan, probabilities=probabilities)


def largest_disclosure(supports: Counts, least: int) -> Fraction:
    """The largest share of a pattern's transactions that may keep it with every pattern infrequent."""
    return min((Fraction(least - 1, int(support)) for support in supports), default=Fraction(1))


def _targets(frequent: Frequent, sanitizer: Sanitizer[Any], key: Key, wish: Wish) -> Targets:
    supports, least, n_rows = frequent.item_supports, frequent.least, sanitizer.n_rows
    names = frequent.itemsets.vocabulary
    if wish.targets == "limit" or wish.policy == "paper":
        return Targets(least, n_rows, names, supports)
    items = example_items(supports, least)
    examples = make_examples(items, sanitizer.pair_supports(items), supports, n_rows, least)
    return Targets(least, n_rows, names, supports, examples, key)


def _supports(secret: Secret, sanitizer: Sanitizer[Any]) -> dict[Pattern, int]:
    wanted = {*secret.patterns}
    for rule in secret.rules:
        wanted |= {rule.items, rule.antecedent}
    asked = sorted(wanted)
    return dict(zip(asked, sanitizer.supports(asked).tolist(), strict=True))


def _minimal(patterns: Iterable[Pattern]) -> tuple[Pattern, ...]:
    """The patterns that contain no other of them: breaking these breaks all."""
    kept: list[frozenset[int]] = []
    for pattern in sorted(map(frozenset, patterns), key=len):
        if not any(smaller <= pattern for smaller in kept):
            kept.append(pattern)
    return tuple(sorted((tuple(sorted(pattern)) for pattern in kept), key=lambda one: (len(one), one)))
