"""What published rules say in words, and how they are read back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tacit.release import Manifest
from tacit.release.kinds import Columns, Kind, alarming_words, decimal

LIMITS = (
    "It does not protect against readers who know more than quasi-identifiers, nor against other releases of "
    "the same people; the promise is about the expected (maximum-entropy) reader, not about every reader, "
    "and it is not differential privacy."
)
READER = (
    "A reader who knows everybody's quasi-identifiers and how rules are chosen, reads the rules, and "
    "may reason from silence about the patterns that are not among them; who otherwise takes "
    "everything as equally likely."
)


def promise(manifest: Manifest) -> str:
    terms = manifest.promise
    if "max_posterior" in terms:
        return f"For the expected reader there is no posterior above {terms['max_posterior']:g}."
    return f"For the expected reader there is no D_individual below {terms['min_divergence']:g} nats."


def columns(folder: Path, manifest: Manifest) -> Columns:
    """The columns of the original that the rules speak of."""
    content = _content(folder)
    return content["quasi"], [content["sensitive"]], []


def scored_rules(folder: Path) -> Sequence[Mapping[str, Any]]:
    """The support and the confidence of every rule that is published with scores."""
    try:
        return [
            {"support": rule["support"], "confidence": rule["support"] / rule["matching"]}
            for rule in _content(folder)["rules"]
            if "support" in rule and rule["matching"]
        ]
    except (OSError, ValueError, KeyError, TypeError):
        return ()  # the verifier says what is wrong with the file


def _content(folder: Path) -> Any:
    return json.loads((folder / "rules.json").read_text(encoding="utf-8"))


def german(manifest: Manifest) -> str:
    """The promise in German."""
    terms = manifest.promise
    if "max_posterior" in terms:
        most = decimal(f"{terms['max_posterior']:g}")
        return f"Für den erwarteten Leser gibt es keine A-posteriori-Wahrscheinlichkeit über {most}."
    least = decimal(f"{terms['min_divergence']:g}")
    return f"Für den erwarteten Leser gibt es kein D_individual unter {least} nats."


KIND = Kind(
    promise=promise,
    german=german,
    reader=lambda manifest: READER,
    limits=lambda manifest: LIMITS,
    records=lambda manifest: manifest.utility.get("published"),
    warnings=lambda manifest: alarming_words(manifest.risks.get("max_posterior")),
    counts_records=False,
    columns=columns,
    points=scored_rules,
    record=("plan.json", "certificate.json"),
    checked_with_record=True,
)
