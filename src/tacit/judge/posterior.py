"""How sure a reader can become: the largest chance of any sensitive value for any row.

ℓ valid values do not mean a chance of one in ℓ. What counts is the share of all assignments, those
that respect the knowledge, in which a row has a value. With several sensitive attributes the chance
is that of a value of one attribute, whatever the others are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.judge.buckets import Buckets
from tacit.mining.knowledge import NegativeRules


@dataclass(frozen=True, slots=True)
class Posterior:
    """The largest posterior over all rows and values.

    ``error`` is its standard error where it was sampled, 0 where every assignment was counted;
    ``sampled_buckets`` says in how many buckets they were too many to count.
    """

    largest: float
    error: float
    sampled_buckets: int
    above: float
    """The share of rows with some value likelier than one in ℓ."""


def largest_posterior(buckets: Buckets, knowledge: NegativeRules | None, l: int) -> Posterior:
    """The largest posterior of a reader with this knowledge."""
    entries = buckets.entries(knowledge)
    shares = entries.shares
    widths = np.diff(shares.starts)
    entry = np.repeat(np.arange(len(widths)), widths)
    top = np.zeros(len(widths))
    error_of = np.zeros(len(widths))
    for place in range(entries.classes.parts.shape[1]):
        code = entries.classes.parts[shares.values, place]
        keys = entry.astype(np.int64) * (int(code.max(initial=0)) + 1) + code
        _, cell = np.unique(keys, return_inverse=True)
        chances = np.bincount(cell, weights=shares.shares)
        spread = np.sqrt(np.bincount(cell, weights=shares.errors**2))
        owner = np.zeros(len(chances), dtype=np.int64)
        owner[cell] = entry
        order = np.lexsort((chances, owner))
        last = order[np.flatnonzero(np.diff(owner[order], append=-1))]  # each entry's likeliest value
        better = chances[last] > top[owner[last]]
        top[owner[last][better]] = chances[last][better]
        error_of[owner[last][better]] = spread[last][better]
    best = int(top.argmax()) if len(top) else 0
    bucket = np.repeat(np.arange(len(entries.offsets) - 1), np.diff(entries.offsets))
    sampled = np.unique(bucket[entry[shares.errors > 0]])
    # Shares come from whole numbers of at most 20!, so they are within a few units of the last place.
    above = entries.counts[top > 1 / l + 1e-9].sum() / max(1, int(entries.counts.sum()))
    return Posterior(
        largest=float(min(1.0, top[best])) if len(top) else 0.0,
        error=float(error_of[best]) if len(top) else 0.0,
        sampled_buckets=len(sampled),
        above=float(above),
    )
