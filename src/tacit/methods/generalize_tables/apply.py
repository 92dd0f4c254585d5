"""The plan carried out: every row with its nodes, in an order that says nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.data.column import Column
from tacit.data.table import Table
from tacit.recoding.problem import Problem, Recoded
from tacit.recoding.rows import node_columns, published_order, row_classes
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
    times: Counts | None = None
    """For how many rows each published one stands; None where for itself alone."""
    n_suppressed: int = 0
    """How many rows are left out."""

    @property
    def n_rows(self) -> int:
        """How many rows are published."""
        return len(self.rows) if self.times is None else int(self.times.sum())

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.known + self.sensitive

    @property
    def known(self) -> tuple[Column, ...]:
        """The columns by which readers tell classes apart."""
        return self.quasi + self.kept


def carry_out(
    recoded: Recoded, problem: Problem, table: Table, combination_of: Codes | None = None
) -> Recoding:
    """Replace the quasi-identifiers of every row, leave out what the plan leaves out, and sort.

    ``combination_of`` is the combination of each row, where the plan is about others than of known columns.
    """
    class_of = row_classes(recoded, table) if combination_of is None else recoded.class_of[combination_of]
    out = recoded.left_out[class_of]
    rows = np.flatnonzero(~out)
    shown = node_columns(recoded, problem, table.roles.quasi, class_of[rows])
    kept = [table.column(name).take(rows) for name in table.roles.keep]
    held = [column.take(rows) for column in table.sensitive]
    order = published_order(shown, [*kept, *held], class_of[rows])
    times = None if table.times is None else table.times[rows[order]]
    quasi, known, values = (
        tuple(_taken(column, order, times) for column in some) for some in (shown, kept, held)
    )
    gone = np.flatnonzero(out)
    n_gone = len(gone) if table.times is None else int(table.times[gone].sum())
    return Recoding(quasi, known, values, rows[order], gone, times, n_gone)


def _taken(column: Column, order: Counts, times: Counts | None) -> Column:
    taken = column.take(order)
    return taken if times is None else taken.standing_for(times)
