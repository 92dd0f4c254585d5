"""Limits that a release must keep, judged by the figures it was measured with.

A limit ``max_x`` or ``min_x`` is about the figure ``x``. Bounds and figures are compared as the exact
decimal numbers they are written as. A figure that could not be measured keeps no limit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tacit.errors import InfeasibleError, Place
from tacit.ranges import as_fraction
from tacit.release.published import Release
from tacit.surface.recipe.releases import LIMITS
from tacit.surface.recipe.values import Section

Figure = int | float | None

STANDARD_ERRORS = 3
"""Where a posterior was sampled, a limit is held against so many standard errors more."""


@dataclass(frozen=True)
class Limit:
    """A limit, what was found, and whether it is kept."""

    name: str
    bound: int | Decimal
    found: Figure
    met: bool

    def __str__(self) -> str:
        if self.found is None:
            return f"{self.name} = {self.bound} cannot be judged: the figure was not measured"
        text = f"{self.name} = {self.bound}, and it is {self.found:.6g}"
        if self.met:
            return text
        by = abs(float(self.found) - float(self.bound))
        return f"{text}: {by:.6g} too {'much' if self.name.startswith('max_') else 'little'}"


def figures_of(method: str, release: Release) -> dict[str, Figure]:
    """The figures of a release that limits may be set on."""
    return {name: measure(release) for name, measure in FIGURES[method].items()}


def meaning(method: str, figure: str) -> str:
    """What a figure says, in the words of the limit that may be set on it."""
    fields = LIMITS[method].model_fields
    field = fields.get(f"max_{figure}") or fields[f"min_{figure}"]
    return str(field.description).partition(";")[0].rstrip(".")


def judge_limits(limits: Section, figures: Mapping[str, Figure]) -> tuple[Limit, ...]:
    """Every limit that was set, with what was found."""
    judged = []
    for name in type(limits).model_fields:
        bound = getattr(limits, name)
        if bound is None:
            continue
        found = figures[name[4:]]
        exact, least = (None if found is None else as_fraction(found)), as_fraction(bound)
        met = exact is not None and least is not None
        if exact is not None and least is not None:
            met = exact <= least if name.startswith("max_") else exact >= least
        judged.append(Limit(name, bound, found, met))
    return tuple(judged)


def missed(missing: list[tuple[str, Limit]], where: Place, *, asked_for: str | None) -> InfeasibleError:
    """The error for limits that are not kept, by the folder of their release.

    ``asked_for`` is a parameter by which the release would have been made to keep the first of them.
    """
    count = len(missing)
    said = "; ".join(f"{output}: {limit}" for output, limit in missing)
    way = (
        "ask less of the release" if asked_for is None else f"give {asked_for} to the release itself as well"
    )
    return InfeasibleError(
        f"{'A limit is' if count == 1 else f'{count} limits are'} not kept. {said}.",
        code="limit-missed",
        where=where,
        hint=f"Nothing was published. Loosen the limit, or {way}.",
    )


def _posterior(release: Any) -> float:
    found = release.risk().release.posterior
    return min(1.0, float(found.largest + STANDARD_ERRORS * found.error))


def _learning_gain(release: Any) -> float | None:
    attack = release.risk().release.learning
    return None if attack is None else max(0.0, attack.accuracy - attack.baseline)


def _leaf_guessing(release: Any) -> float | None:
    guessing = release.risk().leaf_guessing
    return None if guessing is None else guessing.accuracy


def _share(part: int, rest: int) -> float:
    return part / max(1, part + rest)


FIGURES: dict[str, dict[str, Callable[[Any], Figure]]] = {
    "bucketize": {
        "posterior": _posterior,
        "vulnerable": lambda release: release.risk().release.vulnerable,
        "vulnerable_longer": lambda release: release.risk().release.vulnerable_longer,
        "learning_gain": _learning_gain,
        "suppressed": lambda release: _share(release.plan.n_suppressed, len(release.buckets)),
        "query_error": lambda release: release.figures["utility"]["count_queries"]["valid"],
    },
    "generalize": {
        "ncp": lambda release: release.utility().ncp,
        "suppressed": lambda release: _share(release.plan.n_suppressed, len(release.published)),
        "narrowed": lambda release: release.risk().narrowed[0].share_below_k,
        "leaf_guessing": _leaf_guessing,
        "items": lambda release: release.utility().published_items,
    },
    "hide": {
        "hiding_failure": lambda release: release.risk().hiding_failure,
        "misses_cost": lambda release: release.utility().misses_cost,
        "artificial_patterns": lambda release: release.utility().artificial_patterns,
        "dissimilarity": lambda release: release.utility().dissimilarity,
        "weakness": lambda release: release.risk().weakness,
    },
    "rules": {
        "posterior": lambda release: release.judged.max_posterior,
        "channels": lambda release: release.risk().channels,
        "rules": lambda release: release.utility().rules,
    },
}
"""By method, how each figure is taken from a release."""
