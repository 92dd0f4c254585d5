"""The verb ``safe_rules``: association rules go in, a release within a limit comes out, or nothing.

All rules that reach the thresholds are published, all with scores or all without as the options say,
or the table is refused: see :mod:`tacit.methods.disclose.solve.safe` for why. Here the release is put
together: the published ``rules.json``, the promise, and the private record with the multipliers by which the
independent verifier recomputes every posterior from the original.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import ceil
from time import process_time
from typing import Any

import numpy as np

from tacit.arrays.compiled import Flag, interruptible
from tacit.data.spelling import refuse_look_alikes
from tacit.data.table import Table
from tacit.errors import InfeasibleError, option
from tacit.judging.figures import RISKS, UTILITY, lines
from tacit.methods.disclose.figures import FIGURES
from tacit.methods.disclose.release import (
    items_of,
    json_bytes,
    private_record,
    rule_entries,
    rules_content,
    rules_manifest,
    whole_columns,
)
from tacit.methods.disclose.result import divergence
from tacit.methods.disclose.solve.channels import Channel, inference_channels
from tacit.methods.disclose.solve.knowledge import Distribution
from tacit.methods.disclose.solve.population import Thresholds, population_of, thresholds_of
from tacit.methods.disclose.solve.published import published_rules, value_text
from tacit.methods.disclose.solve.safe import JudgedRules, MissingScores, Telling, missing_scores
from tacit.methods.disclose.solve.solve import expected_seconds
from tacit.mining.mine import mine_table_rules
from tacit.options import Asked
from tacit.release.published import Release
from tacit.release.records import Records, people_of
from tacit.showing.layout import plural

ENOUGH = 3
"""So many settings that keep the limit are named where those asked for do not."""
WORTH_TRYING = 2.0
"""Settings that take more seconds to solve are not tried for that."""


@dataclass(frozen=True)
class RulesRisk:
    """What readers of a rules release infer."""

    max_posterior: float
    max_posterior_without_silence: float
    counted_posterior: float | None
    """The largest for a reader who counts tables; None where there are too many tables."""
    d_overall: float
    share_above_nine_tenths: float
    residual: float
    channels: int | None
    """Derived groups below k; None where no k was given."""
    missing_scores: int
    """Rules of which a reader who knows the procedure concludes more than is published."""


@dataclass(frozen=True)
class RulesUtility:
    """How many rules are published: all that reach the thresholds."""

    rules: int
    with_scores: int
    """All of them, or none."""


@dataclass(frozen=True, eq=False, repr=False)
class RulesRelease(Release):
    """Rules that stay within a limit."""

    original: Table
    """The private table that they were mined from."""
    judged: JudgedRules
    thresholds: Thresholds
    channels: tuple[Channel, ...] | None
    missing: MissingScores
    seconds: float

    declared = FIGURES

    @property
    def figures(self) -> dict[str, dict[str, Any]]:
        return exact_figures(self.judged, self.channels)

    def records(self) -> Records | None:
        columns = tuple(attribute.name for attribute in self.judged.rules.population.attributes)
        return people_of(self.original, columns)

    @cached_property
    def _risk(self) -> RulesRisk:
        known, alone = self.judged.readers
        people = known.population
        apart = divergence(people.true_shares, known.by_combination)
        above = np.maximum(known.by_combination, alone.by_combination).max(axis=1) > 0.9
        return RulesRisk(
            max_posterior=float(known.by_combination.max(initial=0.0)),
            max_posterior_without_silence=float(alone.by_combination.max(initial=0.0)),
            counted_posterior=self.judged.counted,
            d_overall=float(apart @ people.people / people.n_rows),
            share_above_nine_tenths=float(people.people[above].sum() / people.n_rows),
            residual=max(reader.certificate.residual for reader in self.judged.readers),
            channels=None if self.channels is None else len(self.channels),
            missing_scores=self.missing.told,
        )

    def risk(self) -> RulesRisk:
        """What readers with and without reasoning from silence infer."""
        return self._risk

    def utility(self) -> RulesUtility:
        """How many rules are published."""
        count = len(self.judged.rules)
        return RulesUtility(count, count if self.judged.with_scores else 0)

    def to_dict(self) -> dict[str, Any]:
        utility = self.utility()
        return super().to_dict() | {
            "n_rows": self.judged.rules.population.n_rows,
            "count": utility.rules,
            "rules": rule_entries(self.judged),
            "utility": utility,
            "risk": self.risk(),
            "channels": None if self.channels is None else [str(channel) for channel in self.channels],
            "seconds": self.seconds,
        }

    def __str__(self) -> str:
        risk, utility = self.risk(), self.utility()
        said = [
            f"{plural(utility.rules, 'rule')} can be published, all that reach the thresholds and "
            f"{'all' if self.judged.with_scores else 'none'} with scores.",
            f"A reader who reasons from silence reaches a posterior of {risk.max_posterior:.4f}, one who"
            f" does not {risk.max_posterior_without_silence:.4f} (residual {risk.residual:.1e}).",
        ]
        if risk.counted_posterior is not None:
            said.append(f"By counting all tables that fit it is {risk.counted_posterior:.4f}.")
        told = [*lines(FIGURES, RISKS, self.parts), *lines(FIGURES, UTILITY, self.parts)]
        return "\n".join(
            [
                *said,
                *(f"{title}: {text}." for title, text in told),
                self.manifest.promise_words,
                self.manifest.limits,
            ]
        )


def make_rules(asked: Asked) -> RulesRelease:
    """Make the release that was asked for: the checked arguments of :func:`tacit.safe_rules`."""
    table: Table = asked.table
    for name in table.roles.sensitive:
        refuse_look_alikes(name, table.column(name).texts)
    limit, started = float(asked.max_posterior), process_time()
    reach = {name: vars(asked)[name] for name in ("min_support", "min_confidence", "max_length")}
    mined = mine_table_rules(table, **reach, engine=asked.engine)
    population = population_of(table, engine=asked.engine)
    telling = Telling(
        published_rules(population, mined),
        thresholds_of(**reach, n_rows=population.n_rows),
        asked.scores == "exact",
        (Distribution(),) if asked.distribution else (),
    )

    def work(flag: Flag) -> JudgedRules:
        asked.report("Working out what readers infer", 0.5)
        if limit < 1 and telling.left() is None:
            raise _refusal(1.0, telling, limit, flag)
        judged = telling.judged(flag)
        if not judged.keeps(limit):
            raise _refusal(judged.max_posterior, telling, limit, flag)
        return judged

    derived = None if asked.k is None else _channels(telling, distribution=asked.distribution, k=asked.k)
    if derived and asked.channels == "refuse":
        raise InfeasibleError(
            f"{len(derived):,} groups of fewer than {asked.k} people follow from the supports, such as "
            f"{derived[0]}.",
            code="inference-channels",
            hint=f"Publish no scores with {option('scores', 'thresholds')}, or ask for less.",
        )
    judged = interruptible(work)
    published = json_bytes(rules_content(asked, judged, telling.thresholds))
    missing = missing_scores(population, published, limit)
    seconds = process_time() - started
    exact = exact_figures(judged, derived)
    return RulesRelease(
        manifest=rules_manifest(asked, judged, exact, missing),
        files={"rules.json": published},
        private=private_record(judged, missing, published, seconds, exact),
        origin=table.origin,
        original=table,
        judged=judged,
        thresholds=telling.thresholds,
        channels=derived,
        missing=missing,
        seconds=seconds,
    )


def _channels(telling: Telling, *, distribution: bool, k: int) -> tuple[Channel, ...]:
    """Small groups that follow from the counts that are published."""
    rules = telling.rules
    people = rules.population
    texts = [(people.sensitive, value_text(text)) for text in people.values]
    counts = {frozenset[tuple[str, str]](): people.n_rows}
    if distribution:
        counts |= {
            frozenset([item]): total
            for item, total in zip(texts, people.truth.sum(axis=0).tolist(), strict=True)
        }
    for place in range(len(rules) if telling.with_scores else 0):
        items = frozenset(items_of(rules, place).items())
        counts[items] = int(rules.matching[place])
        counts[items | {texts[int(rules.values[place])]}] = int(rules.lowest[place])
    whole = whole_columns(rules) | {people.sensitive: [text for _, text in texts]}
    return inference_channels(counts, whole=whole, k=k)


def exact_figures(judged: JudgedRules, channels: tuple[Channel, ...] | None) -> dict[str, dict[str, Any]]:
    """What is measured on rules, exactly."""
    rules = len(judged.rules)
    return {
        "risks": {
            "max_posterior": judged.max_posterior,
            "channels": None if channels is None else len(channels),
        },
        "utility": {"published": rules, "with_scores": rules if judged.with_scores else 0},
    }


def _refusal(reached: float, telling: Telling, limit: float, flag: Flag) -> InfeasibleError:
    """The error for rules above the limit, with settings that would stay within it."""
    found: list[str] = []
    for setting, other in _other_settings(telling):
        left = other.left()
        if left is None or expected_seconds(left) > WORTH_TRYING:
            continue
        judged = other.judged(flag)
        if len(judged.rules) and judged.keeps(limit):
            found.append(f"{setting}: {plural(len(judged.rules), 'rule')}, {judged.max_posterior:.3f}")
        if len(found) == ENOUGH:
            break
    ways = "; ".join(found) or "nothing that was tried; ask for less, or for fewer quasi-identifiers"
    return InfeasibleError(
        f"A reader of these rules could be {reached:.4f} sure of a value of somebody: a largest posterior of"
        f" {limit:g} cannot be promised.",
        code="limit-infeasible",
        hint=f"Within the limit: {ways}. A reader who guesses which settings were refused learns from that.",
    )


def _other_settings(telling: Telling) -> Iterator[tuple[str, Telling]]:
    """Settings that tell less: no scores, shorter rules, rules about more people."""
    eligible, thresholds = telling.eligible, telling.thresholds
    longest = thresholds.max_length or len(eligible.population.attributes)
    shorter = [
        (option("max_length", length), replace(thresholds, max_length=length))
        for length in range(min(longest - 1, 2), 0, -1)
    ]
    larger = [
        (option("min_support", least), replace(thresholds, support=Fraction(least)))
        for least in (ceil(thresholds.support * times) for times in (2, 4, 8))
    ]
    lengths = (eligible.nodes >= 0).sum(axis=1)
    for setting, asked in (("", thresholds), *shorter, *larger):
        within = lengths <= (asked.max_length or lengths.max(initial=0))
        fewer = eligible.select(within & (eligible.lowest >= ceil(asked.support)))
        other = replace(telling, eligible=fewer, thresholds=asked)
        if setting:
            yield setting, other
        if telling.with_scores:
            words = " and ".join(filter(None, (setting, option("scores", "thresholds"))))
            yield words, replace(other, with_scores=False)
