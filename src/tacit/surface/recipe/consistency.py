"""What can be wrong with a recipe before any file is opened: names that nobody has, keys that do nothing.

Where the releases of a recipe go: apart from each other, and from everything that is read.
"""

from __future__ import annotations

from pathlib import Path

from tacit.errors import InfeasibleError, OutputError, UsageError
from tacit.io.output import private_root
from tacit.io.samples import is_sample
from tacit.methods import TABLE, TRANSACTIONS
from tacit.options import check_options, unused_option
from tacit.random.key import Key
from tacit.release import check_output
from tacit.surface.reading import only_for
from tacit.surface.recipe.model import ONLY, SAVING, OneRelease, Recipe, Source
from tacit.surface.recipe.section import KeyPath, unknown_name
from tacit.surface.recipe.text import Places


def check_consistent(recipe: Recipe, places: Places) -> dict[str, str]:
    """The kind of each source, by name; raises the first thing that contradicts another.

    Nothing is read: this is what can be said of the recipe alone.
    """
    kinds = _kinds(recipe, places)
    for name, source in recipe.sources.items():
        _check_options(recipe, name, source, kinds[name], places)
    for number, release in enumerate(recipe.release):
        _check_options_of(release, number, places)
    if recipe.key.file is not None and recipe.key.seed is not None:
        raise _error(
            "A seed and a key file are both given.",
            "two-keys",
            ("key",),
            places,
            "Use file for a release, seed for an experiment.",
        )
    return kinds


def source_path(recipe: Recipe, name: str) -> KeyPath:
    return ("source",) if isinstance(recipe.source, Source) else ("source", name)


def _kinds(recipe: Recipe, places: Places) -> dict[str, str]:
    kinds: dict[str, str] = {}
    for number, release in enumerate(recipe.release):
        name = _source_name(recipe, release, number, places)
        kind = release.by.takes
        if kinds.setdefault(name, kind) != kind:
            raise _error(
                f"One release reads the source {name!r} as a table, another as transactions.",
                "recipe-source-kind",
                ("release", number),
                places,
                "Describe it twice, under two names: as a table it needs roles, as transactions items.",
            )
    for name in recipe.sources:
        if name not in kinds:
            raise _error(
                f"No release is made from the source {name!r}.",
                "recipe-source-unused",
                ("source", name),
                places,
                f"Take it out, or say source = {name!r} in a release.",
            )
    return kinds


def _source_name(recipe: Recipe, release: OneRelease, number: int, places: Places) -> str:
    known = [] if isinstance(recipe.source, Source) else list(recipe.sources)
    if release.source is None:
        if len(recipe.sources) == 1:
            return next(iter(recipe.sources))
        raise _error(
            "The release does not say which source it is made from.",
            "recipe-source-unknown",
            ("release", number),
            places,
            f"Give source = one of {', '.join(map(repr, known))}.",
        )
    if release.source not in known:
        raise _error(
            f"There is no source {release.source!r}.",
            "recipe-source-unknown",
            ("release", number, "source"),
            places,
            unknown_name(release.source, known) if known else "There is one source; leave the key out.",
        )
    return str(release.source)


def _check_options(recipe: Recipe, name: str, source: Source, kind: str, places: Places) -> None:
    """Refuse reading options that say nothing about this kind of data."""
    path = source_path(recipe, name)
    where = "The source" if name == ONLY and len(path) == 1 else f"The source {name!r}"
    given = [name for name, key in Source.keys.items() if getattr(source, name) != key.default]
    unused = [key for key in given if only_for(key) not in (None, kind)]
    readers = [release.by for release in recipe.release if recipe.source_of(release) == name]
    what = "a table" if kind == TABLE else "transactions"
    if not unused:
        unused = [key for key in given if all(key in method.unread for method in readers)]
        what = readers[0].about or what
    if unused:
        raise _error(
            f"{where} has {unused[0]!r}, which says nothing about {what}.",
            "recipe-key-unused",
            (*path, unused[0]),
            places,
            f"Leave it out; {' and '.join(sorted({method.name for method in readers}))} read"
            f" {'a table' if kind == TABLE else kind}.",
        )
    if kind == TRANSACTIONS and len(source.sensitive) > 1:
        raise _error(
            "Transactions have one sensitive column at most.",
            "recipe-value",
            (*path, "sensitive"),
            places,
            "Name one.",
        )


def _check_options_of(release: OneRelease, number: int, places: Places) -> None:
    """Refuse options that would do nothing, in the words of the verb."""
    try:
        verb = release.by.verb.__name__
        check_options(verb, release.by.options, release.asked())
        check_options("save", SAVING, release.saved())
        for figure in release.by.figures:
            limited = getattr(release.limits, figure.limit) is not None
            if limited and figure.needs is not None and release.asked()[figure.needs] is None:
                raise unused_option(f"limits.{figure.limit}", verb, f"a release with {figure.needs}")
    except UsageError as error:
        error.where = places.at(("release", number, *str(error.option).split(".")))
        raise


def _error(message: str, code: str, path: KeyPath, places: Places, hint: str) -> UsageError:
    return UsageError(message, code=code, where=places.at(path), hint=hint)


def check_apart(recipe: Recipe, base: Path, places: Places) -> None:
    """Refuse two releases in one folder, or one inside the other."""
    taken: list[Path] = []
    for number, release in enumerate(recipe.release):
        folder = (base / release.output).resolve()
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
        folder = base / release.output
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
        data = (release.by.takes, source.address(base), *asked)
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
