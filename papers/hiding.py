"""Hiding patterns: Figures 2 to 6 of Wang, Lee and Lin, and the same on published transactions.

The text's experiment is run with the probabilities it prints (``paper``), with the two policies of this
project (``certified`` and ``exact``), and with sliding windows [1] beside them. Each point is the mean over
several draws of the sensitive patterns, on first draws of the sanitization.

[1] S. Oliveira, O. Zaïane. Protecting Sensitive Knowledge by Data Sanitization. ICDM 2003.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from papers import hiding_around as around
from papers import hiding_figures as figures
from papers.experiment import Made, Tell
from papers.hiding_drawing import means
from papers.hiding_experiment import (
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
    Setting,
    experiment,
    public_subjects,
    subject,
    text_subject,
    varied,
)
from papers.sources import not_at_hand
from tacit.io.samples.supermarket import supermarket

TITLE = "Sensitive patterns hidden by a sanitization matrix"
CITATION = (
    "E. T. Wang, G. Lee, Y. T. Lin. A Novel Method for Protecting Sensitive Knowledge in "
    "Association Rules Mining. COMPSAC 2005."
)
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

    def drawn(self, settings: Iterable[Setting]) -> list[Setting]:
        """Each setting as often as there are draws of sensitive patterns."""
        return [replace(one, seed=seed) for one in settings for seed in range(1, self.draws + 1)]


FULL = Scale(100_000, SHARES, PAIR_SHARES, CONFIDENCES, ("0.05", "0.1", "0.2", "0.3", "0.4", "0.5"), 5)
QUICK = Scale(20_000, SHARES[::4], PAIR_SHARES[::2], CONFIDENCES[::5], ("0.1", "0.5"), 1)


def reproduce(*, data: Path | None, quick: bool, tell: Tell) -> Made:
    """Run the text's experiment, and the same on the published transactions that are at hand."""
    scale = QUICK if quick else FULL
    tell("mining")
    text = text_subject(scale.transactions)
    others = list(public_subjects(data)) or [subject("supermarket", supermarket(20_000), "0.01")]
    # Once everywhere without a clock, so that no time holds the loading of a kernel.
    list(experiment(min(others, key=lambda each: len(each.itemsets)), [Setting()], WAYS))
    settings = scale.drawn(varied(scale.shares, scale.pair_shares))
    elsewhere = scale.drawn(varied(scale.shares, ())) if quick else settings
    confidences = scale.drawn(Setting(confidence=each) for each in scale.confidences)
    windows = [
        Configuration(f"ψ = {each}", {"method": "swa", "disclosure": Fraction(each)})
        for each in scale.disclosures
    ]
    tell(f"hiding in {text.name}")
    outcomes = {text.name: list(experiment(text, settings, WAYS))}
    measured = means(text, outcomes[text.name])
    made = [
        around.table_1([text, *others]),
        around.figure_2(),
        figures.figure_3(means(text, experiment(text, confidences, CONFIDENT)), least=text.least),
        figures.figure_4(measured, text),
        figures.figure_5(measured),
        figures.figure_6(measured),
        around.disclosure_thresholds(means(text, experiment(text, scale.drawn([Setting()]), windows)), text),
    ]
    for other in others:
        tell(f"hiding in {other.name}")
        outcomes[other.name] = list(experiment(other, elsewhere, WAYS))
        made.append(around.other_data(means(other, outcomes[other.name]), other))
    made.append(around.against_windows(outcomes))
    words = (
        f"{text.name}: {len(text.transactions):,} transactions drawn here in the manner of the Quest "
        "generator; the text's own file was not published.",
        *(f"{other.name}: {len(other.transactions):,} transactions." for other in others),
        *not_at_hand([name for name, _, _ in PUBLIC], others),
    )
    return Made(words, tuple(made))
