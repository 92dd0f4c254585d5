"""The commands that make releases: their flags are the options of the verbs, and they do what a recipe does.

A command is made from the registry of methods. Text that was typed becomes a value where its range reads it,
and the verb refuses what it refuses everywhere, in the same words.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, get_args

from cyclopts import Parameter, Token

from tacit.methods import METHODS, TABLE, Method, knowledge_options
from tacit.options import Option, asked_of, check_options
from tacit.ranges import (
    File,
    Lines,
    OneOf,
    Optional,
    Range,
    Share,
    Strings,
    Support,
    Switch,
    Unlimited,
    Whole,
    Words,
)
from tacit.surface.cli.common import (
    DataFlags,
    ReleaseFlags,
    Shown,
    Source,
    load_table,
    load_transactions,
    progress_bar,
    refuse_unused,
    say,
    say_notes,
    split_commas,
)

DATA = {
    TABLE: "A table: a file, - for standard input, a database address, spark:NAME, or sample:NAME.",
    "transactions": "Transactions: a file, - for standard input, a database address, spark:NAME, or"
    " sample:NAME.",
}


def flag_of(option: Option) -> inspect.Parameter:
    """An option as a parameter that the command line's parser understands."""
    inner = option.range.inner if isinstance(option.range, Optional) else option.range
    default = option.default
    if isinstance(inner, File | Lines) and not option.required:
        default = None  # the name of a file, or none
    kind = _shown_kind(inner)
    name = option.flag
    names = [f"-{name[2:]}", name] if len(name) == 3 else [name]
    how: dict[str, Any] = {"name": names, "help": option.says.help}
    if isinstance(inner, Switch):
        how |= {"negative": "", "show_default": False}
    elif kind == tuple[str, ...]:
        how |= {"consume_multiple": False, "negative": "", "show_default": False}
        how |= {"converter": split_commas} if isinstance(inner, Strings) else {}
        default = None if option.optional else ()
    elif kind is Any:  # the verb refuses what its range does not hold
        how |= {"converter": _reader(inner), "n_tokens": 1, "metavar": _shown_as(inner)}
    if kind is not Any and (option.optional or default is None):
        kind = kind | None
    return inspect.Parameter(
        option.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[kind, Parameter(**how)],
    )


def command_of(
    verb: Callable[..., Any],
    run: Callable[..., Any],
    options: Iterable[Option],
    *,
    name: str,
    takes: str,
    plumbing: Mapping[str, Any],
) -> Callable[..., Any]:
    """A command whose flags are options and groups of plumbing; ``run(data, typed, **groups)`` acts."""

    def command(data: str, **given: Any) -> Any:
        typed = {one.name: given.get(one.name, one.default) for one in parameters[1:]}
        return run(data, typed, **{group: typed.pop(group) for group in plumbing})

    source = Annotated[str, *get_args(Source)[1:], Parameter(help=takes)]
    parameters = [
        inspect.Parameter("data", inspect.Parameter.POSITIONAL_ONLY, annotation=source),
        *(flag_of(option) for option in options),
        *(
            inspect.Parameter(group, inspect.Parameter.KEYWORD_ONLY, default=kind(), annotation=kind)
            for group, kind in plumbing.items()
        ),
    ]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    command.__name__ = name
    command.__doc__ = inspect.cleandoc(verb.__doc__ or "").partition("\nParameters\n")[0]
    return command


def releasing(method: Method) -> Callable[..., Any]:
    """The command of a method."""
    known = knowledge_options() if method.knowledge else {}
    return command_of(
        method.verb,
        partial(_release, method),
        (*method.options.values(), *known.values()),
        name=method.name,
        takes=DATA[method.takes],
        plumbing={"flags": DataFlags, "release": ReleaseFlags, "shown": Shown},
    )


def _release(
    method: Method, data: str, typed: dict[str, Any], flags: DataFlags, release: ReleaseFlags, shown: Shown
) -> Any:
    from tacit.release import check_output
    from tacit.surface.cli.release import finish

    verb = method.verb
    given: dict[str, Any] = {name: typed[name] for name in method.options}
    if method.knowledge:
        given["knowledge"] = {
            name: typed[name] for name in knowledge_options() if typed[name] not in (None, ())
        }
        check_options("mine_negative_rules", knowledge_options(), given["knowledge"])
    check_options(verb.__name__, method.options, given)
    if method.keyed(given):
        given["key"] = release.key()
    else:
        refuse_unused(release, ("key_file", "seed"), _keyless(method))
    if release.output is not None and not release.dry_run:
        named = [Path(data), flags.hierarchy, *(one for one in typed.values() if isinstance(one, Path))]
        check_output(
            release.output,
            overwrite=release.overwrite,
            sources=[path for path in named if path is not None and path.exists()],
        )
    loaded = _loaded(method, data, flags, shown)
    with progress_bar(shown) as progress:
        given["progress"] = progress
        if release.dry_run or release.memory is not None:
            expected = method.expected(asked_of(verb, loaded, given))
            release.check_memory(expected)
            if release.dry_run:
                return expected
        made = verb(loaded, **given).complete()
        if release.output is not None:
            progress("Writing and verifying", None)
        return finish(made, release)


def _loaded(method: Method, data: str, flags: DataFlags, shown: Shown) -> Any:
    """The data of a command, with what reading them showed."""
    if method.takes == TABLE:
        from tacit.judging.near_values import near_values_notes

        table = load_table(data, flags)
        say_notes(table, shown)
        say(near_values_notes(table.sensitive), shown)
        return table
    if method.name == "hide":
        refuse_unused(flags, ("hierarchy",), "says nothing about patterns")
    transactions = load_transactions(data, flags)
    say_notes(transactions, shown)
    return transactions


def _keyless(method: Method) -> str:
    if method.name == "generalize":
        return "drives no choice but those of the algorithm 'best'"
    return "drives no choice here"


def _reader(range: Range) -> Callable[[Any, Sequence[Token]], Any]:
    return lambda type_, tokens: range.read(tokens[0].value)


def _shown_kind(range: Range) -> Any:
    """What the parser makes of a flag; most are left to their range."""
    if isinstance(range, Switch):
        return bool
    if isinstance(range, File | Lines):
        return Path
    return tuple[str, ...] if range.schema().get("type") == "array" else Any


def _shown_as(range: Range) -> str:
    """What the help says that a flag takes."""
    if isinstance(range, OneOf):
        return "|".join(range.words)
    kinds = {Whole: "INT", Unlimited: "INT", Share: "NUMBER", Support: "INT|NUMBER", Words: "TEXT"}
    return kinds.get(type(range), "INT|auto")


bucketize = releasing(METHODS["bucketize"])
generalize = releasing(METHODS["generalize"])
hide = releasing(METHODS["hide"])
rules = releasing(METHODS["rules"])
