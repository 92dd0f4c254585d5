"""Result objects as text for a terminal.

Each kind of result has its own small module here; :func:`as_text` finds it by the result's class
without importing those that are not asked for.

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
    "BucketizedRelease": "tacit.methods.bucketize.show:release",
    "RiskReport": "tacit.methods.bucketize.show:risk",
    "UtilityReport": "tacit.methods.bucketize.show:utility",
    "TableProfile": "tacit.judging.show:table_profile",
    "Disclosure": "tacit.methods.disclose.show:disclosure",
    "DisclosureReport": "tacit.methods.disclose.show:report",
    "GeneralizedRelease": "tacit.methods.generalize_sets.show:release",
    "SetRisks": "tacit.methods.generalize_sets.show:risks",
    "SetUtility": "tacit.methods.generalize_sets.show:utility",
    "GeneralizedTable": "tacit.methods.generalize_tables.show:release",
    "TableRisks": "tacit.methods.generalize_tables.show:risks",
    "TableUtility": "tacit.methods.generalize_tables.show:utility",
    "TableEstimate": "tacit.showing.layout:told",
    "HiddenRelease": "tacit.methods.hide.show:release",
    "HidingRisks": "tacit.methods.hide.show:risks",
    "HidingUtility": "tacit.methods.hide.show:utility",
    "Proposal": "tacit.methods.hide.show:proposal",
    "Risk": "tacit.judging.risk.show:as_text",
    "Comparison": "tacit.surface.compare_text:comparison",
    "Estimate": "tacit.showing.layout:told",
    "Composition": "tacit.showing.ledger:composition",
    "LedgerList": "tacit.showing.ledger:ledger",
    "LedgerEntry": "tacit.showing.ledger:entry",
    "TransactionsProfile": "tacit.judging.show:transactions_profile",
}


def as_text(result: Any) -> str:
    """The result as a person reads it on a terminal."""
    if isinstance(result, str):
        return result
    place = _RENDERERS.get(type(result).__name__)
    if place is None:
        return str(result)
    module, _, name = place.partition(":")
    render: Callable[[Any], str] = getattr(import_module(module), name)
    return render(result)


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
