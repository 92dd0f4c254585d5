"""The hierarchies by which a table is made coarser: those given, and one made for every other column."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import polars as pl

from tacit.data.column import Column, encode
from tacit.data.hierarchy import Hierarchy
from tacit.data.table import Table
from tacit.io.hierarchies.automatic import automatic_hierarchy, spans
from tacit.io.hierarchies.build import build_flat
from tacit.io.writers import write_csv
from tacit.recoding import CELLS
from tacit.typing import Floats

HIERARCHIES_FILE = "hierarchies.csv"


def with_hierarchies(table: Table, recoding: str) -> tuple[Table, dict[str, Hierarchy], dict[str, Floats]]:
    """The table with a hierarchy for every quasi-identifier; and what nodes of numbers lose by width."""
    made = {
        name: automatic_hierarchy(table.column(name))
        for name in table.roles.quasi
        if name not in table.hierarchies
    }
    table = table.with_hierarchies(made)
    if recoding == CELLS:
        return (
            table,
            {name: build_flat(table.column(name).texts, name=name) for name in table.roles.quasi},
            {},
        )
    costs = {name: widths for name, tree in made.items() if (widths := spans(tree)) is not None}
    return table, {name: table.hierarchies[name] for name in table.roles.quasi}, costs


def kept_trees(table: Table) -> dict[str, Hierarchy]:
    """A hierarchy for every kept column: rules may be about its nodes."""
    return {
        name: table.hierarchies.get(name) or build_flat(table.column(name).texts, name=name)
        for name in table.roles.keep
    }


def hierarchies_file(
    trees: Mapping[str, Hierarchy], used: Mapping[str, Iterable[str]] | None = None
) -> Callable[[Path], None]:
    """What writes hierarchies to a CSV file: all nodes, or those in use with all above them."""
    used = {name: tree.labels for name, tree in trees.items()} if used is None else used
    columns = _links(trees, used)

    def write(path: Path) -> None:
        write_csv(columns, path, separator=",", spreadsheet_safe=False)

    return write


def _links(trees: Mapping[str, Hierarchy], used: Mapping[str, Iterable[str]]) -> list[Column]:
    """Attribute, node and parent of these nodes and all above them, sorted."""
    found = []
    for name, tree in trees.items():
        nodes = {tree.index[label] for label in used[name]}
        nodes |= {above for node in tuple(nodes) for above in tree.ancestors(node)}
        found += [
            (name, tree.labels[node], None if node == tree.root else tree.labels[tree.parents[node]])
            for node in nodes
        ]
    found.sort(key=lambda link: tuple((text or "").encode() for text in link))
    return [
        encode(pl.Series(title, [link[place] for link in found], dtype=pl.String))
        for place, title in enumerate(("attribute", "node", "parent"))
    ]
