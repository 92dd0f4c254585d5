"""The learning attack: guess each row's sensitive value from the published tables alone (Kifer [1]).

A naive Bayes model of the sensitive value given the quasi-identifiers is learned from the buckets
by expectation–maximization: the buckets do not say who has what, but over many of them it shows.
What bucketization promises, one guess in ℓ, holds only for a reader who looks at one bucket.

[1] D. Kifer. Attacks on Privacy and deFinetti's Theorem. SIGMOD 2009.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays.interrupt import interruptible
from tacit.methods.bucketize.judge.buckets import Buckets
from tacit.methods.bucketize.kernels.learning import MOST_CHANCES, learn_shares
from tacit.typing import AnyArray, Bools, Codes, Floats

MOST_ROWS = 200_000
"""Larger releases are attacked through every so manieth bucket."""
MOST_CELLS = 20_000_000
"""The most pairs of a row and a value of its bucket that the attack holds in memory."""


SUREST = (0.01, 0.05, 0.1)
FEWEST = 100
"""Of fewer people the surest are not told apart: a share of a handful says little."""


@dataclass(frozen=True, slots=True)
class Surest:
    """The learner is ``right`` so often among the ``share`` it is surest about, ``people`` in all."""

    share: float
    people: int
    right: float


@dataclass(frozen=True, slots=True)
class LearningAttack:
    """The share of right guesses: learned, at random inside the bucket, and by the commonest value of all."""

    accuracy: float
    baseline: float
    majority: float
    rows: int
    surest: tuple[Surest, ...] = ()


@dataclass(frozen=True, eq=False)
class Guesses:
    """The value guessed of each row (by its place in the release), how sure the guess is, and the truth."""

    rows: AnyArray
    values: Codes
    confidence: Floats
    truth: Codes
    by_chance: float
    """The share of right guesses at random inside the bucket."""

    @property
    def right(self) -> Bools:
        return np.asarray(self.values == self.truth)

    def surer_than(self, confidence: float) -> Guesses:
        """The guesses of at least this confidence."""
        sure = self.confidence >= confidence
        return replace(
            self,
            rows=self.rows[sure],
            values=self.values[sure],
            confidence=self.confidence[sure],
            truth=self.truth[sure],
        )


def learning_attack(buckets: Buckets) -> LearningAttack | None:
    """Attack the release; None where its buckets or its model are too large to hold in memory at once."""
    guesses = learned_guesses(buckets)
    if guesses is None:
        return None
    entries = buckets.entries(None)
    values = entries.classes.values[entries.members[entries.entry_of]]
    # Of rows it is equally sure about the first are taken, in the order by content.
    hits = guesses.right[np.argsort(-np.round(guesses.confidence, 9), kind="stable")]
    return LearningAttack(
        accuracy=float(hits.mean()),
        baseline=guesses.by_chance,
        majority=float(np.bincount(values).max() / len(values)),
        rows=len(guesses.rows),
        surest=tuple(surest(hits, share) for share in SUREST),
    )


def learned_guesses(buckets: Buckets, further: Sequence[Codes] = ()) -> Guesses | None:
    """What a learner guesses of each row; None where that would not fit into memory.

    ``further`` are attributes that the reader knows of each row beside the published columns. A model
    is too large where values are nearly as many as rows, and then there is little to learn from.
    """
    if not len(buckets):
        return None
    known = np.vstack([buckets.known_codes, *further]).astype(np.int32)
    ends = np.cumsum([0, *np.diff(buckets.known_ends), *(int(one.max()) + 1 for one in further)])
    step = -(-len(buckets) // MOST_ROWS)
    entries = buckets.entries(None)
    values = entries.classes.values[entries.members[entries.entry_of]]
    rows = np.flatnonzero(buckets.groups % step == 0)
    # Sums are rounded, each in its order: that of a bucket's members is by content, never that of the file.
    rows = rows[np.lexsort((*known[::-1, rows], buckets.groups[rows]))]
    chosen = np.arange(0, buckets.n_buckets, step)
    widths = np.diff(entries.offsets)[chosen]
    sizes = np.bincount(buckets.groups[rows] // step, minlength=len(chosen))
    starts = np.concatenate([[0], np.cumsum(np.repeat(widths, sizes))]).astype(np.int64)
    if starts[-1] > MOST_CELLS or int(ends[-1]) * entries.classes.n_values > MOST_CHANCES:
        return None
    value_offsets = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
    # Without knowledge a bucket's entries are its values; take those of the chosen buckets.
    cells = np.repeat(entries.offsets[chosen] - value_offsets[:-1], widths) + np.arange(value_offsets[-1])
    group_values = entries.classes.values[entries.members[cells]]
    group_counts = entries.counts[cells]
    learned = interruptible(
        learn_shares,
        np.ascontiguousarray(known[:, rows]),
        ends.astype(np.int64),
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
    random_hits = float((group_counts**2 / np.repeat(sizes, widths)).sum())
    return Guesses(
        rows=rows,
        values=group_values[value_offsets[bucket] + place[best]],
        confidence=learned[best],
        truth=values[rows],
        by_chance=random_hits / len(rows),
    )


def surest(hits: Bools, share: float) -> Surest:
    """How often the learner is right among its surest rows, of which ``hits`` has the surest first."""
    people = min(len(hits), max(FEWEST, math.ceil(share * len(hits))))
    return Surest(share, people, float(hits[:people].mean()))
