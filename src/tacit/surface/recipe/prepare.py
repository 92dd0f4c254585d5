"""Everything that can be checked before the first release is made.

The recipe in itself: names that nobody has, keys that do nothing, releases in the way of each other or of
what is read; then the files it names, the folders it writes to, and the data: they are read whole, so that a
column, an item or a rule that is not there is found before any work is done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from tacit.data.hierarchy import Hierarchy
from tacit.data.table import Table
from tacit.data.transactions import Transactions
from tacit.errors import InfeasibleError, InputError, OutputError, TacitError, UsageError, shorten
from tacit.io.hierarchies import fill_ranges, read_hierarchy
from tacit.io.output import check_file, private_root
from tacit.io.readers.opening import is_folder_of_parts
from tacit.io.samples import is_sample
from tacit.judging.people import counted_rows_notes, people_notes, series_notes
from tacit.judging.profile import missing_values_notes, near_values_notes, odd_values_notes
from tacit.methods import TABLE, knowledge_options
from tacit.options import Option, asked_of, check_options, unused_option
from tacit.random.key import Key, load_key
from tacit.release import check_output
from tacit.surface.frames import MEASURING
from tacit.surface.reading import check_reading, kind_of_data, read
from tacit.surface.recipe.load import Places
from tacit.surface.recipe.model import SAVING, KeyChoice, OneMeasure, OneRelease, Recipe, Source, values_of
from tacit.surface.recipe.section import KeyPath, Section, unknown_name
from tacit.surface.risk import WITH_TOTALS, is_release
from tacit.typing import Progress


@dataclass(frozen=True, eq=False)
class Prepared:
    """A recipe that can be carried out: its data are read, and its key is there."""

    recipe: Recipe
    base: Path
    places: Places
    data: dict[str, Any]
    """By source a table or transactions, or the folder of a release whose risks are measured."""
    key: Key | None
    """What drives the random choices, where there are any."""

    def data_of(self, one: OneRelease | OneMeasure) -> Any:
        return self.data[self.recipe.source_of(one)]

    def folder_of(self, release: OneRelease) -> Path:
        return self.base / str(release.output)

    def arguments(self, release: OneRelease) -> dict[str, Any]:
        """What the verb of a release is given: the data first, then the options, files beside the recipe."""
        method = release.by
        given: dict[str, Any] = {method.takes: self.data_of(release)}
        given |= self.located(release.asked(), method.options)
        if method.knowledge:
            known = getattr(release, "knowledge", None) or self.recipe.knowledge
            given["knowledge"] = self.located(values_of(known, knowledge_options()), knowledge_options())
        if self.key is not None and method.uses_key(given, experimental=self.key.experimental):
            given["key"] = self.key
        return given

    def expected(self, release: OneRelease, progress: Progress | None = None) -> Any:
        """What making a release would take."""
        given = self.arguments(release) | {"progress": progress}
        return release.by.expected(asked_of(release.by.verb, given.pop(release.by.takes), given))

    def located(self, values: Mapping[str, Any], options: Mapping[str, Option]) -> dict[str, Any]:
        """Values of options, with files beside the recipe."""
        return {
            name: self.base / value if isinstance(value, str) and options[name].names_file else value
            for name, value in values.items()
        }

    def standards(self, names: Iterable[str]) -> list[str]:
        """Standards by name; files of one's own lie beside the recipe."""
        return [str(self.base / name) if name.endswith(".toml") else name for name in names]

    @contextmanager
    def about(self, path: KeyPath, words: str, progress: Progress | None) -> Iterator[Progress]:
        """Progress, and errors without a place, are about one table of the recipe."""
        several = len(self.recipe.release) + len(self.recipe.measure) > 1

        def report(what: str, share: float | None) -> None:
            if progress is not None:
                progress(f"{words}: {what}" if several else what, share)

        try:
            yield report
        except TacitError as error:
            if error.where is None:
                place = self.places.at(path)
                error.where = place if place.line is not None else None
            raise

    @property
    def notes(self) -> tuple[str, ...]:
        """What reading the data showed, and what the releases count without weighing it."""
        read = [note for data in self.data.values() for note in getattr(data, "notes", ())]
        about = (notes_about(self.data_of(one), one.asked()) for one in self.recipe.release)
        return tuple(dict.fromkeys(chain(read, *about)))


def notes_about(data: Table | Transactions, asked: Mapping[str, Any]) -> Iterator[str]:
    """What a release of a table counts without weighing it."""
    if isinstance(data, Table):
        yield from near_values_notes(data.sensitive)
        yield from missing_values_notes(data.sensitive)
        if "person" in asked:
            yield from odd_values_notes(data)
            yield from people_notes(data, asked["person"])
            yield from series_notes(asked, data)
        else:
            yield from counted_rows_notes(data)


