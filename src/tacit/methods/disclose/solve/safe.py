"""Whether rules can be published within a limit: all that reach the thresholds, told alike, or none.

What is told of a rule is settled by the options. The data decide only whether the list is published,
and that test looks at nothing but the list: every table that gives the same list passes or fails alike.
So the fact that a list was published tells a reader who knows this code nothing beyond the list. A
search for the rules that fit would: a score that is missing because it breaks the limit shows that it does.

Where some rules of a list have scores and others have none, a reader who knows that scores were left
out *because* they would pass the limit concludes that they do: the count of such a rule is at least the
smallest one that, told besides the rest, would give somebody a posterior above the limit. That attack takes
what the reader has: the published list, the limit, and the quasi-identifiers of everybody.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays.compiled import Flag
from tacit.errors import InputError, ResourceError
from tacit.methods.disclose.rules_file import rules_as_published, rules_from_json
from tacit.methods.disclose.solve.bounds import counted_posterior
from tacit.methods.disclose.solve.constraints import Reduced, joined, presolve
from tacit.methods.disclose.solve.inference import Inference, infer
from tacit.methods.disclose.solve.knowledge import Knowledge, RuleScores, Silence
from tacit.methods.disclose.solve.population import Population, Thresholds, thresholds_of
from tacit.methods.disclose.solve.published import PublishedRules
from tacit.ranges import parse_threshold
from tacit.typing import Counts

TOLERANCE = 1e-9
"""A posterior may pass the limit by so much: the verifier, which recomputes it, allows the same."""


@dataclass(frozen=True, eq=False)
class JudgedRules:
    """The rules as they are told, and what each reader infers from them."""

    rules: PublishedRules
    with_scores: bool
    """Whether every rule has its scores; if not, none has."""
    readers: tuple[Inference, ...]
    """One who reasons from silence, and one who does not."""
    counted: float | None
    """The largest posterior of a reader who counts tables; None where there are too many."""

    @property
    def max_posterior(self) -> float:
        """The largest posterior of any value of anybody, for any of these readers."""
        expected = (float(reader.by_combination.max(initial=0.0)) for reader in self.readers)
        return max(*expected, self.counted or 0.0)

    def keeps(self, max_posterior: float) -> bool:
        """Whether no reader has a larger posterior than this."""
        return self.max_posterior <= max_posterior + TOLERANCE


@dataclass(frozen=True, eq=False)
class Telling:
    """All rules that reach the thresholds, told with scores or without, to readers who know ``others``."""

    eligible: PublishedRules
    thresholds: Thresholds
    with_scores: bool
    others: tuple[Knowledge, ...] = ()

    @property
    def rules(self) -> PublishedRules:
        return self.eligible if self.with_scores else self.eligible.without_scores(self.thresholds)

    def left(self) -> Reduced | None:
        """What a reader of the rules has to solve; None where they alone settle what somebody holds.

        A reader who reasons from silence as well knows no less. Nothing is solved for this.
        """
        population, known = self.eligible.population, (RuleScores(self.rules), *self.others)
        constraints = joined([source.constraints(population) for source in known])
        left = presolve(constraints, population.counts, population.n_values)
        return None if not left.impossible and (left.class_of < 0).any() else left

    def judged(self, flag: Flag | None = None) -> JudgedRules:
        """What readers infer.

        The list is complete, so silence about a pattern is truthful. A reader who reasons from it can have
        smaller posteriors than one who does not: both are judged.
        """
        population, rules = self.eligible.population, self.rules
        known: list[Knowledge] = [RuleScores(rules), *self.others]
        alone = infer(population, known, flag=flag)
        silence = Silence(population, rules, self.thresholds)
        readers = (infer(population, [*known, silence], flag=flag, less=alone), alone)
        counted = counted_posterior(population, readers[0].constraints)
        return JudgedRules(
            rules, self.with_scores, readers, None if counted is None else float(counted.max())
        )


MOST_RULES = 30
"""Of so many rules without scores, those about the fewest people, the reader finds the smallest count."""


@dataclass(frozen=True, eq=False)
class MissingScores:
    """What a reader concludes from the scores that are missing beside others."""

    rules: PublishedRules
    """The rules without scores, with what is said of them."""
    least: Counts
    """Per rule, the fewest people that the reader concludes."""
    max_posterior: float
    """The largest posterior of a reader who puts all conclusions together."""

    @property
    def told(self) -> int:
        """Of how many rules the reader concludes more than was published."""
        return int((self.least > self.rules.lowest).sum())

    def right(self, population: Population) -> int:
        """How many of these conclusions are true: for the owner, who has the truth."""
        offsets, units = self.rules.offsets, self.rules.units
        held = population.truth[population.combination_of[units]]
        true = [
            int(held[offsets[place] : offsets[place + 1], value].sum())
            for place, value in enumerate(self.rules.values.tolist())
        ]
        return int(((self.least > self.rules.lowest) & (np.array(true, dtype=np.int64) >= self.least)).sum())


def missing_scores(population: Population, published: bytes, limit: float) -> MissingScores:
    """What a reader of ``rules.json``, who knows the quasi-identifiers, concludes from missing scores."""
    # Everybody is put down with the first value, for their number: the truth is hidden first.
    truth = np.zeros_like(population.truth)
    truth[:, 0] = population.people
    known = replace(population, truth=truth)
    content = json.loads(published)
    written = rules_from_json(published.decode(), "rules.json")
    scored = np.array([rule.support is not None for rule in written], dtype=bool)
    thresholds = thresholds_of(
        parse_threshold(content["min_support"]), parse_threshold(content["min_confidence"]), known.n_rows
    )
    rules = rules_as_published(known, written).without_scores(thresholds, ~scored)
    missing = np.flatnonzero(~scored) if scored.any() else np.zeros(0, dtype=np.int64)
    missing = missing[np.argsort(rules.matching[missing], kind="stable")][:MOST_RULES]
    concluded = rules.lowest.copy()
    if len(missing):
        read = infer(known, [RuleScores(rules)], settle=False)
        concluded[missing] = [_fewest_above(read, rules, place, limit) for place in missing.tolist()]
    most = _largest(known, replace(rules, lowest=concluded))
    return MissingScores(rules.select(missing), concluded[missing], most)


def _fewest_above(read: Inference, rules: PublishedRules, place: int, limit: float) -> int:
    """The smallest count of a rule that would pass the limit, were it told; its bound where none would.

    Sought above the count that the reader expects anyway: from there on posteriors only grow.
    """
    low = max(int(rules.lowest[place]), int(np.ceil(read.held[place] - 1e-6)))
    high = int(rules.matching[place]) + 1
    while low < high:
        middle = (low + high) // 2
        lowest, highest = rules.lowest.copy(), rules.highest.copy()
        lowest[place] = highest[place] = middle
        if _largest(read.population, replace(rules, lowest=lowest, highest=highest)) > limit:
            high = middle
        else:
            low = middle + 1
    return low if low <= rules.matching[place] else int(rules.lowest[place])


def _largest(population: Population, rules: PublishedRules) -> float:
    """The largest posterior; a count too large for any table, or for the solver, counts as certainty."""
    try:
        return float(infer(population, [RuleScores(rules)], settle=False).by_combination.max(initial=0.0))
    except (InputError, ResourceError):
        return 1.0
