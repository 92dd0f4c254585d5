"""The plan carried out: every row with its nodes, in an order that says nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.data.column import Column
from tacit.data.table import Table
from tacit.recoding.problem import Problem, Recoded
from tacit.recoding.rows import node_columns, row_classes
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
    everything = [*shown, *kept, *held]
    order = np.lexsort([column.text_ranks[column.codes] for column in reversed(everything)])
    quasi, kept, held = ([column.take(order) for column in some] for some in (shown, kept, held))
    return Recoding(tuple(quasi), tuple(kept), tuple(held), rows[order], np.flatnonzero(out))
