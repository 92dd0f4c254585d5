"""Cells found on a list exactly where they are on it, whatever part of them is shared."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.arrays.compiled import new_flag
from tacit.engine.sanitizing import Known, Rows
from tacit.engine.spark.sets import Listed

# Few values of each part, so that cells differ in any one of them alone.
WORDS = st.sampled_from([0, 1, 2**63, 2**64 - 1])
CELLS = st.lists(st.tuples(WORDS, WORDS, st.integers(0, 2), st.integers(0, 3)), max_size=30)
Cells = list[tuple[int, int, int, int]]


def as_arrays(cells: Cells) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    digests = np.array([cell[:2] for cell in cells], dtype=np.uint64).reshape(-1, 2)
    ranks = np.array([cell[2] for cell in cells], dtype=np.int64)
    return digests, ranks, np.array([cell[3] for cell in cells], dtype=np.int32)


@settings(deadline=None)
@given(CELLS, CELLS)
def test_cells_are_found_where_they_are_listed(listed: Cells, asked: Cells) -> None:
    digests, ranks, codes = as_arrays(asked)  # each a row with one cell
    rows = Rows(np.arange(len(codes) + 1), codes, ranks, None)
    known = Known(rows, digests, np.zeros(0, dtype=np.uint64))
    found = Listed(*as_arrays(listed)).take(known, np.zeros(len(codes), dtype=np.bool_), new_flag())
    assert found.tolist() == [cell in listed for cell in asked]
