"""Buckets area by area: inside an area, who shares a bucket with whom depends on values and the key alone.

Where nobody in an area is forbidden a value that somebody in it holds, the area is filled as Anatomy
fills a table: by how often each value occurs, with rows drawn among all that hold it; with several sensitive
attributes by how often each combination of values occurs, so that the rows of a bucket differ in all. Every
row of a bucket can then have each of its values, all with the same chance. Elsewhere rows are dealt by
values, too, into buckets so large that rules leave everybody ℓ of them; see
:mod:`tacit.methods.bucketize.solve.dealt`. No bucket crosses the border of an area.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from tacit.arrays.bitmaps import no_members
from tacit.engine.base import Combinations
from tacit.errors import InfeasibleError
from tacit.methods.bucketize.solve.anatomy import anatomy_plan
from tacit.methods.bucketize.solve.areas import Splitting, areas_of, keyed_tests
from tacit.methods.bucketize.solve.bounded import largest_posterior, least_bound
from tacit.methods.bucketize.solve.dealt import Deal, acceptance, bad_rows, dealt, keeps_values, likeliest
from tacit.methods.bucketize.solve.ground import (
    Area,
    Ground,
    combination_digests,
    content,
    drawn_rows,
    ground_of,
    keyed_companions,
)
from tacit.methods.bucketize.solve.plan import Classes, Counted, Plan, make_plan
from tacit.random.key import Key
from tacit.typing import AnyArray, Codes, Counts, Words

LOOKED_AT = 3
"""In so many areas it is estimated what deals thrown away tell."""


def areas_plan(counted: Counted, classes: Classes, splitting: Splitting, *, suppressed: Counts) -> Plan:
    """Buckets in which every row has at least ℓ valid values, area by area; the classes must be feasible."""
    combinations, known, key = counted.combinations, counted.known, counted.key
    companions = keyed_companions(combinations, known, key)
    ground = ground_of(combinations, known, classes, counted.class_of, companions, counted.alike)
    digests = combination_digests(combinations, key, combinations.names)
    whole = whole_area(ground, combinations, digests, key)
    areas = areas_of(ground, whole, splitting, keyed_tests(key, digests))
    return _filled(ground, areas, digests, splitting, key, suppressed)


def with_rows(plan: Plan, counted: Counted) -> Plan:
    """A plan by classes that also says which combination each row has, drawn by the key."""
    combinations, class_of, key = counted.combinations, counted.class_of, counted.key
    classes = plan.classes.keep(np.bincount(plan.members, minlength=len(plan.classes)).astype(np.int64))
    ground = ground_of(combinations, (), classes, class_of, keyed_companions(combinations, (), key))
    digests = combination_digests(combinations, key, combinations.names)
    rows = drawn_rows(whole_area(ground, combinations, digests, key), digests, key.branch("whole"))
    slots = np.repeat(np.arange(len(plan), dtype=np.int32), np.diff(plan.offsets))
    order = np.argsort(plan.members, kind="stable")
    chosen = rows[np.argsort(class_of[rows], kind="stable")].astype(np.int32)
    return make_plan(plan.classes, plan.members[order], slots[order], plan.suppressed, combinations=chosen)


def _filled(
    ground: Ground, areas: Sequence[Area], digests: Words, splitting: Splitting, key: Key, suppressed: Counts
) -> Plan:
    """The buckets of all areas; ``digests`` are those of the ground's combinations."""
    chosen: list[AnyArray] = []
    buckets: list[AnyArray] = []
    proved: list[tuple[Area, Deal]] = []
    n_buckets = 0
    for area in areas:
        deal, holds = _inside(ground, area, digests, splitting, _own(area, digests, key))
        chosen.append(deal.rows)
        buckets.append(n_buckets + deal.buckets)
        n_buckets += deal.n_buckets
        proved += [(area, deal)] * holds
    combinations = np.concatenate(chosen).astype(np.int32)
    told = _acceptances(ground, proved, digests, splitting, key)
    kinds, places = ground.class_of[combinations], np.concatenate(buckets).astype(np.int32)
    return replace(
        make_plan(ground.classes, kinds, places, suppressed, combinations=combinations),
        bound_rows=sum(area.n_rows for area, _ in proved if told.get(area.path) != math.inf),
        acceptance=max((found for found in told.values() if found != math.inf), default=0.0),
    )


def _acceptances(
    ground: Ground, proved: Sequence[tuple[Area, Deal]], digests: Words, splitting: Splitting, key: Key
) -> dict[str, float]:
    """What deals thrown away add to ε, in the areas where the most rows are expected to be in the way."""
    l, bound = splitting.l, float(splitting.bound or 1)
    mixed = [
        (bad_rows(ground, area, deal.n_buckets, l), area, deal)
        for area, deal in proved
        if not ground.free(area)
    ]
    mixed.sort(key=lambda one: (-one[0], one[1].path))
    return {
        area.path: acceptance(
            ground, deal, l, min(bound, likeliest(ground, area, l)), _own(area, digests, key)
        )
        for _, area, deal in mixed[:LOOKED_AT]
    }


