"""The data of a command: flags that say how they are read, and reading them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tacit.data.table import Table
from tacit.data.transactions import Transactions
from tacit.errors import UsageError
from tacit.io.readers.opening import named_part
from tacit.io.readers.set_formats import OWN_SUFFIXES, SET_FORMATS, looks_like_sets
from tacit.methods import TABLE, TRANSACTIONS
from tacit.surface.cli.common import refuse_unused
from tacit.surface.cli.flags import group_of
from tacit.surface.reading import MEANT_FOR, OPTIONS, only_for, read

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
        data.endswith((".txt", ".csv", ".tsv")) and looks_like_sets(Path(data)) is not None
    )


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
        raise UsageError(
            "Transactions have one sensitive column at most.",
            code="flag-not-used",
            hint="Name one with --sensitive.",
        )
    transactions: Transactions = read(TRANSACTIONS, data, flags)
    return transactions


def _refuse_others(flags: DataFlags, kind: str, because: str) -> None:
    """Refuse the flags that say something about the other kind of data alone."""
    refuse_unused(flags, [name for name in MEANT_FOR[kind] if only_for(name) == kind], because)
