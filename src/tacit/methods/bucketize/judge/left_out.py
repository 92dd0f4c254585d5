"""The attack on those whom a release leaves out: they are missing because of what they hold.

A reader who knows who is in the table sees who is missing, and takes each of them for a holder of the
value that was too frequent: of the values the stated rules allow, the one that the release shows most often.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.data.table import Table
from tacit.engine.base import Combinations
from tacit.methods.bucketize.judge.buckets import Buckets
from tacit.mining.knowledge import NegativeRules
from tacit.typing import Bools, Codes, Counts


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


def attack_left_out(buckets: Buckets, everybody: Table, rules: NegativeRules | None) -> LeftOutRisk | None:
    """The attack with its score; None where nobody is left out."""
    out = np.setdiff1d(np.arange(len(everybody)), buckets.rows)
    if not len(out):
        return None
    barred = _barred(everybody, out, rules)
    best = LeftOutRisk(len(out), 0, 0.0)
    for name in everybody.roles.sensitive:
        column = everybody.column(name)
        shown = np.bincount(column.codes[buckets.rows], minlength=len(column.values))
        truth = column.codes[out]
        right = int((guess_left_out(shown, barred[name]) == truth).sum())
        frequent = _largest_share(barred, truth)
        best = LeftOutRisk(len(out), max(best.right, right), max(best.frequent, frequent))
    return best


def _barred(table: Table, rows: Counts, rules: NegativeRules | None) -> dict[str, Bools]:
    """Per sensitive attribute, the values that the rules forbid to each of these rows."""
    if rules is None:
        return {
            name: np.zeros((len(rows), len(table.column(name).values)), dtype=bool)
            for name in table.roles.sensitive
        }
    names = table.roles.known
    people = Combinations(
        names=names,
        texts=tuple(tuple(table.column(name).texts) for name in names),
        codes=np.column_stack([table.column(name).codes[rows] for name in names]),
        counts=np.ones(len(rows), dtype=np.int64),
    )
    return {name: rules.forbidden(people, name) for name in table.roles.sensitive}


def _largest_share(barred: dict[str, Bools], truth: Codes) -> float:
    """The largest share of a value among rows that cannot have the same values of any attribute."""
    _, kinds = np.unique(np.hstack(list(barred.values())), axis=0, return_inverse=True)
    kinds = kinds.ravel()
    pairs, held = np.unique(np.column_stack([kinds, truth]), axis=0, return_counts=True)
    return float((held / np.bincount(kinds)[pairs[:, 0]]).max())
