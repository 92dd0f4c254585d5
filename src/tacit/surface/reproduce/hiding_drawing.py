"""What the figures on hiding patterns are made of: measures averaged over draws, panels, trends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tacit.showing.chart import Chart, line_chart
from tacit.surface.reproduce.experiment import Finding
from tacit.surface.reproduce.hiding_experiment import CERTIFIED, EXACT, PAPER, SWA

MEASURES = {
    "hiding_failure": "hiding failure",
    "weakness": "weakness",
    "misses_cost": "misses cost",
    "dissimilarity": "dissimilarity",
    "seconds": "CPU seconds",
}
AXES = {
    "C": "confidence C",
    "RS": "RS, the sensitive share of the frequent patterns",
    "RL2": "RL2, the share of the sensitive patterns grown from pairs",
}
FORMATS = {"seconds": ".2f", "hiding_failure": ".1%", "dissimilarity": ".1%"}
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


def panels(measured: Sequence[Measured], x: str, names: Sequence[str]) -> tuple[Chart, ...]:
    """One panel for each measure, by x."""
    return tuple(
        line_chart(
            [{"method": each.method, x: getattr(each, x), name: getattr(each, name)} for each in measured],
            x=x,
            y=name,
            series="method",
            title=f"{capital(MEASURES[name])} by {x}",
            caption=f"{capital(MEASURES[name])} by {AXES[x]}, on {measured[0].data}.",
            x_title=AXES[x],
            y_title=MEASURES[name],
            y_format=FORMATS.get(name, ".0%"),
            width=480,
            height=220,
        )
        for name in names
    )


def trend(label: str, first: Measured, last: Measured, name: str, *, rising: bool) -> Finding:
    """Whether a measure is larger, or smaller, at the end of its axis than at the start."""
    before, after = (float(getattr(each, name)) for each in (first, last))
    holds = after > before if rising else after < before
    return Finding.claim(
        f"{label} ({first.method})",
        printed="increases" if rising else "decreases",
        ours=f"{before:.4f} → {after:.4f}",
        holds=holds,
        why="Which patterns are sensitive is drawn, and says more than this: the text says so too.",
    )


def grows(label: str, ours: Sequence[Measured], theirs: Sequence[Measured], name: str) -> Finding:
    """Whether a measure grows with RS, for ours and for sliding windows."""
    ends = [(getattr(each[0], name), getattr(each[-1], name)) for each in (ours, theirs)]
    return Finding.claim(
        f"{label} by RS",
        printed="ideally increases as RS increases, for both",
        ours="; ".join(
            f"{each[0].method} {low:.4f} → {high:.4f}"
            for each, (low, high) in zip((ours, theirs), ends, strict=True)
        ),
        holds=all(low < high for low, high in ends),
        why="Which patterns are sensitive is drawn, and says more than this: the text says so too.",
    )


def largest(name: str, *groups: Sequence[Measured]) -> str:
    """The largest value of a measure in each group of one or more methods."""
    words = []
    for group in groups:
        methods = " and ".join(dict.fromkeys(each.method for each in group))
        words.append(f"{most(name, group):.4f} ({methods})")
    return f"{MEASURES[name]} at most {', '.join(words)}"


def near_zero(measured: Sequence[Measured], where: str) -> tuple[Finding, Finding]:
    """Hiding failure and weakness beside those of sliding windows: as published, and as made certain here."""
    published, windows = of_method(measured, PAPER.name), of_method(measured, SWA.name)
    certain = of_method(measured, CERTIFIED.name) + of_method(measured, EXACT.name)

    def finding(label: str, ours: Sequence[Measured], why: str) -> Finding:
        return Finding.claim(
            f"{where}, {label}",
            printed="almost no hiding failure, less weakness than SWA's",
            ours=f"{largest('hiding_failure', ours, windows)}; {largest('weakness', ours, windows)}",
            holds=most("hiding_failure", ours) <= NEAR_ZERO
            and most("weakness", ours) <= max(NEAR_ZERO, most("weakness", windows)),
            why=why,
        )

    return (
        finding("with the text's probabilities", published, LEMMA_2),
        finding("certified and exact", certain, "On a first draw a marked pair stayed frequent."),
    )


def most(name: str, measured: Sequence[Measured]) -> float:
    return max(float(getattr(each, name)) for each in measured)


def of_method(measured: Sequence[Measured], method: str) -> list[Measured]:
    return [each for each in measured if each.method == method]


def by_share(measured: Sequence[Measured]) -> list[Measured]:
    """RS varied at RL2 = 0.7."""
    return sorted((each for each in measured if each.RL2 == 0.7), key=lambda each: each.RS)


def by_pair_share(measured: Sequence[Measured]) -> list[Measured]:
    """RL2 varied at RS = 0.1."""
    return sorted((each for each in measured if each.RS == 0.1), key=lambda each: each.RL2)


def capital(words: str) -> str:
    return words[0].upper() + words[1:]
