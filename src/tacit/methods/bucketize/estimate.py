"""What bucketizing will take, before it is begun: feasibility, time and memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tacit.methods.bucketize.asked import settled
from tacit.methods.bucketize.solve.feasibility import largest_eligible, largest_feasible
from tacit.methods.bucketize.solve.keeping import kept_rows
from tacit.methods.bucketize.solve.solve import bytes_for, count_classes
from tacit.methods.bucketize.verb import INJECTOR
from tacit.recoding.coarser import too_few

PLAN_BYTES_PER_ROW = 70
"""Held for each row, wherever it is: its place in the plan, while the plan is made."""
BYTES_PER_ROW = 80
"""Held for each row in this process beside its columns: digests, draws, orders, the published copy."""
BYTES_PER_CELL = 12
"""Held for each cell of a published column: its code, twice, and its share of the text written."""
BYTES_PER_COMBINATION = 100
"""Held for each distinct combination of the published columns."""
BASE = 300 << 20
"""The process itself, with its libraries and compiled kernels."""
SECONDS_PER_LOOK = 1.5e-4
"""With k, for each combination of the published columns, to make quasi-identifiers coarser."""
SECONDS, SECONDS_PER_ROW, SECONDS_PER_CLASS = 4.0, 3e-5, 2e-3
"""A whole command, measured on tables of 1,000 to 100,000 rows: solving, judging, writing and verifying."""


@dataclass(frozen=True, slots=True)
class BucketsEstimate:
    """The size of a job, what it takes of this process, and the largest ℓ the table can meet."""

    method: str
    rows: int
    combinations: int
    classes: int
    rules: int
    largest_l: int
    judged_rows: int
    """So many rows are in this process: all of them, or those that a release on Spark is judged by."""
    seconds: float
    bytes: int
    left_out: int | None = None
    """At least so many rows are left out; None where none may be."""

    def __str__(self) -> str:
        out = ""
        if self.left_out is not None:
            share = 100 * self.left_out / max(1, self.rows)
            out = f" At least {self.left_out:,} rows are left out, {share:.1f} %."
        return (
            f"{self.rows:,} rows, {self.combinations:,} combinations, {self.rules:,} rules,"
            f" {self.classes:,} classes. The largest feasible ℓ for {self.method} is {self.largest_l}."
            f"{out} In this process: {self.judged_rows:,} rows, about {self.seconds:.0f} s and"
            f" {self.bytes / (1 << 20):,.0f} MB. Nothing was done."
        )


def expected(given: Any) -> BucketsEstimate:
    """How large the job is that the checked arguments of :func:`tacit.bucketize` ask for."""
    from tacit.methods.bucketize.make import knowledge_of
    from tacit.methods.bucketize.release import MOST_JUDGED

    asked, table = settled(given)
    if asked.k is not None and len(table) < asked.k:
        raise too_few(asked.k, len(table))
    known = knowledge_of(asked, table)
    counted = count_classes(table, known if asked.method == INJECTOR else None, asked.engine, asked.key)
    classes, combinations, rules = counted.classes, len(counted.class_of), 0 if known is None else len(known)
    columns = len(table.roles.known) + len(table.roles.sensitive)
    here = asked.engine.rows_here(table, MOST_JUDGED)
    return BucketsEstimate(
        method=asked.method,
        rows=len(table),
        combinations=combinations,
        classes=len(classes),
        rules=rules,
        largest_l=(largest_eligible if asked.by_frequency(classes) else largest_feasible)(classes),
        judged_rows=here,
        seconds=SECONDS
        + here * SECONDS_PER_ROW
        + len(classes) * SECONDS_PER_CLASS
        + (0 if asked.k is None else combinations * SECONDS_PER_LOOK),
        bytes=BASE
        + len(table) * PLAN_BYTES_PER_ROW
        + here * (BYTES_PER_ROW + BYTES_PER_CELL * columns)
        + combinations * BYTES_PER_COMBINATION
        + bytes_for(classes.n_values, counted.known_values, combinations, rules),
        left_out=None if asked.among_left_out is None else int(kept_rows(classes, asked)[1].sum()),
    )
