"""The commands that make releases: their flags are the options of the verbs, and they do what a recipe does.

A command is made from the registry of methods. Text that was typed becomes a value where its range reads it,
and the verb refuses what it refuses everywhere, in the same words.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, get_args

from cyclopts import Parameter

from tacit.errors import UsageError
from tacit.io.samples import is_sample_table
from tacit.methods import METHODS, TABLE, TRANSACTIONS, Method, knowledge_options
from tacit.options import Option, check_options, check_ranges, options_of, unused_option
from tacit.release.published import Release
from tacit.showing.layout import as_text, prose
from tacit.showing.ledger import composition_stated
from tacit.surface.cli.flags import (
    KEYWORD_ONLY,
    DataFlags,
    Flag,
    OutputFlag,
    Shown,
    Source,
    WholeText,
    check_memory,
    flag_of,
    group_of,
    misused,
    progress_bar,
    refuse_unused,
    say,
)
from tacit.surface.reading import OPTIONS, READERS

if TYPE_CHECKING:
    from tacit.surface.recipe.model import Recipe

NOWHERE = "release"
"""Stands for the folder of a release that is not written."""
_SAID = [name for name in options_of(Release.save) if name != "overwrite"]
"""What is said of a release that is published all the same."""


@Parameter(name="*", group="Release")
@dataclass(frozen=True)
class ReleaseFlags(group_of(options_of(Release.save), "Release")):  # type: ignore[misc]
    """Where the release goes and what drives its random choices."""

    output: OutputFlag = None
    "Folder of the release; without it nothing is written."
    key_file: Path | None = None
    "Key that drives every random choice; the user's own by default."
    seed: WholeText | None = None
    "A number instead of a key, for experiments: the release is marked not for publication."
    memory: str | None = None
    "Refuse to start where more memory than this would be needed, for example 4G."
    dry_run: Flag = False
    "Say what would be done, with an estimate of time and memory, and write nothing."

    def __post_init__(self) -> None:
        if self.overwrite and self.output is None:
            raise misused(
                "Nothing is replaced without an output.",
                "Name the folder with --output, or leave --overwrite out.",
            )
        said = next((name for name in _SAID if getattr(self, name)), None)
        if said is not None and (self.output is None or self.seed is not None):
            refuse_unused(
                self,
                [said],
                "is not used: nothing is published, or nothing but an experiment",
                hint="Name a folder with --output and no --seed, or leave it out.",
            )


@dataclass(frozen=True, eq=False)
class Finished:
    """A release, and the folder it was published in, if any."""

    release: Release
    folder: str | None
    seconds: float
    """How long the command took by the clock, with reading, judging, writing and verifying."""
    composition: Mapping[str, Any] | None = None
    """What the manifest states about earlier releases of the same records."""

    def to_dict(self) -> dict[str, Any]:
        return self.release.to_dict() | {
            "folder": self.folder,
            "composition": self.composition,
            "seconds_in_all": self.seconds,
        }

    def __str__(self) -> str:
        if self.folder is None:
            end = "Nothing was written; name a folder with --output to publish it."
        elif self.release.manifest.not_for_publication:
            end = (
                f"Written to {self.folder}, not for publication: it was made with a seed that anybody can"
                " repeat, so its promise holds against nobody who does."
            )
        else:
            end = (
                f"Verified and published in {self.folder}. What only you may see is in {self.folder}.private."
            )
        end += f" It took {self.seconds:.1f} s in all."
        if self.composition is not None:
            end += f"\n{prose(composition_stated(self.composition))}"
        loud = "".join(f"{prose(f'Warning: {one}')}\n\n" for one in self.release.manifest.warnings)
        return f"{loud}{as_text(self.release)}\n\n{end}"


_FROM = "a file, - for standard input, a database address, spark:NAME, or sample:NAME."
DATA = {TABLE: f"A table: {_FROM}", TRANSACTIONS: f"Transactions: {_FROM}"}
PLUMBING: dict[str, Any] = {"flags": DataFlags, "release": ReleaseFlags, "shown": Shown}


def command_of(
    verb: Callable[..., Any],
    run: Callable[..., Any],
    takes: str,
    *,
    options: Iterable[Option] | None = None,
    **plumbing: Any,
) -> Callable[..., Any]:
    """A command whose flags are options and groups of plumbing; ``run(data, typed, **groups)`` acts.

    Without ``options`` they are those of the verb, checked before any data are read.
    """
    own = options_of(verb) if options is None else {}

    def command(data: str = "", **given: Any) -> Any:
        typed = {one.name: given.get(one.name, one.default) for one in parameters[1:]}
        groups = {group: typed.pop(group) for group in plumbing}
        if own:
            typed = {name: value for name, value in typed.items() if value is not None}
            check_options(verb.__name__, own, typed)
        return run(data, typed, **groups)

    source = Annotated[str, *get_args(Source)[1:], Parameter(help=takes)]
    parameters = [
        inspect.Parameter("data", inspect.Parameter.POSITIONAL_ONLY, annotation=source),
        *(flag_of(option) for option in options or own.values()),
        *(
            inspect.Parameter(group, KEYWORD_ONLY, default=kind(), annotation=kind)
            for group, kind in plumbing.items()
        ),
    ]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    command.__name__ = verb.__name__
    command.__doc__ = inspect.cleandoc(verb.__doc__ or "").partition("\nParameters\n")[0]
    return command


def sharing(sets: Method, tables: Method) -> Callable[..., Any]:
    """The command of two methods with one name: which of them it is follows from the data."""
    verb = sets.verb
    known = knowledge_options()
    own = {  # what must be given is nothing by default, in the command of two
        name: replace(option, default=None) if option.required else option
        for name, option in sets.options.items()
    }
    every = {**tables.options, **known, **own, "k": sets.options["k"]}

    def run(data: str, typed: dict[str, Any], flags: DataFlags, **more: Any) -> Any:
        is_table = bool(flags.quasi) or is_sample_table(data)
        method = tables if is_table else sets
        mine = {*method.options, *(known if is_table else ())}
        for name, option in every.items():
            if name not in mine and typed[name] not in (option.default, None, ()):
                other = "sets of items" if is_table else "a table: name its quasi-identifiers with --quasi"
                raise unused_option(name, verb.__name__, other)
        for name, option in method.options.items():
            if option.required and typed[name] is None:
                raise UsageError(
                    f"A table needs --quasi, and sets of items need {option.flag.replace('--', '-')}.",
                    code="parameter-missing",
                    option=name,
                    hint="Name the columns of a table that a reader may know from elsewhere; of sets, say how"
                    " many items of a record a reader may know.",
                )
            if typed[name] is None and not option.required:
                typed[name] = option.default
        return _release(method, data, typed, flags, **more)

    return command_of(verb, run, f"{DATA[TABLE]} Or transactions.", options=every.values(), **PLUMBING)


def _recipe_of(
    method: Method, data: str, typed: Mapping[str, Any], flags: DataFlags, release: ReleaseFlags
) -> Recipe:
    """The recipe of one release that a command is; what its verb refuses is refused in the verb's words."""
    from tacit.surface.recipe.load import recipe_from
    from tacit.surface.recipe.model import KeyChoice

    own = {name: typed[name] for name in method.options}
    check_options(method.verb.__name__, method.options, own)
    known = given_of(knowledge_options(), typed) if method.knowledge else {}
    check_options("mine_negative_rules", knowledge_options(), known)
    saved = {name: getattr(release, name) for name in _SAID}
    asked = {"method": method.name, "output": str(release.output or NOWHERE)}
    asked |= given_of(method.options, own) | given_of(options_of(Release.save), saved)
    return recipe_from(
        {
            "source": source_of(data, flags, method.takes),
            "release": [asked],
            "knowledge": known,
            "key": given_of(KeyChoice.keys, {"file": release.key_file, "seed": release.seed}),
        }
    )


