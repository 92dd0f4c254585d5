"""Where the releases of a recipe go: apart from each other, and from everything that is read."""

from __future__ import annotations

from pathlib import Path

from tacit.errors import InfeasibleError, OutputError, UsageError
from tacit.io.output import private_root
from tacit.io.samples import is_sample
from tacit.random.key import Key
from tacit.release import check_output
from tacit.surface.recipe.model import Recipe
from tacit.surface.recipe.places import Places
from tacit.surface.recipe.reading import address_of, located


def check_apart(recipe: Recipe, base: Path, places: Places) -> None:
    """Refuse two releases in one folder, or one inside the other."""
    taken: list[Path] = []
    for number, release in enumerate(recipe.release):
        folder = located(release.output, base).resolve()
        if any(_overlap(one, two) for other in taken for one in _both(folder) for two in _both(other)):
            raise UsageError(
                "Two releases cannot go to the same folder, or one inside the other.",
                code="recipe-outputs",
                where=places.at(("release", number, "output")),
                hint="Give each release a folder of its own.",
            )
        taken.append(folder)


def check_outputs(recipe: Recipe, base: Path, files: list[Path], places: Places, *, overwrite: bool) -> None:
    """Refuse a folder that may not be written, or that is or holds something the recipe reads."""
    sources = list(files)
    if places.file is not None and Path(places.file).exists():
        sources.append(Path(places.file))
    for number, release in enumerate(recipe.release):
        folder = located(release.output, base)
        try:
            check_output(folder, overwrite=overwrite, sources=sources)
        except OutputError as error:
            place = places.at(("release", number, "output"))
            if place.line is not None:
                error.message = f"{error.message.rstrip('.')}: {folder}."
                error.where = place
            raise


def check_acknowledged(recipe: Recipe, base: Path, key: Key, places: Places) -> None:
    """A second release of the same data is acknowledged, which the ledger would else ask for half-way.

    What the ledger knows of earlier runs, or finds in other data, shows when a release is saved.
    """
    before: dict[tuple[str, ...], str] = {}
    for number, release in enumerate(recipe.release):
        source = recipe.sources[recipe.source_of(release)]
        if is_sample(source.path) or (
            key.experimental and release.by.uses_key(release.asked(), experimental=True)
        ):
            continue  # nobody's records, or an experiment: neither is on record
        asked = (source.table or "", source.query or "", source.sheet or "")
        data = (release.by.takes, address_of(source, base), *asked)
        if data in before and not release.acknowledge_composition:
            raise InfeasibleError(
                f"This release and the one in {before[data]} are made from the same records, and a reader of "
                "both may learn more than either promises to hide.",
                code="composition",
                where=places.at(("release", number)),
                hint="If that is acceptable, say acknowledge_composition = true in this release "
                "(or run with --acknowledge-composition); its manifest then states what both tell. "
                "Nothing was published.",
            )
        before.setdefault(data, release.output)


def _both(folder: Path) -> tuple[Path, Path]:
    """The folder of a release, and the one of its private record."""
    return folder, private_root(folder)


def _overlap(one: Path, other: Path) -> bool:
    return one == other or one in other.parents or other in one.parents
