"""Small random tables with small random hierarchies."""

from __future__ import annotations

import random
from dataclasses import dataclass

import polars as pl

from tacit.data.hierarchy import from_parents
from tacit.data.table import Table, table_from_frame


@dataclass(frozen=True)
class SmallTable:
    """The same table twice: as rows with trees for an oracle, and as a Table."""

    rows: list[dict[str, str]]
    trees: dict[str, dict[str, str]]
    table: Table


def small_table(seed: int, *, max_rows: int = 14, max_attributes: int = 3, sensitive: int = 3) -> SmallTable:
    """A table of a few rows, attributes with uneven trees, and a few sensitive values."""
    source = random.Random(seed)
    trees = {f"q{number}": _tree(source, f"q{number}") for number in range(source.randint(1, max_attributes))}
    leaves = {name: [label for label in tree if label not in tree.values()] for name, tree in trees.items()}
    rows = []
    for _ in range(source.randint(1, max_rows)):
        row = {name: source.choice(labels) for name, labels in leaves.items()}
        row["s"] = f"s{source.randrange(source.randint(1, sensitive))}"
        rows.append(row)
    table = table_from_frame(
        pl.DataFrame(rows),
        quasi=list(trees),
        sensitive="s",
        hierarchies={name: from_parents(tree, name=name) for name, tree in trees.items()},
    )
    return SmallTable(rows, trees, table)


def _tree(source: random.Random, prefix: str) -> dict[str, str]:
    """A random tree of two to seven nodes below its root."""
    labels = [f"{prefix}-{number}" for number in range(source.randint(1, 7))]
    return {label: source.choice([f"{prefix}-root", *labels[:place]]) for place, label in enumerate(labels)}
