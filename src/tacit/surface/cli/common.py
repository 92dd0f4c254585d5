"""What the commands share: flags that mean the same everywhere, notes, the progress bar, a memory limit."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import ArgumentCollection, Parameter, Token, UnknownOptionError

from tacit.errors import ParameterError, ResourceError, UsageError
from tacit.ranges import parse_threshold

if TYPE_CHECKING:
    from tacit.typing import Progress


def split_commas(type_: Any, tokens: Sequence[Token]) -> tuple[str, ...]:
    """Lists are comma-separated or repeated: ``--quasi zip,age --quasi sex``."""
    return tuple(part.strip() for token in tokens for part in token.value.split(",") if part.strip())


def as_share(type_: Any, tokens: Sequence[Token]) -> Decimal:
    """A finite number as typed, digit by digit."""
    text = tokens[0].value
    value = Decimal(parse_threshold(text))
    if not value.is_finite():
        raise UsageError(
            f"The flag {tokens[0].keyword} must be a number such as 25 or 0.01. Got {text!r} instead.",
            code="parameter-range",
        )
    return value


def as_whole(type_: Any, tokens: Sequence[Token]) -> int:
    """A whole number as typed; 2.5 is none, and is not rounded to a weaker promise."""
    text = tokens[0].value
    try:
        return int(text)
    except ValueError:
        raise UsageError(
            f"The flag {tokens[0].keyword} must be a whole number such as 3. Got {text!r} instead.",
            code="parameter-range",
        ) from None


def refuse_option(type_: Any, tokens: Sequence[Token]) -> str:
    """What is read is a path, an address or ``-``, and never an option that the parser does not know."""
    if tokens[0].value.startswith("--"):
        nothing = ArgumentCollection()  # type: ignore[no-untyped-call]
        raise UnknownOptionError(token=tokens[0], argument_collection=nothing)
    return tokens[0].value


Source = Annotated[str, Parameter(allow_leading_hyphen=True, converter=refuse_option)]
"""A file, ``-`` for standard input, a database address, or ``sample:NAME``."""
WholeText = Annotated[int, Parameter(converter=as_whole, n_tokens=1)]
ShareText = Annotated[Decimal, Parameter(converter=as_share, n_tokens=1)]
Flag = Annotated[bool, Parameter(negative="", show_default=False)]
OutputFlag = Annotated[Path | None, Parameter(name=["--output", "-o"])]


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
    usual = type(flags)()
    for name in names:
        if getattr(flags, name) != getattr(usual, name):
            raise unused_flag(name, because, hint)


def unused_flag(name: str, because: str, hint: str) -> UsageError:
    """The error for a flag that would do nothing."""
    return misused(f"The flag --{name.replace('_', '-')} {because}.", hint)


def misused(message: str, hint: str | None = None, *, option: str | None = None) -> UsageError:
    """The error for flags that do nothing, or contradict each other."""
    return UsageError(message, code="flag-not-used", hint=hint, option=option)


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
