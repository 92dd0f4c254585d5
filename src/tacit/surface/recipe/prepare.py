"""Everything that can be checked before the first release is made.

The recipe in itself, the files it names, the folders it writes to, and then the data: they are
read whole, so that a column, an item or a rule that is not there is found before any work is done.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tacit.data.hierarchy import Hierarchy
from tacit.data.table import Table
from tacit.data.transactions import Transactions
from tacit.errors import InputError, TacitError, UsageError, shorten
from tacit.io.hierarchies import fill_ranges, read_hierarchy
from tacit.io.readers.opening import is_folder_of_parts
from tacit.judging.people import people_notes
from tacit.judging.profile import near_values_notes, odd_values_notes
from tacit.methods import TABLE, knowledge_options
from tacit.options import Option
from tacit.random.key import Key, load_key
from tacit.surface.reading import read
from tacit.surface.recipe.consistency import (
    check_acknowledged,
    check_apart,
    check_consistent,
    check_outputs,
    source_path,
)
from tacit.surface.recipe.model import OneRelease, Recipe, Source, values_of
from tacit.surface.recipe.section import KeyPath, Section
from tacit.surface.recipe.text import Places
from tacit.typing import Progress


@dataclass(frozen=True, eq=False)
class Prepared:
    """A recipe that can be carried out: its data are read, and its key is there."""

    recipe: Recipe
    base: Path
    places: Places
    data: dict[str, Table | Transactions]
    key: Key

    def data_of(self, release: OneRelease) -> Table | Transactions:
        return self.data[self.recipe.source_of(release)]

    def folder_of(self, release: OneRelease) -> Path:
        return self.base / str(release.output)

    def arguments(self, release: OneRelease) -> dict[str, Any]:
        """What the verb of a release is given: the data first, then the options, files beside the recipe."""
        method = release.by
        given: dict[str, Any] = {method.takes: self.data_of(release)}
        given |= self._located(release.asked(), method.options)
        if method.knowledge:
            known = getattr(release, "knowledge", None) or self.recipe.knowledge
            given["knowledge"] = self._located(values_of(known, knowledge_options()), knowledge_options())
        if method.uses_key(given, experimental=self.key.experimental):
            given["key"] = self.key
        return given

    def _located(self, values: Mapping[str, Any], options: Mapping[str, Option]) -> dict[str, Any]:
        return {
            name: self.base / value if isinstance(value, str) and options[name].names_file else value
            for name, value in values.items()
        }

    @property
    def notes(self) -> tuple[str, ...]:
        """What reading the data showed, and what the releases count without weighing it."""
        read = [note for data in self.data.values() for note in data.notes]
        found: list[str] = []
        for release in self.recipe.release:
            table = self.data_of(release)
            if isinstance(table, Table):
                found += near_values_notes(table.sensitive)
                if "person" in release.by.options:
                    found += odd_values_notes(table)
                    found += people_notes(table, getattr(release, "person", None))
        return tuple(dict.fromkeys([*read, *found]))


def prepare_recipe(
    recipe: Recipe,
    *,
    base: str | Path = ".",
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
    base, places = Path(base), places or Places()
    kinds = check_consistent(recipe, places)
    files = dict(_files(recipe, base))
    for path, file in files.items():
        _check_file(file, path, places, folder=path[-1] == "hierarchies")
    check_apart(recipe, base, places)
    if not existing:
        check_outputs(recipe, base, list(files.values()), places, overwrite=overwrite)
    if key is None:
        with _at(("key",), places):
            named = None if recipe.key.file is None else base / recipe.key.file
            key = load_key(named) if recipe.key.seed is None else Key.from_seed(recipe.key.seed)
    if not (existing or acknowledge_composition):
        check_acknowledged(recipe, base, key, places)
    data = {}
    for name, source in recipe.sources.items():
        if progress is not None:
            progress(f"Reading {source.path if source.file else name}", None)
        with _at(source_path(recipe, name), places, source):
            data[name] = read_source(source, kinds[name], base)
    prepared = Prepared(recipe, base, places, data, key)
    for number, release in enumerate(recipe.release):
        _check_fits(prepared, release, number)
    return prepared


def read_source(source: Source, kind: str, base: Path) -> Table | Transactions:
    """The data of a source, read as a table or as transactions; what has a rule gets a hierarchy by it."""
    key = "hierarchies" if kind == TABLE else "hierarchy"
    asked = getattr(source, key)
    files = base / asked if isinstance(asked, str) else None
    data: Table | Transactions = read(kind, source.address(base), source, **{key: files})
    if asked is None or files is not None:
        return data
    if isinstance(data, Transactions):
        return data.with_hierarchy(asked.build(data.vocabulary, None))
    trees: dict[str, Hierarchy] = {}
    for name, entry in asked.items():
        texts = data.column(name).texts
        if isinstance(entry, str):
            trees[name] = fill_ranges(read_hierarchy(base / entry, name=name), texts)
        else:
            trees[name] = entry.build(texts, name)
    return data.with_hierarchies(trees)


def _files(recipe: Recipe, base: Path) -> Iterator[tuple[KeyPath, Path]]:
    """Every file and folder that the recipe reads, by the key that names it."""
    for name, source in recipe.sources.items():
        path = source_path(recipe, name)
        if source.file is not None:
            yield (*path, "path"), base / source.path
        if isinstance(source.hierarchies, str):
            yield (*path, "hierarchies"), base / source.hierarchies
        elif source.hierarchies is not None:
            for attribute, entry in source.hierarchies.items():
                if isinstance(entry, str):
                    yield (*path, "hierarchies", attribute), base / entry
        if isinstance(source.hierarchy, str):
            yield (*path, "hierarchy"), base / source.hierarchy
    sections: list[tuple[KeyPath, Section | None, Mapping[str, Option]]] = [
        (("knowledge",), recipe.knowledge, knowledge_options())
    ]
    for number, release in enumerate(recipe.release):
        sections.append((("release", number), release, release.by.options))
        if release.by.knowledge:
            sections.append((("release", number, "knowledge"), release.knowledge, knowledge_options()))
    for path, section, options in sections:
        for key, value in values_of(section, options).items():
            if isinstance(value, str) and options[key].names_file:
                yield (*path, key), base / value


def _check_file(file: Path, path: KeyPath, places: Places, *, folder: bool) -> None:
    if file.is_dir() if folder else file.is_file() or (file.exists() and not file.is_dir()):
        return
    if path[-1] == "path" and is_folder_of_parts(file):  # of a source on Spark
        return
    what = "folder" if folder else "file"
    raise InputError(
        f"There is no {what} {str(file)!r}.",
        code="file-missing",
        where=places.at(path),
        hint=f"Check {path[-1]!r}; a relative path is looked up from the folder of the recipe.",
    )


def _check_fits(prepared: Prepared, release: Any, number: int) -> None:
    """The data have what the method needs, and what the release names is in them."""
    data, places = prepared.data_of(release), prepared.places
    source = source_path(prepared.recipe, prepared.recipe.source_of(release))
    guards = release.by.guards(release.asked())
    if isinstance(data, Table) and not (data.roles.quasi and (data.roles.sensitive or not guards)):
        needed = "quasi-identifiers and a sensitive attribute" if guards else "quasi-identifiers"
        raise UsageError(
            f"The method {release.by.command!r} needs {needed}.",
            code="roles-missing",
            where=places.at(source),
            hint='Name them in the source: quasi = ["age", "sex"] and sensitive = ["disease"].',
        )
    for option, check in release.by.early(data, prepared.arguments(release)):
        if option in release.by.options:
            path: KeyPath = ("release", number, option)
        elif option in Source.keys:
            path = source
        else:
            own = release.knowledge is not None
            path = ("release", number, "knowledge", option) if own else ("knowledge", option)
        with _at(path, places):
            check()


@contextmanager
def _at(path: KeyPath, places: Places, source: Source | None = None) -> Iterator[None]:
    """Errors of the block that name no file of their own come from this key of the recipe.

    An error about a column is said to come from the entry of the ``source`` that names the column.
    """
    try:
        yield
    except TacitError as error:
        named = None if source is None else _naming(error, source)
        place = places.at(path if named is None else (*path, *named))
        if place.line is not None and (named or error.where is None or error.where.file is None):
            error.where = place if error.where is None else replace(place, value=error.where.value)
        raise


def _naming(error: TacitError, source: Source) -> KeyPath | None:
    """The way to the entry of a source that names the column an error is about."""
    if error.code not in ("unknown-column", "two-roles"):
        return None
    for key in ("sensitive", "keep", "drop", "quasi"):
        for number, name in enumerate(getattr(source, key)):
            if shorten(name) == error.value:
                return key, number
    if isinstance(source.hierarchies, dict):
        return next(
            (("hierarchies", name) for name in source.hierarchies if shorten(name) == error.value), None
        )
    return None
