"""What a rules release promises and states: its manifest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tacit.judging.figures import RISKS, UTILITY, stated
from tacit.methods.disclose.figures import FIGURES
from tacit.methods.disclose.rules_files import threshold_text
from tacit.methods.disclose.solve.inference import ACCEPTED
from tacit.methods.disclose.solve.safe import JudgedRules
from tacit.methods.disclose.solve.thresholds import Thresholds
from tacit.methods.disclose.solve.withheld import MissingScores
from tacit.release import Manifest
from tacit.release.rounding import CLASS
from tacit.typing import Threshold


def rules_manifest(
    judged: JudgedRules,
    limit: float,
    min_support: Threshold,
    min_confidence: Threshold,
    thresholds: Thresholds,
    distribution: bool,
    k: int | None,
    exact: Mapping[str, Any],
    missing: MissingScores,
) -> Manifest:
    """The manifest of rules that keep the limit."""
    terms: dict[str, Any] = {"max_posterior": limit}
    if exact[RISKS]["channels"] == 0:
        terms["min_group"] = k
    return Manifest(
        kind="rules",
        method="association rules within a limit on the maximum-entropy posterior",
        parameters={
            "min_support": threshold_text(min_support),
            "min_confidence": threshold_text(min_confidence),
            "max_length": thresholds.max_length,
            "scores": "exact" if judged.with_scores else "thresholds",
            "distribution": distribution,
            "k": k,
        },
        promise=terms,
        reader={
            "quasi": [attribute.name for attribute in judged.rules.population.attributes],
            "silence": "both",
        },
        risks=stated(
            FIGURES,
            RISKS,
            {**exact[RISKS], "limit": limit},
            beside={
                "residual_below": ACCEPTED,  # a solution that is worse is an error
                "missing_scores": _told_class(missing, limit),
            },
            rounded={"missing_scores": CLASS},
        ),
        utility=stated(FIGURES, UTILITY, exact[UTILITY], beside={}),
    )


def _told_class(missing: MissingScores, limit: float) -> str:
    """What missing scores tell a reader who knows the procedure, as a class."""
    if not missing.told:
        return "tell nothing"
    return "stay within the limit" if missing.max_posterior <= limit else "pass the limit"
