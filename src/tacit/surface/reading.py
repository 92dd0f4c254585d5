"""The options of reading, as every surface knows them: those of both readers, and the engine's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tacit.engine.choice import engine_asked_for
from tacit.errors import UsageError
from tacit.io.readers import read_table, read_transactions
from tacit.io.readers.formats import FORMATS, OWN_SUFFIXES, SET_FORMATS, holds_rows, looks_like_sets
from tacit.io.readers.opening import named_part, plain_suffix
from tacit.io.samples import SAMPLES
from tacit.methods import TABLE, TRANSACTIONS
from tacit.options import Option, options_of, unused_option
from tacit.ranges import OneOf, Optional

KINDS = {TABLE: "tables", TRANSACTIONS: "transactions"}
READERS: dict[str, Callable[..., Any]] = {TABLE: read_table, TRANSACTIONS: read_transactions}
ENGINE = options_of(engine_asked_for)
MEANT_FOR: dict[str, dict[str, Option]] = {
    kind: {option.typed: option for option in options_of(reader).values()} for kind, reader in READERS.items()
}
"""By what the data are, the options that say something about them, by the names people type."""
_FORMATS = Optional(OneOf(tuple(dict.fromkeys((*FORMATS, *SET_FORMATS)))))
OPTIONS = {
    **MEANT_FOR[TABLE],
    "format": replace(MEANT_FOR[TABLE]["format"], range=_FORMATS),
    **{name: one for name, one in MEANT_FOR[TRANSACTIONS].items() if name not in MEANT_FOR[TABLE]},
    **ENGINE,
}
"""Every option of reading."""
ROLES = ("quasi", "sensitive", "drop", "keep")
TREES = ("hierarchies", "hierarchy")
FROM_FILES = {name: option for name, option in OPTIONS.items() if name not in (*ROLES, *TREES, "engine")}
"""The options that say how a file is read, whatever it is read for."""


def only_for(name: str) -> str | None:
    """What alone an option of reading says something about, if there is such a thing."""
    kinds = [kind for kind, options in MEANT_FOR.items() if name in options]
    return kinds[0] if len(kinds) == 1 else None


def check_reading(kind: str, asked: Any) -> None:
    """Refuse options of reading that say nothing about data of this kind."""
    for name, option in OPTIONS.items():
        other = only_for(name) or kind
        if other != kind and getattr(asked, name) != option.default:
            raise unused_option(name, READERS[kind].__name__, KINDS[other])
    if kind == TRANSACTIONS and len(asked.sensitive) > 1:
        raise UsageError(
            "Transactions have one sensitive column at most.",
            code="parameter-range",
            option="sensitive",
            hint="Name one.",
        )


def read(kind: str, address: str, asked: Any, **instead: Any) -> Any:
    """The data at an address, read as the attributes of ``asked`` say, but for some options."""
    check_reading(kind, asked)
    if kind == TABLE and is_transactions(address, asked):
        raise UsageError(
            f"This needs a table, and {address!r} holds transactions by its name, its format or its lines.",
            code="not-a-table",
            hint="Where it is a table after all, name its format, for example --format csv.",
        )
    given = {option.name: getattr(asked, name) for name, option in MEANT_FOR[kind].items()} | instead
    if kind == TRANSACTIONS:
        given["sensitive"] = next(iter(asked.sensitive), None)
    return READERS[kind](address, **given, engine=engine_asked_for(address, engine=asked.engine))


USUAL = SimpleNamespace(**{name: option.default for name, option in OPTIONS.items()})
"""Every option at its default."""


def kind_of_data(data: str, asked: Any) -> str:
    """What a source is read as where nothing else says it."""
    return TRANSACTIONS if is_transactions(data, asked) else TABLE


def is_transactions(data: str, asked: Any = USUAL) -> bool:
    """Whether a source holds transactions: by the format asked for, else by its name or its lines."""
    if asked.format is not None:
        return asked.format in SET_FORMATS
    if data.startswith("sample:"):
        name = data.removeprefix("sample:").partition(":")[0]
        return any(sample.name == name and sample.kind == TRANSACTIONS for sample in SAMPLES)
    if asked.record is not None or asked.item is not None:
        return True
    if plain_suffix(named_part(data, OWN_SUFFIXES)) in OWN_SUFFIXES:
        return not holds_rows(Path(data))
    of_columns = asked.quasi or asked.sensitive or asked.keep or asked.columns
    text = plain_suffix(data) in (".txt", ".csv", ".tsv")
    return text and not of_columns and looks_like_sets(Path(data)) is not None
