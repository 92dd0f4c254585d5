"""Whether rules can be published within a limit: all that reach the thresholds, told alike, or none.

What is told of a rule is settled by the options. The data decide only whether the list is published,
and that test looks at nothing but the list: every table that gives the same list passes or fails alike.
So the fact that a list was published tells a reader who knows this code nothing beyond the list. A
search for the rules that fit would: a score that is missing because it breaks the limit shows that it does.
"""

from __future__ import annotations

from dataclasses import dataclass

from tacit.arrays.interrupt import Flag
from tacit.methods.disclose.solve.counting import counted_posterior
from tacit.methods.disclose.solve.inference import Inference, infer
from tacit.methods.disclose.solve.knowledge import Knowledge, RuleScores, Silence
from tacit.methods.disclose.solve.population import Population
from tacit.methods.disclose.solve.published import PublishedRules
from tacit.methods.disclose.solve.thresholds import Thresholds

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


def judge_rules(
    population: Population,
    eligible: PublishedRules,
    thresholds: Thresholds,
    *,
    with_scores: bool,
    others: tuple[Knowledge, ...] = (),
    flag: Flag | None = None,
) -> JudgedRules:
    """What readers infer from all ``eligible`` rules, told with their scores or without.

    The list is complete, so silence about a pattern is truthful. A reader who reasons from it can have
    smaller posteriors than one who does not: both are judged.
    """
    rules = eligible if with_scores else eligible.without_scores(thresholds)
    known: list[Knowledge] = [RuleScores(rules), *others]
    silence = Silence(population, rules, thresholds)
    readers = tuple(infer(population, sources, flag=flag) for sources in ([*known, silence], known))
    counted = counted_posterior(population, readers[0].constraints)
    return JudgedRules(rules, with_scores, readers, None if counted is None else float(counted.max()))
