"""Many rows in lexicographic order, against Python's own sort."""

from __future__ import annotations

import random

import numpy as np

from tacit.arrays.groups import row_order


def test_rows_are_sorted_as_lists_are_and_equal_ones_keep_their_order() -> None:
    draw = random.Random(1)
    for _ in range(400):
        n_codes = draw.choice([1, 2, 3, 60, 3000, 70_000])
        rows = [
            [draw.randrange(n_codes) for _ in range(draw.choice([0, 1, 2, 5, 30]))]
            for _ in range(draw.randint(0, 40))
        ]
        rows += draw.choices(rows, k=10) if rows else []
        rows += [row[:-1] for row in rows[:5] if row]
        indptr = np.cumsum([0, *map(len, rows)], dtype=np.int64)
        items = np.array([code for row in rows for code in row], dtype=np.int32)
        wanted = sorted(range(len(rows)), key=lambda place: rows[place])
        assert row_order(indptr, items).tolist() == wanted
