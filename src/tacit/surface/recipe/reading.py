"""Reading a recipe's sources with the verbs a person would use, paths taken from the recipe's folder."""

from __future__ import annotations

from inspect import signature
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tacit.data.hierarchy import Hierarchy
from tacit.data.settling import NULLS
from tacit.data.spelling import TWINS
from tacit.data.table import Table
from tacit.data.transactions import Transactions
from tacit.engine.choice import ENGINES, engine_asked_for
from tacit.io.hierarchies import fill_ranges, read_hierarchy
from tacit.io.readers import read_table, read_transactions
from tacit.io.readers.formats import is_sqlite_address, sqlite_path
from tacit.ranges import OneOf, Range
from tacit.surface.recipe.source import Source

RANGES: dict[str, Range] = {"nulls": NULLS, "twins": TWINS, "engine": OneOf(ENGINES)}
"""What the options that both readers have may be."""

CALLED = {"identifiers": "drop", "source": "path"}
"""Parameters of the readers that go by another name in a recipe: the one of the command line."""


def options_of(kind: str) -> frozenset[str]:
    """The keys of a source that say something about a table, or about transactions."""
    reader = read_table if kind == "table" else read_transactions
    return frozenset(CALLED.get(name, name) for name in signature(reader).parameters)


def read_source(source: Source, kind: str, base: Path) -> Table | Transactions:
    """The data of a source, read as a table or as transactions."""
    return _read_table(source, base) if kind == "table" else _read_transactions(source, base)


def located(path: str, base: Path) -> Path:
    """A path of a recipe: relative ones are the recipe's."""
    return base / path


def address_of(source: Source, base: Path) -> str:
    """What the readers are given: a file beside the recipe, or an address as it is."""
    if source.file is not None:
        return str(located(source.path, base))
    if is_sqlite_address(source.path):
        return "sqlite:///" + quote(str(located(sqlite_path(source.path), base)))
    return source.path


def _read_table(source: Source, base: Path) -> Table:
    given: dict[str, Any] = {
        name: getattr(source, CALLED.get(name, name))
        for name in signature(read_table).parameters
        if name not in ("source", "hierarchies", "header", "columns", "engine")
    }
    folder = located(source.hierarchies, base) if isinstance(source.hierarchies, str) else None
    table = read_table(
        address_of(source, base),
        **given,
        header=source.header is not False,
        columns=source.columns or None,
        hierarchies=folder,
        engine=engine_asked_for(source.engine, address_of(source, base)),
    )
    if source.hierarchies is None or isinstance(source.hierarchies, str):
        return table
    trees: dict[str, Hierarchy] = {}
    for name, entry in source.hierarchies.items():
        texts = table.column(name).texts
        if isinstance(entry, str):
            trees[name] = fill_ranges(read_hierarchy(located(entry, base), name=name), texts)
        else:
            trees[name] = entry.build(texts, name)
    return table.with_hierarchies(trees)


def _read_transactions(source: Source, base: Path) -> Transactions:
    given: dict[str, Any] = {
        name: getattr(source, name)
        for name in signature(read_transactions).parameters
        if name not in ("source", "hierarchy", "sensitive", "engine")
    }
    file = located(source.hierarchy, base) if isinstance(source.hierarchy, str) else None
    transactions = read_transactions(
        address_of(source, base),
        **given,
        sensitive=source.sensitive[0] if source.sensitive else None,
        hierarchy=file,
        engine=engine_asked_for(source.engine, address_of(source, base)),
    )
    if source.hierarchy is None or isinstance(source.hierarchy, str):
        return transactions
    return transactions.with_hierarchy(source.hierarchy.build(transactions.vocabulary, None))
