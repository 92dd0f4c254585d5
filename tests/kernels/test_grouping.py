"""Grouping rows by several columns, against a dictionary of tuples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.arrays import groups


@settings(deadline=None, max_examples=200)
@given(st.data())
def test_groups_are_the_distinct_combinations_in_order(data: st.DataObject) -> None:
    n_rows = data.draw(st.integers(0, 30))
    sizes = data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
    columns = [
        np.array(
            data.draw(st.lists(st.integers(0, size - 1), min_size=n_rows, max_size=n_rows)), dtype=np.int32
        )
        for size in sizes
    ]
    numbers, first = groups.group_rows(columns, sizes)
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    expected = sorted(set(rows))
    assert [expected.index(row) for row in rows] == numbers.tolist()
    assert [rows[row] for row in first] == expected
    assert all(row not in rows[: first[group]] for group, row in enumerate(expected))


def test_large_domains_are_sorted_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(5)
    columns = [random.integers(0, 50, 500).astype(np.int32) for _ in range(3)]
    dense = groups.group_rows(columns, [50] * 3)
    monkeypatch.setattr(groups, "DENSE_LIMIT", 10)
    sparse = groups.group_rows(columns, [50] * 3)
    assert np.array_equal(dense[0], sparse[0]) and np.array_equal(dense[1], sparse[1])
