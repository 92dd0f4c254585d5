"""What published rules give away: Figures 1, 2 and 4 to 8 of Zhu, Wang and Du [1].

The paper's data are the training file of UCI Adult without incomplete rows, eight quasi-identifiers, and the
salary as the sensitive attribute. Where it is not at hand the same curves are made from a sample of a
hospital, whose thresholds are others, and nothing is judged against the paper's numbers.

[1] Z. Zhu, G. Wang, W. Du. Deriving Private Information from Association Rule Mining Results. ICDE 2009.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from time import process_time

from tacit.data.table import Table
from tacit.io.samples.hospital import hospital
from tacit.methods.disclose.solve.curves import rules_curve, threshold_curve, top_differences
from tacit.methods.disclose.verb import disclose
from tacit.surface.reproduce import disclosure_figures as figures
from tacit.surface.reproduce import disclosure_silence as silence
from tacit.surface.reproduce.disclosure_examples import examples, sizes
from tacit.surface.reproduce.experiment import Reproduction
from tacit.surface.reproduce.sources import Source, find_adult
from tacit.typing import Progress, Threshold

QUASI = (
    *("workclass", "marital-status", "occupation", "relationship"),
    *("race", "sex", "native-country", "education"),
)


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

    @property
    def support(self) -> Threshold:
        """The support threshold while the confidence is varied: the largest."""
        return max(self.supports)

    @property
    def confidence(self) -> Threshold:
        """The confidence threshold while the support is varied: the smallest."""
        return min(self.confidences)


ADULT = Ranges(
    supports=(0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.1),
    confidences=(0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0),
    rules_support=0.02,
    rules_step=50,
    everything=True,
)
ADULT_QUICK = Ranges(
    supports=(0.05, 0.075, 0.1),
    confidences=(0.6, 0.75, 0.9, 1.0),
    rules_support=0.05,
    rules_step=120,
    everything=False,
)
HOSPITAL = Ranges(
    supports=(5, 8, 10, 15, 20),
    confidences=(0.05, 0.1, 0.15, 0.2, 0.3),
    rules_support=5,
    rules_step=100,
    everything=False,
)


def reproduce(*, data: Path | None, quick: bool, progress: Progress) -> Reproduction:
    """Solve for the reader's posterior at every point of the paper's figures."""
    started = process_time()
    source, ranges = _source(data, quick=quick)
    table, same = source.data, source.published
    progress("solving for the most exposed people", 0.0)
    found = disclose(table, min_support=ranges.support, min_confidence=ranges.confidence)
    by_confidence = threshold_curve(
        table,
        supports=[ranges.support],
        confidences=ranges.confidences,
        scores=("exact", "thresholds"),
        nar=(True, False),
        progress=_part(progress, 0.05, 0.35),
    )
    by_support = threshold_curve(
        table,
        supports=ranges.supports,
        confidences=[ranges.confidence],
        progress=_part(progress, 0.35, 0.6),
    )
    n_rules = 10**6 // ranges.rules_step
    by_rules = rules_curve(
        table,
        counts=range(0, n_rules * ranges.rules_step, ranges.rules_step),
        min_support=ranges.rules_support,
        min_confidence=ranges.confidence,
        progress=_part(progress, 0.6, 0.85),
    )
    differences = {
        float(each): top_differences(table, min_support=ranges.support, min_confidence=each)
        for each in ranges.confidences
    }
    progress("counting what pruning saves", 0.95)
    made = (
        *examples(),
        sizes(source, found, by_rules, solve_everything=ranges.everything),
        figures.figure_5a(by_confidence, comparable=same),
        figures.figure_5b(by_support, comparable=same),
        figures.figure_5c(by_rules, comparable=same),
        figures.figure_6(by_confidence, comparable=same),
        silence.figure_7a(found.nar_effect(10), differences, comparable=same),
        silence.figure_7b(by_confidence, comparable=same),
        silence.figure_7c(differences[float(ranges.confidence)], comparable=same),
        figures.figure_8(by_confidence, comparable=same),
    )
    return Reproduction(
        name="disclosure",
        title="What published association rules give away",
        citation="Z. Zhu, G. Wang, W. Du. Deriving Private Information from Association Rule Mining Results. "
        "ICDE 2009.",
        data=(source.words,),
        figures=made,
        quick=quick,
        seconds=process_time() - started,
    )


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


def _part(progress: Progress, start: float, end: float) -> Progress:
    """Progress of a part that begins and ends at these shares of the whole."""
    return lambda what, share: progress(what.lower(), start + (end - start) * (share or 0.0))
