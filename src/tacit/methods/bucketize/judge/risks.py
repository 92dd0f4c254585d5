"""The known attacks on a bucketized release, measured together.

- Values: which rows a reader with knowledge narrows to fewer than ℓ sensitive values (Injector [1], VI-A).
- Posterior: ℓ valid values do not mean a chance of one in ℓ. What counts is the share of all assignments,
  those that respect the knowledge, in which a row has a value; with several sensitive attributes, a value of
  one of them, whatever the others are.
- Learning, from all buckets and no rule; see :mod:`tacit.judging.learning`.
- Counting: the value that a row has in most assignments. Where many rows share a bucket there is little to
  learn, and the rules may still tell: a ward where two diseases are treated leaves a choice of two.
- Who is left out: a reader who knows who is in the table sees who is missing, and takes each of them for a
  holder of the value that was too frequent: of those the rules allow, the one that is shown most often.

[1] T. Li, N. Li. Injector: Mining Background Knowledge for Data Anonymization. ICDE 2008.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays.bitmaps import unpack
from tacit.arrays.compiled import interruptible
from tacit.arrays.groups import first_largest, group_rows
from tacit.engine.base import Combinations
from tacit.judging.learning import (
    SUREST,
    Guesses,
    LearningAttack,
    Surest,
    attack_of,
    guessed_values,
    n_surest,
    surest,
)
from tacit.knowledge.assignment_counts import scaled
from tacit.knowledge.reachability import valid_counts
from tacit.methods.bucketize.judge.buckets import Buckets, Entries
from tacit.mining.knowledge import NegativeRules
from tacit.typing import AnyArray, Bools, Codes, Counts, Floats


@dataclass(frozen=True, slots=True)
class BucketRisks:
    """What readers could learn from a bucketized release.

    ``vulnerable`` rows have fewer than ℓ valid values for a reader who knows the ``rules``;
    ``vulnerable_longer`` for one who knows the ``longer_rules``, one attribute longer and mined at a
    lower expectation, which the promise does not cover.
    ``unique`` is the share of rows alone with their quasi-identifiers and kept columns.
    """

    rows: int
    buckets: int
    l: int
    rules: int
    vulnerable: int
    longer_rules: int
    vulnerable_longer: int
    posterior: Posterior
    learning: LearningAttack | None
    unique: float
    rule_guesses: RuleGuesses | None = None
    """Right guesses by the rules and counting alone, without learning; None in a record of before."""


def judge_buckets(buckets: Buckets, rules: NegativeRules, longer: NegativeRules, l: int) -> BucketRisks:
    """Measure every attack on the release."""
    return BucketRisks(
        rows=buckets.n_people,
        buckets=buckets.n_buckets,
        l=l,
        rules=len(rules),
        vulnerable=vulnerable_rows(buckets, rules, l),
        longer_rules=len(longer),
        vulnerable_longer=vulnerable_rows(buckets, longer, l),
        posterior=largest_posterior(buckets, rules, l),
        learning=learning_attack(buckets.as_published),
        unique=unique_rows(buckets.as_published),
        rule_guesses=rule_guesses(buckets, rules),
    )


def unique_rows(buckets: Buckets) -> float:
    """The share of rows that nobody shares the quasi-identifiers and kept columns with."""
    columns, people = buckets.table.known, buckets.rows[: buckets.n_people]
    same, _ = group_rows(
        [column.codes[people] for column in columns], [len(column.values) for column in columns]
    )
    return float((np.bincount(same) == 1).sum() / max(1, len(people)))


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
    if not shares.errors.any():
        return top, np.zeros(len(top))
    entry = np.repeat(np.arange(len(top)), np.diff(shares.starts))
    errors = np.where(shares.shares == top[entry], shares.errors, 0.0)
    return top, np.maximum.reduceat(errors, shares.starts[:-1])


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


def vulnerable_rows(buckets: Buckets, knowledge: NegativeRules | None, l: int) -> int:
    """How many rows have fewer than ℓ valid values, on some sensitive attribute."""
    return int(buckets.once(rows_by_values, knowledge)[:l].sum())


def rows_by_values(buckets: Buckets, knowledge: NegativeRules | None) -> Counts:
    """How many rows could have no value, one value, two, and so on."""
    return np.bincount(valid_value_counts(buckets, knowledge), minlength=2)


def valid_value_counts(buckets: Buckets, knowledge: NegativeRules | None) -> Codes:
    """How many values everybody could have: of the sensitive attribute with the fewest."""
    entries = buckets.entries(knowledge)
    classes = entries.classes
    counts = interruptible(
        valid_counts, entries.offsets, entries.members, classes.values, classes.forbidden, classes.parts
    )
    return counts[entries.entry_of[: buckets.n_people]]


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


def learning_attack(buckets: Buckets) -> LearningAttack | None:
    """Attack the release; None where its buckets or its model are too large to hold in memory at once."""
    guesses = buckets.once(learned_guesses)
    if guesses is None:
        return None
    return attack_of(guesses.among(buckets.n_people), buckets.values_held[: buckets.n_people])


def learned_guesses(buckets: Buckets, further: Sequence[Codes] = ()) -> Guesses | None:
    """What a learner guesses of each row, by ``further`` attributes too; None where memory does not do."""
    if not len(buckets):
        return None
    known = np.vstack([buckets.known_codes, *further]).astype(np.int32)
    ends = np.cumsum([0, *np.diff(buckets.known_ends), *(int(one.max()) + 1 for one in further)])
    return guessed_values(known, ends.astype(np.int64), buckets.groups, buckets.values_held)


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
    """The attack with its score; None where nobody is left out. ``everybody`` is the whole table, counted."""
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
