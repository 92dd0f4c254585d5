"""Figure 7 on what rules disclose [1]: what the patterns that are *not* published tell.

They hardly move D_overall, the average over everybody, but they move single people. The constraints that
follow from them are called NAR, for non-association rules.

[1] Z. Zhu, G. Wang, W. Du. Deriving Private Information from Association Rule Mining Results.
    ICDE 2009, section VI.C.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tacit.methods.disclose.result import NarEffect
from tacit.methods.disclose.solve.curves import CurvePoint
from tacit.showing.chart import Cell
from tacit.surface.reproduce.disclosure_figures import CONFIDENCE, panel
from tacit.surface.reproduce.experiment import OTHER_DATA, Figure, Finding, Rows
from tacit.typing import Floats

TOP = (1, 2, 5, 10, 20, 50, 100, 150, 200, 250, 300, 350, 400, 450, 500)
"""How many people the averages of Figure 7(c) are over."""


@dataclass(frozen=True)
class _Person:
    rank: int
    difference: float
    d_with_nar: float
    d_without_nar: float
    true_value: float
    with_nar: float
    without_nar: float


@dataclass(frozen=True)
class _Mean:
    top: int
    mean_difference: float


def figure_7a(
    effects: Sequence[NarEffect], differences: Mapping[float, Floats], *, comparable: bool
) -> Figure:
    """Figure 7(a): the people to whom the silence makes the largest difference."""
    people = []
    for rank, each in enumerate(effects, start=1):
        likeliest = each.truth.index(max(each.truth))
        people.append(
            _Person(
                rank,
                each.difference,
                each.d_with,
                each.d_without,
                each.truth[likeliest],
                each.posterior_with[likeliest],
                each.posterior_without[likeliest],
            )
        )
    tops = {confidence: float(found[0]) for confidence, found in differences.items()}
    records: list[dict[str, Cell]] = [{"c": each, "largest difference": top} for each, top in tops.items()]
    unnamed = (
        "The paper does not name the thresholds of its table. Here the largest difference depends on them: "
        f"between {min(tops.values()):.3f} and {max(tops.values()):.3f} over the confidence thresholds of "
        "the chart. Its first row (0.762 becomes 0.870) appears at none of them."
    )
    return Figure(
        name="figure-7a",
        title="Figure 7(a): the ten largest differences that silence makes",
        words="Per person: D_individual with NAR constraints and without, the true share of their value, "
        "and what the reader gives it with and without. The chart shows the largest difference by "
        "confidence threshold.",
        rows=Rows.of(people),
        charts=(
            panel(
                records, "c", "largest difference", None, CONFIDENCE, "The largest difference in D_individual"
            ),
        ),
        findings=(
            Finding.number(
                "largest difference in D_individual",
                printed=0.133,
                ours=round(people[0].difference, 3),
                within=0.01,
                why=unnamed if comparable else OTHER_DATA,
                comparable=comparable,
            ),
            Finding.claim(
                "silence and some people",
                printed="can cause a significant difference on certain individuals",
                ours=f"the reader's posterior of the truth goes from {people[0].without_nar:.3f} to "
                f"{people[0].with_nar:.3f}, D_individual falls by {people[0].difference:.3f}",
                holds=people[0].difference > 0.1,
                why="No single person stands out here.",
                comparable=comparable,
            ),
        ),
    )


def figure_7b(points: Sequence[CurvePoint], *, comparable: bool) -> Figure:
    """Figure 7(b): D_overall with and without the silence."""
    exact = sorted((each for each in points if each.scores == "exact"), key=lambda each: each.min_confidence)
    silent = {each.min_confidence: each.d_overall for each in exact if each.nar}
    alone = {each.min_confidence: each.d_overall for each in exact if not each.nar}
    apart = max(abs(alone[each] - silent[each]) / alone[each] for each in silent)
    records: list[dict[str, Cell]] = [
        {"knowledge": "rules and silence" if nar else "rules alone", "c": c, "D_overall": overall}
        for nar, curve in ((True, silent), (False, alone))
        for c, overall in curve.items()
    ]
    return Figure(
        name="figure-7b",
        title="Figure 7(b): D_overall with and without NAR constraints",
        words="What the patterns that are not published tell about everybody together.",
        rows=Rows.of(exact),
        charts=(panel(records, "c", "D_overall", "knowledge", CONFIDENCE, "What silence tells overall"),),
        findings=(
            Finding.claim(
                "silence and everybody together",
                printed="not much difference, the curves almost overlap",
                ours=f"D_overall differs by {apart:.1%} at most",
                holds=apart < 0.05,
                why="The silence tells more here.",
                comparable=comparable,
            ),
        ),
    )


def figure_7c(differences: Floats, *, comparable: bool) -> Figure:
    """Figure 7(c): the average of the largest differences."""
    means = [_Mean(top, float(differences[:top].mean())) for top in TOP if top <= len(differences)]
    records: list[dict[str, Cell]] = [
        {"K": each.top, "mean difference": each.mean_difference} for each in means
    ]
    first, last = means[0], means[-1]
    return Figure(
        name="figure-7c",
        title="Figure 7(c): the average of the K largest differences",
        words="Over the people whom the silence concerns most, K of them.",
        rows=Rows.of(means),
        charts=(
            panel(
                records,
                "K",
                "mean difference",
                None,
                "number of people K",
                "The K largest differences, averaged",
            ),
        ),
        findings=(
            Finding.claim(
                "average of the K largest",
                printed="becomes less significant as K becomes large",
                ours=f"{first.mean_difference:.3f} → {last.mean_difference:.3f} at K = {last.top}",
                holds=last.mean_difference < first.mean_difference,
                why="Nobody is moved here.",
                comparable=comparable,
            ),
        ),
    )
