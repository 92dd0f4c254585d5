"""Hiding patterns: Figures 2 to 6 of Wang, Lee and Lin [1], and the same on published transactions.

The text's experiment is run with the probabilities it prints (``paper``), with the two policies of this
project (``certified`` and ``exact``), and with sliding windows [2] beside them. Each point is the mean over
several draws of the sensitive patterns, on first draws of the sanitization.

[1] E. T. Wang, G. Lee, Y. T. Lin. A Novel Method for Protecting Sensitive Knowledge in Association Rules
    Mining. COMPSAC 2005.
[2] S. Oliveira, O. Zaïane. Protecting Sensitive Knowledge by Data Sanitization. ICDM 2003.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from statistics import fmean
from time import process_time

from tacit.io.samples.supermarket import supermarket
from tacit.surface.reproduce import hiding_around as around
from tacit.surface.reproduce import hiding_figures as figures
from tacit.surface.reproduce.experiment import Reproduction
from tacit.surface.reproduce.hiding_drawing import Measured
from tacit.surface.reproduce.hiding_experiment import (
    CERTIFIED,
    CERTIFIED_LIMIT,
    CONFIDENCES,
    EXACT,
    EXACT_LIMIT,
    PAIR_SHARES,
    PAPER,
    PUBLIC,
    SHARES,
    SWA,
    SWA_LARGEST,
    Configuration,
    Outcome,
    Setting,
    Subject,
    experiment,
    public_subjects,
    subject,
    text_subject,
)
from tacit.typing import Progress

WAYS = (CERTIFIED, EXACT, EXACT_LIMIT, PAPER, SWA, SWA_LARGEST)
CONFIDENT = (PAPER, CERTIFIED, CERTIFIED_LIMIT)
"""The ways to hide that a confidence says something to."""


@dataclass(frozen=True)
class Scale:
    """How much is run."""

    transactions: int
    shares: tuple[float, ...]
    pair_shares: tuple[float, ...]
    confidences: tuple[str, ...]
    disclosures: tuple[str, ...]
    draws: int

    def text_settings(self) -> list[Setting]:
        """RS varied at RL2 = 0.7, and RL2 varied at RS = 0.1."""
        return self.drawn(
            [Setting(share=share) for share in self.shares]
            + [Setting(pair_share=pair_share) for pair_share in self.pair_shares]
        )

    def other_settings(self) -> list[Setting]:
        """What is run on data that the text did not use."""
        return self.text_settings() if self.draws > 1 else self.drawn(Setting(share=s) for s in self.shares)

    def drawn(self, settings: Iterable[Setting]) -> list[Setting]:
        """Each setting once, as often as there are draws of sensitive patterns."""
        return [
            Setting(one.share, one.pair_share, one.confidence, seed)
            for one in dict.fromkeys(settings)
            for seed in range(1, self.draws + 1)
        ]


FULL = Scale(100_000, SHARES, PAIR_SHARES, CONFIDENCES, ("0.05", "0.1", "0.2", "0.3", "0.4", "0.5"), 5)
QUICK = Scale(20_000, SHARES[::4], PAIR_SHARES[::2], CONFIDENCES[::5], ("0.1", "0.5"), 1)


def reproduce(*, data: Path | None, quick: bool, progress: Progress) -> Reproduction:
    """Run the text's experiment, and the same on the published transactions that are at hand."""
    started = process_time()
    scale = QUICK if quick else FULL
    progress("mining Quest transactions", 0.0)
    text = text_subject(scale.transactions)
    others = list(public_subjects(data)) or [subject("supermarket", supermarket(20_000), "0.01")]
    for one in experiment(min(others, key=lambda each: len(each.itemsets)), [Setting()], WAYS):
        progress(f"warming up: {one.name}", 0.0)  # so that no time holds the loading of a kernel
    steps = _Steps(progress, text, others, scale)
    outcomes = steps.run(text, scale.text_settings(), WAYS)
    measured = means(text, outcomes)
    confident = means(text, steps.run(text, steps.confidences, CONFIDENT))
    windows = means(text, steps.run(text, steps.default, steps.windows))
    made = [
        around.table_1([text, *others]),
        around.figure_2(),
        figures.figure_3(confident, least=text.least),
        figures.figure_4(measured, text),
        figures.figure_5(measured),
        figures.figure_6(measured),
        around.disclosure_thresholds(windows, text),
    ]
    everywhere = {text.name: outcomes}
    for other in others:
        everywhere[other.name] = steps.run(other, scale.other_settings(), WAYS)
        made.append(around.other_data(means(other, everywhere[other.name]), other))
    made.append(around.against_windows(everywhere))
    return Reproduction(
        name="hiding",
        title="Sensitive patterns hidden by a sanitization matrix",
        citation="E. T. Wang, G. Lee, Y. T. Lin. A Novel Method for Protecting Sensitive Knowledge in "
        "Association Rules Mining. COMPSAC 2005.",
        data=_data(text, others),
        figures=tuple(made),
        quick=quick,
        seconds=process_time() - started,
    )


