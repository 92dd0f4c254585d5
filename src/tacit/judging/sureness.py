"""How sure a reader of a table can be of a sensitive value, held against thresholds that never move.

A promise such as ℓ has its own threshold, so that figures about it cannot be compared between two promises:
of a stronger one more rows fall short. One threshold for all releases can.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.arrays.groups import group_rows
from tacit.data.table import Table


def surer_than(published: Table, group: str | None, thresholds: Sequence[float]) -> tuple[float, ...]:
    """For each threshold, the share of rows of which some sensitive value is likelier than it.

    A reader finds the class of a person (the bucket, where there are buckets) and takes its rows for equally
    likely. A value of a class that exactly reaches the threshold is not above it.
    """
    known = [published.column(name) for name in ([group] if group else published.roles.quasi)]
    classes, first = group_rows([column.codes for column in known], [len(column.values) for column in known])
    sizes = np.bincount(classes, minlength=len(first))
    largest = np.zeros(len(first), dtype=np.int64)
    for name in published.roles.sensitive:
        column = published.column(name)
        pairs, counts = np.unique(
            classes.astype(np.int64) * len(column.values) + column.codes, return_counts=True
        )
        np.maximum.at(largest, pairs // len(column.values), counts)
    rows = max(1, len(published))
    return tuple(float(sizes[largest > limit * sizes].sum() / rows) for limit in thresholds)
