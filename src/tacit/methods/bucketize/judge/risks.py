"""The known attacks on a bucketized release, measured together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays.groups import group_rows
from tacit.judging.learning import LearningAttack
from tacit.methods.bucketize.judge.buckets import Buckets
from tacit.methods.bucketize.judge.learning import learning_attack
from tacit.methods.bucketize.judge.posterior import Posterior, largest_posterior
from tacit.methods.bucketize.judge.rule_guessing import RuleGuesses, rule_guesses
from tacit.methods.bucketize.judge.vulnerability import vulnerable_rows
from tacit.mining.knowledge import NegativeRules


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
