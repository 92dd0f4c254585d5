"""What the commands share: options as flags, the data they are given, notes, progress, a memory limit.

Options become flags by their ranges: what the parser would make of them is left to those.
"""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, make_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import ArgumentCollection, Parameter, Token, UnknownOptionError

from tacit.errors import ParameterError, ResourceError, UsageError
from tacit.options import Option
from tacit.ranges import (
    File,
    Letters,
    Lines,
    ListOf,
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
from tacit.surface.reading import OPTIONS

if TYPE_CHECKING:
    from tacit.typing import Progress


def split_commas(type_: Any, tokens: Sequence[Token]) -> tuple[str, ...]:
    """Lists are comma-separated or repeated: ``--quasi zip,age --quasi sex``."""
    return tuple(part.strip() for token in tokens for part in token.value.split(",") if part.strip())


def as_whole(type_: Any, tokens: Sequence[Token]) -> int:
    """A whole number as typed; 2.5 is none, and is not rounded to a weaker promise."""
    text = tokens[0].value
    try:
        return int(text)
    except ValueError:
        wrong = f"The flag {tokens[0].keyword} must be a whole number such as 3. Got {text!r} instead."
        raise UsageError(wrong, code="parameter-range") from None


def refuse_option(type_: Any, tokens: Sequence[Token]) -> str:
    """What is read is a path, an address or ``-``, and never an option that the parser does not know."""
    if tokens[0].value.startswith("--"):
        nothing = ArgumentCollection()  # type: ignore[no-untyped-call]
        raise UnknownOptionError(token=tokens[0], argument_collection=nothing)
    return tokens[0].value


KEYWORD_ONLY = inspect.Parameter.KEYWORD_ONLY
FROM = "A file, - for standard input, a database address, or sample:NAME."
Source = Annotated[str, Parameter(allow_leading_hyphen=True, converter=refuse_option)]
Data = Annotated[Source, Parameter(help=FROM)]
WholeText = Annotated[int, Parameter(converter=as_whole, n_tokens=1)]
Flag = Annotated[bool, Parameter(negative="", show_default=False)]
Overwrite = Annotated[Flag, Parameter(help="Write over a file that is there.")]
OutputFlag = Annotated[Path | None, Parameter(name=["--output", "-o"])]


@dataclass(frozen=True)
class Outcome:
    """What a command that makes no result of its own says: in words, to a program, and how it ends."""

    text: str
    plain: Mapping[str, Any]
    exit_code: int = 0

    def to_dict(self) -> dict[str, Any]:
        return dict(self.plain)

    def __str__(self) -> str:
        return self.text


@Parameter(name="*", group="Output")
@dataclass(frozen=True)
class Shown:
    """How results are shown."""

    json: Flag = False
    "Print one JSON object on standard output."
    quiet: Flag = False
    "No progress and no notes on standard error."
    debug: Flag = False
    "Show the traceback of an error."


def refuse_unused(flags: object, names: Iterable[str], because: str, hint: str = "Leave it out.") -> None:
    """Refuse the flags of a group that are given and would do nothing."""
    for name in names:
        if getattr(flags, name) != getattr(type(flags)(), name):
            raise misused(f"The flag --{name.replace('_', '-')} {because}.", hint)


def misused(message: str, hint: str | None = None, *, option: str | None = None) -> UsageError:
    """The error for flags that do nothing, or contradict each other."""
    return UsageError(message, code="parameter-unused", hint=hint, option=option)


def say(notes: Iterable[str], shown: Shown) -> None:
    """Notes, on standard error."""
    from tacit.showing.layout import prose

    if not shown.quiet:
        for note in notes:
            print(prose(f"note: {note}", hanging=6), file=sys.stderr)


@contextmanager
def progress_bar(shown: Shown) -> Iterator[Progress]:
    """A progress callback: a bar on a terminal, nothing elsewhere."""
    if shown.quiet or shown.json or not sys.stderr.isatty():
        yield lambda what, share: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    from tacit.arrays.compiled import telling

    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)

        def report(what: str, share: float | None) -> None:
            bar.update(task, description=what, total=None if share is None else 1.0, completed=share or 0.0)

        with telling(report) as told:
            yield told


_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def check_memory(needed: int, limit: str) -> None:
    """Refuse a job that would hold more memory than a limit such as ``4G``."""
    if needed > parse_size(limit, "memory", "--memory"):
        raise ResourceError(
            f"This needs about {needed / (1 << 20):,.0f} MB, and {limit} are allowed.",
            code="memory-limit",
            hint="Allow more with --memory, or publish a part of the records.",
        )


def parse_size(text: str, option: str, verb: str) -> int:
    """A size in bytes: ``4G``, ``512M``, ``1.5G``."""
    number, unit = text.strip().upper().removesuffix("B"), ""
    if number and number[-1] in "KMGT":
        number, unit = number[:-1], number[-1]
    try:
        size = float(number) * _UNITS[unit]
    except ValueError:
        size = math.nan
    if not (math.isfinite(size) and size > 0):
        raise ParameterError(option, verb, "a size such as 512M or 4G", text)
    return int(size)


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
        negative = f"--no-{name[2:]}" if option.optional or option.default is True else ""
        how |= {"negative": negative, "show_default": False}
    elif kind == tuple[str, ...]:
        how |= {"consume_multiple": False, "negative": "", "show_default": bool(default)}
        if isinstance(inner, Strings | Names | ListOf):
            how["converter"] = lambda type_, tokens: inner.read(",".join(one.value for one in tokens))
        if isinstance(inner, ListOf):
            how["metavar"] = f"{_shown_as(inner.inner)},…"
        default = default or (None if option.optional else ())
    elif kind is Any:  # the verb refuses what its range does not hold
        how |= {"converter": lambda type_, tokens: inner.read(tokens[0].value)}
        how |= {"n_tokens": 1, "metavar": _shown_as(inner)}
    if kind is not Any and (option.optional or default is None):
        kind = kind | None
    shown: Any = Annotated[kind, Parameter(**how)]
    return inspect.Parameter(option.name, KEYWORD_ONLY, default=default, annotation=shown)


def group_of(options: Mapping[str, Option], title: str) -> Any:
    """Options as a group of flags that several commands have: a frozen dataclass, to be named by a class."""
    flags = [(option, flag_of(option)) for option in options.values()]
    fields = [
        (option.typed, flag.annotation, field(**{} if option.required else {"default": flag.default}))
        for option, flag in flags
    ]
    return Parameter(name="*", group=title)(make_dataclass("_Group", fields, frozen=True, kw_only=True))


def _shown_kind(range: Range) -> Any:
    """What the parser makes of a flag; most are left to their range."""
    if isinstance(range, Switch):
        return bool
    if isinstance(range, File | Lines):
        return Path
    return tuple[str, ...] if range.schema().get("type") == "array" else Any


def _shown_as(range: Range) -> str:
    if isinstance(range, OneOf) and all(map(str.isprintable, range.words)):
        return "|".join(range.words)
    whole, text = dict.fromkeys((Whole, Unlimited), "INT"), dict.fromkeys((Words, Letters, OneOf), "TEXT")
    return {**whole, **text, Share: "NUMBER", Support: "INT|NUMBER"}.get(type(range), "INT|auto")


class DataFlags(group_of(OPTIONS, "Data")):  # type: ignore[misc]
    """How the data are read; what does not apply to the data is refused."""
