"""Small random tables with hierarchies, as a solver gets them and as the oracles read them."""

from __future__ import annotations

import random
from dataclasses import dataclass

import polars as pl

from tacit.data.hierarchy import from_parents
from tacit.data.table import Table, table_from_frame
from tacit.engine.local.engine import LocalEngine
from tacit.recoding.problem import Problem, problem_of
from tacit.recoding.promises import Held, OfCounts, Promise

SENSITIVE = "illness"


@dataclass(frozen=True)
class RandomTable:
    """Rows of quasi-identifiers, a sensitive value each, and a tree (child → parent) for each column."""

    rows: list[tuple[str, ...]]
    values: list[str]
    forest: list[dict[str, str]]

    @property
    def names(self) -> list[str]:
        return [f"q{column}" for column in range(len(self.forest))]

    @property
    def table(self) -> Table:
        columns = {name: [row[place] for row in self.rows] for place, name in enumerate(self.names)} | {
            SENSITIVE: self.values
        }
        trees = {
            name: from_parents(tree, name=name) for name, tree in zip(self.names, self.forest, strict=True)
        }
        return table_from_frame(
            pl.DataFrame(columns), quasi=self.names, sensitive=SENSITIVE, hierarchies=trees
        )

    def problem(self, k: int, *parts: OfCounts) -> Problem:
        """The table as a solver gets it, with promises about the sensitive value."""
        table = self.table

        def promise(held: Held | None) -> Promise:
            return Promise(k, held, tuple((0, part) for part in parts))

        combinations = LocalEngine().combinations(table, (*self.names, SENSITIVE))
        return problem_of(combinations, self.names, table.hierarchies, promise, sensitive=[SENSITIVE])


def random_table(draw: random.Random, *, most_rows: int = 9, values: int = 4) -> RandomTable:
    """A table of a few rows over one to three columns with uneven trees."""
    forest, leaves = [], []
    for column in range(draw.randint(1, 3)):
        tree: dict[str, str] = {}
        groups = draw.randint(1, 3)
        for leaf in range(draw.randint(2, 5)):
            group = draw.randrange(groups + 1)  # the last: directly under the root
            name = f"{column}v{leaf}"
            tree[name] = "*" if group == groups else f"{column}g{group}"
            if group < groups:
                tree[f"{column}g{group}"] = "*"
        forest.append(tree)
        leaves.append([name for name in tree if "v" in name])
    rows = [tuple(draw.choice(own) for own in leaves) for _ in range(draw.randint(3, most_rows))]
    return RandomTable(rows, [f"s{draw.randrange(values)}" for _ in rows], forest)
