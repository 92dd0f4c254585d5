"""The learning attack: guess each row's sensitive value from the published tables alone (Kifer [1]).

A naive Bayes model of the sensitive value given the quasi-identifiers is learned from the buckets
by expectation–maximization: the buckets do not say who has what, but over many of them it shows.
What bucketization promises, one guess in ℓ, holds only for a reader who looks at one bucket.

[1] D. Kifer. Attacks on Privacy and deFinetti's Theorem. SIGMOD 2009.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.judge.buckets import Buckets
from tacit.kernels.interrupt import interruptible
from tacit.kernels.learning import MOST_CHANCES, learn_shares

MOST_ROWS = 200_000
"""Larger releases are attacked through every so manieth bucket."""
MOST_CELLS = 20_000_000
"""The most pairs of a row and a value of its bucket that the attack holds in memory."""


@dataclass(frozen=True, slots=True)
class LearningAttack:
    """The share of right guesses: learned, at random inside the bucket, and by the commonest value of all."""

    accuracy: float
    baseline: float
    majority: float
    rows: int


def learning_attack(buckets: Buckets) -> LearningAttack | None:
    """Attack the release; None where its buckets or its model are too large to hold in memory at once.

    A model is that large where values are nearly as many as rows, and then there is little to learn from.
    """
    if not len(buckets):
        return None
    step = -(-len(buckets) // MOST_ROWS)
    entries = buckets.entries(None)
    values = entries.classes.values[entries.members[entries.entry_of]]
    majority = float(np.bincount(values).max() / len(values))
    rows = np.flatnonzero(buckets.groups % step == 0)
    # Sums are rounded, each in its order: that of a bucket's members is by content, never that of the file.
    rows = rows[np.lexsort((*buckets.known_codes[::-1, rows], buckets.groups[rows]))]
    chosen = np.arange(0, buckets.n_buckets, step)
    widths = np.diff(entries.offsets)[chosen]
    sizes = np.bincount(buckets.groups[rows] // step, minlength=len(chosen))
    starts = np.concatenate([[0], np.cumsum(np.repeat(widths, sizes))]).astype(np.int64)
    if starts[-1] > MOST_CELLS or int(buckets.known_ends[-1]) * entries.classes.n_values > MOST_CHANCES:
        return None
    value_offsets = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
    # Without knowledge a bucket's entries are its values; take those of the chosen buckets.
    cells = np.repeat(entries.offsets[chosen] - value_offsets[:-1], widths) + np.arange(value_offsets[-1])
    group_values = entries.classes.values[entries.members[cells]]
    group_counts = entries.counts[cells]
    learned = interruptible(
        learn_shares,
        np.ascontiguousarray(buckets.known_codes[:, rows]),
        buckets.known_ends,
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        value_offsets,
        group_values,
        group_counts,
        starts,
        entries.classes.n_values,
    )
    member = np.repeat(np.arange(len(rows)), np.diff(starts))
    place = np.arange(starts[-1]) - starts[member]
    order = np.lexsort((-place, learned, member))
    best = order[starts[1:] - 1]  # the largest share of each row, the first value among equals
    bucket = np.repeat(np.arange(len(chosen)), sizes)
    guess = group_values[value_offsets[bucket] + place[best]]
    random_hits = float((group_counts**2 / np.repeat(sizes, widths)).sum())
    return LearningAttack(
        accuracy=float((guess == values[rows]).mean()),
        baseline=random_hits / len(rows),
        majority=majority,
        rows=len(rows),
    )
