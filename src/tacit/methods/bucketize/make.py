"""Making a bucketized release: what is asked for is counted, solved and applied; and what that will take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from time import process_time
from typing import Any

from tacit.arrays.groups import group_rows
from tacit.data.spelling import refuse_look_alikes
from tacit.data.table import Table
from tacit.engine.base import COUNT, GROUP
from tacit.errors import InfeasibleError, InputError, Place, UsageError, option
from tacit.methods.bucketize.asked import Asked, check_columns, settled
from tacit.methods.bucketize.joining import check_joining, joined_until
from tacit.methods.bucketize.judge.risks import BucketRisks
from tacit.methods.bucketize.release import BucketizedRelease, Made, Seconds, apply_plan, make_release
from tacit.methods.bucketize.series import Earlier, continued, earlier_release
from tacit.methods.bucketize.solve.apart import with_rows
from tacit.methods.bucketize.solve.feasibility import largest_eligible, largest_feasible
from tacit.methods.bucketize.solve.keeping import kept_rows
from tacit.methods.bucketize.solve.plan import Plan, make_plan
from tacit.methods.bucketize.solve.silence import silent
from tacit.methods.bucketize.solve.solve import bytes_for, count_classes, solve
from tacit.methods.bucketize.verb import AREAS, INJECTOR, SIGNATURES
from tacit.methods.bucketize.ways_out import Refused, with_ways_out
from tacit.mining.knowledge import NegativeRules
from tacit.mining.verbs import known_rules, mine_negative_rules
from tacit.options import options_of
from tacit.ranges import as_fraction
from tacit.recoding.coarser import Coarser, coarser, too_few
from tacit.release.series import repeated
from tacit.typing import Threshold

Times = list[float]
"""When a release was begun and when each step was done, in CPU seconds."""


def make(given: Any) -> BucketizedRelease:
    """Make the release that the checked arguments of :func:`tacit.bucketize` ask for."""
    _check_table(given.table)
    if given.join_values:
        check_joining(given.table)
    _refuse_look_alikes(given.table)
    asked, table = settled(given)
    earlier = earlier_of(asked, table)
    times = [process_time()]
    published = None if asked.k is None else coarser(table, asked.k, asked.engine)
    table = table if published is None else published.table
    knowledge = None if earlier is not None else knowledge_of(asked, table)
    found = joined_until(table, knowledge, asked) if asked.join_values else None
    if found is not None:
        table, knowledge = found.table, found.knowledge
        _refuse_look_alikes(table)
    check_columns(table, asked)
    times.append(process_time())
    asked.report("Counting")
    if asked.partners == SIGNATURES:
        made = _signed(asked, table, knowledge, earlier, times)
    else:
        made = _dealt(asked, table, knowledge, published, times)
        made = made if found is None else replace(made, joined=found.joined)
    release = make_release(made)
    if asked.max_learned is not None:
        asked.report("Measuring what can be learned")
        _check_learned(release.risk().release, asked.max_learned)
    return release


def _dealt(
    asked: Asked, table: Table, knowledge: NegativeRules | None, published: Coarser | None, times: Times
) -> Made:
    """A release by itself."""
    injector = asked.method == INJECTOR
    counted = count_classes(table, knowledge if injector else None, asked.engine, asked.key)
    if published is not None:
        counted = replace(counted, alike=published.alike(counted.combinations))
    times.append(process_time())
    asked.report("Making buckets")

    def drawn(number: int) -> Plan:
        """A draw of the whole plan: the first by the table's own key, the others by keys of their own."""
        nonlocal counted
        if number:
            counted = replace(first, key=first.key.branch(f"bucketize: draw {number}"))
        try:
            plan = solve(counted, asked)
        except InfeasibleError as error:
            raise with_ways_out(error, Refused(asked, table, knowledge, counted.classes)) from None
        return with_rows(plan, counted) if listed is not None and plan.combinations is None else plan

    first, bounded = counted, asked.bound is not None
    listed = knowledge if injector and (asked.partners == AREAS or bounded) else None
    if listed is None:
        plan = drawn(0)
    else:
        plan = silent(drawn, counted.combinations, listed, asked.l, bounded=bounded)
    if plan.n_suppressed:
        asked.report(f"Leaving out {plan.n_suppressed:,} of {len(table):,} rows")
    times.append(process_time())
    asked.report("Dealing the rows")
    permuted = asked.form == "permuted"
    bucketized = apply_plan(plan, counted, table, asked.engine, permuted=permuted, coarser=published)
    return Made(asked, table, knowledge, plan, bucketized, _seconds(times), coarser=published)


