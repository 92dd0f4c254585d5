"""The verb ``safe_rules``: association rules go in, a release of those that stay within a limit comes out.

count → solve → apply are those of :mod:`tacit.disclosure`; here the release is put together: the
published ``rules.json``, the promise, and the private record with the multipliers by which the
independent verifier recomputes every posterior from the original.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from time import process_time
from typing import Any

import numpy as np

from tacit.data.spelling import refuse_look_alikes
from tacit.data.table import Table
from tacit.disclosure.knowledge import Distribution, Knowledge
from tacit.disclosure.population import Population, population_of
from tacit.disclosure.published import PublishedRules, published_rules, value_text
from tacit.disclosure.safe import (
    SCORES,
    THRESHOLDS,
    Limit,
    MaxPosterior,
    MinDivergence,
    SafeChoice,
    choose_safe,
)
from tacit.disclosure.thresholds import Thresholds, thresholds_of
from tacit.engine.base import TableCounting
from tacit.exceptions import InfeasibleError, UsageError
from tacit.judge.channels import Channel, ScoredRule, inference_channels
from tacit.kernels.interrupt import Flag, interruptible
from tacit.mining.measures import MEASURES
from tacit.mining.tables import mine_table_rules
from tacit.parameters import OneOf, Optional, Range, Share, Support, Whole, check
from tacit.publish.disclose import SCORES as SCORE_WORDS
from tacit.publish.records import Records, people_of
from tacit.publish.release import Release
from tacit.publish.rules_files import (
    items_of,
    json_bytes,
    private_record,
    rule_entries,
    rules_content,
)
from tacit.publish.rules_manifest import RulesUtility, rules_manifest, utility_of
from tacit.typing import Bytes, Floats, Progress, Threshold

RANGES: dict[str, Range] = {
    "min_support": Support(),
    "min_confidence": Share(),
    "max_length": Optional(Whole(1)),
    "max_posterior": Optional(Share()),
    "min_divergence": Optional(Share(high=float("inf"))),
    "scores": OneOf(SCORE_WORDS),
    "utility": OneOf(("count", *MEASURES)),
    "k": Optional(Whole(2)),
    "channels": OneOf(("report", "refuse", "repair")),
}


@dataclass(frozen=True)
class RulesRisk:
    """What readers of a rules release infer."""

    max_posterior: float
    max_posterior_without_silence: float
    d_overall: float
    share_above_nine_tenths: float
    residual: float
    channels: int | None
    """Derived groups below k; None where no k was given."""


@dataclass(frozen=True, eq=False)
class RulesRelease(Release):
    """Rules that stay within a limit."""

    table: Table
    choice: SafeChoice
    thresholds: Thresholds
    channels: tuple[Channel, ...] | None
    seconds: float

    def records(self) -> Records | None:
        columns = tuple(attribute.name for attribute in self.choice.rules.population.attributes)
        return people_of(self.table, columns)

    @cached_property
    def _risk(self) -> RulesRisk:
        from tacit.disclosure.result import divergence

        known, alone = self.choice.readers
        people = known.population
        truth = people.truth / people.people[:, None]
        above = np.maximum(known.by_combination, alone.by_combination).max(axis=1) > 0.9
        return RulesRisk(
            max_posterior=float(known.by_combination.max(initial=0.0)),
            max_posterior_without_silence=float(alone.by_combination.max(initial=0.0)),
            d_overall=float(divergence(truth, known.by_combination) @ people.people / people.n_rows),
            share_above_nine_tenths=float(people.people[above].sum() / people.n_rows),
            residual=max(reader.certificate.residual for reader in self.choice.readers),
            channels=None if self.channels is None else len(self.channels),
        )

    def risk(self) -> RulesRisk:
        """What readers with and without reasoning from silence infer."""
        return self._risk

    def utility(self) -> RulesUtility:
        """What is kept of the rules that reach the thresholds."""
        return utility_of(self.choice)

    def to_dict(self) -> dict[str, Any]:
        utility = self.utility()
        return super().to_dict() | {
            "n_rows": self.choice.rules.population.n_rows,
            "count": utility.with_scores + utility.without_scores,
            "rules": rule_entries(self.choice),
            "utility": utility,
            "risk": self.risk(),
            "channels": None if self.channels is None else [str(channel) for channel in self.channels],
            "seconds": self.seconds,
        }

    def __str__(self) -> str:
        risk, utility = self.risk(), self.utility()
        lines = [
            f"{utility.with_scores + utility.without_scores:,} of {utility.eligible:,} rules can be "
            f"published: {utility.with_scores:,} with scores, {utility.without_scores:,} with thresholds "
            f"only; {utility.withheld:,} are withheld.",
            f"The largest posterior is {risk.max_posterior:.4f} for a reader who reasons from silence, "
            f"{risk.max_posterior_without_silence:.4f} for one who does not (residual {risk.residual:.1e}).",
        ]
        if self.channels is not None:
            lines.append(f"{len(self.channels):,} groups below the limit follow from the supports.")
        return "\n".join([*lines, self.manifest.promise.sentence, self.manifest.limits])


def safe_rules(
    table: Table,
    *,
    min_support: Threshold,
    min_confidence: Threshold,
    max_length: int | None = None,
    max_posterior: float | Decimal | None = None,
    min_divergence: float | Decimal | None = None,
    scores: str = "exact",
    distribution: bool = False,
    utility: str = "count",
    k: int | None = None,
    channels: str = "report",
    engine: TableCounting | None = None,
    progress: Progress | None = None,
) -> RulesRelease:
    """The most useful rules that can be published within a limit, as a release.

    Parameters
    ----------
    min_support, min_confidence, max_length
        Which rules are eligible; the thresholds are published.
    max_posterior
        No sensitive value of anybody may have a posterior above this.
    min_divergence
        Instead: nobody's D_individual (in nats) may fall below this.
    scores
        ``exact`` publishes scores where they fit, ``thresholds`` none.
    distribution
        Whether the reader knows the distribution of the sensitive attribute.
    utility
        What a rule is worth: 1 (``count``), or a measure such as ``lift``; half without its scores.
    k, channels
        Groups of fewer than ``k`` people that follow from the supports by subtraction are counted
        (``report``), an error (``refuse``), or avoided by withholding scores (``repair``).
    """
    check(
        "safe_rules",
        RANGES,
        min_support=min_support,
        min_confidence=min_confidence,
        max_length=max_length,
        max_posterior=max_posterior,
        min_divergence=min_divergence,
        scores=scores,
        utility=utility,
        k=k,
        channels=channels,
    )
    limit = _limit(max_posterior, min_divergence)
    for name in table.roles.sensitive:
        refuse_look_alikes(name, table.column(name).texts)
    started = process_time()
    mined = mine_table_rules(
        table, min_support=min_support, min_confidence=min_confidence, max_length=max_length, engine=engine
    )
    population = population_of(table, engine=engine)
    thresholds = thresholds_of(min_support, min_confidence, population.n_rows, max_length=max_length)
    rules = published_rules(population, mined)
    weights = np.ones(len(rules)) if utility == "count" else _worth(mined.measure(utility))
    start = np.full(len(rules), SCORES if scores == "exact" else THRESHOLDS, dtype=np.uint8)
    others: tuple[Knowledge, ...] = (Distribution(),) if distribution else ()

    def work(flag: Flag) -> tuple[SafeChoice, tuple[Channel, ...] | None]:
        return _chosen(
            population, rules, thresholds, limit, weights, start, others, k, channels, progress, flag
        )

    choice, derived = interruptible(work)
    seconds = process_time() - started
    published = json_bytes(rules_content(choice, thresholds, min_support, min_confidence, distribution))
    return RulesRelease(
        manifest=rules_manifest(
            choice, limit, min_support, min_confidence, thresholds, distribution, k, derived
        ),
        files={"rules.json": published},
        private=private_record(choice, published, seconds),
        origin=table.origin,
        table=table,
        choice=choice,
        thresholds=thresholds,
        channels=derived,
        seconds=seconds,
    )


def _chosen(
    population: Population,
    rules: PublishedRules,
    thresholds: Thresholds,
    limit: Limit,
    weights: Floats,
    start: Bytes,
    others: tuple[Knowledge, ...],
    k: int | None,
    channels: str,
    progress: Progress | None,
    flag: Flag,
) -> tuple[SafeChoice, tuple[Channel, ...] | None]:
    """A safe choice, and the channels it leaves; repairing withholds scores until there are none."""
    while True:
        choice = choose_safe(
            population, rules, thresholds, limit,
            weights=weights, start=start, others=others, progress=progress, flag=flag,
        )  # fmt: skip
        if k is None:
            return choice, None
        with_scores = np.flatnonzero(choice.told == SCORES)
        derived = inference_channels(_scored(rules, with_scores), k=k)
        if not derived or channels == "report":
            return choice, derived
        if channels == "refuse":
            raise InfeasibleError(
                f"{len(derived):,} groups of fewer than {k} people follow from the supports, such as "
                f"{derived[0]}.",
                code="inference-channels",
                hint="Let scores be withheld with channels='repair' (--channels repair).",
            )
        start = start.copy()
        start[with_scores[_hitting(derived)]] = THRESHOLDS


def _hitting(channels: Sequence[Channel]) -> list[int]:
    """A few rules such that every channel needs one of them: the one in most channels first."""
    left = [set(channel.rules) for channel in channels]
    chosen = []
    while left:
        counts: dict[int, int] = {}
        for rules in left:
            for rule in rules:
                counts[rule] = counts.get(rule, 0) + 1
        most = max(sorted(counts), key=lambda rule: counts[rule])
        chosen.append(most)
        left = [rules for rules in left if most not in rules]
    return chosen


def _limit(max_posterior: float | Decimal | None, min_divergence: float | Decimal | None) -> Limit:
    if (max_posterior is None) == (min_divergence is None):
        raise UsageError(
            "Safe rules need one limit: the largest posterior, or the smallest divergence.",
            code="limit-missing",
            hint="Give max_posterior (--max-posterior 0.9), or min_divergence.",
        )
    return (
        MaxPosterior(float(max_posterior))
        if max_posterior is not None
        else MinDivergence(float(min_divergence or 0))
    )


def _worth(measure: Floats) -> Floats:
    """A measure as positive finite weights."""
    finite = np.where(
        np.isfinite(measure), measure, np.nanmax(np.where(np.isfinite(measure), measure, 0.0)) + 1
    )
    return np.asarray(np.maximum(finite, 1e-9))


def _scored(rules: PublishedRules, places: np.ndarray) -> list[ScoredRule]:
    return [
        ScoredRule(
            tuple(items_of(rules, place).items()),
            value_text(rules.population.values[int(rules.values[place])]),
            int(rules.matching[place]),
            int(rules.lowest[place]),
        )
        for place in places.tolist()
    ]
