"""Carrying a recipe out: every release is made and judged first, and only then is any put in place.

A limit ``max_x`` or ``min_x`` is about the figure ``x``. Bounds and figures are compared as the exact
decimal numbers they are written as. A figure that could not be measured keeps no limit.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from decimal import Decimal
from pathlib import Path
from time import process_time
from typing import Any

from tacit.data.table import Table
from tacit.errors import Cancelled, LimitError, TacitError
from tacit.judging.figures import Figure, Parts
from tacit.judging.risk.standards import find_standards
from tacit.methods import METHODS
from tacit.options import check_options
from tacit.random.key import Key
from tacit.ranges import as_fraction
from tacit.release.published import Release
from tacit.showing.layout import as_text, facts, grid, heading, prose, to_plain
from tacit.surface.recipe.load import Places
from tacit.surface.recipe.measure import MeasureResult, measure, write_found
from tacit.surface.recipe.model import SAVING, OneRelease, Recipe
from tacit.surface.recipe.prepare import Prepared, prepare_recipe
from tacit.surface.recipe.section import Section
from tacit.typing import Progress


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


@dataclass(frozen=True)
class ReleaseResult:
    """One release that was published."""

    method: str
    kind: str
    source: str
    promise: str
    folder: str
    figures: Mapping[str, Any]
    limits: tuple[Limit, ...]
    seconds: float
    not_for_publication: bool

    def __str__(self) -> str:
        lines = [heading(f"{self.method}: {self.folder}"), prose(self.promise), ""]
        rows = [
            (one.name, one.text(self.figures[one.name]), one.meaning())
            for one in METHODS[self.method].figures
        ]
        lines.append(grid(("figure", "value", "what it is"), rows, right=(1,), ends_in_prose=True))
        lines += [f"  {'kept' if limit.met else 'MISSED'}: {limit}" for limit in self.limits]
        if self.not_for_publication:
            lines.append("  Made with a seed: not for publication.")
        return "\n".join(lines)


@dataclass(frozen=True)
class RecipeResult:
    """Every release of a recipe, in its order, and what it measured."""

    releases: tuple[ReleaseResult, ...]
    notes: tuple[str, ...] = ()
    measures: tuple[MeasureResult, ...] = ()

    @property
    def folders(self) -> tuple[str, ...]:
        return tuple(release.folder for release in self.releases)

    @property
    def exit_code(self) -> int:
        return max((one.exit_code for one in self.measures), default=0)

    def to_dict(self) -> dict[str, Any]:
        return {field.name: to_plain(getattr(self, field.name)) for field in fields(self)}

    def __str__(self) -> str:
        count = len(self.folders)
        end = (
            f"Verified and published: {count} {'release' if count == 1 else 'releases'}. "
            "What only you may see is in the folders that end in .private."
        )
        ends = [prose(end)] if count else ["Nothing was published."]
        return "\n\n".join([*map(str, self.measures), *map(str, self.releases), *ends])


def judge_limits(limits: Section, figures: Iterable[Figure], parts: Parts) -> tuple[Limit, ...]:
    """Every limit that was set, with what was found on the release."""
    judged = []
    for figure in figures:
        bound = getattr(limits, figure.limit)
        if bound is None:
            continue
        found = figure.held(parts)
        exact, least = (None if found is None else as_fraction(found)), as_fraction(bound)
        kept = exact is not None and least is not None and (exact <= least if figure.less else exact >= least)
        judged.append(Limit(figure.limit, bound, found, kept))
    return tuple(judged)


def judge_standards(release: Release, standards: Sequence[str]) -> tuple[Limit, ...]:
    """What standards ask of a release, with what was found on the data as they would be published."""
    if not standards:
        return ()
    from tacit.surface.risk import risk

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "release"
        release.complete()._publish(folder, overwrite=False, verify=lambda staged: None)
        judged = risk(folder, standard=standards).standards
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
    """Carry a recipe out: check it, read the data, measure, make and judge every release, then publish all.

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

    Raises LimitError where a limit is not kept; nothing of the recipe is then published.
    """
    acknowledged = {
        "acknowledge_composition": acknowledge_composition,
        "reason": reason,
        "acknowledged_by": acknowledged_by,
    }
    said = {name: value for name, value in acknowledged.items() if value}
    for one in recipe.release:
        check_options("save", SAVING, one.saved() | said)
    how: dict[str, Any] = {"overwrite": overwrite, "acknowledge_composition": acknowledge_composition}
    prepared = prepare_recipe(recipe, base=base, key=key, places=places, progress=progress, **how)
    measured = measure(prepared, progress=progress)
    made = make_releases(prepared, progress=progress)
    check_limits(prepared, made)
    published = tuple(_save_all(prepared, made, said | {"overwrite": overwrite}, progress))
    write_found(prepared, measured, overwrite=overwrite)
    return RecipeResult(published, prepared.notes, measured)


def make_releases(prepared: Prepared, *, progress: Progress | None = None) -> tuple[Made, ...]:
    """Every release of a recipe, in memory, with its figures; limits that are missed are marked."""
    made = []
    standards = [prepared.standards(settings.standard) for settings in prepared.recipe.release]
    for named in standards:
        find_standards(named)  # one that is not there is refused before any work
    for number, settings in enumerate(prepared.recipe.release):
        with prepared.about(("release", number), settings.output, progress) as report:
            started = process_time()
            release: Release = settings.by.verb(**prepared.arguments(settings), progress=report)
            report("Measuring", None)
            figures = release.measured()
            limits = (
                *judge_limits(settings.limits, settings.by.figures, release.parts),
                *judge_standards(release, standards[number]),
            )
            made.append(Made(settings, release, figures, limits, process_time() - started))
    return tuple(made)


def check_limits(prepared: Prepared, made: Iterable[Made]) -> None:
    """Raise LimitError unless every limit of every release is kept."""
    missing = [
        (number, one.settings.output, limit)
        for number, one in enumerate(made)
        for limit in one.limits
        if not limit.met
    ]
    if not missing:
        return
    number, _, first = missing[0]
    way = "ask less of the release"
    if getattr(prepared.recipe.release[number], first.name, 0) is None:  # it could be made to keep the limit
        way = f"give {first.name} to the release itself as well"
    said = "; ".join(f"{output}: {limit}" for _, output, limit in missing)
    raise LimitError(
        f"{'A limit is' if len(missing) == 1 else f'{len(missing)} limits are'} not kept. {said}.",
        code="limit-missed",
        where=prepared.places.at(("release", number, "limits", first.name)),
        hint=f"Nothing was published. Loosen the limit, or {way}.",
    )


def _save_all(
    prepared: Prepared, made: tuple[Made, ...], saving: dict[str, Any], progress: Progress | None
) -> Iterator[ReleaseResult]:
    """Put the releases in place, one after the other; where one fails, say which are there already."""
    saved: list[str] = []
    for number, one in enumerate(made):
        settings, manifest = one.settings, one.release.manifest
        about = prepared.about(("release", number), settings.output, progress)
        with _told_what_is_there(saved), about as report:
            report("Writing and verifying", None)
            started = process_time()
            published = one.release.save(prepared.folder_of(settings), **settings.saved() | saving)
            seconds = one.seconds + process_time() - started
        saved.append(settings.output)
        yield ReleaseResult(
            method=settings.method,
            kind=manifest.kind,
            source=prepared.recipe.source_of(settings),
            promise=manifest.promise_words,
            folder=str(published.folder),
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


@dataclass(frozen=True)
class SourcePreview:
    name: str
    kind: str
    records: int
    columns: tuple[str, ...]
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]

    def __str__(self) -> str:
        if self.kind == "transactions":
            return f"{self.records:,} transactions"
        roles = f"quasi-identifiers {', '.join(self.quasi)}; sensitive {', '.join(self.sensitive)}"
        return f"{self.records:,} rows; {roles}"


@dataclass(frozen=True)
class ReleasePreview:
    """A release that would be made: where, whether it would replace one, and what it would cost."""

    method: str
    source: str
    folder: str
    replaces: bool
    estimate: Any

    def __str__(self) -> str:
        end = " (replaces the release there)" if self.replaces else ""
        return f"{heading(f'{self.method}: {self.folder}{end}')}\n{as_text(self.estimate)}"


@dataclass(frozen=True)
class RecipePreview:
    """What a recipe would do."""

    sources: tuple[SourcePreview, ...]
    releases: tuple[ReleasePreview, ...]
    notes: tuple[str, ...]
    measures: tuple[str, ...] = ()
    """What would be measured, of which source."""

    def __str__(self) -> str:
        sources = facts((source.name, str(source)) for source in self.sources)
        measures = [f"To measure: {'; '.join(self.measures)}."] if self.measures else []
        end = "The recipe can be carried out; nothing was written."
        return "\n\n".join([sources, *map(str, self.releases), *measures, end])


def preview_recipe(recipe: Recipe, *, progress: Progress | None = None, **how: Any) -> RecipePreview:
    """Check a recipe as :func:`run_recipe` does, and say what it would do; nothing is written."""
    prepared = prepare_recipe(recipe, progress=progress, **how)
    sources, releases = [], []
    for name, data in prepared.data.items():
        if isinstance(data, Path):  # of a release
            continue
        told = (data.names, data.roles.quasi, data.roles.sensitive) if isinstance(data, Table) else ((),) * 3
        kind = "table" if isinstance(data, Table) else "transactions"
        sources.append(SourcePreview(name, kind, len(data), *told))
    for release in recipe.release:
        folder, estimate = prepared.folder_of(release), prepared.expected(release, progress)
        there, source = os.path.lexists(folder), recipe.source_of(release)
        releases.append(ReleasePreview(release.method, source, str(folder), there, estimate))
    measures = (f"{one.verb} of {recipe.source_of(one)}" for one in recipe.measure)
    return RecipePreview(tuple(sources), tuple(releases), prepared.notes, tuple(measures))
