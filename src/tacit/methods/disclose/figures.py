"""The figures of a release of association rules."""

from __future__ import annotations

from tacit.judging.figures import CHANCE, COUNT, DIGITS, RISK, USE, UTILITY, Parts, Rounding, two_digits
from tacit.showing.layout import count


def _limit(parts: Parts) -> str:
    terms = parts["promise"]
    if "max_posterior" in terms:
        return f"{terms['max_posterior']:.2f}: the limit"
    return f"the limit is a divergence of {terms['min_divergence']:g} nats"


def _groups(parts: Parts) -> str:
    k = parts["parameters"]["k"]
    return "not looked for" if k is None else f"groups of fewer than {k} people"


FIGURES = (
    RISK(
        "posterior",
        "Largest posterior",
        "The surest that a reader becomes of a value of anybody, by silence or without; 1 is certain.",
        unit=CHANCE,
        at="max_posterior",
        baseline=_limit,
        # Rounded, but never above the limit that it keeps.
        rounded=Rounding(DIGITS, lambda value, exact: min(exact["limit"], two_digits(value))),
    ),
    RISK(
        "channels",
        "Small groups that follow by subtraction",
        "How many groups of fewer than k people follow where supports are subtracted from each other.",
        unit=COUNT,
        baseline=_groups,
        needs="k",
    ),
    USE(
        "rules",
        "Rules published",
        "How many rules reach the thresholds; all of them are published.",
        unit=COUNT,
        at="published",
        baseline=lambda parts: f"{count(parts[UTILITY]['with_scores'])} of them with scores",
        less=False,
    ),
    USE(
        "with_scores",
        "Rules with scores",
        "How many rules are published with their support and confidence: all or none.",
        unit=COUNT,
        less=False,
    ),
)
