"""Targets: how frequent a hidden pair should look.

A pair that is brought just below the least support stands out, and
so does one that is far rarer than its items lead one to expect. The target of each marked pair is therefore
the support of an infrequent pair of the data whose items are about as frequent, drawn by the key from the
middle of those. A pair whose items are so frequent that such pairs are hardly ever infrequent stays close
below the least support: being rare is what would give it away.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tacit.random.key import Key
from tacit.typing import AnyArray, Codes, Counts, Floats

BAND = (Fraction(2, 5), Fraction(4, 5))
"""Ranks among the pairs alike, from the most frequent down, that targets are drawn from."""

ALIKE = 100
"""At least so many pairs count as alike, and at least one in fifty."""

MOST_ITEMS = 2_000
"""Examples are the pairs of at most so many frequent items."""


@dataclass(frozen=True, eq=False)
class Examples:
    """Infrequent pairs of frequent items: what one expects by their items, ascending, and their supports."""

    expected: Floats
    supports: Counts
    rare_items: Counts
    """The supports of the infrequent items, descending."""

    def like(self, expected: float) -> Counts:
        """The supports of the pairs whose expectation is nearest, descending."""
        size = min(len(self.supports), max(ALIKE, len(self.supports) // 50))
        middle = int(np.searchsorted(self.expected, expected))
        first = min(max(0, middle - size // 2), len(self.supports) - size)
        return -np.sort(-self.supports[first : first + size])


def example_items(item_supports: Counts, least: int) -> Codes:
    """The frequent items whose infrequent pairs serve as examples: evenly chosen by support if many."""
    frequent = np.flatnonzero(item_supports >= least).astype(np.int32)
    if len(frequent) <= MOST_ITEMS:
        return frequent
    by_support = frequent[np.argsort(-item_supports[frequent], kind="stable")]
    return np.sort(by_support[np.linspace(0, len(by_support) - 1, MOST_ITEMS).astype(np.int64)])


def make_examples(
    items: Codes, pair_supports: Counts, item_supports: Counts, n_rows: int, least: int
) -> Examples:
    """The examples among the pairs of these items, whose supports are the upper half of a matrix."""
    one, other = np.triu_indices(len(items), 1)
    supports = pair_supports[one, other]
    below = supports < least
    alone = item_supports[items].astype(np.float64)
    expected = (alone[one] * alone[other])[below] / max(1, n_rows)
    order = np.lexsort((supports[below], expected))
    rare = item_supports[item_supports < least]
    return Examples(expected[order], supports[below][order], -np.sort(-rare))


def drawn_rank(key: Key, purpose: str) -> Fraction:
    """A rank in the middle of examples, drawn by the key."""
    drawn = Fraction(key.subkey(purpose).words[0], 2**64)
    return BAND[0] + drawn * (BAND[1] - BAND[0])


@dataclass(frozen=True, eq=False)
class Targets:
    """How frequent each marked pair or item may stay: drawn like the examples, or as much as is allowed."""

    least: int
    n_rows: int
    names: Sequence[str]
    item_supports: Counts
    examples: Examples | None = None
    key: Key | None = None

    def of(self, items: Sequence[int]) -> int:
        """The target of a pair or an item: at most ``least - 1``, and at least 1 where that is possible."""
        if self.examples is None or self.key is None:
            return self.least - 1
        if len(items) == 1:
            alike: AnyArray = self.examples.rare_items
        else:
            one, other = (float(self.item_supports[item]) for item in items)
            alike = self.examples.like(one * other / self.n_rows)
        purpose = "hide: target " + "\0".join(sorted(self.names[item] for item in items))
        rank = drawn_rank(self.key, purpose)
        target = int(alike[int(rank * len(alike))]) if len(alike) else int((1 - rank) * self.least)
        return min(self.least - 1, max(1, target))
