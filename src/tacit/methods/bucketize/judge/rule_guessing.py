"""Guess each row's value by counting: the value it has in most assignments that the known rules allow.

A learner looks at all buckets and at no rule. Where many rows share a bucket there is little to learn from
the buckets, and the rules may still tell: a ward where two diseases are treated leaves a choice of two.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays.bitmaps import unpack
from tacit.arrays.groups import first_largest
from tacit.judging.learning import SUREST, Surest, n_surest, surest
from tacit.knowledge.scaling import scaled
from tacit.methods.bucketize.judge.buckets import Buckets, Entries
from tacit.mining.knowledge import NegativeRules
from tacit.typing import Codes, Counts, Floats


@dataclass(frozen=True, slots=True)
class RuleGuesses:
    """The share of right guesses, of all rows and of those that the reader is surest about."""

    accuracy: float
    surest: tuple[Surest, ...]


def rule_guesses(buckets: Buckets, knowledge: NegativeRules | None) -> RuleGuesses:
    """What a reader with this knowledge guesses, all assignments counting alike."""
    entries = buckets.entries(knowledge)
    shares = _steady_shares(entries)
    starts = entries.shares.starts
    best = first_largest(shares, starts)
    hit = entries.shares.values[best] == entries.classes.values[entries.members]
    people = entries.entry_of[: buckets.n_people]
    sure = np.round(shares[best], 9)[people]
    hits = hit[people]
    # Equally sure rows come in an order that the truth has no part in: by bucket and by what is known.
    rows = _surest_rows(sure, buckets.groups[: len(people)], n_surest(SUREST[-1], len(people)))
    order = rows[np.lexsort((*buckets.known_codes[::-1, rows], buckets.groups[rows], -sure[rows]))]
    return RuleGuesses(float(hits.mean()), tuple(surest(hits[order], share, len(hits)) for share in SUREST))


def _surest_rows(sure: Floats, groups: Codes, most: int) -> Counts:
    """The rows among which the first so many are, by how sure they are and then by bucket."""
    least = np.partition(sure, -most)[-most]
    surer, alike = sure > least, sure == least
    last = np.searchsorted(np.cumsum(np.bincount(groups[alike])), most - surer.sum())
    return np.flatnonzero(surer | (alike & (groups <= last)))


def _steady_shares(entries: Entries) -> Floats:
    """The shares of values; where they were sampled, scaled to what the bucket holds instead.

    A sample of a large bucket may hang on one assignment, and what it says of single rows is then chance.
    """
    found = entries.shares
    shares = found.shares.copy()
    sampled = np.unique(np.searchsorted(found.starts, np.flatnonzero(found.errors), side="right") - 1)
    for bucket in np.unique(np.searchsorted(entries.offsets, sampled, side="right") - 1).tolist():
        low, high = int(entries.offsets[bucket]), int(entries.offsets[bucket + 1])
        begin, end = int(found.starts[low]), int(found.starts[high])
        values = found.values[begin : int(found.starts[low + 1])]
        members, counts = entries.members[low:high], entries.counts[low:high]
        held = np.bincount(entries.classes.values[members], weights=counts, minlength=int(values.max()) + 1)
        barred = unpack(entries.classes.forbidden[members], entries.classes.n_values)[:, values]
        shares[begin:end] = scaled(counts, ~barred, held[values]).ravel()
    return shares
