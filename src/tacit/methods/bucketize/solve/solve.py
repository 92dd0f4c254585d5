"""A table counted, and its buckets planned in the way that was asked for.

Solvers hold sets of values as masks over all of them, the reader who knows rules marks each value for
each combination, and the judge's learner, up to a bound, each value for each value of the quasi-identifiers.
So memory grows with the square of the values: amounts that are different in every row need too much, and
that is said before anything is made of them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tacit.arrays.groups import group_rows
from tacit.data.table import Table
from tacit.engine.base import Combinations, Engine
from tacit.errors import InputError, ResourceError, listed
from tacit.judging.learning import MOST_CHANCES
from tacit.methods.bucketize.asked import Asked
from tacit.methods.bucketize.solve.anatomy import anatomy_plan
from tacit.methods.bucketize.solve.apart import areas_plan
from tacit.methods.bucketize.solve.areas import Splitting
from tacit.methods.bucketize.solve.compatible import BALANCED, FEWEST_LOST
from tacit.methods.bucketize.solve.injector import cells_of, injector_plan, near_plan
from tacit.methods.bucketize.solve.keeping import bounded_rows, kept_rows
from tacit.methods.bucketize.solve.plan import Counted, Plan, classes_of
from tacit.methods.bucketize.verb import AREAS, NEAR, PAPER
from tacit.mining.knowledge import NegativeRules
from tacit.random.key import Key


def count_classes(table: Table, knowledge: NegativeRules | None, engine: Engine, key: Key) -> Counted:
    """The classes of a table for a reader with this knowledge."""
    combinations = engine.combinations(table, (*table.roles.known, *table.roles.sensitive))
    key = combinations.key(key)
    check_room(combinations, table.roles.sensitive, rules=0 if knowledge is None else len(knowledge))
    classes, class_of = classes_of(combinations, table.roles.sensitive, knowledge, key)
    own = classes.forbidden[np.arange(len(classes)), classes.values >> 6]
    if ((own >> (classes.values & 63).astype(np.uint64)) & np.uint64(1)).any():
        raise InputError(
            "Some rows contradict the knowledge: they hold a value that a rule says they cannot have.",
            code="knowledge-contradicted",
            hint="Mine the rules from this very table, or take the rule out.",
        )
    return Counted(combinations, classes, class_of, key)


def solve(counted: Counted, asked: Asked) -> Plan:
    """The buckets by class: refused where the promise cannot be met, or without the rows in the way."""
    classes, key = counted.classes, counted.key
    asked = replace(asked, key=key)
    kept, out = kept_rows(classes, asked)
    if asked.by_frequency(classes):
        return anatomy_plan(kept, asked.least, key, suppressed=out)
    if asked.partners == AREAS and asked.epsilon is not None:
        splitting = Splitting(asked.least, asked.epsilon, bound=asked.bound)
        return areas_plan(counted, kept, splitting, suppressed=out)
    if asked.bound is not None:
        return bounded_rows(classes, out, asked.bound, asked)
    if asked.partners == NEAR:
        cells = cells_of(counted.combinations, counted.known, asked.l)
        rows = counted.combinations.counts
        return near_plan(
            kept, asked.l, key, cells=cells, class_of=counted.class_of, rows_of=rows, suppressed=out
        )
    way = FEWEST_LOST if asked.partners == PAPER else BALANCED
    return injector_plan(kept, asked.l, key, suppressed=out, way=way)


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
