"""Result objects as text for a terminal.

What shows a kind of result is found by the result's class, without importing what is not asked for.

Result objects as plain values: what ``--json`` prints and what the manifest holds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from typing import Any

_RENDERERS = {
    "TableProfile": "tacit.judging.show:table_profile",
    "TransactionsProfile": "tacit.judging.show:transactions_profile",
    "SetRisks": "tacit.methods.generalize_sets.show:risks",
    "Risk": "tacit.judging.risk.show:as_text",
    "Composition": "tacit.showing.ledger:composition",
    "LedgerList": "tacit.showing.ledger:ledger",
    "LedgerEntry": "tacit.showing.ledger:entry",
}
"""What puts a result into text, by the name of its class; those of a method are in its room."""


def as_text(result: Any) -> str:
    """The result as a person reads it on a terminal."""
    text = result if isinstance(result, str) else shown(result)
    return str(result) if text is None else text


def shown(result: Any) -> str | None:
    """The result as what shows its kind puts it; None where nothing does."""
    render = shown_by(result, "TEXTS", _RENDERERS)
    return None if render is None else render(result)


def shown_by(result: Any, form: str, known: Mapping[str, str]) -> Callable[[Any], Any] | None:
    """What shows a result in some form: a table of that name in the ``show`` of its room, or known here."""
    name, parts = type(result).__name__, type(result).__module__.split(".")
    if name in known:
        module, _, function = known[name].partition(":")
        found: Callable[[Any], Any] = getattr(import_module(module), function)
        return found
    if parts[:2] != ["tacit", "methods"]:
        return None
    own: Mapping[str, Callable[[Any], Any]] = getattr(import_module(".".join([*parts[:3], "show"])), form, {})
    return own.get(name)


def to_plain(result: Any) -> Any:
    """The result as dictionaries, lists, numbers and text.

    An object with a ``to_dict`` says itself what it prints; other dataclasses print their fields.
    """
    if isinstance(result, float):
        return result if math.isfinite(result) else None  # JSON has no infinity
    if result is None or isinstance(result, bool | int | str):
        return result
    if hasattr(result, "to_dict"):
        return to_plain(result.to_dict())
    if is_dataclass(result) and not isinstance(result, type):
        return {field.name: to_plain(getattr(result, field.name)) for field in fields(result)}
    if isinstance(result, Mapping):
        return {str(name): to_plain(value) for name, value in result.items()}
    if isinstance(result, set | frozenset):
        return sorted(to_plain(value) for value in result)
    if isinstance(result, list | tuple):
        return [to_plain(value) for value in result]
    if isinstance(result, Decimal):
        return float(result)
    if isinstance(result, Path):
        return str(result)
    if hasattr(result, "tolist"):  # a numpy array or number
        return to_plain(result.tolist())
    raise TypeError(f"{type(result).__name__} has no plain form")
