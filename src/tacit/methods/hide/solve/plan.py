"""A plan of hiding: the matrix with its probabilities or limits, and the rules to be thinned afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tacit.engine.sanitizing import HitCounts
from tacit.methods.hide.solve.marking import Frequent
from tacit.methods.hide.solve.matrix import SanitizationMatrix
from tacit.methods.hide.solve.patterns import Pattern, SecretRule
from tacit.methods.hide.solve.probabilities import Probabilities
from tacit.methods.hide.solve.rules import RuleRoute
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
    decoy_rules: tuple[SecretRule, ...] = ()
    confidences: Mapping[SecretRule, Fraction] = field(default_factory=dict)
    """What each rule that is hidden by its confidence should be left with."""
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
    def thinned_rules(self) -> tuple[SecretRule, ...]:
        """The rules to be hidden by their confidence, in an order that does not tell which are secret.

        Also those that were hidden as the data stood: taking items from their left side may raise them.
        """
        own = {route.rule for route in self.routes if route.way != "support"}
        return tuple(sorted({*own, *self.decoy_rules}))

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
        name = self.matrix.vocabulary.__getitem__
        marks = []
        for number, mark in enumerate(self.matrix.marks):
            entry: dict[str, Any] = {
                "pair": [name(item) for item in mark.items],
                "victim": name(mark.victim) if self.limits is None else " or ".join(map(name, mark.items)),
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
            "patterns": [[name(item) for item in seed] for seed in self.named],
            "decoys": [[name(item) for item in seed] for seed in self.decoys],
            "marked": marks,
            "matrix": self.matrix.to_dict() if self.limits is None else [],
            "rules": [
                {
                    "antecedent": [name(item) for item in route.rule.antecedent],
                    "consequent": [name(item) for item in route.rule.consequent],
                    "way": route.way,
                }
                for route in self.routes
            ],
        }
        if self.decoy_rules:
            plan["decoy_rules"] = [
                [[name(item) for item in side] for side in (rule.antecedent, rule.consequent)]
                for rule in self.decoy_rules
            ]
        if self.sliding is not None:
            plan["disclosure"] = str(self.sliding.disclosure)
            plan["window"] = self.sliding.window
        return plan