def means(data: Subject, outcomes: Iterable[Outcome]) -> list[Measured]:
    """The measures of each setting and method, averaged over the draws of sensitive patterns."""
    groups: dict[tuple[str, float, float, str], list[Outcome]] = {}
    for one in outcomes:
        setting = one.setting
        key = (one.name, setting.share, setting.pair_share, setting.confidence)
        groups.setdefault(key, []).append(one)
    return [
        Measured(
            data=data.name,
            method=name,
            RS=share,
            RL2=pair_share,
            C=float(confidence),
            draws=len(found),
            sensitive=fmean(one.risks.sensitive / len(data.itemsets) for one in found),
            hiding_failure=fmean(one.risks.hiding_failure for one in found),
            weakness=fmean(one.risks.weakness for one in found),
            misses_cost=fmean(one.utility.misses_cost for one in found),
            dissimilarity=fmean(one.utility.dissimilarity for one in found),
            artificial_patterns=fmean(one.utility.artificial_patterns for one in found),
            seconds=fmean(one.seconds for one in found),
        )
        for (name, share, pair_share, confidence), found in groups.items()
    ]


class _Steps:
    """Runs parts of the experiment and tells how much of all of it is done."""

    def __init__(self, progress: Progress, text: Subject, others: Sequence[Subject], scale: Scale) -> None:
        self.confidences = scale.drawn(Setting(confidence=each) for each in scale.confidences)
        self.default = scale.drawn([Setting()])
        self.windows = tuple(
            Configuration(f"ψ = {each}", {"method": "swa", "disclosure": Fraction(each)})
            for each in scale.disclosures
        )
        self._progress = progress
        # The judge's part of an outcome grows with the patterns there are, and is most of it.
        everywhere = len(scale.text_settings()) * len(WAYS)
        self._all = len(text.itemsets) * (
            everywhere + len(self.confidences) * len(CONFIDENT) + len(self.default) * len(self.windows)
        ) + len(scale.other_settings()) * len(WAYS) * sum(len(other.itemsets) for other in others)
        self._done = 0

    def run(self, data: Subject, settings: Sequence[Setting], ways: Sequence[Configuration]) -> list[Outcome]:
        found = []
        for one in experiment(data, settings, ways):
            found.append(one)
            self._done += len(data.itemsets)
            self._progress(f"hiding in {data.name}", self._done / self._all)
        return found


def _data(text: Subject, others: Sequence[Subject]) -> tuple[str, ...]:
    missing = [name for name, _, _ in PUBLIC if name not in {other.name for other in others}]
    words = [
        f"{text.name}: {len(text.transactions):,} transactions drawn here in the manner of the Quest "
        "generator; the text's own file was not published."
    ]
    words += [f"{other.name}: {len(other.transactions):,} transactions." for other in others]
    if missing:
        words.append(f"Not at hand: {', '.join(missing)}. Name their folder with --data or TACIT_DATA.")
    return tuple(words)