def prepare_recipe(
    recipe: Recipe,
    *,
    base: str | Path = ".",
    key: Key | None = None,
    overwrite: bool = False,
    acknowledge_composition: bool = False,
    places: Places | None = None,
    existing: bool = False,
    say: Callable[[Iterable[str]], None] = lambda notes: None,
    progress: Progress | None = None,
) -> Prepared:
    """Check a recipe and read its data; nothing is written.

    ``base`` is what its relative paths are relative to, ``places`` where its keys stand, for errors.
    ``existing`` says that its releases are there already, or are not written. ``say`` is told what the data
    showed as soon as they are read, before anything is refused for it.
    """
    base, places = Path(base), places or Places()
    kinds = check_consistent(recipe, places, base)
    files = dict(_files(recipe, base))
    for path, file in files.items() if places.file is not None else ():  # else who reads one says so
        _check_file(file, path, places, folder=path[-1] == "hierarchies")
    _check_apart(recipe, base, places)
    if not existing:
        _check_outputs(recipe, base, list(files.values()), places, overwrite=overwrite)
    if key is None and _uses_key(recipe):
        with _at(("key",), places):
            named = None if recipe.key.file is None else base / recipe.key.file
            key = load_key(named) if recipe.key.seed is None else Key.from_seed(recipe.key.seed)
    if not (existing or acknowledge_composition):
        experiment = key is not None and key.experimental
        _check_acknowledged(recipe, base, places, experiment=experiment)
    data = {}
    for name, source in recipe.sources.items():
        if progress is not None:
            progress(f"Reading {source.path if source.file else name}", None)
        with _at(source_path(recipe, name), places, source):
            if kinds[name] == RELEASE:
                data[name] = base / source.path
            else:
                instead = WITH_TOTALS if _is_of_counts(recipe, name) else {}
                data[name] = read_source(source, kinds[name], base, **instead)
    prepared = Prepared(recipe, base, places, data, key)
    say(prepared.notes)
    for number, release in enumerate(recipe.release):
        _check_fits(prepared, release, number)
    return prepared


def _is_of_counts(recipe: Recipe, name: str) -> bool:
    """Whether a source is a table of counts and nothing else: its last lines may be totals."""
    about = [one for one in (*recipe.release, *recipe.measure) if recipe.source_of(one) == name]
    return recipe.sources[name].skip_last is None and all(getattr(one, "counts", None) for one in about)


def read_source(source: Source, kind: str, base: Path, **instead: Any) -> Table | Transactions:
    """The data of a source, read as a table or as transactions; what has a rule gets a hierarchy by it."""
    key = "hierarchies" if kind == TABLE else "hierarchy"
    asked = getattr(source, key)
    files = base / asked if isinstance(asked, str) else None
    data: Table | Transactions = read(kind, source.address(base), source, **{key: files}, **instead)
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


RELEASE = "release"
"""The kind of a source that is the folder of a release, whose risks are measured."""


def check_consistent(recipe: Recipe, places: Places, base: Path = Path()) -> dict[str, str]:
    """The kind of each source, by name; raises the first thing that contradicts another.

    Nothing is read, but for the beginning of data that are only measured.
    """
    kinds: dict[str, str] = {}
    asked = [
        *((("release", number), one, one.by.takes) for number, one in enumerate(recipe.release)),
        *((("measure", number), one, _taken(one.verb)) for number, one in enumerate(recipe.measure)),
    ]
    named = [_source_name(recipe, one, path, places) for path, one, _ in asked]
    for name, (path, _, takes) in zip(named, asked, strict=True):
        if takes is not None and kinds.setdefault(name, takes) != takes:
            raise places.wrong(
                path,
                "recipe-source-kind",
                f"The source {name!r} is read once as a table, and once as transactions.",
                "Describe it twice, under two names: as a table it needs roles, as transactions items.",
            )
    for name, source in recipe.sources.items():
        if name not in named:
            says = f"No release is made from the source {name!r}, and nothing is measured of it."
            hint = f"Take it out, or say source = {name!r} in a release or a measure."
            raise places.wrong(("source", name), "recipe-source-unused", says, hint)
        if name not in kinds:
            address = source.address(base)
            kinds[name] = kind_of_data(address, source)
            if is_release(address) and {one.verb for one in recipe.measure} == {"risk"}:
                kinds[name] = RELEASE
    for name, source in recipe.sources.items():
        if kinds[name] != RELEASE:
            _check_reading(recipe, name, source, kinds[name], places)
    for number, release in enumerate(recipe.release):
        _check_options(release, number, places)
    for number, one in enumerate(recipe.measure):
        with _naming_option(("measure", number), places):
            check_options(one.verb, one.options, values_of(one, one.options))
    keys = [name for name in KeyChoice.keys if getattr(recipe.key, name) is not None]
    if len(keys) > 1:
        hint = "Use a key file for a release, a seed for an experiment."
        raise places.wrong(("key",), "two-keys", "A seed and a key file are both given.", hint)
    if keys and not _uses_key(recipe):
        keyless = recipe.release[0].by.keyless if recipe.release else "drives no choice here"
        says = f"The key {keyless}."
        raise places.wrong(("key", keys[0]), "parameter-unused", says, "Leave it out.")
    return kinds


def _uses_key(recipe: Recipe) -> bool:
    """Whether a key drives a choice of a release, or a seed marks one as an experiment."""
    experiment = recipe.key.seed is not None
    return any(one.by.uses_key(one.asked(), experimental=experiment) for one in recipe.release)


