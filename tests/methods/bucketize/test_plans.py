"""Every plan keeps the promise: 10,000 random tables against the definition (1,000,000 in the soak)."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.arrays.bitmaps import pack
from tacit.methods.bucketize.solve.anatomy import anatomy_plan
from tacit.methods.bucketize.solve.compatible import BALANCED, FEWEST_LOST
from tacit.methods.bucketize.solve.feasibility import diversity, largest_eligible, largest_feasible
from tacit.methods.bucketize.solve.injector import injector_plan
from tacit.methods.bucketize.solve.plan import Classes, Plan
from tacit.random.key import Key
from tests.cases import cases
from tests.methods.bucketize.random_classes import random_classes, rows_of
from tests.oracles import assignments as oracle

KEY = Key.from_seed(5)


def fewest_valid(classes: Classes, bucket: np.ndarray) -> int:
    """By the definition: the fewest distinct codes of an attribute among a row's valid values."""
    values, forbidden = rows_of(classes, bucket)
    valid = (oracle.valid_values if len(bucket) <= 5 else oracle.valid_by_matching)(values, forbidden)
    return min(
        len({int(classes.parts[value, place]) for value in mine})
        for mine in valid
        for place in range(len(classes.attributes))
    )


def check_plan(plan: Plan, classes: Classes, l: int) -> None:
    """Every row is in one bucket, and in every bucket each row has ℓ valid values."""
    assert plan.n_suppressed == 0
    placed = np.bincount(plan.members, minlength=len(classes))
    assert placed.tolist() == classes.counts.tolist()
    assert (np.diff(plan.offsets) > 0).all() and plan.offsets[-1] == classes.n_rows
    buckets = {tuple(plan.bucket(place).tolist()) for place in range(len(plan))}
    assert all(fewest_valid(classes, np.array(bucket, dtype=np.int32)) >= l for bucket in buckets)


def check_many(tables: int, seed: int) -> int:
    generator = np.random.Generator(np.random.PCG64(seed))
    feasible = 0
    for number in range(tables):
        classes = random_classes(generator, attributes=1 if number % 4 else 2)
        largest = largest_feasible(classes)
        if largest < 2:
            continue
        feasible += 1
        l = int(generator.integers(2, largest + 1))
        way = FEWEST_LOST if number % 5 == 0 else BALANCED
        check_plan(injector_plan(classes, l, KEY, way=way), classes, l)
    return feasible


@pytest.mark.parametrize("count", [500, pytest.param(cases(10_000), marks=pytest.mark.ci)])
def test_random_tables(count: int) -> None:
    assert check_many(count, seed=10) > 0.4 * count


@pytest.mark.slow
def test_a_million_random_tables() -> None:
    assert sum(check_many(10_000, seed=1_000 + batch) for batch in range(100)) > 400_000


def test_reachability_agrees_with_itself_on_larger_tables() -> None:
    """Tables too large for the oracle: the kernel that checks is not the one that places."""
    generator = np.random.Generator(np.random.PCG64(11))
    for _ in range(300):
        classes = random_classes(generator, most_rows=120, attributes=int(generator.integers(1, 3)))
        largest = largest_feasible(classes)
        if largest >= 2:
            plan = injector_plan(classes, largest, KEY)
            assert int(diversity(plan).min()) >= largest
            assert np.bincount(plan.members, minlength=len(classes)).tolist() == classes.counts.tolist()


def test_anatomy_has_distinct_values() -> None:
    generator = np.random.Generator(np.random.PCG64(12))
    made = 0
    for _ in range(500):
        drawn = random_classes(generator, most_rows=40)
        counts = drawn.value_counts
        n_values = len(counts)
        classes = Classes(
            drawn.attributes,
            drawn.texts,
            drawn.parts,
            np.arange(n_values, dtype=np.int32),
            pack(np.zeros((n_values, n_values), dtype=bool)),
            counts,
        )
        largest = largest_eligible(classes)
        if largest < 2:
            continue
        made += 1
        l = int(generator.integers(2, largest + 1))
        plan = anatomy_plan(classes, l, KEY)
        assert np.bincount(plan.members, minlength=n_values).tolist() == counts.tolist()
        for place in range(len(plan)):
            bucket = plan.bucket(place)
            assert (
                len(set(bucket.tolist())) == len(bucket) >= l
            )  # each value once: a chance of 1 in ℓ at most
    assert made > 100


def classes_from(rows: list[tuple[int, set[int]]], n_values: int) -> Classes:
    """One class per row: its value, and what it cannot hold."""
    barred = np.zeros((len(rows), n_values), dtype=bool)
    for place, (_, forbidden) in enumerate(rows):
        barred[place, list(forbidden)] = True
    return Classes(
        ("value",),
        (tuple(map(str, range(n_values))),),
        np.arange(n_values, dtype=np.int32)[:, None],
        np.array([value for value, _ in rows], dtype=np.int32),
        pack(barred),
        np.ones(len(rows), dtype=np.int64),
    )


def test_three_rows_that_only_go_round() -> None:
    """(a; not c), (b; not a), (c; not b): no two are compatible, yet together each has two values."""
    a, b, c = range(3)
    classes = classes_from([(a, {c}), (b, {a}), (c, {b})], 3)
    assert largest_feasible(classes) == 2
    plan = injector_plan(classes, 2, KEY)
    assert len(plan) == 1 and plan.members.tolist() == [0, 1, 2]


def test_the_one_woman_with_ovarian_cancer() -> None:
    """ℓ men and a woman, ovarian cancer and ℓ other diseases: she may take all of them and can have one."""
    ovarian, first, second = range(3)
    classes = classes_from([(ovarian, set()), (first, {ovarian}), (second, {ovarian})], 3)
    assert largest_feasible(classes) == 1
