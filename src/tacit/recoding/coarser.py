"""A table whose quasi-identifiers are made coarser until at least k rows look alike, whatever they hold.

The hierarchies it is made coarser by are those given, and one made for every other column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from tacit.arrays.groups import group_rows
from tacit.data.column import Column, encode
from tacit.data.hierarchy import Hierarchy
from tacit.data.table import Table
from tacit.engine.base import Combinations, Engine
from tacit.errors import InfeasibleError, option
from tacit.io.hierarchies.automatic import automatic_hierarchy, spans
from tacit.io.hierarchies.build import build_flat
from tacit.io.writers import write_csv
from tacit.recoding import CELLS, LOCAL
from tacit.recoding.problem import Problem, node_columns, problem_of, quasi_combinations
from tacit.recoding.promises import Promise
from tacit.recoding.solve import Solution, solve
from tacit.typing import Codes, Floats


@dataclass(frozen=True, eq=False)
class Coarser:
    """How the quasi-identifiers of a table are published."""

    k: int
    table: Table
    """With a hierarchy for every quasi-identifier."""
    trees: dict[str, Hierarchy]
    problem: Problem
    solution: Solution

    def shown(self, combinations: Combinations) -> tuple[Column, ...]:
        """What is published instead of the quasi-identifiers of combinations of known and other columns."""
        number, _, _ = quasi_combinations(combinations, self.table.roles.known)
        class_of = self.solution.recoded.class_of[number]
        return tuple(node_columns(self.solution.recoded, self.problem, self.table.roles.quasi, class_of))

    def alike(self, combinations: Combinations) -> Codes:
        """Which combinations look alike when they are published, by number."""
        kept = [combinations.place(name) for name in self.table.roles.keep]
        shown = self.shown(combinations)
        codes = [column.codes for column in shown] + [combinations.codes[:, place] for place in kept]
        sizes = [len(column.values) for column in shown] + [len(combinations.texts[place]) for place in kept]
        return group_rows([np.ascontiguousarray(one) for one in codes], sizes)[0]

    def files(self) -> dict[str, Callable[[Path], None]]:
        """What is published beside the rows: the nodes in use, with all above them."""
        labels, nodes = self.problem.forest.labels, self.solution.recoded.nodes
        used = {
            name: {labels[node] for node in nodes[:, place]}
            for place, name in enumerate(self.table.roles.quasi)
        }
        return {HIERARCHIES_FILE: hierarchies_file(self.trees, used)}

    def private_files(self) -> dict[str, Callable[[Path], None]]:
        """What only the owner may see: the whole hierarchies."""
        return {HIERARCHIES_FILE: hierarchies_file({**self.trees, **kept_trees(self.table)})}


def coarser(table: Table, k: int, engine: Engine) -> Coarser:
    """Classes of at least k rows, each as fine as it can be, by quasi-identifiers and kept columns alone."""
    table, trees, costs = with_hierarchies(table, LOCAL)
    problem = problem_of(
        engine.combinations(table, table.roles.known),
        table.roles.quasi,
        {**trees, **kept_trees(table)},
        lambda held: Promise(k),
        costs=costs,
        kept=table.roles.keep,
    )
    solution = solve(problem, LOCAL)
    if solution is None:
        raise too_few(k, problem.n_rows)
    return Coarser(k, table, trees, problem, solution)


def too_few(k: int, rows: int) -> InfeasibleError:
    """The error where there are no k rows, or not for every combination of kept columns."""
    if rows < k:
        return InfeasibleError(
            f"The table has {rows:,} rows, fewer than k = {k}.",
            code="infeasible-k",
            option="k",
            hint="Choose a smaller k.",
        )
    return InfeasibleError(
        "The rows with the same kept columns are too few, or their sensitive values too much alike, to be"
        " classes by themselves.",
        code="keep-in-classes",
        hint=f"A reader is taken to know kept columns. Make them quasi-identifiers with {option('quasi')}, or"
        " ask for less.",
    )


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
