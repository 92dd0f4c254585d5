"""Making a bucketized release.

Count, solve and apply stand beside it; here the release is put together with what it promises, what was
measured on it, and what only its owner may see.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from time import process_time
from typing import Any

import numpy as np

from tacit.arrays.groups import group_rows
from tacit.data.spelling import refuse_look_alikes
from tacit.data.table import Table
from tacit.engine.base import COUNT, GROUP, Bucketing, Bucketized, Combinations
from tacit.engine.choice import engine_for
from tacit.errors import InfeasibleError, InputError, Place, UsageError, option
from tacit.judging.people import one_row_per_person
from tacit.methods.bucketize.accepting import check_columns, reasons_of
from tacit.methods.bucketize.apply import apply_plan
from tacit.methods.bucketize.estimate import check_room
from tacit.methods.bucketize.joining import Joined, Joining, check_joining, joined_until
from tacit.methods.bucketize.learned import check_learned
from tacit.methods.bucketize.release import BucketizedRelease, Seconds, make_release
from tacit.methods.bucketize.series import Earlier, continued, earlier_release
from tacit.methods.bucketize.solve.anatomy import anatomy_plan
from tacit.methods.bucketize.solve.apart import areas_plan, with_rows
from tacit.methods.bucketize.solve.areas import Splitting
from tacit.methods.bucketize.solve.classes import Classes, classes_of
from tacit.methods.bucketize.solve.compatible import BALANCED, FEWEST_LOST
from tacit.methods.bucketize.solve.injector import injector_plan
from tacit.methods.bucketize.solve.keeping import bounded_rows, kept_rows, least_values
from tacit.methods.bucketize.solve.near import cells_of, near_plan
from tacit.methods.bucketize.solve.plan import Plan, make_plan
from tacit.methods.bucketize.solve.silence import silenced
from tacit.methods.bucketize.verb import ANY, AREAS, INJECTOR, NEAR, PAPER, SIGNATURES, partners_of
from tacit.methods.bucketize.ways_out import Refused, with_ways_out
from tacit.mining.knowledge import NegativeRules
from tacit.mining.verbs import mine_negative_rules
from tacit.options import EPSILON, options_of
from tacit.random.key import Key
from tacit.random.key_files import load_key
from tacit.ranges import as_fraction
from tacit.recoding.coarser import Coarser, coarser
from tacit.release.series import repeated
from tacit.typing import Codes, Progress, Threshold


def make(asked: Any) -> BucketizedRelease:
    """Make the release that was asked for: the arguments of :func:`tacit.bucketize`, checked and settled."""
    table: Table = asked.table
    l, algorithm, key = asked.l, asked.algorithm, asked.key
    accept = reasons_of(asked.accept)
    partners = partners_of(vars(asked))
    epsilon = (asked.epsilon or EPSILON) if partners in (AREAS, SIGNATURES) else None
    progress: Progress | None = asked.progress
    _check_table(table)
    if asked.join_values:
        check_joining(table)
    for name in table.roles.sensitive:
        refuse_look_alikes(name, table.column(name).texts)
    key = load_key() if key is None else key
    table = one_row_per_person(table, asked.person, key)
    earlier = earlier_of(asked, table, key)
    engine = engine_for(table) if asked.engine is None else asked.engine
    report = progress or (lambda what, share: None)

    started = process_time()
    published = None if asked.k is None else coarser(table, asked.k, engine)
    table = table if published is None else published.table
    knowledge = None if earlier is not None else knowledge_of(asked, table, engine)
    bound = None if asked.max_posterior is None else as_fraction(asked.max_posterior)

    def feasible(table: Table, knowledge: NegativeRules | None) -> bool:
        try:
            solve(count_classes(table, knowledge, engine, key), l, algorithm, bound, key, partners=partners)
        except InfeasibleError:
            return False
        return True

    def joining() -> Joining | None:
        return joined_until(table, knowledge, least_values(l, bound), engine, feasible)

    joined: Joined = {}
    if asked.join_values and (found := joining()) is not None:
        table, knowledge, joined = found.table, found.knowledge, found.joined
        for name in joined:
            refuse_look_alikes(name, table.column(name).texts)
    check_columns(table, l, accept, engine)
    mined = process_time()
    report("Counting", None)
    if partners == SIGNATURES:
        release = signed_release(
            asked, table, knowledge, earlier, engine, key, Clock(started, mined), float(epsilon or EPSILON)
        )
        return learned_within(release, asked.max_learned, report)
    counted = count_classes(table, knowledge if algorithm == INJECTOR else None, engine, key)
    counting_done = process_time()
    report("Making buckets", None)
    among = asked.max_posterior_suppressed
    among_left_out = None if among is None else as_fraction(among)
    try:
        plan = solve(
            counted,
            l,
            algorithm,
            bound,
            key,
            among_left_out=among_left_out,
            partners=partners,
            epsilon=epsilon if epsilon is None else float(epsilon),
        )
    except InfeasibleError as error:
        refused = Refused(table, l, algorithm, bound, knowledge, counted.classes, engine, key, joining)
        raise with_ways_out(error, refused) from None
    if knowledge is not None and (partners == AREAS or bound is not None) and algorithm == INJECTOR:
        if plan.combinations is None:
            plan = with_rows(plan, counted.combinations, counted.class_of, key)
        plan = silenced(plan, counted.combinations, knowledge, l, bounded=bound is not None)
    if plan.n_suppressed:
        report(f"Leaving out {plan.n_suppressed:,} of {len(table):,} rows", None)
    solved = process_time()
    report("Dealing the rows", None)
    bucketized = carry_out(plan, counted, table, engine, key, asked.form, published)
    release = make_release(
        table=table,
        l=l,
        method=algorithm,
        form=asked.form,
        partners=partners,
        epsilon=epsilon if epsilon is None else float(epsilon),
        bound=bound,
        among_left_out=among_left_out,
        joined=joined,
        knowledge=knowledge,
        plan=plan,
        bucketized=bucketized,
        seconds=Clock(started, mined).seconds(counting_done, solved),
        key=key,
        engine=engine,
        beside=anatomy_beside,
        accepted=accept,
        max_learned=asked.max_learned,
        coarser=published,
    )
    return learned_within(release, asked.max_learned, report)


def learned_within(release: BucketizedRelease, most: Threshold | None, report: Progress) -> BucketizedRelease:
    """The release, unless more can be learned from it than was asked for."""
    if most is not None:
        report("Measuring what can be learned", None)
        check_learned(release.risk().release, most)
    return release


@dataclass(frozen=True)
class Clock:
    """When a release was begun, and when its rules were mined."""

    started: float
    mined: float

    def seconds(self, counted: float, solved: float) -> Seconds:
        """How long each step took, now that the last is done."""
        return Seconds(
            mine=self.mined - self.started,
            count=counted - self.mined,
            solve=solved - counted,
            apply=process_time() - solved,
        )


def earlier_of(asked: Any, table: Table, key: Key) -> Earlier | None:
    """The release that this one continues, checked; None where it continues none."""
    if asked.after is None:
        return None
    if table.drawn is not None and table.drawn.left_out:
        raise repeated(table.drawn.left_out, table.origin, asked.person)
    known = asked.knowledge
    options = options_of(mine_negative_rules)
    if known is not None and not (
        isinstance(known, Mapping) and not any(options[name].given(value) for name, value in known.items())
    ):
        raise UsageError(
            "The rules of a series are those of its first release.",
            code="series-rules",
            hint="Leave out what says which rules readers know.",
        )
    return earlier_release(asked.after, table, asked.l, key)


def signed_release(
    asked: Any,
    table: Table,
    knowledge: NegativeRules | None,
    earlier: Earlier | None,
    engine: Bucketing,
    key: Key,
    clock: Clock,
    epsilon: float,
) -> BucketizedRelease:
    """A release of a series: see :mod:`tacit.methods.bucketize.solve.signatures`."""
    if len(table.roles.sensitive) > 1:
        raise UsageError(
            "A series has one sensitive column.",
            code="series-one-sensitive",
            option="sensitive",
            hint=f"Combine them into one, or choose other {option('partners')} for a release of its own.",
        )
    combinations = engine.combinations(table, (*table.roles.known, *table.roles.sensitive))
    columns = [table.column(name) for name in combinations.names]
    row_of, _ = group_rows([column.codes for column in columns], [len(column.values) for column in columns])
    known = knowledge if asked.algorithm == INJECTOR else None
    counting_done = process_time()
    found = continued(table, combinations, row_of, known, asked.person, asked.l, epsilon, key, earlier)
    known = found.knowledge if asked.algorithm == INJECTOR else None
    counted = count_classes(table, known, engine, key)
    none = np.zeros(len(counted.classes), dtype=np.int64)
    plan = make_plan(counted.classes, counted.class_of[row_of], found.signed.buckets, none)
    solved = process_time()
    bucketized = engine.placed(table, found.signed.buckets, *found.counterfeits, key)
    return make_release(
        table=table,
        l=asked.l,
        method=asked.algorithm,
        form=asked.form,
        partners=SIGNATURES,
        epsilon=epsilon,
        bound=None,
        among_left_out=None,
        joined={},
        knowledge=knowledge if asked.algorithm != INJECTOR else known,
        plan=plan,
        bucketized=bucketized,
        seconds=clock.seconds(counting_done, solved),
        key=key,
        engine=engine,
        beside=anatomy_beside,
        accepted=reasons_of(asked.accept),
        max_learned=asked.max_learned,
        series=replace(found, groups=bucketized.part(table, len(table))[1][: len(table)]),
    )


def knowledge_of(asked: Any, table: Table, engine: Bucketing) -> NegativeRules | None:
    """The rules that readers are assumed to know: as given, or mined as the options say."""
    known: NegativeRules | Mapping[str, Any] | None = asked.knowledge
    if known is None and asked.algorithm == INJECTOR:
        known = {}
    if isinstance(known, Mapping):
        return mine_negative_rules(table, **known, engine=engine, progress=asked.progress)
    if known is not None:
        _check_knowledge(known, table)
    return known


@dataclass(frozen=True, eq=False)
class Counted:
    """The table counted: its combinations of columns, its classes, and the class of each combination."""

    combinations: Combinations
    classes: Classes
    class_of: Codes

    @property
    def names(self) -> tuple[str, ...]:
        return self.combinations.names

    @property
    def known(self) -> tuple[str, ...]:
        """The columns that a reader knows: quasi-identifiers and kept columns."""
        return tuple(name for name in self.names if name not in self.classes.attributes)

    @property
    def known_values(self) -> int:
        """How many values the known columns have, all together."""
        return sum(len(self.combinations.texts[self.combinations.place(name)]) for name in self.known)


def count_classes(table: Table, knowledge: NegativeRules | None, engine: Bucketing, key: Key) -> Counted:
    """The classes of a table for a reader with this knowledge."""
    names = (*table.roles.known, *table.roles.sensitive)
    combinations = engine.combinations(table, names)
    check_room(combinations, table.roles.sensitive, rules=0 if knowledge is None else len(knowledge))
    classes, class_of = classes_of(combinations, table.roles.sensitive, knowledge, key)
    own = classes.forbidden[np.arange(len(classes)), classes.values >> 6]
    if ((own >> (classes.values & 63).astype(np.uint64)) & np.uint64(1)).any():
        raise InputError(
            "Some rows contradict the knowledge: they hold a value that a rule says they cannot have.",
            code="knowledge-contradicted",
            hint="Mine the rules from this very table, or take the rule out.",
        )
    return Counted(combinations, classes, class_of)


def solve(
    counted: Counted,
    l: int,
    method: str,
    bound: Fraction | None,
    key: Key,
    *,
    among_left_out: Fraction | None = None,
    partners: str | None = ANY,
    epsilon: float | None = None,
) -> Plan:
    """The buckets by class: refused where the promise cannot be met, or without the rows in the way.

    ``among_left_out`` is the largest share of a value among those; without it no row is left out.
    """
    classes = counted.classes
    kept, out = kept_rows(classes, l, method, bound, key, among_left_out=among_left_out)
    if method == "anatomy" and len(classes.attributes) == 1:
        return anatomy_plan(kept, least_values(l, bound), key, suppressed=out)
    if partners == AREAS and epsilon is not None:
        return areas_plan(
            counted.combinations,
            counted.known,
            kept,
            counted.class_of,
            Splitting(least_values(l, bound), epsilon),
            key,
            bound=bound,
            suppressed=out,
        )
    if bound is not None:
        return bounded_rows(classes, out, l, bound, key, among_left_out)
    if partners == NEAR:
        return near_plan(
            kept,
            l,
            key,
            cells=cells_of(counted.combinations, counted.known, l),
            class_of=counted.class_of,
            rows_of=counted.combinations.counts,
            suppressed=out,
        )
    return injector_plan(kept, l, key, suppressed=out, way=FEWEST_LOST if partners == PAPER else BALANCED)


def carry_out(
    plan: Plan,
    counted: Counted,
    table: Table,
    engine: Bucketing,
    key: Key,
    form: str,
    published: Coarser | None = None,
) -> Bucketized:
    """The rows dealt into the buckets of a plan, with their quasi-identifiers as they are or coarser."""
    return apply_plan(
        plan,
        table,
        counted.names,
        counted.class_of,
        engine=engine,
        key=key,
        permuted=form == "permuted",
        shown=() if published is None else published.shown(counted.combinations),
    )


def anatomy_beside(table: Table, l: int, engine: Bucketing, key: Key) -> Bucketized | None:
    """An Anatomy release of the same table, to judge beside; None where the table does not allow one."""
    counted = count_classes(table, None, engine, key)
    classes = counted.classes
    if len(classes.attributes) == 1 and l * int(classes.value_counts.max()) > classes.n_rows:
        return None
    plan = anatomy_plan(classes, l, key)
    return carry_out(plan, counted, table, engine, key, "qit")


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


def _check_knowledge(knowledge: NegativeRules, table: Table) -> None:
    """Raise unless the rules hold without exception and are about this table."""
    if not knowledge.certain:
        raise UsageError(
            "Rules with exceptions cannot be a reader's knowledge: the truth would contradict them.",
            code="knowledge-uncertain",
            hint="Mine them with min_confidence=1.",
        )
    same = tuple(attribute.name for attribute in knowledge.attributes) == table.roles.known
    same = same and all(
        len(attribute.leaves) == len(table.column(attribute.name).values)
        for attribute in knowledge.attributes
    )
    same = same and set(knowledge.sensitive) == set(table.roles.sensitive)
    if not same or any(
        tuple(table.column(name).texts) != tuple(texts) for name, texts in knowledge.sensitive.items()
    ):
        raise UsageError(
            "The rules were mined from another table, or for other roles.",
            code="knowledge-other-table",
            hint="Mine them from this table with mine_negative_rules(table).",
        )
