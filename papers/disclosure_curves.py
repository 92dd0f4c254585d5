"""Disclosure as curves: against the confidence and support thresholds, and the number of rules [1].

Each point is a whole solve with its certificate. The curves are those of Figures 5 to 8: D_overall
against either threshold, with scores published and withheld, with the silence and without it; and
against the number of rules, the most confident first.

[1] Z. Zhu, G. Wang, W. Du. Deriving Private Information from Association Rule Mining Results.
    ICDE 2009, section VI.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from time import process_time

import numpy as np

from tacit.data.table import Table
from tacit.methods.disclose.result import divergence
from tacit.methods.disclose.solve.inference import infer
from tacit.methods.disclose.solve.knowledge import Knowledge, RuleScores, Silence
from tacit.methods.disclose.solve.population import Population, Thresholds, population_of, thresholds_of
from tacit.methods.disclose.solve.published import PublishedRules, published_rules
from tacit.mining.mine import mine_table_rules
from tacit.mining.rules import TableRules
from tacit.typing import Floats, Progress, Threshold


@dataclass(frozen=True)
class CurvePoint:
    """One solve of a curve."""

    min_support: float
    min_confidence: float
    scores: str
    nar: bool
    rules: int
    constraints: int
    variables: int
    d_overall: float
    entropy: float
    max_posterior: float
    residual: float
    seconds: float


def threshold_curve(
    table: Table,
    *,
    supports: Iterable[Threshold],
    confidences: Iterable[Threshold],
    scores: Iterable[str] = ("exact",),
    nar: Iterable[bool] = (True,),
    progress: Progress | None = None,
) -> tuple[CurvePoint, ...]:
    """D_overall at every choice of thresholds, scores and silence (Figures 5(a), 5(b), 6, 7(b), 8)."""
    population = population_of(table)
    choices = [
        (support, confidence, told, silence)
        for support in supports
        for confidence in confidences
        for told in scores
        for silence in nar
    ]
    points = []
    for done, (support, confidence, told, silence) in enumerate(choices):
        if progress is not None:
            progress("Solving", done / len(choices))
        rules = mine_table_rules(table, min_support=support, min_confidence=confidence)
        points.append(_point(population, rules, support, confidence, told, silence))
    return tuple(points)


def rules_curve(
    table: Table,
    *,
    counts: Iterable[int],
    min_support: Threshold,
    min_confidence: Threshold,
    progress: Progress | None = None,
) -> tuple[CurvePoint, ...]:
    """D_overall against the number of rules published with scores, most confident first (Figure 5(c))."""
    population = population_of(table)
    rules = mine_table_rules(table, min_support=min_support, min_confidence=min_confidence)
    ordered = rules.sorted_by("confidence")
    wanted = sorted({min(count, len(rules)) for count in counts})
    points = []
    for done, count in enumerate(wanted):
        if progress is not None:
            progress("Solving", done / len(wanted))
        first = ordered.select(np.arange(count))
        points.append(_point(population, first, min_support, min_confidence, "exact", False))
    return tuple(points)


def top_differences(table: Table, *, min_support: Threshold, min_confidence: Threshold) -> Floats:
    """How much the silence lowers D_individual, per combination, largest first (Figures 7(a), 7(c))."""
    population = population_of(table)
    rules = mine_table_rules(table, min_support=min_support, min_confidence=min_confidence)
    published, thresholds = _known(population, rules, min_support, min_confidence, "exact")
    truth = population.truth / population.people[:, None]
    alone = infer(population, [RuleScores(published)])
    silent = infer(population, [RuleScores(published), Silence(population, published, thresholds)])
    found = divergence(truth, alone.by_combination) - divergence(truth, silent.by_combination)
    return np.sort(found)[::-1]


def _point(
    population: Population,
    rules: TableRules,
    support: Threshold,
    confidence: Threshold,
    scores: str,
    nar: bool,
) -> CurvePoint:
    started = process_time()
    published, thresholds = _known(population, rules, support, confidence, scores)
    sources: list[Knowledge] = [RuleScores(published)]
    if nar:
        sources.append(Silence(population, published, thresholds))
    found = infer(population, sources)
    truth = population.truth / population.people[:, None]
    overall = divergence(truth, found.by_combination) @ population.people / population.n_rows
    return CurvePoint(
        min_support=float(support),
        min_confidence=float(confidence),
        scores=scores,
        nar=nar,
        rules=len(rules),
        constraints=len(found.constraints),
        variables=found.constraints.n_variables,
        d_overall=float(overall),
        entropy=found.entropy,
        max_posterior=float(found.by_combination.max(initial=0.0)),
        residual=found.certificate.residual,
        seconds=process_time() - started,
    )


def _known(
    population: Population, rules: TableRules, support: Threshold, confidence: Threshold, scores: str
) -> tuple[PublishedRules, Thresholds]:
    thresholds = thresholds_of(support, confidence, population.n_rows)
    published = published_rules(population, rules)
    return published if scores == "exact" else published.without_scores(thresholds), thresholds
