"""How frequent a hidden pair should look: as frequent as pairs nobody has touched.

A pair that is brought just below the least support stands out, and so does one that never occurs. The
target of each marked pair is therefore the support of an infrequent pair of the data, drawn by the key
from a band of them: neither among the most frequent of the infrequent nor among those that hardly occur.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from tacit.hiding.matrix import Mark
from tacit.kernels.key import Key
from tacit.typing import AnyArray, Counts

BAND = (Fraction(5, 100), Fraction(25, 100))
"""Ranks among the infrequent candidates, from the most frequent down, that targets are drawn from."""

MOST_ITEMS = 2_000
"""Candidates are the pairs of at most so many frequent items."""


def candidate_items(item_supports: Counts, least: int) -> AnyArray:
    """The frequent items whose infrequent pairs serve as examples: evenly chosen by support if many."""
    frequent = np.flatnonzero(item_supports >= least)
    if len(frequent) <= MOST_ITEMS:
        return frequent.astype(np.int32)
    by_support = frequent[np.argsort(-item_supports[frequent], kind="stable")]
    return np.sort(by_support[np.linspace(0, len(by_support) - 1, MOST_ITEMS).astype(np.int64)]).astype(
        np.int32
    )


def infrequent_supports(pair_supports: Counts, least: int) -> Counts:
    """The supports below the least of all pairs of a matrix, descending."""
    upper = pair_supports[np.triu_indices(len(pair_supports), 1)]
    return -np.sort(-upper[upper < least])


def draw_targets(
    marks: Sequence[Mark],
    names: Sequence[str],
    *,
    least: int,
    pairs: Counts,
    items: Counts,
    key: Key,
) -> Counts:
    """A target of each mark, at most ``least - 1`` and at least 1 where that is possible.

    ``pairs`` and ``items`` are supports of infrequent pairs and items, descending.
    """
    targets = []
    for mark in marks:
        examples = items if mark.cause == mark.victim else pairs
        purpose = "hide: target " + "\0".join(sorted(names[item] for item in mark.items))
        drawn = Fraction(key.subkey(purpose).words[0], 2**64)
        rank = BAND[0] + drawn * (BAND[1] - BAND[0])
        target = int(examples[int(rank * len(examples))]) if len(examples) else int((1 - rank) * least)
        targets.append(min(least - 1, max(1, target)))
    return np.array(targets, dtype=np.int64)
