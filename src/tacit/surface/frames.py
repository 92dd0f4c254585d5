"""The verbs as people call them in Python: on dataframes, files and lists of sets, with roles by keyword.

``tacit.bucketize(frame, quasi=["zip", "age"], sensitive="disease", l=3)`` reads the frame as
:func:`tacit.read_table` does and calls the verb on the table.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from functools import wraps
from inspect import signature
from pathlib import Path
from typing import Any, TypeVar

from tacit.data.table import Table
from tacit.data.transactions import Transactions, transactions_from_sets
from tacit.errors import UsageError
from tacit.io.readers import read_table, read_transactions
from tacit.judging.profile import profile as profile_of
from tacit.methods import METHODS, TABLE
from tacit.methods.disclose.verb import disclose as disclose_rules
from tacit.methods.generalize_sets import verb as of_sets
from tacit.methods.generalize_tables import verb as of_tables
from tacit.mining.verbs import mine_itemsets as itemsets_of
from tacit.mining.verbs import mine_negative_rules as negative_rules_of
from tacit.mining.verbs import mine_rules as rules_of
from tacit.options import check_options, options_of, unused_option
from tacit.surface.reading import is_transactions
from tacit.surface.risk import risk as risk_of
from tacit.surface.sweep import sweep as sweep_of

R = TypeVar("R")
BOTH = (Table, Transactions)
OF_TABLES, OF_SETS = frozenset(options_of(read_table)), frozenset(options_of(read_transactions))
"""The keywords that say how a table or transactions are read."""
ONLY_TABLES, ONLY_SETS = frozenset({"quasi", "identifiers", "keep"}), frozenset({"record", "item"})
"""Keywords that tell which of the two the data are."""


def on_anything(verb: Callable[..., R], *, takes: Collection[type] = (Table,)) -> Callable[..., R]:
    """The verb, which also takes what a table or transactions can be read from."""
    first, *others = inspect.signature(verb).parameters

    @wraps(verb)
    def called(*data: Any, **options: Any) -> R:
        given = data[0] if data else options.pop(first)
        told = {name: options.pop(name) for name in tuple(options) if name not in others}
        check_options(verb.__name__, options_of(verb), options)  # before a large file is read
        return verb(taken(given, told, verb.__name__, takes), **options)

    vars(called)["__signature__"] = _of_anything(verb)
    return called


def _of_anything(verb: Callable[..., Any]) -> inspect.Signature:
    """The signature of a verb whose data may be anything that can be read."""
    told = signature(verb)
    first, *others = told.parameters.values()
    return told.replace(parameters=[first.replace(annotation="Any"), *others])


def taken(data: Any, told: Mapping[str, Any], verb: str, takes: Collection[type]) -> Any:
    """The data as a table or as transactions, read as the other keywords say."""
    if Path in takes and not told and (isinstance(data, str | Path) or hasattr(data, "folder")):
        return data  # a file, or a release in its folder
    kind = _kind(data, told, takes)
    known = OF_TABLES if kind is Table else OF_SETS
    unknown = [name for name in told if name not in known]
    if unknown:
        raise UsageError(
            f"{verb} has no option {unknown[0]!r}, nor has reading {_called(kind)}.",
            code="unknown-option",
            option=unknown[0],
            hint="See the reference of the verb.",
        )
    if isinstance(data, Table | Transactions):
        if told:
            raise UsageError(
                f"The data are read already, and {next(iter(told))!r} says how to read them.",
                code="roles-twice",
                option=next(iter(told)),
                hint="Say it where they are read, with read_table or read_transactions.",
            )
        if not isinstance(data, tuple(takes)):
            raise UsageError(
                f"{verb} takes {' or '.join(map(_called, takes))}, and these are {_called(type(data))}.",
                code="wrong-data",
                hint="Read the data with read_table or read_transactions, or choose another verb.",
            )
        return data
    if kind is Table:
        return read_table(data, **told)
    if isinstance(data, list | tuple):
        return transactions_from_sets(data, **told)
    return read_transactions(data, **told)


def _kind(data: Any, told: Mapping[str, Any], takes: Collection[type]) -> type:
    """What the data are to be read as: by what the verb takes, by the keywords, by what they are."""
    if isinstance(data, Table | Transactions):
        return type(data)
    if len(takes) == 1:
        return next(iter(takes))
    if ONLY_SETS & set(told) or isinstance(data, list | tuple):
        return Transactions
    if isinstance(data, str | Path) and not ONLY_TABLES & set(told):
        return Transactions if is_transactions(str(data)) else Table
    return Table


def _called(kind: type) -> str:
    return "a table" if kind is Table else "transactions"


MEASURING: Mapping[str, tuple[Callable[..., Any], Collection[type]]] = {
    "disclose": (disclose_rules, (Table,)),
    "mine_negative_rules": (negative_rules_of, (Table,)),
    "mine_itemsets": (itemsets_of, BOTH),
    "mine_rules": (rules_of, BOTH),
    "profile": (profile_of, BOTH),
    "risk": (risk_of, (*BOTH, Path)),
    "sweep": (sweep_of, BOTH),
}
"""The verbs that make no release, and what they take."""


def __getattr__(name: str) -> Any:
    """A verb by its public name."""
    if name in MEASURING:
        verb, takes = MEASURING[name]
        return on_anything(verb, takes=takes)
    for method in METHODS.values():
        if method.public[0] == name:
            return on_anything(method.verb, takes=(Table,) if method.takes == TABLE else (Transactions,))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@wraps(of_sets.generalize)
def generalize(data: Any, /, **options: Any) -> Any:
    sets, tables = (set(signature(verb.generalize).parameters) for verb in (of_sets, of_tables))
    told = {name: options.pop(name) for name in tuple(options) if name not in sets | tables}
    is_sets = options.keys() & (sets - tables) and not isinstance(data, Table)
    read = taken(data, told, "generalize", (Transactions,) if is_sets else BOTH)
    verb, others = (of_tables, "sets of items") if isinstance(read, Table) else (of_sets, "a table")
    for name in options.keys() - set(signature(verb.generalize).parameters):
        raise unused_option(name, "generalize", others)
    return verb.generalize(read, **options)


if of_sets.generalize.__doc__ and of_tables.generalize.__doc__:  # there are none under python -OO
    both = of_sets.generalize.__doc__.rstrip(), of_tables.generalize.__doc__.lstrip()
    generalize.__doc__ = "\n\n    **Of a table:** ".join(both)
