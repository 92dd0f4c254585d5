"""How disclosure spreads over people: whose posterior is how large, whose divergence how small.

The divergence curve sorts everybody by D_individual, the most disclosed first, and reads it off at even
steps. Where it starts near 0, a reader knows as much about those people as the data themselves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.typing import AnyArray, Floats

BINS = 20
POINTS = 51
WITH_SILENCE, WITHOUT_SILENCE = "reasons from silence", "does not"
"""The readers whose curves are shown side by side."""


@dataclass(frozen=True, slots=True)
class DivergencePoint:
    """The ``share`` of people with the smallest D_individual have at most this one, in nats."""

    share: float
    d_individual: float


@dataclass(frozen=True, slots=True)
class PosteriorCount:
    """So many people have a likeliest value with a posterior of at least ``low`` and less than ``high``."""

    low: float
    high: float
    people: int


def divergence_curve(d_individual: Floats, people: AnyArray) -> tuple[DivergencePoint, ...]:
    """D_individual at even shares of the people, smallest first; infinite ones are left out at the end."""
    order = np.argsort(d_individual, kind="stable")
    reached = np.cumsum(people[order])
    total = int(reached[-1]) if len(reached) else 0
    points = []
    for step in range(POINTS if total else 0):
        share = step / (POINTS - 1)
        person = max(1, -(-step * total // (POINTS - 1)))  # the person at this share, counted from 1
        value = float(d_individual[order[np.searchsorted(reached, person)]])
        if np.isfinite(value):
            points.append(DivergencePoint(share, value))
    return tuple(points)


def posterior_counts(posterior: Floats, people: AnyArray) -> tuple[PosteriorCount, ...]:
    """The people by the posterior of their likeliest value, in equal steps."""
    top = posterior.max(axis=1, initial=0.0)
    place = np.minimum(np.floor(top * BINS + 1e-9).astype(np.int64), BINS - 1)
    counts = np.bincount(place, weights=people, minlength=BINS).astype(np.int64).tolist()
    return tuple(
        PosteriorCount(number / BINS, (number + 1) / BINS, count) for number, count in enumerate(counts)
    )
