"""The attack on those whom a release leaves out: they are missing because of what they hold.

A reader who knows who is in the table sees who is missing, and takes each of them for a holder of the
value that was too frequent: of the values the stated rules allow, the one that the release shows most often.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays.groups import group_rows
from tacit.engine.base import Combinations
from tacit.methods.bucketize.judge.buckets import Buckets
from tacit.mining.knowledge import NegativeRules
from tacit.typing import AnyArray, Bools, Codes, Counts


@dataclass(frozen=True, slots=True)
class LeftOutRisk:
    """What is guessed of the rows left out, of the sensitive attribute that is guessed best."""

    rows: int
    right: int
    """How many are guessed right."""
    frequent: float
    """The largest share that one value has among those of them that cannot have the same values."""


def guess_left_out(shown: Counts, barred: Bools) -> Codes:
    """The value guessed for each row left out; -1 where the rules leave it no value that is shown.

    ``shown`` says how often the release shows each value, ``barred`` which values the stated rules forbid
    to each row: all that a reader needs.
    """
    allowed = np.where(barred, 0, shown)
    return np.where(allowed.any(axis=1), allowed.argmax(axis=1), -1).astype(np.int32)


def attack_left_out(
    buckets: Buckets, everybody: Combinations, rules: NegativeRules | None
) -> LeftOutRisk | None:
    """The attack with its score; None where nobody is left out.

    ``everybody`` are the combinations of the known columns and sensitive attributes in the whole table.
    """
    published, _ = buckets.combinations
    out = _less(everybody, published)
    if not len(out):
        return None
    names = buckets.table.roles.sensitive
    barred = {name: _barred(out, name, rules) for name in names}
    best = LeftOutRisk(out.n_rows, 0, 0.0)
    for place, name in ((out.place(name), name) for name in names):
        shown = _sums(published.codes[:, place], published.counts, len(out.texts[place]))
        truth = out.codes[:, place]
        right = int(out.counts[guess_left_out(shown, barred[name]) == truth].sum())
        frequent = _largest_share(barred, truth, out.counts)
        best = LeftOutRisk(out.n_rows, max(best.right, right), max(best.frequent, frequent))
    return best


def _less(everybody: Combinations, some: Combinations) -> Combinations:
    """The combinations of those who are not among some of everybody."""
    codes = np.vstack([everybody.codes, some.codes])
    groups, _ = group_rows(
        [np.ascontiguousarray(column) for column in codes.T], [len(texts) for texts in everybody.texts]
    )
    counts = _sums(groups, np.concatenate([everybody.counts, -some.counts]))[groups[: len(everybody)]]
    return replace(everybody, codes=everybody.codes[counts > 0], counts=counts[counts > 0])


def _barred(people: Combinations, name: str, rules: NegativeRules | None) -> Bools:
    """Which values of an attribute the rules forbid to each of these people."""
    if rules is None:
        return np.zeros((len(people), len(people.texts[people.place(name)])), dtype=bool)
    return rules.forbidden(people, name)


def _largest_share(barred: dict[str, Bools], truth: Codes, counts: Counts) -> float:
    """The largest share of a value among rows that cannot have the same values of any attribute."""
    _, kinds = np.unique(np.hstack(list(barred.values())), axis=0, return_inverse=True)
    kinds = kinds.ravel()
    pairs, pair_of = np.unique(np.column_stack([kinds, truth]), axis=0, return_inverse=True)
    return float((_sums(pair_of.ravel(), counts) / _sums(kinds, counts)[pairs[:, 0]]).max())


def _sums(places: AnyArray, counts: Counts, size: int = 0) -> Counts:
    """The sum of the counts at each place."""
    return np.bincount(places, weights=counts, minlength=size).astype(np.int64)
