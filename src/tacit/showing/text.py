"""Result objects as text for a terminal.

Each kind of result has its own small module here; :func:`as_text` finds it by the result's class
without importing those that are not asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
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
