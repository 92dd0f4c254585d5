"""Tacit finds what a data release gives away, and makes releases that do not.

Every public name is listed here and resolved when it is first used (PEP 562), so that
``import tacit`` is fast and needs none of the optional packages.
"""

from __future__ import annotations

from importlib import import_module
from inspect import isfunction
from typing import Any

from tacit.methods import METHODS

__version__ = "0.1.0"

_WHERE = {
    **{method.public[0]: "tacit.surface.frames" for method in METHODS.values()},
    "Column": "tacit.data.column",
    "Hierarchy": "tacit.data.hierarchy",
    "Roles": "tacit.data.table",
    "Table": "tacit.data.table",
    "Transactions": "tacit.data.transactions",
    "Key": "tacit.random.key",
    "load_key": "tacit.random.key",
    "table_from_frame": "tacit.data.table",
    "transactions_from_sets": "tacit.data.transactions",
    "read_table": "tacit.io.readers",
    "read_transactions": "tacit.io.readers",
    "write_table": "tacit.io.writers",
    "write_transactions": "tacit.io.writers",
    "read_hierarchy": "tacit.io.hierarchies",
    "write_hierarchy": "tacit.io.hierarchies",
    "check_hierarchy": "tacit.io.hierarchies",
    "show_hierarchy": "tacit.io.hierarchies",
    "build_intervals": "tacit.io.hierarchies",
    "build_balanced": "tacit.io.hierarchies",
    "build_prefixes": "tacit.io.hierarchies",
    "build_dates": "tacit.io.hierarchies",
    "build_flat": "tacit.io.hierarchies",
    "build_items": "tacit.io.hierarchies",
    "build_levels": "tacit.io.hierarchies",
    "propose_hierarchy": "tacit.recoding.proposing",
    "load_sample": "tacit.io.samples",
    "SparkEngine": "tacit.engine.spark.engine",
    "mine_itemsets": "tacit.surface.frames",
    "mine_rules": "tacit.surface.frames",
    "mine_negative_rules": "tacit.surface.frames",
    "profile": "tacit.surface.frames",
    "risk": "tacit.surface.frames",
    "disclose": "tacit.surface.frames",
    "Fact": "tacit.methods.disclose.solve.knowledge",
    "verify": "tacit.release.verification",
    "export": "tacit.surface.export",
    "sign": "tacit.release.signing",
    "new_signing_key": "tacit.release.signing",
    "compare": "tacit.surface.compare",
    "sweep": "tacit.surface.frames",
    "open_release": "tacit.surface.reporting",
    "generalize": "tacit.surface.frames",
    "Recipe": "tacit.surface.recipe.model",
    "load_recipe": "tacit.surface.recipe.load",
    "run_recipe": "tacit.surface.recipe.run",
    "check_recipe": "tacit.surface.recipe.check",
    "TacitError": "tacit.errors",
    "UsageError": "tacit.errors",
    "ParameterError": "tacit.errors",
    "InputError": "tacit.errors",
    "InfeasibleError": "tacit.errors",
    "ResourceError": "tacit.errors",
    "OutputError": "tacit.errors",
    "VerificationError": "tacit.errors",
    "Cancelled": "tacit.errors",
}

__all__ = ["__version__", *_WHERE]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'tacit' has no attribute {name!r}")
    value = getattr(import_module(_WHERE[name]), name)
    if isfunction(value):
        from tacit.options import of_their_types

        value = of_their_types(value)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
