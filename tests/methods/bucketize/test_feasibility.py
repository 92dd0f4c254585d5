"""Feasibility is exact: the most that any bucketization gives, and the largest part that can have it."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from tacit.errors import InfeasibleError
from tacit.methods.bucketize.solve.feasibility import (
    check_eligible,
    check_feasible,
    largest_feasible,
    largest_feasible_subset,
    largest_share,
)
from tests.methods.bucketize.random_classes import random_classes, rows_of
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


def test_anatomy_needs_every_value_in_at_most_one_row_of_l() -> None:
    generator = np.random.Generator(np.random.PCG64(23))
    refused = 0
    for _ in range(300):
        classes = random_classes(generator)
        for l in (2, 3):
            if l * max(classes.value_counts) <= sum(classes.value_counts):
                check_eligible(classes, l)
            else:
                refused += 1
                with pytest.raises(InfeasibleError):
                    check_eligible(classes, l)
    assert 0 < refused < 600


@pytest.mark.parametrize("l", [2, 3])
def test_the_largest_share_is_that_of_the_definition(l: int) -> None:
    for held in product(range(6), repeat=4):
        kept = [most for most in range(max(held) + 1) if l * most <= sum(min(one, most) for one in held)]
        assert largest_share(np.array(held), l) == max(kept)
