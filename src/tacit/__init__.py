"""Tacit finds what a data release gives away, and makes releases that do not.

Every public name is listed here and resolved when it is first used (PEP 562), so that
``import tacit`` is fast and needs none of the optional packages.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_WHERE = {
    "Column": "tacit.data.column",
    "Hierarchy": "tacit.data.hierarchy",
    "Roles": "tacit.data.table",
    "Table": "tacit.data.table",
    "Transactions": "tacit.data.transactions",
    "Key": "tacit.data.key",
    "load_key": "tacit.data.key",
    "table_from_frame": "tacit.data.table",
    "transactions_from_sets": "tacit.data.transactions",
    "read_table": "tacit.data.readers",
    "read_transactions": "tacit.data.readers",
    "write_table": "tacit.data.writers",
    "write_transactions": "tacit.data.writers",
    "read_hierarchy": "tacit.data.hierarchies",
    "write_hierarchy": "tacit.data.hierarchies",
    "check_hierarchy": "tacit.data.hierarchies",
    "show_hierarchy": "tacit.data.hierarchies",
    "build_intervals": "tacit.data.hierarchies",
    "build_balanced": "tacit.data.hierarchies",
    "build_prefixes": "tacit.data.hierarchies",
    "build_dates": "tacit.data.hierarchies",
    "build_flat": "tacit.data.hierarchies",
    "load_sample": "tacit.data.samples",
    "SparkEngine": "tacit.engine.spark",
    "mine_itemsets": "tacit.mining.verbs",
    "mine_rules": "tacit.mining.verbs",
    "mine_negative_rules": "tacit.mining.negative",
    "hide": "tacit.publish.hide",
    "bucketize": "tacit.publish.bucketize",
    "profile": "tacit.judge.profile",
    "disclose": "tacit.publish.disclose",
    "safe_rules": "tacit.publish.rules",
    "Fact": "tacit.disclosure.knowledge",
    "verify": "tacit.publish.verification",
    "export": "tacit.publish.export",
    "sign": "tacit.publish.signing",
    "new_signing_key": "tacit.publish.signing",
    "compare": "tacit.publish.compare",
    "read_release": "tacit.publish.reporting",
    "generalize": "tacit.publish.generalize",
    "Recipe": "tacit.recipe",
    "load_recipe": "tacit.recipe",
    "run_recipe": "tacit.recipe",
    "check_recipe": "tacit.recipe",
    "TacitError": "tacit.exceptions",
    "UsageError": "tacit.exceptions",
    "ParameterError": "tacit.exceptions",
    "InputError": "tacit.exceptions",
    "InfeasibleError": "tacit.exceptions",
    "ResourceError": "tacit.exceptions",
    "OutputError": "tacit.exceptions",
    "VerificationError": "tacit.exceptions",
    "Cancelled": "tacit.exceptions",
}

__all__ = ["__version__", *_WHERE]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'tacit' has no attribute {name!r}")
    value = getattr(import_module(_WHERE[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
