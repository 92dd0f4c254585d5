"""Whether a hidden pattern betrays itself: its place among the patterns that are not frequent anyway.

A reader who suspects that something is hidden looks where it would be: at patterns just below the least
support, and at those far rarer than their parts lead one to expect. Two ranks say how many other
candidates the reader meets first: by support, from the most frequent down, and by residual, from the most
missing down. The expectation of a pair comes from its items, n·p_i·p_j; that of a longer pattern from its
pairs and items, by the superposition of Kirkwood, Π p_ij / Π p_i^(length - 2). The residual is how many
standard deviations the support lies below it.

A pattern's candidates are the infrequent pairs of items that are frequent themselves; a longer pattern is
looked at by its rarest pair as well, since that is where it was broken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from tacit.data.transactions import Transactions
from tacit.engine.choice import engine_for
from tacit.typing import Counts, Floats

MOST_ITEMS = 2_000
"""Candidates are the pairs of at most so many frequent items, the most frequent ones."""


@dataclass(frozen=True)
class Disguise:
    """Ranks of the hidden patterns among the infrequent candidates, as shares; None where there is none."""

    hidden: int
    """Hidden patterns of two and more items that were looked at."""
    candidates: int
    never: int
    """Hidden patterns of which a pair never occurs: nothing in the data does that by itself."""
    median_rank: float | None
    """Half of the patterns have at least this share of candidates above them, by support."""
    least_rank: float | None
    median_residual_rank: float | None
    """The same by residual, from the most missing down."""
    largest_residual: float | None

    def to_dict(self) -> dict[str, Any]:
        """The ranks; none of them names a pattern."""
        return {
            "disguise_rank": self.median_rank,
            "disguise_least_rank": self.least_rank,
            "disguise_residual_rank": self.median_residual_rank,
            "largest_residual": self.largest_residual,
            "never_occurring": self.never,
            "candidates": self.candidates,
        }


def disguise(published: Transactions, hidden: Sequence[frozenset[str]], *, least: int) -> Disguise:
    """Rank the hidden patterns among the infrequent candidates of the published transactions."""
    known = [
        sorted(published.index[name] for name in names) for names in hidden if names <= set(published.index)
    ]
    vanished = len(hidden) - len(known)
    candidates, expected = _candidates(published, least)
    patterns, supports = _with_supports(published, known)
    expectations = np.array(
        [_expected(published, pattern, patterns, supports) for pattern in known], dtype=np.float64
    )
    rarest = np.array(
        [min(supports[patterns[pair]] for pair in combinations(pattern, 2)) for pattern in known],
        dtype=np.int64,
    )
    own = np.array([supports[patterns[tuple(pattern)]] for pattern in known], dtype=np.int64)
    hiding = rarest < least  # what is still frequent has no rank among the infrequent
    ranks = _ranks(-candidates.astype(np.float64), -rarest[hiding].astype(np.float64))
    residuals = _residual(own, expectations)
    residual_ranks = _ranks(-_residual(candidates, expected), -residuals[hiding])
    return Disguise(
        hidden=len(hidden),
        candidates=len(candidates),
        never=vanished + int((rarest == 0).sum()),
        median_rank=_median(ranks),
        least_rank=float(ranks.min()) if len(ranks) else None,
        median_residual_rank=_median(residual_ranks),
        largest_residual=float(residuals.max()) if len(residuals) else None,
    )


def _candidates(published: Transactions, least: int) -> tuple[Counts, Floats]:
    """The supports of the infrequent pairs of frequent items, and what their items lead one to expect."""
    frequent = np.flatnonzero(published.supports >= least)
    frequent = np.sort(frequent[np.argsort(-published.supports[frequent], kind="stable")][:MOST_ITEMS])
    counts = engine_for(published).pair_supports(published, frequent.astype(np.int32))
    one, other = np.triu_indices(len(frequent), 1)
    supports = counts[one, other]
    below = supports < least
    item = published.supports[frequent].astype(np.float64)
    return supports[below], (item[one] * item[other])[below] / max(1, len(published))


def _with_supports(
    published: Transactions, known: Sequence[Sequence[int]]
) -> tuple[dict[tuple[int, ...], int], Counts]:
    """Every pattern and every pair of one, numbered, with their supports."""
    wanted = {tuple(pattern) for pattern in known} | {
        pair for pattern in known for pair in combinations(pattern, 2)
    }
    numbers = {pattern: number for number, pattern in enumerate(sorted(wanted))}
    return numbers, engine_for(published).set_supports(published, list(numbers))


def _expected(
    published: Transactions, pattern: Sequence[int], numbers: dict[tuple[int, ...], int], supports: Counts
) -> float:
    n = max(1, len(published))
    items = published.supports[list(pattern)] / n
    if len(pattern) == 2:
        return float(n * items.prod())
    pairs = np.array([supports[numbers[pair]] for pair in combinations(pattern, 2)]) / n
    return float(n * pairs.prod() / np.maximum(items, 1 / n).prod() ** (len(pattern) - 2))


def _residual(supports: Counts, expected: Floats) -> Floats:
    """How many standard deviations of a count the support lies below what is expected."""
    return np.asarray((expected - supports) / np.sqrt(np.maximum(expected, 1.0)), dtype=np.float64)


def _ranks(candidates: Floats, values: Floats) -> Floats:
    """The share of candidates that come before each value; those equal to it count half."""
    ordered = np.sort(candidates)
    before = np.searchsorted(ordered, values, side="left")
    upto = np.searchsorted(ordered, values, side="right")
    return np.asarray((before + upto) / 2 / max(1, len(ordered)), dtype=np.float64)


def _median(values: Floats) -> float | None:
    return float(np.median(values)) if len(values) else None
