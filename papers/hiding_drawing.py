"""What the figures on hiding patterns are made of: measures averaged over draws, panels, trends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from papers.drawing import Axis, Measure, panels
from papers.experiment import Finding
from papers.hiding_experiment import CERTIFIED, EXACT, PAPER, SWA, Outcome, Setting, Subject
from tacit.showing.chart import Chart

FAILURE, WEAKNESS = Measure("hiding_failure", "hiding failure", ".1%"), Measure("weakness", "weakness", ".0%")
MISSES = Measure("misses_cost", "misses cost", ".0%")
DISSIMILARITY = Measure("dissimilarity", "dissimilarity", ".1%")
FOUR = (FAILURE, WEAKNESS, MISSES, DISSIMILARITY)
SECONDS = Measure("seconds", "CPU seconds", ".2f")
C, RS = Axis("C", "C, the confidence"), Axis("RS", "RS, the sensitive share of the frequent patterns")
RL2 = Axis("RL2", "RL2, the share of the sensitive patterns grown from pairs")
DRAWN = "Which patterns are sensitive is drawn, and says more than this: the text says so too."
NEAR_ZERO = 0.01
"""What counts as almost none of the patterns."""
LEMMA_2 = (
    "Lemma 2 looks at one kept pair at a time, while a marked pair survives in the union of their "
    "transactions: some marked pairs stay frequent, and patterns that are hidden can be inferred from "
    "their pairs. And C holds for each pair alone, not for all of them together. The policy 'certified' "
    "counts the union and shares C out over the pairs."
)


@dataclass(frozen=True)
class Measured:
    """The measures of a method at one setting, mean over the draws of sensitive patterns."""

    data: str
    method: str
    RS: float
    RL2: float
    C: float
    draws: int
    sensitive: float
    """The share RS that was reached."""
    hiding_failure: float
    weakness: float
    misses_cost: float
    dissimilarity: float
    artificial_patterns: float
    seconds: float


def means(data: Subject, outcomes: Iterable[Outcome]) -> list[Measured]:
    """The measures of each setting and method, averaged over the draws of sensitive patterns."""
    groups: dict[tuple[str, Setting], list[Outcome]] = {}
    for one in outcomes:
        groups.setdefault((one.name, replace(one.setting, seed=0)), []).append(one)
    return [
        Measured(
            data.name,
            name,
            setting.share,
            setting.pair_share,
            float(setting.confidence),
            len(found),
            fmean(one.risks.sensitive / len(data.itemsets) for one in found),
            *(fmean(each) for each in zip(*(_figures(one) for one in found), strict=True)),
        )
        for (name, setting), found in groups.items()
    ]


def _figures(one: Outcome) -> tuple[float, ...]:
    """The last figures of :class:`Measured`, in its order."""
    risks, cost = one.risks, one.utility
    return (
        *(risks.hiding_failure, risks.weakness, cost.misses_cost, cost.dissimilarity),
        *(cost.artificial_patterns, one.seconds),
    )


def drawn(measured: Sequence[Measured], axis: Axis, *measures: Measure) -> tuple[Chart, ...]:
    """A panel for each measure, by an axis."""
    return panels(measured, axis, measures, series="method", of=f"on {measured[0].data}")


def trend(measure: Measure, varied: Sequence[Measured], axis: Axis, *, rising: bool) -> Finding:
    """Whether a measure is larger, or smaller, at the end of its axis than at the start."""
    before, after = (float(getattr(each, measure.name)) for each in (varied[0], varied[-1]))
    verb = "grows" if rising else "falls"
    return Finding.claim(
        f"{measure.words} {verb} as {axis.name} grows ({varied[0].method})",
        printed="increases" if rising else "decreases",
        ours=f"{before:.4f} → {after:.4f}",
        holds=after > before if rising else after < before,
        why=DRAWN,
    )


def grows(measure: Measure, *methods: Sequence[Measured]) -> Finding:
    """Whether a measure grows with RS, for ours and for sliding windows."""
    ends = {
        each[0].method: (getattr(each[0], measure.name), getattr(each[-1], measure.name)) for each in methods
    }
    return Finding.claim(
        f"{measure.words} by RS",
        printed="ideally increases as RS increases, for both",
        ours="; ".join(f"{name} {low:.4f} → {high:.4f}" for name, (low, high) in ends.items()),
        holds=all(low < high for low, high in ends.values()),
        why=DRAWN,
    )


def largest(measure: Measure, *groups: Sequence[Measured]) -> str:
    """The largest value of a measure in each group of one or more methods."""
    words = []
    for group in groups:
        methods = " and ".join(dict.fromkeys(each.method for each in group))
        words.append(f"{most(measure, group):.4f} ({methods})")
    return f"{measure.words} at most {', '.join(words)}"


def near_zero(measured: Sequence[Measured], where: str) -> tuple[Finding, Finding]:
    """Hiding failure and weakness beside those of sliding windows: as published, and as made certain here."""
    published, windows = of_method(measured, PAPER.name), of_method(measured, SWA.name)
    certain = of_method(measured, CERTIFIED.name) + of_method(measured, EXACT.name)

    def finding(label: str, ours: Sequence[Measured], why: str) -> Finding:
        return Finding.claim(
            f"{where}, {label}",
            printed="almost no hiding failure, less weakness than SWA's",
            ours=f"{largest(FAILURE, ours, windows)}; {largest(WEAKNESS, ours, windows)}",
            holds=most(FAILURE, ours) <= NEAR_ZERO
            and most(WEAKNESS, ours) <= max(NEAR_ZERO, most(WEAKNESS, windows)),
            why=why,
        )

    return (
        finding("with the text's probabilities", published, LEMMA_2),
        finding("certified and exact", certain, "On a first draw a marked pair stayed frequent."),
    )


def most(measure: Measure, measured: Sequence[Measured]) -> float:
    return max(float(getattr(each, measure.name)) for each in measured)


def of_method(measured: Sequence[Measured], method: str) -> list[Measured]:
    return [each for each in measured if each.method == method]


def by_share(measured: Sequence[Measured]) -> list[Measured]:
    """RS varied at RL2 = 0.7."""
    return sorted((each for each in measured if each.RL2 == 0.7), key=lambda each: each.RS)


def by_pair_share(measured: Sequence[Measured]) -> list[Measured]:
    """RL2 varied at RS = 0.1."""
    return sorted((each for each in measured if each.RS == 0.1), key=lambda each: each.RL2)
