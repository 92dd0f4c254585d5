"""What published rules give away: Figures 1, 2 and 4 to 8 of Zhu, Wang and Du.

The paper's data are the training file of UCI Adult without incomplete rows, eight quasi-identifiers, and the
salary as the sensitive attribute. Where it is not at hand the same curves are made from a sample of a
hospital, whose thresholds are others, and nothing is judged against the paper's numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from papers import disclosure_figures as figures
from papers.disclosure_curves import rules_curve, threshold_curve, top_differences
from papers.disclosure_examples import examples, sizes
from papers.experiment import Made, Tell
from papers.sources import Source, find_adult
from tacit.data.table import Table
from tacit.io.samples.hospital import hospital
from tacit.methods.disclose.verb import disclose
from tacit.typing import Threshold

TITLE = "What published association rules give away"
CITATION = (
    "Z. Zhu, G. Wang, W. Du. Deriving Private Information from Association Rule Mining Results. ICDE 2009."
)
QUASI = (
    *("workclass", "marital-status", "occupation", "relationship"),
    *("race", "sex", "native-country", "education"),
)
MOST_RULES = 10**6


@dataclass(frozen=True)
class Ranges:
    """The thresholds of the curves: one is varied while the other is at its first value."""

    supports: tuple[Threshold, ...]
    confidences: tuple[Threshold, ...]
    rules_support: Threshold
    """The support threshold of the curve over the number of rules."""
    rules_step: int
    everything: bool
    """Whether the problem without pruning is solved too."""


ADULT = Ranges(
    supports=(0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.1),
    confidences=(0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0),
    rules_support=0.02,
    rules_step=50,
    everything=True,
)
ADULT_QUICK = Ranges((0.05, 0.075, 0.1), (0.6, 0.75, 0.9, 1.0), 0.05, 120, everything=False)
HOSPITAL = Ranges((5, 8, 10, 15, 20), (0.05, 0.1, 0.15, 0.2, 0.3), 5, 100, everything=False)


def reproduce(*, data: Path | None, quick: bool, tell: Tell) -> Made:
    """Solve for the reader's posterior at every point of the paper's figures."""
    source, ranges = _source(data, quick=quick)
    table, support, confidence = source.data, max(ranges.supports), min(ranges.confidences)
    tell("solving for the most exposed people")
    found = disclose(table, min_support=support, min_confidence=confidence)
    tell("varying the confidence")
    by_confidence = threshold_curve(
        table,
        supports=[support],
        confidences=ranges.confidences,
        scores=("exact", "thresholds"),
        nar=(True, False),
    )
    tell("varying the support")
    by_support = threshold_curve(table, supports=ranges.supports, confidences=[confidence])
    tell("varying the number of rules")
    counts = range(0, MOST_RULES, ranges.rules_step)
    by_rules = rules_curve(table, counts=counts, min_support=ranges.rules_support, min_confidence=confidence)
    differences = {
        float(each): top_differences(table, min_support=support, min_confidence=each)
        for each in ranges.confidences
    }
    tell("counting what pruning saves")
    curves = (
        figures.figure_5a(by_confidence),
        figures.figure_5b(by_support),
        figures.figure_5c(by_rules),
        figures.figure_6(by_confidence),
        figures.figure_7a(found.nar_effect(10), differences),
        figures.figure_7b(by_confidence),
        figures.figure_7c(differences[float(confidence)]),
        figures.figure_8(by_confidence),
    )
    made = (
        *examples(),
        sizes(source, found, by_rules, solve_everything=ranges.everything),
        *(each.judged(published=source.published) for each in curves),
    )
    return Made((source.words,), made)


def _source(data: Path | None, *, quick: bool) -> tuple[Source[Table], Ranges]:
    """Adult where it is at hand, else the hospital."""
    found = find_adult(data, part="train")
    if found is not None:
        table = found.data.with_roles(quasi=QUASI, sensitive=("salary",))
        return Source(found.name, table, True, found.words), ADULT_QUICK if quick else ADULT
    words = (
        "A sample of 5,000 made-up hospital admissions, because UCI Adult is not at hand: name its folder "
        "with --data or TACIT_DATA. The thresholds are chosen for it, supports as counts of people."
    )
    return Source("hospital", hospital(rows=5000), False, words), HOSPITAL
