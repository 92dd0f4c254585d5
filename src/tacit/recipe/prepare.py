"""Everything that can be checked before the first release is made.

The recipe in itself, the files it names, the folders it writes to, and then the data: they are
read whole, so that a column, an item or a rule that is not there is found before any work is done.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tacit.data.key import load_key
from tacit.data.output import private_root
from tacit.data.release import check_output
from tacit.data.table import Table
from tacit.data.transactions import Transactions
from tacit.exceptions import InfeasibleError, InputError, OutputError, Place, TacitError, UsageError
from tacit.kernels.key import Key
from tacit.recipe.consistency import check_consistent, source_path
from tacit.recipe.model import Recipe
from tacit.recipe.places import KeyPath, Places
from tacit.recipe.reading import located, read_source
from tacit.recipe.releases import Bucketize, Generalize, Hide, Rules
from tacit.typing import Progress

Settings = Bucketize | Generalize | Hide | Rules


@dataclass(frozen=True, eq=False)
class Prepared:
    """A recipe that can be carried out: its data are read, and its key is there."""

    recipe: Recipe
    base: Path
    places: Places
    data: dict[str, Table | Transactions]
    key: Key

    def data_of(self, release: Settings) -> Table | Transactions:
        """What a release is made from."""
        return self.data[self.recipe.source_of(release)]

    def folder_of(self, release: Settings) -> Path:
        """Where a release goes."""
        return located(release.output, self.base)

    @property
    def notes(self) -> tuple[str, ...]:
        """What reading the data showed."""
        return tuple(note for data in self.data.values() for note in data.notes)


def prepare_recipe(
    recipe: Recipe,
    *,
    base: Path = Path(),
    key: Key | None = None,
    overwrite: bool = False,
    acknowledge_composition: bool = False,
    places: Places | None = None,
    existing: bool = False,
    progress: Progress | None = None,
) -> Prepared:
    """Check a recipe and read its data; nothing is written.

    ``base`` is what its relative paths are relative to, ``places`` where its keys stand, for errors.
    ``existing`` says that its releases are there already and are to be checked.
    """
    places = places or Places()
    kinds = check_consistent(recipe, places)
    files = dict(_files(recipe, base))
    for path, file in files.items():
        _check_file(file, path, places, folder=path[-1] == "hierarchies")
    _check_outputs(recipe, base, list(files.values()), places, overwrite=overwrite, existing=existing)
    if key is None:
        with _at(("key",), places):
            named = None if recipe.key.file is None else located(recipe.key.file, base)
            key = load_key(named) if recipe.key.seed is None else Key.from_seed(recipe.key.seed)
    if not (existing or acknowledge_composition):
        _check_acknowledged(recipe, key, places)
    data = {}
    for name, source in recipe.sources.items():
        if progress is not None:
            progress(f"Reading {source.path if source.file else name}", None)
        with _at(source_path(recipe, name), places):
            data[name] = read_source(source, kinds[name], base)
    prepared = Prepared(recipe, base, places, data, key)
    for number, release in enumerate(recipe.release):
        with _at(("release", number), places):
            _check_fits(prepared, release)
    return prepared


def _files(recipe: Recipe, base: Path) -> Iterator[tuple[KeyPath, Path]]:
    """Every file and folder that the recipe reads, by the key that names it."""
    for name, source in recipe.sources.items():
        path = source_path(recipe, name)
        if source.file is not None:
            yield (*path, "path"), located(source.path, base)
        if isinstance(source.hierarchies, str):
            yield (*path, "hierarchies"), located(source.hierarchies, base)
        elif source.hierarchies is not None:
            for attribute, entry in source.hierarchies.items():
                if isinstance(entry, str):
                    yield (*path, "hierarchies", attribute), located(entry, base)
        if isinstance(source.hierarchy, str):
            yield (*path, "hierarchy"), located(source.hierarchy, base)
    knowledge: list[tuple[KeyPath, object]] = [(("knowledge",), recipe.knowledge)]
    for number, release in enumerate(recipe.release):
        knowledge.append((("release", number, "knowledge"), getattr(release, "knowledge", None)))
        for key in ("mapping", "patterns"):
            value = getattr(release, key, None)
            if isinstance(value, str):
                yield ("release", number, key), located(value, base)
    for path, assumed in knowledge:
        for key in ("rules", "drop"):
            value = getattr(assumed, key, None)
            if isinstance(value, str):
                yield (*path, key), located(value, base)


def _check_file(file: Path, path: KeyPath, places: Places, *, folder: bool) -> None:
    if file.is_dir() if folder else file.is_file() or (file.exists() and not file.is_dir()):
        return
    what = "folder" if folder else "file"
    raise InputError(
        f"There is no {what} {str(file)!r}.",
        code="file-missing",
        where=places.at(path),
        hint=f"Check {path[-1]!r}; a relative path is looked up from the folder of the recipe.",
    )


def _check_outputs(
    recipe: Recipe, base: Path, files: list[Path], places: Places, *, overwrite: bool, existing: bool
) -> None:
    """The folders of the releases are apart from each other and from what is read, and may be written."""
    sources = list(files)
    if places.file is not None and Path(places.file).exists():
        sources.append(Path(places.file))
    taken: list[Path] = []
    for number, release in enumerate(recipe.release):
        path = ("release", number, "output")
        folder = located(release.output, base)
        whole = folder.resolve()
        for other in taken:
            if any(_overlap(one, two) for one in _folders(whole) for two in _folders(other)):
                raise UsageError(
                    "Two releases cannot go to the same folder, or one inside the other.",
                    code="recipe-outputs",
                    where=places.at(path),
                    hint="Give each release a folder of its own.",
                )
        taken.append(whole)
        if existing:
            continue
        try:
            check_output(folder, overwrite=overwrite, sources=sources)
        except OutputError as error:
            error.message = f"{error.message.rstrip('.')}: {folder}."
            error.where = places.at(path) if places.at(path).line else error.where
            raise


def _check_acknowledged(recipe: Recipe, key: Key, places: Places) -> None:
    """A second release of a source is acknowledged; what the ledger finds besides shows when it is saved."""
    before: dict[str, str] = {}
    for number, release in enumerate(recipe.release):
        if key.experimental and release.method in ("bucketize", "hide"):
            continue  # made with a seed, it is not for publication and not on record
        name = recipe.source_of(release)
        if name in before and not release.acknowledge_composition:
            raise InfeasibleError(
                f"This release and the one in {before[name]} are made from the same records, and a reader of "
                "both may learn more than either promises to hide.",
                code="composition",
                where=places.at(("release", number)),
                hint="If that is acceptable, say acknowledge_composition = true in this release "
                "(or run with --acknowledge-composition); its manifest then states what both tell. "
                "Nothing was published.",
            )
        before.setdefault(name, release.output)


def _folders(folder: Path) -> tuple[Path, Path]:
    return folder, private_root(folder)


def _overlap(one: Path, other: Path) -> bool:
    return one == other or one in other.parents or other in one.parents


def _check_fits(prepared: Prepared, release: Settings) -> None:
    """The data have what the method needs, and what the release names is in them."""
    data = prepared.data_of(release)
    if isinstance(data, Table):
        if not data.roles.quasi or not data.roles.sensitive:
            raise UsageError(
                f"The method {release.method!r} needs quasi-identifiers and a sensitive attribute.",
                code="roles-missing",
                where=prepared.places.at(source_path(prepared.recipe, prepared.recipe.source_of(release))),
                hint='Name them in the source: quasi = ["age", "sex"] and sensitive = ["disease"].',
            )
    elif isinstance(release, Generalize) and data.hierarchy is None:
        raise UsageError(
            "Generalizing needs a hierarchy of the items.",
            code="hierarchy-needed",
            where=prepared.places.at(source_path(prepared.recipe, prepared.recipe.source_of(release))),
            hint='Name a file in the source, or a rule: hierarchy = { by = "balanced", fanout = 5 }.',
        )
    if isinstance(release, Hide) and isinstance(data, Transactions):
        from tacit.hiding.patterns import read_secret

        read_secret(lines_of(release.patterns, prepared.base), data)
    if isinstance(release, Bucketize):
        from tacit.mining.amendment import read_lines

        knowledge = release.knowledge or prepared.recipe.knowledge
        for rules in (knowledge.rules, knowledge.drop):
            read_lines(lines_of(rules, prepared.base))


def lines_of(lines: str | tuple[str, ...], base: Path) -> Path | tuple[str, ...]:
    """What the verbs are given: the path of a file, or the lines themselves."""
    return located(lines, base) if isinstance(lines, str) else lines


@contextmanager
def _at(path: KeyPath, places: Places) -> Iterator[None]:
    """Errors of the block that name no line are said to come from this table of the recipe."""
    try:
        yield
    except TacitError as error:
        place = places.at(path)
        if place.line is not None and (error.where is None or error.where.line is None):
            column = None if error.where is None else error.where.column
            value = None if error.where is None else error.where.value
            error.where = Place(place.file, place.line, place.column if column is None else column, value)
        raise
