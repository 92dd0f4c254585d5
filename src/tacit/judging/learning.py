"""The learning attack: guess each row's sensitive value from groups of rows and values (Kifer [1]).

A naive Bayes model of the sensitive value given what a reader knows of each row is learned from the groups
by expectation–maximization: they do not say who has what, but over many of them it shows. Given the model,
each member of a group gets a share of each of the group's values, scaled so that members add up to one and
values to how often the group holds them; given the shares, the model is counted again. A group is a bucket,
or a class of a generalized table, whose exact quasi-identifiers the reader is taken to know. What a release
promises, one guess in ℓ, holds only for a reader who looks at one group.

[1] D. Kifer. Attacks on Privacy and deFinetti's Theorem. SIGMOD 2009.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from tacit.arrays.compiled import Flag, interruptible, kernel
from tacit.arrays.groups import first_largest, sorted_rows
from tacit.typing import AnyArray, Bools, Codes, Counts, Floats, Offsets

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
        parts = ("rows", "values", "confidence", "truth")
        return replace(self, **{name: getattr(self, name)[chosen] for name in parts})


def attack_of(guesses: Guesses, values: Codes) -> LearningAttack:
    """How often guesses are right; ``values`` are those of all rows."""
    # Of rows it is equally sure about the first are taken, in the order by content.
    hits = guesses.right[np.argsort(-np.round(guesses.confidence, 9), kind="stable")]
    return LearningAttack(
        accuracy=float(hits.mean()),
        baseline=guesses.by_chance,
        majority=float(np.bincount(values).max() / len(values)),
        rows=len(guesses.rows),
        surest=tuple(surest(hits, share, len(hits)) for share in SUREST),
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
    step = step_of(len(groups)) if step is None else step
    rows = np.flatnonzero(groups % step == 0)
    # Sums are rounded, each in its order: that of a group's members is by content, never that of the file.
    rows = rows[sorted_rows(groups[rows], *known[:, rows])]
    chosen = groups[rows] // step
    n_groups = int(groups.max()) // step + 1
    pairs, counts = np.unique(chosen.astype(np.int64) * n_values + values[rows], return_counts=True)
    value_offsets = np.searchsorted(pairs, np.arange(n_groups + 1) * n_values)
    widths = np.diff(value_offsets)
    sizes = np.bincount(chosen, minlength=n_groups)
    starts = np.concatenate([[0], np.cumsum(np.repeat(widths, sizes))]).astype(np.int64)
    if starts[-1] > MOST_CELLS or int(ends[-1]) * n_values > MOST_CHANCES:
        return None
    group_values = (pairs % n_values).astype(np.int32)
    codes = np.ascontiguousarray(known[:, rows])
    members = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    released = Groups(codes, ends.astype(np.int64), members, value_offsets, group_values, counts, starts)
    learned = interruptible(learn_shares, released, n_values)
    best = first_largest(learned, starts)
    random_hits = float((counts**2 / np.repeat(sizes, widths)).sum())
    return Guesses(
        rows=rows,
        values=group_values[value_offsets[chosen] + best - starts[:-1]],
        confidence=learned[best],
        truth=values[rows],
        by_chance=random_hits / len(rows),
    )


def n_surest(share: float, n_rows: int) -> int:
    """How many the surest are."""
    return min(n_rows, max(FEWEST, math.ceil(share * n_rows)))


def surest(hits: Bools, share: float, n_rows: int) -> Surest:
    """How often a reader is right among the surest of so many rows; ``hits`` has the surest first."""
    people = n_surest(share, n_rows)
    return Surest(share, people, float(hits[:people].mean()))


ROUNDS = 20
"""The most rounds of expectation–maximization; many more make the model surer and the guesses worse."""
ENOUGH = 3e-3
"""Stop once the shares change by no more than this on average."""
SCALINGS = 5
"""How often members and values are scaled in turn inside a round."""
MOST_CHANCES = 50_000_000
"""The model has a chance for each value beside each code; the most that are worth their memory."""


class Groups(NamedTuple):
    """Member r of group g, ``offsets[g] <= r < offsets[g + 1]``, has the codes ``codes[:, r]``.

    They are numbered from ``code_ends[attribute]``. The group holds ``values`` with ``counts`` (CSR).
    """

    codes: Codes
    code_ends: Offsets
    offsets: Offsets
    value_offsets: Offsets
    values: Codes
    counts: Counts
    starts: Offsets
    """Where the shares of each member begin."""


@kernel
def learn_shares(groups: Groups, n_values: int, flag: Flag) -> Floats:
    """The learned share of each value of its group for each member, laid out from ``starts[member]`` on."""
    codes, code_ends, starts = groups.codes, groups.code_ends, groups.starts
    offsets, value_offsets = groups.offsets, groups.value_offsets
    n_attributes, n_members = codes.shape
    shares = np.empty(starts[-1])
    totals = np.zeros(n_values)
    for group in range(len(offsets) - 1):
        first, end = value_offsets[group], value_offsets[group + 1]
        size = offsets[group + 1] - offsets[group]
        for at in range(first, end):
            totals[groups.values[at]] += groups.counts[at]
            for member in range(offsets[group], offsets[group + 1]):
                shares[starts[member] + at - first] = groups.counts[at] / size
    chance = np.empty((code_ends[-1], n_values))
    for _ in range(ROUNDS):
        if flag[0]:
            break
        # Given the shares, count the model again, with one pseudo-count spread over each attribute.
        for attribute in range(n_attributes):
            n_codes = code_ends[attribute + 1] - code_ends[attribute]
            for row in range(code_ends[attribute], code_ends[attribute + 1]):
                for value in range(n_values):
                    chance[row, value] = 1.0 / n_codes
        for group in range(len(offsets) - 1):
            first, end = value_offsets[group], value_offsets[group + 1]
            for member in range(offsets[group], offsets[group + 1]):
                for attribute in range(n_attributes):
                    row = code_ends[attribute] + codes[attribute, member]
                    for at in range(first, end):
                        chance[row, groups.values[at]] += shares[starts[member] + at - first]
        for row in range(len(chance)):
            for value in range(n_values):
                chance[row, value] = np.log(chance[row, value] / (totals[value] + 1.0))
        change = 0.0
        for group in range(len(offsets) - 1):
            change += _share_out(group, groups, chance, shares)
        if change <= ENOUGH * n_members:
            break
    return shares


@kernel
def _share_out(group: int, groups: Groups, chance: Floats, shares: Floats) -> float:
    """The shares of one group given the model; how much they changed."""
    codes, code_ends, starts = groups.codes, groups.code_ends, groups.starts
    offsets, value_offsets = groups.offsets, groups.value_offsets
    first, n_own = value_offsets[group], value_offsets[group + 1] - value_offsets[group]
    low, high = offsets[group], offsets[group + 1]
    table = np.empty((high - low, n_own))
    for member in range(low, high):
        largest = -np.inf
        for at in range(n_own):
            score = np.log(groups.counts[first + at])
            for attribute in range(codes.shape[0]):
                score += chance[code_ends[attribute] + codes[attribute, member], groups.values[first + at]]
            table[member - low, at] = score
            largest = max(largest, score)
        for at in range(n_own):
            table[member - low, at] = np.exp(table[member - low, at] - largest)
    for _ in range(SCALINGS):
        for at in range(n_own):
            column = 0.0
            for member in range(high - low):
                column += table[member, at]
            if column > 0.0:
                for member in range(high - low):
                    table[member, at] *= groups.counts[first + at] / column
        for member in range(high - low):
            row = 0.0
            for at in range(n_own):
                row += table[member, at]
            for at in range(n_own):
                table[member, at] /= row
    change = 0.0
    for member in range(low, high):
        for at in range(n_own):
            change += abs(table[member - low, at] - shares[starts[member] + at])
            shares[starts[member] + at] = table[member - low, at]
    return change
