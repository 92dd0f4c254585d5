"""Valid values by reachability are those of the definition, and of the paper's own algorithm."""

from __future__ import annotations

import numpy as np
import pytest

from tests.methods.bucketize.random_classes import random_classes, rows_of, valid_values
from tests.oracles import assignments as oracle


def test_valid_values_are_those_of_all_permutations() -> None:
    generator = np.random.Generator(np.random.PCG64(1))
    for _ in range(2_000):
        classes = random_classes(generator, most_rows=6)
        bucket = np.repeat(np.arange(len(classes), dtype=np.int32), classes.counts)
        values, forbidden = rows_of(classes, bucket)
        assert [set(valid) for valid in valid_values(classes, bucket)] == oracle.valid_values(
            values, forbidden
        )


def test_valid_values_are_those_of_the_papers_matching() -> None:
    generator = np.random.Generator(np.random.PCG64(2))
    for _ in range(400):
        classes = random_classes(generator, most_rows=10)
        bucket = np.repeat(np.arange(len(classes), dtype=np.int32), classes.counts)
        values, forbidden = rows_of(classes, bucket)
        assert [set(valid) for valid in valid_values(classes, bucket)] == oracle.valid_by_matching(
            values, forbidden
        )


def test_adding_rows_takes_no_valid_value_away() -> None:
    generator = np.random.Generator(np.random.PCG64(3))
    for _ in range(500):
        classes = random_classes(generator, most_rows=14)
        bucket = generator.permutation(np.repeat(np.arange(len(classes), dtype=np.int32), classes.counts))
        cut = int(generator.integers(1, len(bucket)))
        before, after = valid_values(classes, bucket[:cut]), valid_values(classes, bucket)
        assert all(small <= large for small, large in zip(before, after[:cut], strict=True))


@pytest.mark.parametrize("n_values", [63, 64, 65, 200])
def test_more_than_64_values(n_values: int) -> None:
    """A ring: row i holds i and may take i and i + 1 only, so that all values go round or stay."""
    from tacit.arrays.bitmaps import pack
    from tacit.methods.bucketize.solve.plan import Classes

    barred = np.ones((n_values, n_values), dtype=bool)
    places = np.arange(n_values)
    barred[places, places] = False
    barred[places, (places + 1) % n_values] = False
    classes = Classes(
        ("value",),
        (tuple(map(str, places)),),
        places[:, None].astype(np.int32),
        places.astype(np.int32),
        pack(barred),
        np.ones(n_values, dtype=np.int64),
    )
    whole = valid_values(classes, places.astype(np.int32))
    assert whole == [frozenset({place, (place + 1) % n_values}) for place in range(n_values)]
    broken = valid_values(classes, places[:-1].astype(np.int32))  # without the last row nothing goes round
    assert broken == [frozenset({place}) for place in range(n_values - 1)]
