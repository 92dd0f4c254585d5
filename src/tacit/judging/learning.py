"""The learning attack: guess each row's sensitive value from groups of rows and values (Kifer [1]).

A naive Bayes model of the sensitive value given what a reader knows of each row is learned from the groups
by expectation–maximization: they do not say who has what, but over many of them it shows. A group is a
bucket, or a class of a generalized table, whose exact quasi-identifiers the reader is taken to know. What a
release promises, one guess in ℓ, holds only for a reader who looks at one group.

[1] D. Kifer. Attacks on Privacy and deFinetti's Theorem. SIGMOD 2009.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays.interrupt import interruptible
from tacit.judging.learning_kernel import MOST_CHANCES, learn_shares
from tacit.typing import AnyArray, Bools, Codes, Floats, Offsets

MOST_ROWS = 200_000
"""Larger releases are attacked through every so manieth group."""
MOST_CELLS = 20_000_000
"""The most pairs of a row and a value of its group that the attack holds in memory."""


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
    """The share of right guesses: learned, at random inside the group, and by the commonest value of all."""

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
    """The share of right guesses at random inside the group."""

    @property
    def right(self) -> Bools:
        return np.asarray(self.values == self.truth)

    def surer_than(self, confidence: float) -> Guesses:
        """The guesses of at least this confidence."""
        return self._some(self.confidence >= confidence)

    def among(self, n_rows: int) -> Guesses:
        """The guesses about the first so many rows of the release."""
        return self._some(self.rows < n_rows)

    def _some(self, chosen: Bools) -> Guesses:
        return replace(
            self,
            rows=self.rows[chosen],
            values=self.values[chosen],
            confidence=self.confidence[chosen],
            truth=self.truth[chosen],
        )


def attack_of(guesses: Guesses, values: Codes) -> LearningAttack:
    """How often guesses are right; ``values`` are those of all rows."""
    # Of rows it is equally sure about the first are taken, in the order by content.
    hits = guesses.right[np.argsort(-np.round(guesses.confidence, 9), kind="stable")]
    return LearningAttack(
        accuracy=float(hits.mean()),
        baseline=guesses.by_chance,
        majority=float(np.bincount(values).max() / len(values)),
        rows=len(guesses.rows),
        surest=tuple(surest(hits, share) for share in SUREST),
    )


def step_of(n_rows: int) -> int:
    """Of so many rows, every so manieth group is attacked."""
    return -(-n_rows // MOST_ROWS)


def guessed_values(
    known: Codes,
    ends: Offsets,
    groups: Codes,
    values: Codes,
    *,
    step: int | None = None,
    n_values: int | None = None,
) -> Guesses | None:
    """What a learner guesses of each row; None where that would not fit into memory.

    Row r has the codes ``known[:, r]``, numbered from ``ends`` on, the group ``groups[r]`` and the value
    ``values[r]``. A model is too large where values are nearly as many as rows, and then there is little to
    learn from. Where only the rows of every so manieth group are given, ``step`` says so, and
    ``n_values`` how many values there are in all.
    """
    if not len(groups):
        return None
    n_values = int(values.max()) + 1 if n_values is None else n_values
    n_groups = int(groups.max()) + 1
    step = step_of(len(groups)) if step is None else step
    pairs, counts = np.unique(groups.astype(np.int64) * n_values + values, return_counts=True)
    offsets = np.searchsorted(pairs, np.arange(n_groups + 1) * n_values)
    rows = np.flatnonzero(groups % step == 0)
    # Sums are rounded, each in its order: that of a group's members is by content, never that of the file.
    rows = rows[np.lexsort((*known[::-1, rows], groups[rows]))]
    chosen = np.arange(0, n_groups, step)
    widths = np.diff(offsets)[chosen]
    sizes = np.bincount(groups[rows] // step, minlength=len(chosen))
    starts = np.concatenate([[0], np.cumsum(np.repeat(widths, sizes))]).astype(np.int64)
    if starts[-1] > MOST_CELLS or int(ends[-1]) * n_values > MOST_CHANCES:
        return None
    value_offsets = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
    cells = np.repeat(offsets[chosen] - value_offsets[:-1], widths) + np.arange(value_offsets[-1])
    group_values = (pairs[cells] % n_values).astype(np.int32)
    group_counts = counts[cells].astype(np.int64)
    learned = interruptible(
        learn_shares,
        np.ascontiguousarray(known[:, rows]),
        ends.astype(np.int64),
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        value_offsets,
        group_values,
        group_counts,
        starts,
        n_values,
    )
    member = np.repeat(np.arange(len(rows)), np.diff(starts))
    place = np.arange(starts[-1]) - starts[member]
    order = np.lexsort((-place, learned, member))
    best = order[starts[1:] - 1]  # the largest share of each row, the first value among equals
    group = np.repeat(np.arange(len(chosen)), sizes)
    random_hits = float((group_counts**2 / np.repeat(sizes, widths)).sum())
    return Guesses(
        rows=rows,
        values=group_values[value_offsets[group] + place[best]],
        confidence=learned[best],
        truth=values[rows],
        by_chance=random_hits / len(rows),
    )


def surest(hits: Bools, share: float) -> Surest:
    """How often the learner is right among its surest rows, of which ``hits`` has the surest first."""
    people = min(len(hits), max(FEWEST, math.ceil(share * len(hits))))
    return Surest(share, people, float(hits[:people].mean()))
