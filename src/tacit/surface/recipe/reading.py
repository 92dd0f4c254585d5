"""Reading a recipe's sources with the verbs a person would use, paths taken from the recipe's folder."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from tacit.data.hierarchy import Hierarchy
from tacit.data.table import Table
from tacit.data.transactions import Transactions
from tacit.io.hierarchies import fill_ranges, read_hierarchy
from tacit.io.readers.formats import is_sqlite_address, sqlite_path
from tacit.methods import TABLE, TRANSACTIONS
from tacit.surface.reading import read
from tacit.surface.recipe.source import Source


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
    return str(source.path)


def _read_table(source: Source, base: Path) -> Table:
    folder = located(source.hierarchies, base) if isinstance(source.hierarchies, str) else None
    table: Table = read(TABLE, address_of(source, base), source, hierarchies=folder)
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
    file = located(source.hierarchy, base) if isinstance(source.hierarchy, str) else None
    transactions: Transactions = read(TRANSACTIONS, address_of(source, base), source, hierarchy=file)
    if source.hierarchy is None or isinstance(source.hierarchy, str):
        return transactions
    return transactions.with_hierarchy(source.hierarchy.build(transactions.vocabulary, None))
