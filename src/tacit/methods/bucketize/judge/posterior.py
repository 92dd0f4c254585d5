"""How sure a reader can become: the largest chance of any sensitive value for any row.

ℓ valid values do not mean a chance of one in ℓ. What counts is the share of all assignments, those
that respect the knowledge, in which a row has a value. With several sensitive attributes the chance
is that of a value of one attribute, whatever the others are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.methods.bucketize.judge.buckets import Buckets, Entries, Shares
from tacit.mining.knowledge import NegativeRules
from tacit.typing import Floats


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
    top, error_of = likeliest(entries)
    best = int(top.argmax())
    entry = np.searchsorted(shares.starts, np.flatnonzero(shares.errors), side="right") - 1
    sampled = np.unique(np.searchsorted(entries.offsets, entry, side="right"))
    # Shares come from whole numbers of at most 20!, so they are within a few units of the last place.
    above = (top[entries.entry_of[: buckets.n_people]] > 1 / l + 1e-9).sum() / buckets.n_people
    return Posterior(
        largest=float(min(1.0, top[best])),
        error=float(error_of[best]),
        sampled_buckets=len(sampled),
        above=float(above),
    )


def likeliest(entries: Entries) -> tuple[Floats, Floats]:
    """The posterior of each entry's likeliest value, and its standard error."""
    shares = entries.shares
    if len(entries.classes.attributes) > 1:
        return _by_attribute(entries)
    top = np.maximum.reduceat(shares.shares, shares.starts[:-1])
    return top, _errors_at_top(shares, top) if shares.errors.any() else np.zeros(len(top))


def _errors_at_top(shares: Shares, top: Floats) -> Floats:
    """The standard error of each entry's likeliest value."""
    entry = np.repeat(np.arange(len(top)), np.diff(shares.starts))
    likeliest = np.where(shares.shares == top[entry], shares.errors, 0.0)
    return np.maximum.reduceat(likeliest, shares.starts[:-1])


def _by_attribute(entries: Entries) -> tuple[Floats, Floats]:
    """The likeliest value of any one attribute for each entry, and its standard error."""
    shares = entries.shares
    widths = np.diff(shares.starts)
    entry = np.repeat(np.arange(len(widths)), widths)
    top = np.zeros(len(widths))
    error_of = np.zeros(len(widths))
    for place in range(entries.classes.parts.shape[1]):
        code = entries.classes.parts[shares.values, place]
        keys = entry.astype(np.int64) * (int(code.max(initial=0)) + 1) + code
        _, first, cell = np.unique(keys, return_index=True, return_inverse=True)
        chances = np.bincount(cell, weights=shares.shares)
        spread = np.sqrt(np.bincount(cell, weights=shares.errors**2))
        owner = entry[first]
        order = np.lexsort((chances, owner))
        last = order[np.flatnonzero(np.diff(owner[order], append=-1))]  # each entry's likeliest value
        better = chances[last] > top[owner[last]]
        top[owner[last][better]] = chances[last][better]
        error_of[owner[last][better]] = spread[last][better]
    return top, error_of
