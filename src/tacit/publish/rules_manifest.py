"""What a rules release promises and states: its manifest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.data.release import Manifest, Statement
from tacit.disclosure.safe import SCORES, THRESHOLDS, WITHHELD, Limit, MaxPosterior, SafeChoice
from tacit.disclosure.thresholds import Thresholds
from tacit.judge.channels import Channel
from tacit.publish.rounding import DIGITS, GRID, two_digits
from tacit.publish.rules_files import threshold_text
from tacit.typing import Threshold

LIMITS = (
    "It does not protect against readers who know more than quasi-identifiers, nor against other releases of "
    "the same people; the promise is about the expected (maximum-entropy) reader, not about every reader, "
    "and it is not differential privacy."
)


@dataclass(frozen=True)
class RulesUtility:
    """What a rules release keeps of the whole list."""

    eligible: int
    with_scores: int
    without_scores: int
    withheld: int
    kept: float
    """The share of the whole list's utility."""


def rules_manifest(
    choice: SafeChoice,
    limit: Limit,
    min_support: Threshold,
    min_confidence: Threshold,
    thresholds: Thresholds,
    distribution: bool,
    k: int | None,
    channels: tuple[Channel, ...] | None,
) -> Manifest:
    """The manifest of the rules that were chosen."""
    utility = utility_of(choice)
    residual = max(reader.certificate.residual for reader in choice.readers)
    terms: dict[str, Any] = (
        {"max_posterior": limit.most} if isinstance(limit, MaxPosterior) else {"min_divergence": limit.least}
    )
    if channels is not None and not channels:
        terms["min_group"] = k
    notes = []
    if utility.withheld:
        notes.append("The list is incomplete: rules that reach the thresholds were withheld.")
    return Manifest(
        kind="rules",
        method="association rules within a limit on the maximum-entropy posterior",
        parameters={
            "min_support": threshold_text(min_support),
            "min_confidence": threshold_text(min_confidence),
            "max_length": thresholds.max_length,
            "distribution": distribution,
            "k": k,
        },
        promise=Statement(f"For the expected reader there is {limit}.", terms),
        reader=Statement(
            "A reader who knows everybody's quasi-identifiers, reads the rules, and may reason from silence "
            "about the patterns that are not among them; who otherwise takes everything as equally likely.",
            {
                "quasi": [attribute.name for attribute in choice.rules.population.attributes],
                "silence": "both",
            },
        ),
        limits=LIMITS,
        risks={
            # Rounded, but never above the limit that it keeps.
            "max_posterior": min(two_digits(choice.largest_posterior), float(terms.get("max_posterior", 1))),
            "residual_below": 1e-6 if residual <= 1e-6 else residual,
            "channels": None if channels is None else len(channels),
            GRID: {"max_posterior": DIGITS},
        },
        utility={
            "published": utility.with_scores + utility.without_scores,
            "with_scores": utility.with_scores,
        },
        notes=notes,
        verification={"extent": "scores and channels; posteriors with the original and the private record"},
    )


def utility_of(choice: SafeChoice) -> RulesUtility:
    """What a choice keeps."""
    counts = np.bincount(choice.told, minlength=3).tolist()
    return RulesUtility(
        len(choice.told), counts[SCORES], counts[THRESHOLDS], counts[WITHHELD], choice.utility
    )
