"""The data of a command: options as flags, those that say how data are read, and reading them.

Options become flags by their ranges: what the parser would make of them is left to those.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field, make_dataclass
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter, Token

from tacit.data.table import Table
from tacit.data.transactions import LongForm, Transactions
from tacit.errors import TacitError, UsageError
from tacit.io.readers.formats import OWN_SUFFIXES, SET_FORMATS, looks_like_sets, looks_like_table
from tacit.io.readers.opening import named_part, plain_suffix
from tacit.io.readers.transactions import listed_words
from tacit.judging.profile import long_form
from tacit.methods import TABLE, TRANSACTIONS
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
from tacit.surface.cli.common import Shown, misused, refuse_unused, say, split_commas
from tacit.surface.reading import MEANT_FOR, OPTIONS, only_for, read


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
    flags = [(option, flag_of(option)) for option in options]
    fields = [
        (option.typed, flag.annotation, field(**{} if option.required else {"default": flag.default}))
        for option, flag in flags
    ]
    made = make_dataclass(name, fields, frozen=True, kw_only=True)
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
    if isinstance(range, OneOf) and all(map(str.isprintable, range.words)):
        return "|".join(range.words)
    kinds = {
        Whole: "INT",
        Unlimited: "INT",
        Share: "NUMBER",
        Support: "INT|NUMBER",
        Words: "TEXT",
        Letters: "TEXT",
        OneOf: "TEXT",
    }
    return kinds.get(type(range), "INT|auto")


_Flags: Any = group_of("DataFlags", OPTIONS.values(), group="Data")
TRANSACTION_SAMPLES = ("supermarket", "quest", "groceries", "webview")


class DataFlags(_Flags):  # type: ignore[misc]
    """How the data are read; what does not apply to the data is refused."""


def is_transactions(data: str, flags: DataFlags) -> bool:
    """Whether a source holds transactions: by the format asked for, else by its name or its lines."""
    if flags.format is not None:
        return flags.format in SET_FORMATS
    if data.startswith("sample:"):
        return data.removeprefix("sample:").startswith(TRANSACTION_SAMPLES)
    if flags.record is not None or flags.item is not None:
        return True
    name = named_part(data, OWN_SUFFIXES).removesuffix(".gz").removesuffix(".zst")
    if flags.quasi or flags.sensitive or flags.keep or flags.columns:
        return name.endswith(OWN_SUFFIXES)
    return name.endswith(OWN_SUFFIXES) or (
        plain_suffix(data) in (".txt", ".csv", ".tsv") and looks_like_sets(Path(data)) is not None
    )


def load(data: str, flags: DataFlags, shown: Shown) -> Table | Transactions:
    """What a command was given, and on standard error what reading it showed."""
    loaded = load_transactions(data, flags) if is_transactions(data, flags) else load_table(data, flags)
    say(loaded.notes, shown)
    return loaded


def load_table(data: str, flags: DataFlags) -> Table:
    """The table a command was given."""
    _refuse_others(flags, TRANSACTIONS, "says nothing about a table")
    if is_transactions(data, flags):
        raise UsageError(
            f"This needs a table, and {data!r} holds transactions by its name, its format or its lines.",
            code="not-a-table",
            hint="Where it is a table after all, name its format, for example --format csv.",
        )
    table: Table = read(TABLE, data, flags)
    return table


def load_transactions(data: str, flags: DataFlags) -> Transactions:
    """The transactions a command was given."""
    _refuse_others(flags, TABLE, "says nothing about transactions")
    if len(flags.sensitive) > 1:
        raise misused("Transactions have one sensitive column at most.", "Name one with --sensitive.")
    found = listed_items(data, flags)
    if found is None:
        transactions: Transactions = read(TRANSACTIONS, data, flags)
        if not _nothing_said(data, flags) or not looks_like_table(Path(data)):
            return transactions
        return transactions.noted(AS_SETS)
    transactions = read(TRANSACTIONS, data, flags, record=found.record, item=found.item)
    return transactions.noted(listed_words(found))


def listed_items(data: str, flags: DataFlags) -> LongForm | None:
    """The columns of a file that lists an item a line, where nobody says how it is laid out; else None.

    Read as a set a line, such a file would have the numbers of its transactions for items.
    """
    if not _nothing_said(data, flags):
        return None
    if looks_like_sets(Path(data)) is not None:
        return None
    try:
        return long_form(read(TABLE, data, flags))
    except TacitError:  # it is no table; the reader of transactions says what is wrong with it
        return None


AS_SETS = (
    "This looks like a table, and every cell was read as an item. Where a line is an item of a record, name"
    " --record and --item; of a table name --quasi."
)


def _nothing_said(data: str, flags: DataFlags) -> bool:
    """Whether a file of cells is given and nobody says how it is laid out."""
    said = flags.format or flags.record or flags.item or flags.engine not in (None, OPTIONS["engine"].default)
    return not said and Path(data).is_file() and plain_suffix(data) in (".csv", ".tsv")


def _refuse_others(flags: DataFlags, kind: str, because: str) -> None:
    """Refuse the flags that say something about the other kind of data alone."""
    refuse_unused(flags, [name for name in MEANT_FOR[kind] if only_for(name) == kind], because)
