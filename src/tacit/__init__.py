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

_MODULES = {
    "tacit.surface.frames": (
        *(method.public[0] for method in METHODS.values()),
        *("mine_itemsets", "mine_rules", "mine_negative_rules", "profile", "risk", "disclose", "sweep"),
    ),
    "tacit.data.column": ("Column",),
    "tacit.data.hierarchy": ("Hierarchy",),
    "tacit.data.table": ("Roles", "Table", "table_from_frame"),
    "tacit.data.transactions": ("Transactions", "transactions_from_sets"),
    "tacit.random.key": ("Key", "load_key"),
    "tacit.io.readers": ("read_table", "read_transactions"),
    "tacit.io.writers": ("write_table", "write_transactions"),
    "tacit.io.hierarchies": (
        *("read_hierarchy", "write_hierarchy", "check_hierarchy", "show_hierarchy", "build_intervals"),
        *("build_balanced", "build_prefixes", "build_dates", "build_flat", "build_items", "build_levels"),
    ),
    "tacit.recoding.proposing": ("propose_hierarchy",),
    "tacit.io.samples": ("load_sample",),
    "tacit.engine.spark.engine": ("SparkEngine",),
    "tacit.methods.disclose.solve.knowledge": ("Fact",),
    "tacit.release.verification": ("verify",),
    "tacit.release.signing": ("sign", "new_signing_key"),
    "tacit.surface.export": ("export",),
    "tacit.surface.compare": ("compare",),
    "tacit.surface.reporting": ("open_release",),
    "tacit.surface.recipe.model": ("Recipe",),
    "tacit.surface.recipe.load": ("load_recipe",),
    "tacit.surface.recipe.run": ("run_recipe",),
    "tacit.surface.recipe.check": ("check_recipe",),
    "tacit.errors": (
        *("TacitError", "UsageError", "ParameterError", "InputError", "InfeasibleError", "LimitError"),
        *("ResourceError", "OutputError", "VerificationError", "Cancelled"),
    ),
}
"""The public names, by where they are."""
_WHERE = {name: module for module, names in _MODULES.items() for name in names}
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
