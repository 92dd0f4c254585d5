"""The figures that releases of each kind state in their manifests, as a comparison shows them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tacit.methods.hide.judge.figures import RARE
from tacit.release import Manifest

Stated = float | int | str | None
"""A figure of a manifest: a number, the range it is in, or none where it is not stated."""


@dataclass(frozen=True)
class Measure:
    """A figure that releases of one kind state; ``share`` says that it is a share of something."""

    name: str
    read: Callable[[Manifest], Stated]
    share: bool = True


def _narrowed(place: int) -> Callable[[Manifest], float]:
    return lambda manifest: float(manifest.risks["narrowed"][place]["below_k"])


def _accuracy(attack: str) -> Callable[[Manifest], Stated]:
    return lambda manifest: (manifest.risks[attack] or {"accuracy": None})["accuracy"]


def _share_of_rows(figure: str) -> Callable[[Manifest], Stated]:
    def read(manifest: Manifest) -> Stated:
        count = manifest.risks[figure]
        return None if count is None else count / max(1, manifest.risks["rows"])

    return read


RISKS: Mapping[str, tuple[Measure, ...]] = {
    "bucketized": (
        Measure("right guesses of a learner", _accuracy("learning")),
        Measure("largest posterior", lambda one: (one.risks["posterior"] or {"largest": None})["largest"]),
        Measure("rows below ℓ values, rules known", _share_of_rows("vulnerable")),
        Measure("… longer rules, lower expectation", _share_of_rows("vulnerable_longer")),
        Measure("rows alone with their quasi-identifiers", lambda one: one.risks["unique"]),
    ),
    "generalized": (
        Measure("records below k, 1 more item known", _narrowed(0)),
        Measure("… 2 more items", _narrowed(1)),
        Measure("… 3 more items", _narrowed(2)),
        Measure("right guesses of items", _accuracy("leaf_guessing")),
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
"""The risks that each kind of release states; the first that all state as a number is drawn."""

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
