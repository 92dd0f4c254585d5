"""What generalizing a table will take, before it is begun: combinations, time and memory."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from tacit.engine.choice import engine_for
from tacit.judging.people import one_row_per_person
from tacit.methods.generalize_tables.make import rows_here
from tacit.random.key_files import load_key
from tacit.recoding import CELLS, LOCAL, NORMAL, QUICK, THOROUGH
from tacit.recoding.emptying import MANY, MOST_COLUMNS
from tacit.recoding.trees import with_hierarchies

BYTES_PER_CELL = 24
"""Held for each cell at the peak: its code twice, its node, its share of the text written."""
BYTES_PER_COMBINATION = 120
BASE = 300 << 20
"""The process itself, with its libraries and compiled kernels."""
SECONDS_PER_COMBINATION = {QUICK: 3e-5, NORMAL: 1.5e-4, THOROUGH: 3e-4}
"""Of classes as fine as they can be; of levels as of quick ones."""


@dataclass(frozen=True, slots=True)
class TableEstimate:
    """The size of a job."""

    rows: int
    combinations: int
    states: float
    """Ways to choose a level for each column."""
    seconds: float
    bytes: int

    def __str__(self) -> str:
        return (
            f"{self.rows:,} rows, {self.combinations:,} combinations of quasi-identifiers,"
            f" {self.states:,.0f} ways to choose a level for each column."
            f" About {self.seconds:.0f} s and {self.bytes / (1 << 20):,.0f} MB. Nothing was done."
        )


def expected(asked: Any) -> TableEstimate:
    """How large the job is that the checked arguments of the verb ask for."""
    table = rows_here(asked.table, asked.person)
    if asked.person is not None:
        table = one_row_per_person(table, asked.person, load_key() if asked.key is None else asked.key)
    table, trees, _ = with_hierarchies(table, asked.recoding)
    combinations = len(engine_for(table).combinations(table, table.roles.quasi))
    effort = asked.effort if asked.recoding in (LOCAL, CELLS) else QUICK
    each = SECONDS_PER_COMBINATION[effort]
    if asked.recoding == CELLS and combinations > MANY and len(trees) <= MOST_COLUMNS:
        each = SECONDS_PER_COMBINATION[QUICK]
    columns = len(table.roles.quasi) + len(table.roles.sensitive)
    here = len(table) if table.times is None else len(table.times)
    return TableEstimate(
        rows=len(table),
        combinations=combinations,
        states=math.prod(float(tree.heights[tree.root]) + 1 for tree in trees.values()),
        seconds=2.0 + combinations * each,
        bytes=BASE + here * columns * BYTES_PER_CELL + combinations * BYTES_PER_COMBINATION,
    )
