"""What a German dossier has beside its catalogue: promises, which the rooms word, and titles of figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tacit.release import Manifest
from tacit.release.kinds import kind_of

FIGURES: Mapping[str, str] = {
    "k": "k: wenigste gleiche Personen",
    "prosecutor": "Prosecutor-Risiko, größtes",
    "journalist": "Journalist-Risiko, größtes",
    "marketer": "Marketer-Risiko",
    "unique_few": "Personen, die mit höchstens drei Spalten allein sind",
    "special": "Besonders einzige Personen",
    "l": "ℓ: wenigste verschiedene Werte",
    "t": "t: größter Abstand",
    "beta": "β: größter Zuwachs",
}
"""The titles of the figures that the pages to sign and of scenarios name."""


def promise(manifest: Manifest) -> str:
    """The promise as a sentence."""
    return kind_of(manifest.kind).german(manifest)


def figure_title(figure: Any) -> str:
    """The title of a figure."""
    return FIGURES.get(figure.name, figure.title)
