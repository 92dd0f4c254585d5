"""Buckets area by area: inside an area, who shares a bucket with whom depends on values and the key alone.

Where nobody in an area is forbidden a value that somebody in it holds, the area is filled as Anatomy
fills a table: by how often each value occurs, with rows drawn among all that hold it. Every row of a
bucket can then have each of its values, all with the same chance. Elsewhere Injector fills the area
(:mod:`tacit.methods.bucketize.solve.joined`), with rows drawn among those of a class. No bucket crosses
the border of an area.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from tacit.engine.base import Combinations
from tacit.errors import InfeasibleError
from tacit.methods.bucketize.solve.anatomy import anatomy_plan
from tacit.methods.bucketize.solve.areas import Area, Ground, Splitting, areas_of, ground_of, keyed_tests
from tacit.methods.bucketize.solve.bounded import bounded_plan
from tacit.methods.bucketize.solve.classes import Classes
from tacit.methods.bucketize.solve.joined import joined_plan
from tacit.methods.bucketize.solve.plan import Plan, make_plan
from tacit.random.digests import record_digests, value_digests
from tacit.random.key import Key
from tacit.random.keyed import draws, keyed_order
from tacit.typing import AnyArray, Codes, Counts, Words


def areas_plan(
    combinations: Combinations,
    known: Sequence[str],
    classes: Classes,
    class_of: Codes,
    splitting: Splitting,
    key: Key,
    *,
    bound: Fraction | None = None,
    suppressed: Counts,
) -> Plan:
    """Buckets in which every row has at least ℓ valid values, area by area; feasible classes only.

    ``known`` are the columns that readers see, ``class_of`` the class of each combination.
    """
    ground = ground_of(combinations, known, classes, class_of)
    digests = combination_digests(combinations, key)
    whole = whole_area(ground, combinations, digests, key)
    areas = areas_of(ground, whole, splitting, keyed_tests(key))
    try:
        return _filled(ground, areas, digests, splitting.l, key, bound=bound, suppressed=suppressed)
    except InfeasibleError:  # a bound that one area cannot keep by itself
        if len(areas) == 1:
            raise
        return _filled(ground, [whole], digests, splitting.l, key, bound=bound, suppressed=suppressed)


def with_rows(plan: Plan, combinations: Combinations, class_of: Codes, key: Key) -> Plan:
    """A plan by classes that also says which combination each row has, drawn by the key."""
    classes = plan.classes.keep(np.bincount(plan.members, minlength=len(plan.classes)).astype(np.int64))
    ground = ground_of(combinations, (), classes, class_of)
    digests = combination_digests(combinations, key)
    rows = drawn_rows(whole_area(ground, combinations, digests, key), digests, _branch(key, "whole"))
    slots = np.repeat(np.arange(len(plan), dtype=np.int32), np.diff(plan.offsets))
    order = np.argsort(plan.members, kind="stable")
    chosen = rows[np.argsort(class_of[rows], kind="stable")].astype(np.int32)
    return make_plan(plan.classes, plan.members[order], slots[order], plan.suppressed, combinations=chosen)


def _filled(
    ground: Ground,
    areas: Sequence[Area],
    digests: Words,
    l: int,
    key: Key,
    *,
    bound: Fraction | None,
    suppressed: Counts,
) -> Plan:
    """The buckets of all areas; ``digests`` are those of the ground's combinations."""
    chosen: list[AnyArray] = []
    buckets: list[AnyArray] = []
    n_buckets = 0
    for area in areas:
        own = _branch(key, area.path)
        kind_of, plan = _inside(ground, area, l, bound, own)
        slots = np.repeat(np.arange(len(plan)), np.diff(plan.offsets))
        rows = drawn_rows(area, digests, own)
        # The i-th row drawn of a kind goes to the i-th slot of that kind.
        rows = rows[np.argsort(kind_of[rows], kind="stable")]
        chosen.append(rows)
        buckets.append(n_buckets + slots[np.argsort(plan.members, kind="stable")])
        n_buckets += len(plan)
    combinations = np.concatenate(chosen).astype(np.int32)
    return make_plan(
        ground.classes,
        ground.class_of[combinations],
        np.concatenate(buckets).astype(np.int32),
        suppressed,
        combinations=combinations,
        bound_rows=sum(area.n_rows for area in areas if ground.free(area)),
    )


def whole_area(ground: Ground, combinations: Combinations, digests: Words, key: Key) -> Area:
    """All rows that are bucketized: of a class from which some are left out, those that the key draws."""
    everything = Area(np.arange(len(combinations)), combinations.counts)
    there = ground.class_counts(everything)
    if np.array_equal(there, ground.classes.counts):
        return everything
    rows = drawn_rows(everything, digests, _branch(key, "left out"))
    rows = rows[np.argsort(ground.class_of[rows], kind="stable")]
    rank = np.arange(len(rows)) - np.repeat(np.cumsum(there) - there, there)
    stay = rows[rank < ground.classes.counts[ground.class_of[rows]]]
    kept = np.bincount(stay, minlength=len(combinations)).astype(np.int64)
    left = np.flatnonzero(kept)
    return Area(left, kept[left])


def combination_digests(combinations: Combinations, key: Key) -> Words:
    """A keyed digest of what each combination holds, whatever its code."""
    content = key.subkey("bucketize: content of combinations")
    return record_digests(
        [
            (np.ascontiguousarray(combinations.codes[:, place]), value_digests(content, name, texts))
            for place, (name, texts) in enumerate(zip(combinations.names, combinations.texts, strict=True))
        ]
    )


def drawn_rows(area: Area, digests: Words, key: Key) -> AnyArray:
    """The combination of each row of an area, in an order that the key draws."""
    rows = np.repeat(area.combinations, area.rows)
    ranks = np.arange(len(rows)) - np.repeat(np.cumsum(area.rows) - area.rows, area.rows)
    own = np.ascontiguousarray(digests[rows])
    return rows[keyed_order(draws(key.subkey("bucketize: rows of an area"), own, ranks), own, ranks)]


def _inside(ground: Ground, area: Area, l: int, bound: Fraction | None, key: Key) -> tuple[Codes, Plan]:
    """The kind of each combination, and the buckets by kinds: values, or classes where rules matter."""
    classes = ground.classes
    if ground.free(area):
        values = replace(
            classes,
            values=np.arange(classes.n_values, dtype=np.int32),
            forbidden=np.zeros((classes.n_values, classes.forbidden.shape[1]), dtype=np.uint64),
            counts=ground.held(area),
        )
        kind_of = classes.values[ground.class_of]
        if eligible(ground, area, l):  # none of ℓ different values is likelier than the bound
            return kind_of, anatomy_plan(values, l, key)
        return kind_of, _injected(values, l, bound, key)
    return ground.class_of, _injected(classes.keep(ground.class_counts(area)), l, bound, key)


def eligible(ground: Ground, area: Area, l: int) -> bool:
    """Whether Anatomy can fill an area: one sensitive attribute, no value in more than one row of ℓ."""
    one = len(ground.classes.attributes) == 1
    return one and l * int(ground.held(area).max(initial=0)) <= area.n_rows


def _injected(classes: Classes, l: int, bound: Fraction | None, key: Key) -> Plan:
    if bound is None:
        return joined_plan(classes, l, key)
    none = np.zeros(len(classes), dtype=np.int64)
    return bounded_plan(classes, l, bound, key, suppressed=none, suppress=False)


def _branch(key: Key, name: str) -> Key:
    """A key for the draws of one area."""
    return Key(b"".join(key.subkey(f"bucketize: area {name}, half {half}").reveal() for half in (1, 2)))
