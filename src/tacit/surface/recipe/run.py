"""Carrying a recipe out: every release is made and judged first, and only then is any put in place.

A limit ``max_x`` or ``min_x`` is about the figure ``x``. Bounds and figures are compared as the exact
decimal numbers they are written as. A figure that could not be measured keeps no limit.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from time import process_time
from typing import Any

from tacit.errors import Cancelled, InfeasibleError, Place, TacitError
from tacit.judging.figures import Figure, Parts
from tacit.judging.risk.standards import Standard, find_standards
from tacit.options import check_options
from tacit.random.key import Key
from tacit.ranges import as_fraction
from tacit.release.published import Release
from tacit.surface.recipe.model import SAVING, OneRelease, Recipe, Section
from tacit.surface.recipe.places import Places
from tacit.surface.recipe.prepare import Prepared, prepare_recipe
from tacit.surface.recipe.result import Limit, RecipeResult, ReleaseResult
from tacit.typing import Progress


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


@dataclass(frozen=True, eq=False)
class Made:
    """A release that was made and judged, and is not published yet."""

    settings: OneRelease
    release: Release
    figures: dict[str, Any]
    limits: tuple[Limit, ...]
    seconds: float


def run_recipe(
    recipe: Recipe,
    *,
    base: str | Path = ".",
    key: Key | None = None,
    overwrite: bool = False,
    acknowledge_composition: bool = False,
    reason: str | None = None,
    acknowledged_by: str | None = None,
    places: Places | None = None,
    progress: Progress | None = None,
) -> RecipeResult:
    """Carry a recipe out: check it, read the data, make and judge every release, then publish them all.

    Parameters
    ----------
    base
        The folder that relative paths are relative to: the one of the recipe file.
    key
        What drives every random choice, in place of the recipe's own.
    overwrite
        Replace releases that are there.
    acknowledge_composition
        Publish releases of records that were released before, as if each release said so.
    reason, acknowledged_by
        Why, and who says so, as if each release said it.
    places
        Where the keys of the recipe stand (:func:`open_recipe` has them), so that errors name lines.

    Raises InfeasibleError where a limit is not kept; nothing of the recipe is then published.
    """
    acknowledged = {
        "acknowledge_composition": acknowledge_composition,
        "reason": reason,
        "acknowledged_by": acknowledged_by,
    }
    for one in recipe.release:
        check_options(
            "save", SAVING, one.saved() | {name: said for name, said in acknowledged.items() if said}
        )
    prepared = prepare_recipe(
        recipe,
        base=Path(base),
        key=key,
        overwrite=overwrite,
        acknowledge_composition=acknowledge_composition,
        places=places,
        progress=progress,
    )
    made = make_releases(prepared, progress=progress)
    check_limits(prepared, made)
    saving = _save_all(
        prepared,
        made,
        overwrite=overwrite,
        acknowledged={name: value for name, value in acknowledged.items() if value},
        progress=progress,
    )
    return RecipeResult(tuple(saving), prepared.notes)


def make_releases(prepared: Prepared, *, progress: Progress | None = None) -> tuple[Made, ...]:
    """Every release of a recipe, in memory, with its figures; limits that are missed are marked."""
    made = []
    standards = [_standards(prepared, settings) for settings in prepared.recipe.release]  # before any work
    for number, settings in enumerate(prepared.recipe.release):
        with _about(settings, number, prepared, progress) as report:
            started = process_time()
            release = _make(prepared, settings, report)
            report("Measuring", None)
            figures = release.measured()
            limits = (
                *judge_limits(settings.limits, settings.by.figures, release.parts),
                *judge_standards(release, standards[number]),
            )
            made.append(Made(settings, release, figures, limits, process_time() - started))
    return tuple(made)


def _standards(prepared: Prepared, settings: OneRelease) -> tuple[Standard, ...]:
    """The standards that a release must pass; files of one's own lie beside the recipe."""
    named = [str(prepared.base / name) if name.endswith(".toml") else name for name in settings.standard]
    return find_standards(named)


def check_limits(prepared: Prepared, made: Iterable[Made]) -> None:
    """Raise InfeasibleError unless every limit of every release is kept."""
    missing = [
        (number, one.settings.output, limit)
        for number, one in enumerate(made)
        for limit in one.limits
        if not limit.met
    ]
    if missing:
        number, _, first = missing[0]
        where = prepared.places.at(("release", number, "limits", first.name))
        settings = prepared.recipe.release[number]
        asked_for = first.name if getattr(settings, first.name, 0) is None else None
        raise missed([(output, limit) for _, output, limit in missing], where, asked_for=asked_for)


def _make(prepared: Prepared, settings: OneRelease, progress: Progress) -> Release:
    """The release, by the verb that a person would call."""
    made: Release = settings.by.verb(**prepared.arguments(settings), progress=progress)
    return made


def _save_all(
    prepared: Prepared,
    made: tuple[Made, ...],
    *,
    overwrite: bool,
    acknowledged: dict[str, Any],
    progress: Progress | None,
) -> Iterator[ReleaseResult]:
    """Put the releases in place, one after the other; where one fails, say which are there already."""
    saved: list[str] = []
    for number, one in enumerate(made):
        with _told_what_is_there(saved), _about(one.settings, number, prepared, progress) as report:
            report("Writing and verifying", None)
            started = process_time()
            published = one.release.save(
                prepared.folder_of(one.settings),
                overwrite=overwrite,
                **one.settings.saved() | acknowledged,
            )
            seconds = one.seconds + process_time() - started
        saved.append(one.settings.output)
        yield as_result(prepared, one, folder=str(published.folder), seconds=seconds)


def as_result(prepared: Prepared, one: Made, *, folder: str | None, seconds: float) -> ReleaseResult:
    """What is said of a release that was made."""
    manifest = one.release.manifest
    return ReleaseResult(
        method=one.settings.method,
        kind=manifest.kind,
        source=prepared.recipe.source_of(one.settings),
        promise=manifest.promise_words,
        folder=folder,
        figures=one.figures,
        limits=one.limits,
        seconds=seconds,
        not_for_publication=manifest.not_for_publication,
    )


@contextmanager
def _told_what_is_there(saved: list[str]) -> Iterator[None]:
    """Releases that were put in place before the block failed stay; the error says so."""
    try:
        yield
    except KeyboardInterrupt:
        if not saved:
            raise
        raise Cancelled(f"Cancelled; published before that: {', '.join(saved)}.") from None
    except TacitError as error:
        if saved:
            already = f"Published before that, and left in place: {', '.join(saved)}."
            error.hint = already if error.hint is None else f"{error.hint} {already}"
        raise


@contextmanager
def _about(
    settings: OneRelease, number: int, prepared: Prepared, progress: Progress | None
) -> Iterator[Progress]:
    """Progress, and errors without a place, are about this release of the recipe."""

    def report(what: str, share: float | None) -> None:
        if progress is not None:
            progress(f"{settings.output}: {what}", share)

    try:
        yield report
    except TacitError as error:
        if error.where is None:
            place = prepared.places.at(("release", number))
            error.where = place if place.line is not None else None
        raise
