"""When a pattern Q ⇒ x is published as a rule, decided in whole numbers.

With minimum support s and minimum confidence c, the pattern is a rule exactly when

    count(Q, x) ≥ max(s·n, c·count(Q)),

so a reader who does not find it among the rules knows count(Q, x) ≤ ⌈max(s·n, c·count(Q))⌉ − 1 [1, Eq. 6].

[1] Z. Zhu, G. Wang, W. Du. Deriving Private Information from Association Rule Mining Results. ICDE 2009.

How many patterns Q ⇒ x a table has: what a reader would have to think of without pruning.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tacit.methods.disclose.solve.population import Population
from tacit.ranges import as_fraction
from tacit.typing import AnyArray, Bools, Counts, Threshold


@dataclass(frozen=True)
class Thresholds:
    """A minimum support (in people, exactly) and a minimum confidence; the longest antecedent mined."""

    support: Fraction
    confidence: Fraction
    max_length: int | None = None

    def least(self, matching: AnyArray) -> Counts:
        """The smallest count(Q, x) of a rule, by count(Q)."""
        top, bottom = self.confidence.numerator, self.confidence.denominator
        by_support = -(-self.support.numerator // self.support.denominator)
        by_confidence = -(-(matching.astype(np.int64) * top) // bottom)
        return np.asarray(np.maximum(by_support, by_confidence))

    def settles_longer(self, matching: AnyArray, counts: AnyArray) -> Bools:
        """Where silence about Q ⇒ x implies silence about every longer pattern (Theorem 3).

        That is where c·count(Q) ≤ s·n, and Q ⇒ x is not a rule: longer patterns then face the same
        bound s·n, and their counts are no larger.
        """
        light = matching <= int(self.support / self.confidence)
        return np.asarray(light & (counts < self.least(np.zeros(1, dtype=np.int64))))


def thresholds_of(
    min_support: Threshold, min_confidence: Threshold, n_rows: int, *, max_length: int | None = None
) -> Thresholds:
    """Thresholds as a person gives them: a count is an int, a share a float or Decimal."""
    share = as_fraction(min_support)
    confidence = as_fraction(min_confidence)
    assert share is not None and confidence is not None
    support = Fraction(min_support) if isinstance(min_support, int) else share * n_rows
    return Thresholds(max(Fraction(1), support), confidence, max_length)


MOST_STEPS = 200_000_000
"""Above so many (set of attributes, combination) pairs the patterns are not counted."""


def count_patterns(population: Population) -> int | None:
    """The conjunctions over some attributes that occur, times the sensitive values; None for too many."""
    levels = population.levels
    if (len(population) << len(levels)) > MOST_STEPS:
        return None
    total = 0
    stack = [(np.zeros(len(population), dtype=np.int64), np.arange(len(population)), 0)]
    while stack:
        groups, rows, begin = stack.pop()
        for place in range(begin, len(levels)):
            number, node_of = levels[place]
            nodes = node_of[population.codes[rows, number]]
            inside = nodes >= 0
            n_nodes = population.attributes[number].n_nodes
            keys = groups[inside] * n_nodes + nodes[inside]
            distinct, numbers = np.unique(keys, return_inverse=True)
            total += len(distinct)
            after = place + 1
            while after < len(levels) and levels[after][0] == number:
                after += 1
            if after < len(levels):
                stack.append((numbers, rows[inside], after))
    return total * population.n_values