def _signed(
    asked: Asked, table: Table, knowledge: NegativeRules | None, earlier: Earlier | None, times: Times
) -> Made:
    """A release of a series: see :mod:`tacit.methods.bucketize.solve.signatures`."""
    if len(table.roles.sensitive) > 1:
        raise UsageError(
            "A series has one sensitive column.",
            code="series-one-sensitive",
            option="sensitive",
            hint=f"Combine them into one, or choose other {option('partners')} for a release of its own.",
        )
    engine, injector = asked.engine, asked.method == INJECTOR
    combinations = engine.combinations(table, (*table.roles.known, *table.roles.sensitive))
    columns = [table.column(name) for name in combinations.names]
    row_of, _ = group_rows([column.codes for column in columns], [len(column.values) for column in columns])
    times.append(process_time())
    found = continued(table, combinations, row_of, knowledge if injector else None, earlier, asked)
    known = found.knowledge if injector else None
    counted = count_classes(table, known, engine, asked.key)
    plan = make_plan(counted.classes, counted.class_of[row_of], found.signed.buckets)
    times.append(process_time())
    bucketized = engine.placed(table, found.signed.buckets, *found.counterfeits, asked.key)
    series = replace(found, groups=bucketized.part(table, len(table))[1][: len(table)])
    known = known if injector else knowledge
    return Made(asked, table, known, plan, bucketized, _seconds(times), series=series)


def _seconds(times: Times) -> Seconds:
    """How long each step took, now that the last is done."""
    return Seconds(*(end - start for start, end in pairwise([*times, process_time()])))


def earlier_of(asked: Asked, table: Table) -> Earlier | None:
    """The release that this one continues, checked; None where it continues none."""
    if asked.after is None:
        return None
    if table.drawn is not None and table.drawn.left_out:
        raise repeated(table.drawn.left_out, table.origin, asked.person)
    known, options = asked.knowledge, options_of(mine_negative_rules)
    if known is not None and not (
        isinstance(known, Mapping) and not any(options[name].given(value) for name, value in known.items())
    ):
        raise UsageError(
            "The rules of a series are those of its first release.",
            code="series-rules",
            hint="Leave out what says which rules readers know.",
        )
    return earlier_release(asked.after, table, asked.l, asked.key)


def knowledge_of(asked: Asked, table: Table) -> NegativeRules | None:
    """The rules that readers are assumed to know: as given, or mined as the options say."""
    if asked.knowledge is None and asked.method != INJECTOR:
        return None
    coarser = asked.k is not None
    return known_rules(table, asked.knowledge, coarser=coarser, engine=asked.engine, progress=asked.progress)


def _refuse_look_alikes(table: Table) -> None:
    for column in table.sensitive:
        refuse_look_alikes(column.name, column.texts)


def _check_table(table: Table) -> None:
    """Raise unless the table has the roles and names that a bucketized release needs."""
    if not table.roles.quasi or not table.roles.sensitive:
        raise UsageError(
            "Bucketizing needs quasi-identifiers and a sensitive attribute.",
            code="roles-missing",
            hint=f"Name them with {option('quasi')} and {option('sensitive')}.",
        )
    for name in (*table.roles.known, *table.roles.sensitive):
        if name in (GROUP, COUNT):
            raise UsageError(
                f"The table has a column {name!r}, which is the name of a column that the release adds.",
                code="column-name-taken",
                hint="Give that column another name.",
            )
    if not len(table):
        raise InputError(
            "The table has no rows.",
            code="no-rows",
            where=Place(file=table.origin),
            hint="There is nothing to publish.",
        )


def _check_learned(risks: BucketRisks, most: Threshold) -> None:
    """Raise where readers are right too often about the people they are surest of, or were not measured."""
    learning, counting = risks.learning, risks.rule_guesses
    if learning is None or counting is None:
        raise InfeasibleError(
            "What software learns from this release is too much to measure, so it cannot be limited.",
            code="learned-unmeasured",
            hint=f"Coarser columns make the model smaller; or leave out {option('max_learned')}.",
        )
    surest = max(learning.surest[0], counting.surest[0], key=lambda one: one.right)
    limit = as_fraction(most)
    assert limit is not None
    if surest.right > limit:
        raise InfeasibleError(
            f"Software that reads the release is right for {surest.right:.0%} of the {surest.people:,}"
            f" people it is surest about; at most {float(limit):.0%} was asked for.",
            code="infeasible-max_learned",
            hint="Publish coarser quasi-identifiers and fewer kept columns, choose a larger ℓ, or ask for"
            f" a larger share with {option('max_learned')}.",
        )


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
