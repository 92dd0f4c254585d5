"""Figures 5 to 8 on what rules disclose: curves of D_overall, what silence tells, and times.

D_overall is the distance of a reader's posterior from the truth, in nats; the smaller, the more
is disclosed. NAR, for non-association rules, are the constraints that follow from patterns *not* published.
They hardly move D_overall, the average over everybody, but they move single people.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from papers.disclosure_curves import CurvePoint
from papers.drawing import Axis, Measure, panels
from papers.experiment import Figure, Finding, Rows
from tacit.methods.disclose.result import NarEffect
from tacit.showing.chart import Cell, Chart
from tacit.typing import Floats

OBSERVED = "That it is monotone is an observation about the data, not a law."
OVERALL = Measure("d_overall", "D_overall in nats")
CONFIDENCE = Axis("min_confidence", "the confidence threshold c")
VARIABLES = Axis("variables", "the number of variables")
SCORES = {"exact": "scores published", "thresholds": "scores withheld"}
KNOWLEDGE = {True: "rules and silence", False: "rules alone"}
TOP = (1, 2, 5, 10, 20, 50, 100, 150, 200, 250, 300, 350, 400, 450, 500)
"""How many people the averages of Figure 7(c) are over."""


def figure_5a(points: Sequence[CurvePoint]) -> Figure:
    """Figure 5(a): D_overall by the confidence threshold."""
    exact = [each for each in points if each.scores == "exact" and each.nar]
    return _figure_5("a", exact, CONFIDENCE, "the confidence threshold")


def figure_5b(points: Sequence[CurvePoint]) -> Figure:
    """Figure 5(b): D_overall by the support threshold."""
    return _figure_5("b", points, Axis("min_support", "the support threshold s"), "the support threshold")


def figure_5c(points: Sequence[CurvePoint]) -> Figure:
    """Figure 5(c): D_overall by the number of rules, the most confident first."""
    axis = Axis("rules", "the rules published, most confident first")
    return _figure_5("c", points, axis, "the number of rules", rising=False)


def figure_6(points: Sequence[CurvePoint]) -> Figure:
    """Figure 6: publishing or withholding the exact scores."""
    silent = sorted((each for each in points if each.nar), key=lambda each: each.scores)
    told, kept = (
        {each.min_confidence: each.d_overall for each in silent if each.scores == how} for how in SCORES
    )
    gaps = {confidence: kept[confidence] - told[confidence] for confidence in told}
    low, high = min(gaps), max(gaps)
    return Figure(
        name="figure-6",
        title="Figure 6: publishing or withholding the exact scores",
        words="D_overall with the scores of the rules published, and with nothing but the thresholds.",
        rows=Rows.of(points),
        charts=panels(
            [_point(each, CONFIDENCE, OVERALL) | {"scores": SCORES[each.scores]} for each in silent],
            CONFIDENCE,
            [OVERALL],
            series="scores",
            of="with scores and without",
        ),
        findings=(
            Finding.claim(
                "what the scores add",
                printed="significant at a small threshold, smaller as it gets higher",
                ours=f"{gaps[low]:.4f} nats at c {low:g} → {gaps[high]:.4f} at {high:g}; largest at "
                f"{max(gaps, key=lambda each: gaps[each]):g}",
                holds=gaps[low] > gaps[high] and min(gaps.values()) > -1e-9,
                why=OBSERVED,
            ),
        ),
    )


def figure_7a(effects: Sequence[NarEffect], differences: Mapping[float, Floats]) -> Figure:
    """Figure 7(a): the people to whom the silence makes the largest difference."""
    people: list[tuple[int | float, ...]] = []
    for rank, each in enumerate(effects, start=1):
        likeliest = each.truth.index(max(each.truth))
        shares = (own[likeliest] for own in (each.truth, each.posterior_with, each.posterior_without))
        people.append((rank, each.difference, each.d_with, each.d_without, *shares))
    tops = {confidence: float(found[0]) for confidence, found in differences.items()}
    _, difference, _, _, _, with_nar, without_nar = people[0]
    return Figure(
        name="figure-7a",
        title="Figure 7(a): the ten largest differences that silence makes",
        words="Per person: D_individual with NAR constraints and without, the true share of their value, "
        "and what the reader gives it with and without. The chart shows the largest difference by "
        "confidence threshold.",
        rows=Rows.under("rank difference d_with_nar d_without_nar true_value with_nar without_nar", people),
        charts=panels(
            [{CONFIDENCE.name: each, "difference": top} for each, top in tops.items()],
            CONFIDENCE,
            [Measure("difference", "largest difference in D_individual")],
            series=None,
            of="over all people",
        ),
        findings=(
            Finding.number(
                "largest difference in D_individual",
                printed=0.133,
                ours=round(difference, 3),
                within=0.01,
                why="The paper does not name the thresholds of its table. Here the largest difference "
                f"depends on them: between {min(tops.values()):.3f} and {max(tops.values()):.3f} over the "
                "confidence thresholds of the chart. Its first row (0.762 becomes 0.870) appears at none.",
            ),
            Finding.claim(
                "silence and some people",
                printed="can cause a significant difference on certain individuals",
                ours=f"the reader's posterior of the truth goes from {without_nar:.3f} to {with_nar:.3f}, "
                f"D_individual falls by {difference:.3f}",
                holds=difference > 0.1,
                why="No single person stands out here.",
            ),
        ),
    )


def figure_7b(points: Sequence[CurvePoint]) -> Figure:
    """Figure 7(b): D_overall with and without the silence."""
    exact = sorted((each for each in points if each.scores == "exact"), key=lambda each: not each.nar)
    silent, alone = (
        {each.min_confidence: each.d_overall for each in exact if each.nar is nar} for nar in KNOWLEDGE
    )
    apart = max(abs(alone[each] - silent[each]) / alone[each] for each in silent)
    return Figure(
        name="figure-7b",
        title="Figure 7(b): D_overall with and without NAR constraints",
        words="What the patterns that are not published tell about everybody together.",
        rows=Rows.of(sorted(exact, key=lambda each: each.min_confidence)),
        charts=_by_knowledge(exact, CONFIDENCE, OVERALL),
        findings=(
            Finding.claim(
                "silence and everybody together",
                printed="not much difference, the curves almost overlap",
                ours=f"D_overall differs by {apart:.1%} at most",
                holds=apart < 0.05,
                why="The silence tells more here.",
            ),
        ),
    )


def figure_7c(differences: Floats) -> Figure:
    """Figure 7(c): the average of the largest differences."""
    rows = Rows.under(
        "top mean_difference",
        ((top, float(differences[:top].mean())) for top in TOP if top <= len(differences)),
    )
    (_, first), (top, last) = rows.cells[0], rows.cells[-1]
    return Figure(
        name="figure-7c",
        title="Figure 7(c): the average of the K largest differences",
        words="Over the people whom the silence concerns most, K of them.",
        rows=rows,
        charts=panels(
            rows.records(),
            Axis("top", "the number of people K"),
            [Measure("mean_difference", "mean of the largest differences")],
            series=None,
            of="over the people most concerned",
        ),
        findings=(
            Finding.claim(
                "average of the K largest",
                printed="becomes less significant as K becomes large",
                ours=f"{first:.3f} → {last:.3f} at K = {top}",
                holds=float(last or 0) < float(first or 0),
                why="Nobody is moved here.",
            ),
        ),
    )


def figure_8(points: Sequence[CurvePoint]) -> Figure:
    """Figure 8: the time by the number of variables in the constraints."""
    timed = sorted(
        (each for each in points if each.scores == "exact" and each.min_confidence <= 0.9),
        key=lambda each: (not each.nar, each.variables),
    )
    silent, alone = ([each for each in timed if each.nar is nar] for nar in KNOWLEDGE)
    spans = [sorted(each.seconds for each in some) for some in (silent, alone)]
    more = all(
        one.seconds > other.seconds
        for one in silent
        for other in alone
        if one.min_confidence == other.min_confidence
    )
    return Figure(
        name="figure-8",
        title="Figure 8: running time",
        words="CPU seconds of a solve, its constraints included, by the variables in all constraints; "
        "confidence thresholds up to 0.9. The paper used KNITRO on a Pentium D of 3 GHz.",
        rows=Rows.of(timed),
        charts=_by_knowledge(timed, VARIABLES, Measure("seconds", "CPU seconds")),
        findings=(
            Finding.claim(
                "time with NAR constraints",
                printed="much more than without",
                ours=f"{spans[0][0]:.2f} to {spans[0][-1]:.2f} s with, "
                f"{spans[1][0]:.2f} to {spans[1][-1]:.2f} s without",
                holds=more,
                why="At one threshold the solve with the silence happened to be the faster one.",
            ),
            Finding.claim(
                "time and variables",
                printed="increases with the number of variables",
                ours=f"with silence {_ends(silent)}; without {_ends(alone)}",
                holds=all(some[-1].seconds > some[0].seconds for some in (silent, alone)),
                why="A higher confidence threshold leaves fewer rules and more silence. Constraints that "
                "cannot bind are taken out before solving, so that the rules decide the time, not the "
                "silence.",
            ),
        ),
    )


def _figure_5(
    letter: str, points: Sequence[CurvePoint], axis: Axis, words: str, *, rising: bool = True
) -> Figure:
    """A panel of Figure 5: D_overall along one axis, and whether it rises or falls at every step."""
    overall = [each.d_overall for each in points]
    low_first = overall if rising else overall[::-1]
    monotone = all(before <= after + 1e-9 for before, after in pairwise(low_first))
    ends = f"{overall[0]:.4f} → {overall[-1]:.4f}"
    if not rising:
        ends = f"{overall[0]:.4f} with none → {overall[-1]:.4f} with {points[-1].rules:,}"
    return Figure(
        name=f"figure-5{letter}",
        title=f"Figure 5({letter}): D_overall by {words}",
        words="How far the reader's posterior stays from the truth; the smaller D_overall, the more is "
        "disclosed.",
        rows=Rows.of(points),
        charts=panels(points, axis, [OVERALL], series=None, of="over all people"),
        findings=(
            Finding.claim(
                f"D_overall with {words}",
                printed="increases" if rising else "decreases",
                ours=ends + ("" if monotone else ", not at every step"),
                holds=monotone,
                why=OBSERVED,
            ),
        ),
    )


def _by_knowledge(points: Sequence[CurvePoint], axis: Axis, measure: Measure) -> tuple[Chart, ...]:
    """A measure of a reader who takes the silence into account, and of one who does not."""
    rows = [_point(each, axis, measure) | {"knowledge": KNOWLEDGE[each.nar]} for each in points]
    return panels(rows, axis, [measure], series="knowledge", of="with silence and without")


def _point(each: CurvePoint, axis: Axis, measure: Measure) -> dict[str, Cell]:
    return {axis.name: getattr(each, axis.name), measure.name: getattr(each, measure.name)}


def _ends(points: Sequence[CurvePoint]) -> str:
    """The times with the fewest and with the most variables."""
    return " → ".join(f"{each.seconds:.2f} s at {each.variables:,}" for each in (points[0], points[-1]))
