"""The verb ``bucketize``: a table goes in, a bucketized release comes out.

count → solve → apply stand beside it; here the release is put together with what
it promises, what was measured on it, and what only its owner may see.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from time import process_time

import numpy as np

from tacit.data.spelling import refuse_look_alikes
from tacit.data.table import Table
from tacit.engine.base import Combinations
from tacit.engine.choice import Bucketing, engine_for
from tacit.engine.local.engine import LocalEngine
from tacit.engine.spark.buckets import SparkBucketized
from tacit.errors import InfeasibleError, InputError, Place, UsageError
from tacit.methods.bucketize.accepting import Reasons, check_columns, reasons_of
from tacit.methods.bucketize.apply import COUNT, GROUP, Bucketized, apply_plan
from tacit.methods.bucketize.joining import Joining, check_joining, joined_until
from tacit.methods.bucketize.kernels.compatible import BALANCED, FEWEST_LOST
from tacit.methods.bucketize.learned import check_learned
from tacit.methods.bucketize.people import one_row_per_person
from tacit.methods.bucketize.release import BucketizedRelease, Seconds, make_release
from tacit.methods.bucketize.solve.anatomy import anatomy_plan
from tacit.methods.bucketize.solve.apart import areas_plan, with_rows
from tacit.methods.bucketize.solve.areas import Splitting
from tacit.methods.bucketize.solve.cells import cells_of
from tacit.methods.bucketize.solve.classes import Classes, classes_of
from tacit.methods.bucketize.solve.injector import injector_plan
from tacit.methods.bucketize.solve.keeping import bounded_rows, check_suppression, kept_rows, least_values
from tacit.methods.bucketize.solve.near import near_plan
from tacit.methods.bucketize.solve.plan import Plan
from tacit.methods.bucketize.solve.room import check_room
from tacit.methods.bucketize.solve.silence import silenced
from tacit.methods.bucketize.solve.value_joins import Joined
from tacit.methods.bucketize.ways_out import Refused, with_ways_out
from tacit.mining.knowledge import NegativeRules
from tacit.mining.negative import mine_negative_rules
from tacit.random.key import Key
from tacit.random.key_files import load_key
from tacit.ranges import OneOf, Optional, Range, Share, Whole, Words, as_fraction, check
from tacit.typing import Codes, Progress, Threshold

AREAS, NEAR, ANY, PAPER = "areas", "near", "any", "paper"
"""Which rows share a bucket with a row; see :func:`bucketize`."""
WHENCE = {AREAS: "areas", ANY: "the whole table"}
EPSILON = 0.4

RANGES: dict[str, Range] = {
    "l": Whole(2),
    "method": OneOf(("injector", "anatomy")),
    "form": OneOf(("qit", "permuted")),
    "partners": Optional(OneOf((AREAS, NEAR, ANY, PAPER))),
    "epsilon": Optional(Share(0.0, 10.0, open_low=True)),
    "max_posterior": Optional(Share(0.0, 1.0, open_low=True, open_high=True)),
    "on_infeasible": OneOf(("refuse", "suppress")),
    "max_posterior_suppressed": Optional(Share(0.0, 1.0, open_low=True, open_high=True)),
    "max_learned": Optional(Share(0.0, 1.0, open_low=True, open_high=True)),
    "person": Optional(Words()),
    "accept": Reasons(),
}


def bucketize(
    table: Table,
    *,
    l: int,
    method: str = "injector",
    knowledge: NegativeRules | None = None,
    form: str = "qit",
    partners: str | None = None,
    epsilon: Threshold | None = None,
    max_posterior: Threshold | None = None,
    on_infeasible: str = "refuse",
    max_posterior_suppressed: Threshold | None = None,
    join_values: bool = False,
    max_learned: Threshold | None = None,
    person: str | None = None,
    accept: Mapping[str, str] | Sequence[str] = (),
    key: Key | None = None,
    engine: Bucketing | None = None,
    progress: Progress | None = None,
) -> BucketizedRelease:
    """Publish a table so that every row could have ℓ sensitive values, for whoever knows the stated rules.

    Parameters
    ----------
    l
        How many valid sensitive values every row keeps; with several sensitive attributes, of each.
    method
        ``"injector"`` keeps the promise against a reader who knows the negative rules;
        ``"anatomy"`` only against one who knows none.
    knowledge
        The negative rules a reader is assumed to know; by default those that
        :func:`~tacit.mine_negative_rules` finds. Anatomy does not use them, but is judged by them.
    form
        ``"qit"`` publishes the quasi-identifiers with a group number and, apart, how often each
        group holds each value; ``"permuted"`` one table with the values permuted inside each group.
    partners
        Whom Injector puts into a bucket together. ``"areas"``, the default, splits the table by what
        readers know anyway and fills each area by itself, so that a reader who knows this tool learns
        hardly more than the release states. ``"any"`` takes rows from the whole table, ``"paper"`` grows
        buckets as the paper prints it. ``"near"`` takes rows alike in their quasi-identifiers first
        and hands what is left over on: a reader who knows the tool can name people in such a release.
    epsilon
        With areas: the odds of a reader who knows this tool are at most e^ε times the odds stated;
        0.4 by default. Smaller values promise more and make larger areas.
    max_posterior
        No value of anybody may be likelier than this, all possible assignments counting alike.
    on_infeasible
        ``"refuse"`` a promise that the table cannot meet, or ``"suppress"`` the rows in the way, and as
        many more as it takes to keep ``max_posterior_suppressed``.
    max_posterior_suppressed
        Of the rows left out that cannot have the same values, no value is held by more than this share.
    join_values
        Join values of the sensitive columns along their hierarchies, as little as it takes to meet the
        promise. The label that stands for them is what is published, and the rules are about it.
    max_learned
        Refuse a release from which software learns so much that it is right for more than this share of
        the 1 % of people it is surest about, at least 100 (everybody in a smaller table).
    person
        A column that tells people apart and is not published. One row of each person, drawn by the key,
        is published, so that what is promised to rows is promised to people.
    accept
        Why a column is published that would be refused because it tells a sensitive value or holds free
        text: by column, or as lines ``COLUMN=reason``. The reasons are published.
    key
        What drives every random choice; by default the user's own.

    >>> import tacit
    >>> release = tacit.bucketize(tacit.load_sample("hospital:500"), l=3, key=tacit.Key.from_seed(1))
    >>> release.risk().vulnerable
    0
    """
    reasons = reasons_of(accept)
    check(
        "bucketize",
        RANGES,
        l=l,
        method=method,
        form=form,
        partners=partners,
        epsilon=epsilon,
        max_posterior=max_posterior,
        on_infeasible=on_infeasible,
        max_posterior_suppressed=max_posterior_suppressed,
        max_learned=max_learned,
        person=person,
        accept=reasons,
    )
    check_suppression(on_infeasible, max_posterior_suppressed)
    partners = settle_partners(
        partners, method=method, bounded=max_posterior is not None, suppress=on_infeasible == "suppress"
    )
    spent = settle_epsilon(epsilon, partners=partners)
    _check_table(table)
    if join_values:
        check_joining(table, method=method, on_infeasible=on_infeasible)
    for name in table.roles.sensitive:
        refuse_look_alikes(name, table.column(name).texts)
    key = load_key() if key is None else key
    table = one_row_per_person(table, person, key)
    engine = engine_for(table) if engine is None else engine
    report = progress or (lambda what, share: None)

    started = process_time()
    if knowledge is None and method == "injector":
        knowledge = mine_negative_rules(table, engine=engine, progress=progress)
    if knowledge is not None:
        _check_knowledge(knowledge, table)
    bound = None if max_posterior is None else as_fraction(max_posterior)

    def feasible(table: Table, knowledge: NegativeRules | None) -> bool:
        try:
            solve(count_classes(table, knowledge, engine, key), l, method, bound, key, partners=partners)
        except InfeasibleError:
            return False
        return True

    def joining() -> Joining | None:
        return joined_until(table, knowledge, least_values(l, bound), engine, feasible)

    joined: Joined = {}
    if join_values and (found := joining()) is not None:
        table, knowledge, joined = found.table, found.knowledge, found.joined
        for name in joined:
            refuse_look_alikes(name, table.column(name).texts)
    check_columns(table, l, reasons, engine)
    mined = process_time()
    report("Counting", None)
    counted = count_classes(table, knowledge if method == "injector" else None, engine, key)
    counting_done = process_time()
    report("Making buckets", None)
    among_left_out = None if max_posterior_suppressed is None else as_fraction(max_posterior_suppressed)
    try:
        plan = solve(
            counted,
            l,
            method,
            bound,
            key,
            among_left_out=among_left_out,
            partners=partners,
            epsilon=spent,
        )
    except InfeasibleError as error:
        refused = Refused(table, l, method, bound, knowledge, counted.classes, engine, key, joining)
        raise with_ways_out(error, refused) from None
    if knowledge is not None and (partners == AREAS or bound is not None) and method == "injector":
        if plan.combinations is None:
            plan = with_rows(plan, counted.combinations, counted.class_of, key)
        plan = silenced(plan, counted.combinations, knowledge, l, bounded=bound is not None)
    if plan.n_suppressed:
        report(f"Leaving out {plan.n_suppressed:,} of {len(table):,} rows", None)
    solved = process_time()
    report("Dealing the rows", None)
    bucketized = carry_out(plan, counted, table, engine, key, form)
    seconds = Seconds(
        mine=mined - started,
        count=counting_done - mined,
        solve=solved - counting_done,
        apply=process_time() - solved,
    )
    release = make_release(
        table=table,
        l=l,
        method=method,
        form=form,
        partners=partners,
        epsilon=spent,
        bound=bound,
        among_left_out=among_left_out,
        joined=joined,
        knowledge=knowledge,
        plan=plan,
        bucketized=bucketized,
        seconds=seconds,
        key=key,
        engine=engine,
        beside=anatomy_beside,
        accepted=reasons,
        max_learned=max_learned,
    )
    if max_learned is not None:
        report("Measuring what can be learned", None)
        check_learned(release.risk().release, max_learned)
    return release


def settle_partners(partners: str | None, *, method: str, bounded: bool, suppress: bool) -> str | None:
    """What was asked for, or the default of the method; None for Anatomy, which takes the largest values."""
    if method == "anatomy":
        if partners is not None:
            raise UsageError(
                "Anatomy has one way to fill a bucket; partners are Injector's.",
                code="partners-unused",
                hint="Leave partners out (--partners), or choose the method injector.",
            )
        return None
    # Rows that no bucket under the bound takes are left out: those of the whole table, not of an area.
    ways = ((ANY,) if suppress else (AREAS, ANY)) if bounded else (AREAS, NEAR, ANY, PAPER)
    if partners is not None and partners not in ways:
        raise UsageError(
            f"A bound on the posterior takes partners from {' or '.join(WHENCE[way] for way in ways)},"
            f" not {partners!r}.",
            code="partners-bounded",
            hint="Leave partners out (--partners), or leave max_posterior out.",
        )
    return ways[0] if partners is None else partners


def settle_epsilon(epsilon: Threshold | None, *, partners: str | None) -> float | None:
    """What was asked for, or the default; None where there are no areas."""
    if partners == AREAS:
        return EPSILON if epsilon is None else float(epsilon)
    if epsilon is not None:
        raise UsageError(
            "The 'epsilon' parameter of bucketize does nothing here.",
            code="parameter-unused",
            hint="It belongs to partners='areas' (--partners areas); leave it out.",
        )
    return None


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
    if isinstance(engine, LocalEngine):
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
    plan: Plan, counted: Counted, table: Table, engine: Bucketing, key: Key, form: str
) -> Bucketized | SparkBucketized:
    """The rows dealt into the buckets of a plan."""
    return apply_plan(
        plan, table, counted.names, counted.class_of, engine=engine, key=key, permuted=form == "permuted"
    )


def anatomy_beside(table: Table, l: int, engine: Bucketing, key: Key) -> Bucketized | SparkBucketized | None:
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
            hint="Name them with quasi= and sensitive= (--quasi, --sensitive).",
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
