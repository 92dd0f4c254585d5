"""What a rule A ⇒ B is worth, all from whole-number counts.

With n records, a = support(A), b = support(B) and ab = support(A ∪ B):

    confidence = ab / a                     lift       = ab·n / (a·b)
    leverage   = ab/n − a·b/n²              conviction = a·(n − b) / (n·(a − ab))
    Jaccard    = ab / (a + b − ab)

Conviction is infinite for a rule without exception.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.typing import Counts, Floats

MEASURES = ("support", "confidence", "lift", "leverage", "conviction", "jaccard")


@dataclass(frozen=True, eq=False)
class RuleCounts:
    """The counts behind a list of rules."""

    n_rows: int
    support: Counts
    antecedent: Counts
    consequent: Counts

    def __len__(self) -> int:
        return len(self.support)

    def select(self, places: np.ndarray) -> RuleCounts:
        """The rules named by an index or a mask."""
        return RuleCounts(self.n_rows, self.support[places], self.antecedent[places], self.consequent[places])

    def measure(self, name: str) -> Floats:
        """One of :data:`MEASURES` for every rule; ``support`` as a share of the records."""
        n, both = float(self.n_rows), self.support.astype(np.float64)
        left, right = self.antecedent.astype(np.float64), self.consequent.astype(np.float64)
        if name == "support":
            return both / n
        if name == "confidence":
            return both / left
        if name == "lift":
            return both * n / (left * right)
        if name == "leverage":
            return both / n - (left / n) * (right / n)
        if name == "jaccard":
            return both / (left + right - both)
        if name == "conviction":
            misses = left - both
            with np.errstate(divide="ignore"):
                return np.where(misses > 0, left * (n - right) / (n * np.maximum(misses, 1.0)), np.inf)
        raise KeyError(name)
