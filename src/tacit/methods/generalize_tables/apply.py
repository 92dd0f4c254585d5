"""The plan carried out: every row with its nodes, in an order that says nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from tacit.arrays.grouping import group_rows
from tacit.data.column import Column, frozen
from tacit.data.table import Table
from tacit.methods.generalize_tables.solve.problem import Problem, Recoded
from tacit.typing import Codes, Counts


@dataclass(frozen=True, eq=False)
class Recoding:
    """The published table, and which row of the original each of its rows is."""

    quasi: tuple[Column, ...]
    kept: tuple[Column, ...]
    sensitive: tuple[Column, ...]
    rows: Counts
    """Of each published row, its number in the table."""
    suppressed: Counts
    """The rows left out."""

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.known + self.sensitive

    @property
    def known(self) -> tuple[Column, ...]:
        """The columns by which readers tell classes apart."""
        return self.quasi + self.kept


def carry_out(recoded: Recoded, problem: Problem, table: Table) -> Recoding:
    """Replace the quasi-identifiers of every row, leave out what the plan leaves out, and sort."""
    columns = table.known
    combination, _ = group_rows(
        [column.codes for column in columns], [len(column.values) for column in columns]
    )
    class_of = recoded.class_of[combination]
    out = recoded.left_out[class_of]
    rows = np.flatnonzero(~out)
    labels = np.array(problem.forest.labels, dtype=object)
    shown = [
        _labelled(column.name, recoded.nodes[class_of[rows], place], labels)
        for place, column in enumerate(table.quasi)
    ]
    kept = [table.column(name).take(rows) for name in table.roles.keep]
    held = [column.take(rows) for column in table.sensitive]
    everything = [*shown, *kept, *held]
    order = np.lexsort([column.text_ranks[column.codes] for column in reversed(everything)])
    quasi, kept, held = ([column.take(order) for column in some] for some in (shown, kept, held))
    return Recoding(tuple(quasi), tuple(kept), tuple(held), rows[order], np.flatnonzero(out))


def _labelled(name: str, nodes: Codes, labels: np.ndarray) -> Column:
    """The labels of nodes as a column."""
    used, codes = np.unique(nodes, return_inverse=True)
    values, numbers = np.unique(labels[used].astype(str), return_inverse=True)
    return Column(name, frozen(numbers.reshape(-1)[codes.reshape(-1)]), pl.Series(name, values.tolist()))
