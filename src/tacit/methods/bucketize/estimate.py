"""What bucketizing will take, before it is begun: feasibility, time and memory.

Solvers hold sets of values as masks over all of them, the reader who knows rules marks each value for
each combination, and the judge's learner, up to a bound, each value for each value of the quasi-identifiers.
So memory grows with the square of the values: amounts that are different in every row need too much.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.arrays.groups import group_rows
from tacit.engine.base import Combinations
from tacit.engine.choice import engine_for
from tacit.errors import ResourceError, listed
from tacit.judging.learning import MOST_CHANCES
from tacit.judging.people import one_row_per_person
from tacit.methods.bucketize.solve.feasibility import largest_eligible, largest_feasible
from tacit.methods.bucketize.solve.keeping import rows_left_out
from tacit.methods.bucketize.verb import INJECTOR
from tacit.random.key_files import load_key
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
        return (
            f"{self.rows:,} rows, {self.combinations:,} combinations, {self.rules:,} rules,"
            f" {self.classes:,} classes. The largest feasible ℓ for {self.method} is {self.largest_l}."
            f"{_rows_out(self.left_out, self.rows)}"
            f" In this process: {self.judged_rows:,} rows, about {self.seconds:.0f} s and"
            f" {self.bytes / (1 << 20):,.0f} MB. Nothing was done."
        )


def expected(asked: Any) -> BucketsEstimate:
    """How large the job is that the checked arguments of :func:`tacit.bucketize` ask for."""
    from tacit.methods.bucketize.make import count_classes, knowledge_of
    from tacit.methods.bucketize.release import MOST_JUDGED

    method = asked.algorithm
    key = load_key() if asked.key is None else asked.key
    table = one_row_per_person(asked.table, asked.person, key)
    if asked.k is not None and len(table) < asked.k:
        raise too_few(asked.k, len(table))
    engine = engine_for(table)
    known = knowledge_of(asked, table, engine)
    counted = count_classes(table, known if method == INJECTOR else None, engine, key)
    classes, combinations, rules = counted.classes, len(counted.class_of), 0 if known is None else len(known)
    columns = len(table.roles.known) + len(table.roles.sensitive)
    single_anatomy = method == "anatomy" and len(classes.attributes) == 1
    here = engine.rows_here(table, MOST_JUDGED)
    return BucketsEstimate(
        method=method,
        rows=len(table),
        combinations=combinations,
        classes=len(classes),
        rules=rules,
        largest_l=largest_eligible(classes) if single_anatomy else largest_feasible(classes),
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
        left_out=rows_left_out(
            classes, asked.l, method, asked.max_posterior, key, asked.max_posterior_suppressed
        ),
    )


def _rows_out(left_out: int | None, rows: int) -> str:
    if left_out is None:
        return ""
    return f" At least {left_out:,} rows are left out, {100 * left_out / max(1, rows):.1f} %."


_GIGABYTE = 1 << 30


def check_room(combinations: Combinations, sensitive: Sequence[str], *, rules: int) -> None:
    """Raise, with what to do, where the sensitive values need more memory than the machine has."""
    places = [combinations.place(name) for name in sensitive]
    columns = [np.ascontiguousarray(combinations.codes[:, place]) for place in places]
    values = len(group_rows(columns, [len(combinations.texts[place]) for place in places])[1])
    known = sum(len(texts) for place, texts in enumerate(combinations.texts) if place not in places)
    needed, there = bytes_for(values, known, len(combinations), rules), machine_bytes()
    if there is None or needed <= there:
        return
    what = (
        f"{listed(sensitive)} {'has' if len(sensitive) == 1 else 'have together'} {values:,} different values"
    )
    raise ResourceError(
        f"{what}; with so many the run needs about {needed / _GIGABYTE:,.0f} GB of memory,"
        f" and the machine has {there / _GIGABYTE:,.0f}.",
        code="too-many-values",
        hint="Round amounts or put them into bands, cut dates to months, or name fewer sensitive columns;"
        " amounts a cent apart are different values, too.",
    )


def bytes_for(values: int, known: int, combinations: int, rules: int) -> int:
    """About how much is held for so many sensitive values and values of quasi-identifiers.

    >>> bytes_for(values=30_000, known=19_000, combinations=30_000, rules=0) >> 20
    703
    """
    learner = 8 * min(values * known, MOST_CHANCES)
    masks = 3 * values * values // 8
    marks = 3 * values * combinations if rules else 0
    return max(learner, marks) + masks


def machine_bytes() -> int | None:
    """The memory of the machine, where the system tells."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None
