"""Options as flags: what the command line's parser makes of them is left to their ranges."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field, make_dataclass
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter, Token

from tacit.options import Option
from tacit.ranges import (
    File,
    Letters,
    Lines,
    Names,
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
from tacit.surface.cli.common import split_commas


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
        negative = f"--no-{name[2:]}" if option.optional else ""
        how |= {"negative": negative, "show_default": False}
    elif kind == tuple[str, ...]:
        how |= {"consume_multiple": False, "negative": "", "show_default": False}
        how |= {"converter": split_commas} if isinstance(inner, Strings | Names) else {}
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


def group_of(name: str, options: Iterable[Option], *, group: str) -> Any:
    """Options as a group of flags that several commands have: a frozen dataclass."""
    flags = [(option.typed, flag_of(option)) for option in options]
    made = make_dataclass(
        name, [(typed, flag.annotation, field(default=flag.default)) for typed, flag in flags], frozen=True
    )
    return Parameter(name="*", group=group)(made)


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
    kinds = {
        Whole: "INT",
        Unlimited: "INT",
        Share: "NUMBER",
        Support: "INT|NUMBER",
        Words: "TEXT",
        Letters: "TEXT",
    }
    return kinds.get(type(range), "INT|auto")
