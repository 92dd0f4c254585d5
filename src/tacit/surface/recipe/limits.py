"""Limits that a release must keep, judged by the figures it was measured with.

A limit ``max_x`` or ``min_x`` is about the figure ``x``. Bounds and figures are compared as the exact
decimal numbers they are written as. A figure that could not be measured keeps no limit.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from tacit.errors import InfeasibleError, Place
from tacit.judging.figures import Figure, Parts
from tacit.judging.risk.standards import Standard
from tacit.ranges import as_fraction
from tacit.release.published import Release
from tacit.surface.recipe.values import Section


@dataclass(frozen=True)
class Limit:
    """A limit, what was found, and whether it is kept."""

    name: str
    bound: int | Decimal
    found: int | float | None
    met: bool

    def __str__(self) -> str:
        if self.found is None:
            return f"{self.name} = {self.bound} cannot be judged: the figure was not measured"
        text = f"{self.name} = {self.bound}, and it is {self.found:.6g}"
        if self.met:
            return text
        by = abs(float(self.found) - float(self.bound))
        return f"{text}: {by:.6g} too {'much' if self.name.startswith('max_') else 'little'}"


def judge_limits(limits: Section, figures: Iterable[Figure], parts: Parts) -> tuple[Limit, ...]:
    """Every limit that was set, with what was found on the release."""
    judged = []
    for figure in figures:
        bound = getattr(limits, figure.limit)
        if bound is None:
            continue
        found = figure.held(parts)
        exact, least = (None if found is None else as_fraction(found)), as_fraction(bound)
        met = exact is not None and least is not None
        if exact is not None and least is not None:
            met = exact <= least if figure.less else exact >= least
        judged.append(Limit(figure.limit, bound, found, met))
    return tuple(judged)


def judge_standards(release: Release, standards: Sequence[Standard]) -> tuple[Limit, ...]:
    """What standards ask of a release, with what was found on the data as they would be published."""
    if not standards:
        return ()
    from tacit.surface.risk import measured

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "release"
        release.complete()._publish(folder, overwrite=False, verify=lambda staged: None)
        judged = measured(folder, standards=standards).standards
    return tuple(
        Limit(
            f"{'min' if one.ask.bound == 'at_least' else 'max'}_{one.ask.figure} of {found.standard.name}",
            Decimal(str(one.ask.limit)),
            one.value,
            one.ok is True,
        )
        for found in judged
        for one in found.found
    )


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