def source_path(recipe: Recipe, name: str) -> KeyPath:
    return ("source",) if isinstance(recipe.source, Source) else ("source", name)


def _taken(verb: str) -> str | None:
    """What a verb that makes no release takes; None where it takes tables and transactions."""
    return TABLE if MEASURING[verb][1] == (Table,) else None


def _source_name(recipe: Recipe, one: OneRelease | OneMeasure, path: KeyPath, places: Places) -> str:
    known = [] if isinstance(recipe.source, Source) else list(recipe.sources)
    if one.source in known or (one.source is None and len(recipe.sources) == 1):
        return recipe.source_of(one)
    if one.source is None:
        says = f"The {path[0]} does not say which source it is {'made from' if 'release' in path else 'of'}."
        hint = f"Give source = one of {', '.join(map(repr, known))}."
        raise places.wrong(path, "recipe-source-unknown", says, hint)
    hint = unknown_name(one.source, known) if known else "There is one source; leave the key out."
    says = f"There is no source {one.source!r}."
    raise places.wrong((*path, "source"), "recipe-source-unknown", says, hint)


def _check_reading(recipe: Recipe, name: str, source: Source, kind: str, places: Places) -> None:
    """Refuse reading options that say nothing about this kind of data, or nothing to its releases."""
    with _naming_option(source_path(recipe, name), places):
        check_reading(kind, source)
        readers = [release.by for release in recipe.release if recipe.source_of(release) == name]
        for key in (first := readers[0]).unread if readers else ():
            given = getattr(source, key) != Source.keys[key].default
            if given and all(key in one.unread for one in readers):
                because = f"it says nothing about {first.about}."
                raise unused_option(key, first.command, "other methods", because)


def _check_options(release: OneRelease, number: int, places: Places) -> None:
    """Refuse options that would do nothing, in the words of the verb."""
    with _naming_option(("release", number), places):
        verb = release.by.verb.__name__
        check_options(verb, release.by.options, release.asked())
        check_options("save", SAVING, release.saved())
        for figure in release.by.figures:
            limited = getattr(release.limits, figure.limit) is not None
            if limited and figure.needs is not None and release.asked()[figure.needs] is None:
                raise unused_option(f"limits.{figure.limit}", verb, f"a release with {figure.needs}")


@contextmanager
def _naming_option(path: KeyPath, places: Places) -> Iterator[None]:
    """Errors of the block are about options of the table at a place of the recipe."""
    try:
        yield
    except UsageError as error:
        error.where = places.at((*path, *str(error.option).split(".")))
        raise


def _check_apart(recipe: Recipe, base: Path, places: Places) -> None:
    """Refuse two releases in one folder, or one inside the other; so with their private records."""
    taken: list[Path] = []
    for number, release in enumerate(recipe.release):
        folder = (base / release.output).resolve()
        both = [folder, private_root(folder)]
        if any(one.is_relative_to(other) or other.is_relative_to(one) for one in both for other in taken):
            says = "Two releases cannot go to the same folder, or one inside the other."
            hint = "Give each release a folder of its own."
            raise places.wrong(("release", number, "output"), "recipe-outputs", says, hint)
        taken += both


def _check_outputs(recipe: Recipe, base: Path, files: list[Path], places: Places, *, overwrite: bool) -> None:
    """Refuse a folder that may not be written, or that is or holds something the recipe reads."""
    sources = list(files)
    if places.file is not None and Path(places.file).exists():
        sources.append(Path(places.file))
    outputs = [(("release", at), one.output, check_output) for at, one in enumerate(recipe.release)]
    outputs += [
        (("measure", at), one.output, check_file) for at, one in enumerate(recipe.measure) if one.output
    ]
    for path, output, check in outputs:
        try:
            check(base / output, overwrite=overwrite, sources=sources)
        except OutputError as error:
            place = places.at((*path, "output"))
            if place.line is not None:
                error.message = f"{error.message.rstrip('.')}: {base / output}."
                error.where = place
            raise


def _check_acknowledged(recipe: Recipe, base: Path, places: Places, *, experiment: bool) -> None:
    """A second release of the same data is acknowledged, which the ledger would else ask for half-way.

    What the ledger knows of earlier runs, or finds in other data, shows when a release is saved.
    """
    before: dict[tuple[str, ...], str] = {}
    for number, release in enumerate(recipe.release):
        source = recipe.sources[recipe.source_of(release)]
        if is_sample(source.path) or (experiment and release.by.uses_key(release.asked(), experimental=True)):
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
    sections += [(("measure", number), one, one.options) for number, one in enumerate(recipe.measure)]
    for path, section, options in sections:
        for key, value in values_of(section, options).items():
            if isinstance(value, str) and options[key].names_file:
                yield (*path, key), base / value


def _check_file(file: Path, path: KeyPath, places: Places, *, folder: bool) -> None:
    if file.is_dir() if folder else file.is_file() or (file.exists() and not file.is_dir()):
        return
    if is_release(file) or (path[-1] == "path" and is_folder_of_parts(file)):  # of a source on Spark
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
