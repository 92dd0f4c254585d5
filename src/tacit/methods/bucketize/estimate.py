"""What bucketizing will take, before it is begun: feasibility, time and memory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from tacit.engine.choice import engine_for
from tacit.engine.spark.engine import SparkEngine
from tacit.methods.bucketize.people import one_row_per_person
from tacit.methods.bucketize.solve.classes import Classes
from tacit.methods.bucketize.solve.feasibility import largest_eligible, largest_feasible
from tacit.methods.bucketize.solve.keeping import rows_left_out
from tacit.methods.bucketize.solve.room import bytes_for
from tacit.methods.bucketize.verb import INJECTOR
from tacit.random.key_files import load_key

BYTES_PER_ROW = 150
"""Held for each row at the peak beside its columns: digests, draws, orders, the published copy."""
BYTES_PER_CELL = 12
"""Held for each cell of a published column: its code, twice, and its share of the text written."""
BASE = 300 << 20
"""The process itself, with its libraries and compiled kernels."""
NANOSECONDS_PER_ROW = 2_500
"""Dealing, sorting and writing a row."""
NANOSECONDS_PER_PICK = 4
"""Looking at one class when a row is picked."""


@dataclass(frozen=True, slots=True)
class BucketsEstimate:
    """The size of a job, and the largest ℓ the table can meet."""

    method: str
    rows: int
    combinations: int
    classes: int
    rules: int
    largest_l: int
    seconds: float
    bytes: int
    left_out: int | None = None
    """At least so many rows are left out; None where none may be."""

    def __str__(self) -> str:
        return (
            f"{self.rows:,} rows, {self.combinations:,} combinations, {self.rules:,} rules,"
            f" {self.classes:,} classes. The largest feasible ℓ for {self.method} is {self.largest_l}."
            f"{_rows_out(self.left_out, self.rows)}"
            f" About {self.seconds:.1f} s and {self.bytes / (1 << 20):,.0f} MB. Nothing was done."
        )


def estimate(
    classes: Classes, *, method: str, combinations: int, known: int, columns: int, rules: int
) -> BucketsEstimate:
    """How large the job is, from the counted classes and the number of published columns.

    ``known`` is how many values the quasi-identifiers have together.
    """
    rows = classes.n_rows
    single_anatomy = method == "anatomy" and len(classes.attributes) == 1
    work = rows * (NANOSECONDS_PER_ROW + NANOSECONDS_PER_PICK * len(classes))
    return BucketsEstimate(
        method=method,
        rows=rows,
        combinations=combinations,
        classes=len(classes),
        rules=rules,
        largest_l=largest_eligible(classes) if single_anatomy else largest_feasible(classes),
        seconds=work / 1e9,
        bytes=BASE
        + rows * (BYTES_PER_ROW + BYTES_PER_CELL * columns)
        + bytes_for(classes.n_values, known, combinations, rules),
    )


def expected(asked: Any) -> BucketsEstimate | SparkBucketsEstimate:
    """How large the job is that the checked arguments of :func:`tacit.bucketize` ask for."""
    from tacit.methods.bucketize.make import count_classes, knowledge_of
    from tacit.methods.bucketize.release import MOST_JUDGED

    key = load_key() if asked.key is None else asked.key
    table = one_row_per_person(asked.table, asked.person, key)
    engine = engine_for(table)
    rules = knowledge_of(asked, table, engine)
    counted = count_classes(table, rules if asked.algorithm == INJECTOR else None, engine, key)
    size = {
        "combinations": len(counted.class_of),
        "known": counted.known_values,
        "columns": len(table.roles.known) + len(table.roles.sensitive),
        "rules": 0 if rules is None else len(rules),
    }
    out = rows_left_out(
        counted.classes, asked.l, asked.algorithm, asked.max_posterior, key, asked.max_posterior_suppressed
    )
    if isinstance(engine, SparkEngine):
        told = spark_estimate(counted.classes, method=asked.algorithm, **size, most_judged=MOST_JUDGED)
        return replace(told, left_out=out)
    return replace(estimate(counted.classes, method=asked.algorithm, **size), left_out=out)


def _rows_out(left_out: int | None, rows: int) -> str:
    if left_out is None:
        return ""
    return f" At least {left_out:,} rows are left out, {100 * left_out / max(1, rows):.1f} %."


PLAN_BYTES_PER_ROW = 70
"""Held in this process for each row on Spark: its place in the plan, while the plan is made."""
BYTES_PER_COMBINATION = 100
"""Held in this process for each distinct combination that Spark has counted."""


@dataclass(frozen=True, slots=True)
class SparkBucketsEstimate:
    """What a job on Spark brings into this process, and the largest ℓ the table can meet."""

    method: str
    rows: int
    combinations: int
    classes: int
    rules: int
    largest_l: int
    judged_rows: int
    bytes: int
    left_out: int | None = None

    def __str__(self) -> str:
        return (
            f"{self.rows:,} rows on Spark, {self.rules:,} rules, {self.classes:,} classes. The largest"
            f" feasible ℓ for {self.method} is {self.largest_l}.{_rows_out(self.left_out, self.rows)}"
            " Into this process come the distinct values"
            f" of each column, {self.combinations:,} combinations of them with counts, and"
            f" {self.judged_rows:,} rows to judge the release by; the plan has a number for each row. That is"
            f" about {self.bytes / (1 << 20):,.0f} MB. Nothing was done but count."
        )


def spark_estimate(
    classes: Classes,
    *,
    method: str,
    combinations: int,
    known: int,
    columns: int,
    rules: int,
    most_judged: int,
) -> SparkBucketsEstimate:
    """How much of a job on Spark is held in this process."""
    size = {"combinations": combinations, "known": known, "columns": columns, "rules": rules}
    alone = estimate(classes, method=method, **size)
    judged = min(alone.rows, most_judged)
    held = alone.rows * PLAN_BYTES_PER_ROW + combinations * BYTES_PER_COMBINATION
    return SparkBucketsEstimate(
        method=method,
        rows=alone.rows,
        combinations=combinations,
        classes=alone.classes,
        rules=rules,
        largest_l=alone.largest_l,
        judged_rows=judged,
        bytes=BASE + held + judged * (BYTES_PER_ROW + BYTES_PER_CELL * columns),
    )
