"""Figures 5, 6 and 8 on what rules disclose [1]: curves of D_overall, and the time.

D_overall is how far the reader's posterior is from the truth, on average and in nats; the smaller, the more
is disclosed. NAR are the constraints that follow from patterns *not* published.

[1] Z. Zhu, G. Wang, W. Du. Deriving Private Information from Association Rule Mining Results.
    ICDE 2009, section VI.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from tacit.methods.disclose.solve.curves import CurvePoint
from tacit.showing.chart import Cell, Chart, line_chart
from tacit.surface.reproduce.experiment import Figure, Finding, Rows

OBSERVED = "That it is monotone is an observation about the data, not a law."
CONFIDENCE = "confidence threshold c"


def figure_5a(points: Sequence[CurvePoint], *, comparable: bool) -> Figure:
    """Figure 5(a): D_overall by the confidence threshold."""
    exact = [each for each in points if each.scores == "exact" and each.nar]
    return _overall(
        "5a",
        "the confidence threshold",
        exact,
        x="min_confidence",
        x_title=CONFIDENCE,
        findings=(_rises("D_overall with the confidence threshold", exact, comparable),),
    )


def figure_5b(points: Sequence[CurvePoint], *, comparable: bool) -> Figure:
    """Figure 5(b): D_overall by the support threshold."""
    return _overall(
        "5b",
        "the support threshold",
        points,
        x="min_support",
        x_title="support threshold s",
        findings=(_rises("D_overall with the support threshold", points, comparable),),
    )


def figure_5c(points: Sequence[CurvePoint], *, comparable: bool) -> Figure:
    """Figure 5(c): D_overall by the number of rules, the most confident first."""
    overall = [each.d_overall for each in points]
    falls = all(after <= before + 1e-9 for before, after in pairwise(overall))
    finding = Finding.claim(
        "D_overall with the number of rules",
        printed="decreases",
        ours=f"{overall[0]:.4f} with none → {overall[-1]:.4f} with {points[-1].rules:,}"
        + ("" if falls else ", not at every step"),
        holds=falls,
        why=OBSERVED,
        comparable=comparable,
    )
    return _overall(
        "5c",
        "the number of rules",
        points,
        x="rules",
        x_title="rules published, most confident first",
        findings=(finding,),
    )


def figure_6(points: Sequence[CurvePoint], *, comparable: bool) -> Figure:
    """Figure 6: publishing or withholding the exact scores."""
    silent = [each for each in points if each.nar]
    told = {each.min_confidence: each.d_overall for each in silent if each.scores == "exact"}
    kept = {each.min_confidence: each.d_overall for each in silent if each.scores != "exact"}
    gaps = {confidence: kept[confidence] - told[confidence] for confidence in told}
    low, high = min(gaps), max(gaps)
    names = {"exact": "scores published", "thresholds": "scores withheld"}
    records: list[dict[str, Cell]] = [
        {"scores": names[each.scores], "c": each.min_confidence, "D_overall": each.d_overall}
        for each in sorted(silent, key=lambda each: (each.scores, each.min_confidence))
    ]
    return Figure(
        name="figure-6",
        title="Figure 6: publishing or withholding the exact scores",
        words="D_overall with the scores of the rules published, and with nothing but the thresholds.",
        rows=Rows.of(points),
        charts=(panel(records, "c", "D_overall", "scores", CONFIDENCE, "Publishing or withholding scores"),),
        findings=(
            Finding.claim(
                "what the scores add",
                printed="significant at a small threshold, smaller as it gets higher",
                ours=f"{gaps[low]:.4f} nats at c {low:g} → {gaps[high]:.4f} at {high:g}; largest at "
                f"{max(gaps, key=lambda each: gaps[each]):g}",
                holds=gaps[low] > gaps[high] and min(gaps.values()) > -1e-9,
                why=OBSERVED,
                comparable=comparable,
            ),
        ),
    )


def figure_8(points: Sequence[CurvePoint], *, comparable: bool) -> Figure:
    """Figure 8: the time by the number of variables in the constraints."""
    timed = sorted(
        (each for each in points if each.scores == "exact" and each.min_confidence <= 0.9),
        key=lambda each: (not each.nar, each.variables),
    )
    silent = [each for each in timed if each.nar]
    alone = [each for each in timed if not each.nar]
    more = all(
        one.seconds > other.seconds
        for one in silent
        for other in alone
        if one.min_confidence == other.min_confidence
    )
    names = {True: "rules and silence", False: "rules alone"}
    records: list[dict[str, Cell]] = [
        {"knowledge": names[each.nar], "variables": each.variables, "CPU seconds": each.seconds}
        for each in timed
    ]
    return Figure(
        name="figure-8",
        title="Figure 8: running time",
        words="CPU seconds of a solve, its constraints included, by the variables in all constraints; "
        "confidence thresholds up to 0.9. The paper used KNITRO on a Pentium D of 3 GHz.",
        rows=Rows.of(timed),
        charts=(
            panel(records, "variables", "CPU seconds", "knowledge", "number of variables", "Running time"),
        ),
        findings=(
            Finding.claim(
                "time with NAR constraints",
                printed="much more than without",
                ours=f"{min(e.seconds for e in silent):.2f} to {max(e.seconds for e in silent):.2f} s with, "
                f"{min(e.seconds for e in alone):.2f} to {max(e.seconds for e in alone):.2f} s without",
                holds=more,
                why="At one threshold the solve with the silence happened to be the faster one.",
                comparable=comparable,
            ),
            Finding.claim(
                "time and variables",
                printed="increases with the number of variables",
                ours=f"with silence {silent[0].seconds:.2f} s at {silent[0].variables:,} → "
                f"{silent[-1].seconds:.2f} s at {silent[-1].variables:,}; without "
                f"{alone[0].seconds:.2f} s at {alone[0].variables:,} → "
                f"{alone[-1].seconds:.2f} s at {alone[-1].variables:,}",
                holds=silent[-1].seconds > silent[0].seconds and alone[-1].seconds > alone[0].seconds,
                why="A higher confidence threshold leaves fewer rules and more silence. Constraints that "
                "cannot bind are taken out before solving, so that the rules decide the time, not the "
                "silence.",
                comparable=comparable,
            ),
        ),
    )


def _overall(
    number: str,
    words: str,
    points: Sequence[CurvePoint],
    *,
    x: str,
    x_title: str,
    findings: tuple[Finding, ...],
) -> Figure:
    """A panel of Figure 5: D_overall along one axis."""
    records: list[dict[str, Cell]] = [{x: getattr(each, x), "D_overall": each.d_overall} for each in points]
    return Figure(
        name=f"figure-{number}",
        title=f"Figure 5({number[-1]}): D_overall by {words}",
        words="How far the reader's posterior stays from the truth; the smaller D_overall, the more is "
        "disclosed.",
        rows=Rows.of(points),
        charts=(panel(records, x, "D_overall", None, x_title, f"D_overall by {words}"),),
        findings=findings,
    )


def _rises(label: str, points: Sequence[CurvePoint], comparable: bool) -> Finding:
    overall = [each.d_overall for each in points]
    rises = all(before <= after + 1e-9 for before, after in pairwise(overall))
    return Finding.claim(
        label,
        printed="increases",
        ours=f"{overall[0]:.4f} → {overall[-1]:.4f}" + ("" if rises else ", not at every step"),
        holds=rises,
        why=OBSERVED,
        comparable=comparable,
    )


def panel(
    records: Sequence[Mapping[str, Cell]], x: str, y: str, series: str | None, x_title: str, title: str
) -> Chart:
    """A line over x, one for each series."""
    unit = f"{y} in nats" if y == "D_overall" else y
    return line_chart(
        records,
        x=x,
        y=y,
        series=series,
        title=title,
        caption=f"{unit[0].upper()}{unit[1:]} by the {x_title}.",
        x_title=x_title,
        y_title=unit,
        width=560,
        height=220,
    )