def whole_area(ground: Ground, combinations: Combinations, digests: Words, key: Key) -> Area:
    """All rows that are bucketized: of a class from which some are left out, those that the key draws."""
    everything = Area(np.arange(len(combinations)), combinations.counts)
    there = ground.class_counts(everything)
    if np.array_equal(there, ground.classes.counts):
        return everything
    rows = drawn_rows(everything, digests, key.branch("left out"))
    rows = rows[np.argsort(ground.class_of[rows], kind="stable")]
    rank = np.arange(len(rows)) - np.repeat(np.cumsum(there) - there, there)
    stay = rows[rank < ground.classes.counts[ground.class_of[rows]]]
    kept = np.bincount(stay, minlength=len(combinations)).astype(np.int64)
    left = np.flatnonzero(kept)
    return Area(left, kept[left])


def _inside(ground: Ground, area: Area, digests: Words, splitting: Splitting, key: Key) -> tuple[Deal, bool]:
    """The rows of an area with their buckets, and whether ε bounds what these tell."""
    free, bound = ground.free(area), splitting.bound
    # Anatomy can fill an area where no value of an attribute is in more than one row of ℓ.
    if free and splitting.l * ground.commonest(area) <= area.n_rows:
        plan = anatomy_plan(_by_values(ground, area), splitting.l, key)
        if bound is None or evenly(plan, splitting.l):
            return _placed(area, digests, plan, ground.classes.values[ground.class_of], key), True
    most = likeliest(ground, area, splitting.l)
    deal = dealt(ground, area, digests, splitting, key, lambda plan: _keeps(plan, splitting.l, most, bound))
    if deal is None:
        assert bound is not None  # without a bound, one bucket of all rows is good
        raise _refusal(ground.classes.keep(ground.class_counts(area)), bound)
    return deal, free or _bound(ground, area, deal, splitting)


def _refusal(classes: Classes, bound: Fraction) -> InfeasibleError:
    least, which = least_bound(classes)
    return InfeasibleError(
        f"{classes.n_rows:,} rows of an area cannot be dealt into buckets in which every value stays at most"
        f" {float(bound):g} likely.",
        code="infeasible-posterior",
        hint=f"No bound below {float(least):.4g} can be met: {which}. Choose a larger max_posterior, or"
        " --partners any (partners='any'): its buckets keep the bound for readers who do not know how they"
        " are made.",
    )


def _by_values(ground: Ground, area: Area) -> Classes:
    """The values that an area where no rule matters has, as classes, in their order."""
    held = ground.held(area)
    there = np.flatnonzero(held)
    return replace(
        ground.classes,
        parts=ground.classes.parts[there],
        values=np.arange(len(there), dtype=np.int32),
        forbidden=no_members(len(there), len(there)),
        counts=held[there],
    )


def _placed(area: Area, digests: Words, plan: Plan, kind_of: Codes, key: Key) -> Deal:
    """Rows for a plan by kinds of combinations: the i-th row drawn of a kind goes to its i-th slot."""
    slots = np.repeat(np.arange(len(plan)), np.diff(plan.offsets))
    rows = drawn_rows(area, digests, key)
    return Deal(
        rows[np.argsort(kind_of[rows], kind="stable")],
        slots[np.argsort(plan.members, kind="stable")],
    )


def _keeps(plan: Plan, l: int, most: float, bound: Fraction | None) -> bool:
    """Whether all buckets of a deal keep ℓ, have no value likelier than ``most``, and keep the bound."""
    if not keeps_values(plan, l, most if len(plan) > 1 else 1.0):
        return False
    if bound is None:
        return True
    for place in range(len(plan)):
        found = largest_posterior(plan.classes, plan.bucket(place))
        if found is None or found > bound:
            return False
    return True


def _bound(ground: Ground, area: Area, deal: Deal, splitting: Splitting) -> bool:
    """Whether the buckets of an area where rules matter are such as its failed tests allowed for."""
    if not (deal.chosen and area.closed):
        return deal.chosen
    if int(np.bincount(deal.buckets).max()) > splitting.most_rows:
        return False
    held = ground.classes.values[ground.class_of[deal.rows]]
    for part in ground.classes.parts.T:
        shared = np.unique(deal.buckets * (int(part.max()) + 1) + part[held], return_counts=True)[1]
        if int(shared.max()) > splitting.shared:
            return False
    return True


def evenly(plan: Plan, l: int) -> bool:
    """Whether no value of an attribute is in more than one row of ℓ of a bucket.

    With one attribute none ever is; with several, rows left over may share a value with their bucket.
    """
    return len(plan.classes.attributes) == 1 or keeps_values(plan, l, 1.0)


def _own(area: Area, digests: Words, key: Key) -> Key:
    """The key of an area that holds just these rows."""
    return key.branch(f"area {content(area, digests, key)}")