def source_of(data: str, flags: DataFlags, kind: str) -> dict[str, Any]:
    """The source of a recipe that the flags are; what the reader refuses is refused in its words."""
    check_ranges(READERS[kind].__name__, OPTIONS, vars(flags))
    return {"path": data, **given_of(OPTIONS, vars(flags))}


def given_of(options: Mapping[str, Any], typed: Mapping[str, Any]) -> dict[str, Any]:
    """What was typed and says something, as a recipe writes it."""
    return {
        name: str(value) if isinstance(value, Path) else value
        for name, option in options.items()
        if (value := typed.get(name)) not in (None, (), option.default)
    }


def _release(
    method: Method, data: str, typed: dict[str, Any], flags: DataFlags, release: ReleaseFlags, shown: Shown
) -> Any:
    """Carry out the recipe that the command is."""
    from tacit.surface.recipe.prepare import prepare_recipe
    from tacit.surface.recipe.run import make_releases

    started = monotonic()
    recipe = _recipe_of(method, data, typed, flags, release)
    writes = release.output is not None and not release.dry_run
    told = partial(say, shown=shown)
    prepared = prepare_recipe(recipe, overwrite=release.overwrite, existing=not writes, say=told)
    (settings,) = recipe.release
    with progress_bar(shown) as progress:
        if release.dry_run or release.memory is not None:
            expected = prepared.expected(settings, progress)
            if release.memory is not None:
                check_memory(expected.bytes, release.memory)
            if release.dry_run:
                return expected
        (one,) = make_releases(prepared, progress=progress)
        made = one.release.complete()
        if release.output is None:
            return Finished(made, None, monotonic() - started)
        progress("Writing and verifying", None)
        published = made.save(release.output, **settings.saved(), overwrite=release.overwrite)
        composition = published.manifest.risks.get("composition")
        return Finished(made, str(published.folder), monotonic() - started, composition)


def __getattr__(name: str) -> Callable[..., Any]:
    if name not in METHODS:
        raise AttributeError(name)
    method = METHODS[name]
    other = next((one for one in METHODS.values() if one.shares == name), None)
    if other is not None:
        return sharing(method, other)
    options = method.options | (knowledge_options() if method.knowledge else {})
    run, takes = partial(_release, method), DATA[method.takes]
    return command_of(method.verb, run, takes, options=options.values(), **PLUMBING)
