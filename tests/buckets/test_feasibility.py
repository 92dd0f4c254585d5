"""Feasibility is exact: the most that any bucketization gives, and the largest part that can have it."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from tacit.buckets.feasibility import (
    check_eligible,
    check_feasible,
    largest_eligible_subset,
    largest_feasible,
    largest_feasible_subset,
)
from tacit.exceptions import InfeasibleError
from tests.buckets.random_classes import random_classes, rows_of
from tests.oracles import assignments as oracle


def partitions(rows: list[int]) -> list[list[list[int]]]:
    """Every way to put rows into buckets."""
    if not rows:
        return [[]]
    found = []
    for rest in partitions(rows[1:]):
        found.append([[rows[0]], *rest])
        found += [[*rest[:place], [rows[0], *rest[place]], *rest[place + 1 :]] for place in range(len(rest))]
    return found


def test_no_bucketization_gives_more_than_one_bucket_does() -> None:
    generator = np.random.Generator(np.random.PCG64(20))
    for _ in range(60):
        classes = random_classes(generator, most_rows=5)
        rows = np.repeat(np.arange(len(classes)), classes.counts).tolist()
        best = 0
        for buckets in partitions(rows):
            valid = [
                len(mine)
                for bucket in buckets
                for mine in oracle.valid_values(*rows_of(classes, np.array(bucket)))
            ]
            best = max(best, min(valid))
        assert largest_feasible(classes) == best


def test_what_stays_after_suppression_is_the_largest_feasible_part() -> None:
    generator = np.random.Generator(np.random.PCG64(21))
    for _ in range(150):
        classes = random_classes(generator, most_rows=6)
        for l in (2, 3):
            kept = largest_feasible_subset(classes, l)
            if kept.any():
                assert largest_feasible(classes.keep(kept)) >= l
            # No other choice of rows that is feasible holds a row that was taken out.
            for counts in product(*(range(count + 1) for count in classes.counts)):
                other = np.array(counts)
                if other.any() and largest_feasible(classes.keep(other)) >= l:
                    assert (other <= kept).all()


def test_refusal_names_the_largest_l_and_who_is_in_the_way() -> None:
    generator = np.random.Generator(np.random.PCG64(22))
    refused = 0
    for _ in range(200):
        classes = random_classes(generator)
        largest = largest_feasible(classes)
        check_feasible(classes, max(1, largest))
        with pytest.raises(InfeasibleError) as raised:
            check_feasible(classes, largest + 1)
        if largest >= 2:
            refused += 1
            assert f"The largest feasible ℓ is {largest}." in str(raised.value)
            assert " rows with " in str(raised.value) or " row with " in str(raised.value)
    assert refused > 20


def test_a_refusal_advises_to_leave_rows_out_only_where_some_stay() -> None:
    generator = np.random.Generator(np.random.PCG64(23))
    advised = dict.fromkeys(("as asked", "for less", "not at all"), 0)
    for _ in range(300):
        classes = random_classes(generator)
        l = largest_feasible(classes) + int(generator.integers(1, 4))
        with pytest.raises(InfeasibleError) as raised:
            check_feasible(classes, l)
        hint = str(raised.value.hint)
        possible = [least for least in range(2, l + 1) if largest_feasible_subset(classes, least).any()]
        if l in possible:
            advised["as asked"] += 1
            assert "rows in the way out with --on-infeasible suppress" in hint
        elif possible and possible[-1] > largest_feasible(classes):
            advised["for less"] += 1
            assert f"for an ℓ of {possible[-1]} with --on-infeasible suppress" in hint
        else:
            advised["not at all"] += 1
            assert "suppress" not in hint
    assert min(advised.values()) > 5, advised


def test_anatomy_keeps_as_many_rows_as_it_can() -> None:
    generator = np.random.Generator(np.random.PCG64(23))
    for _ in range(300):
        drawn = random_classes(generator)
        counts = drawn.value_counts
        classes = drawn.keep(drawn.counts)
        # Every class is its own value for Anatomy.
        single = type(classes)(
            classes.attributes,
            classes.texts,
            classes.parts,
            np.arange(len(counts), dtype=np.int32),
            np.zeros((len(counts), 1), dtype=np.uint64),
            counts,
        )
        for l in (2, 3):
            kept = largest_eligible_subset(single, l)
            assert (kept <= counts).all() and l * int(kept.max()) <= int(kept.sum())
            best = max(
                (sum(choice) for choice in product(*(range(count + 1) for count in counts))
                 if l * max(choice) <= sum(choice)),
                default=0,
            )  # fmt: skip
            assert int(kept.sum()) == best
            if best == counts.sum():
                check_eligible(single, l)
            else:
                with pytest.raises(InfeasibleError):
                    check_eligible(single, l)
