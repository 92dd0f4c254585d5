"""The figures that releases of each kind state in their manifests, as a comparison shows them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tacit.data.release import Manifest
from tacit.judge.hiding import RARE


@dataclass(frozen=True)
class Measure:
    """A figure that releases of one kind state; ``share`` says that it is a share of something."""

    name: str
    read: Callable[[Manifest], float | int | None]
    share: bool = True


def _narrowed(place: int) -> Callable[[Manifest], float]:
    return lambda manifest: float(manifest.risks["narrowed"][place]["below_k"])


def _learned(manifest: Manifest) -> float | None:
    learning = manifest.risks["learning"]
    return None if learning is None else float(learning["accuracy"])


def _guessed(manifest: Manifest) -> float | None:
    guessing = manifest.risks["leaf_guessing"]
    return None if guessing is None else float(guessing["accuracy"])


RISKS: Mapping[str, tuple[Measure, ...]] = {
    "bucketized": (
        Measure("right guesses of a learner", _learned),
        Measure("largest posterior", lambda one: one.risks["posterior"]["largest"]),
        Measure(
            "rows below ℓ values, rules known",
            lambda one: one.risks["vulnerable"] / max(1, one.risks["rows"]),
        ),
        Measure(
            "… rules one attribute longer",
            lambda one: one.risks["vulnerable_longer"] / max(1, one.risks["rows"]),
        ),
        Measure("rows alone with their quasi-identifiers", lambda one: one.risks["unique"]),
    ),
    "generalized": (
        Measure("records below k, 1 more item known", _narrowed(0)),
        Measure("… 2 more items", _narrowed(1)),
        Measure("… 3 more items", _narrowed(2)),
        Measure("right guesses of items", _guessed),
    ),
    "hidden": (
        Measure("weakness (inferred from pairs)", lambda one: one.risks["weakness"]),
        Measure("hiding failure", lambda one: one.risks["hiding_failure"]),
        Measure(f"items in fewer than {RARE} records", lambda one: one.risks["rare_items"], share=False),
    ),
    "rules": (
        Measure("largest posterior", lambda one: one.risks["max_posterior"]),
        Measure("groups below the limit", lambda one: one.risks["channels"], share=False),
    ),
}
"""The risks that each kind of release states; the first that all state is drawn."""

UTILITIES: Mapping[str, tuple[Measure, ...]] = {
    "bucketized": (Measure("error of counting queries", lambda one: one.utility["count_queries"]["valid"]),),
    "generalized": (
        Measure("detail lost (NCP)", lambda one: one.utility["ncp"]),
        Measure("published items", lambda one: one.utility["published_items"], share=False),
    ),
    "hidden": (
        Measure("patterns lost (misses cost)", lambda one: one.utility["misses_cost"]),
        Measure("items taken out (dissimilarity)", lambda one: one.utility["dissimilarity"]),
        Measure("artificial patterns", lambda one: one.utility["artificial_patterns"]),
    ),
    "rules": (
        Measure("rules", lambda one: one.utility["published"], share=False),
        Measure("rules with scores", lambda one: one.utility["with_scores"], share=False),
    ),
}
"""What each kind of release states about its use; the first that all state is drawn."""
