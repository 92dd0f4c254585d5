"""Result objects as text for a terminal.

Each kind of result has its own small module here; :func:`as_text` finds it by the result's class
without importing those that are not asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

_RENDERERS = {
    "BucketizedRelease": "tacit.report.bucketize:release",
    "RiskReport": "tacit.report.bucketize:risk",
    "UtilityReport": "tacit.report.bucketize:utility",
    "TableProfile": "tacit.report.profile:table_profile",
    "Disclosure": "tacit.report.disclosure:disclosure",
    "DisclosureReport": "tacit.report.disclosure:report",
    "GeneralizedRelease": "tacit.report.sets:release",
    "SetRisks": "tacit.report.sets:risks",
    "SetUtility": "tacit.report.sets:utility",
    "HiddenRelease": "tacit.report.hiding:release",
    "HidingRisks": "tacit.report.hiding:risks",
    "HidingUtility": "tacit.report.hiding:utility",
    "Proposal": "tacit.report.hiding:proposal",
    "Comparison": "tacit.report.compare:comparison",
    "Estimate": "tacit.report.layout:told",
    "SparkEstimate": "tacit.report.layout:told",
    "Composition": "tacit.report.ledger:composition",
    "LedgerList": "tacit.report.ledger:ledger",
    "LedgerEntry": "tacit.report.ledger:entry",
    "TransactionsProfile": "tacit.report.profile:transactions_profile",
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
