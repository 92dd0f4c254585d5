"""Group rows by several code columns at once: a number per distinct combination.

The columns are folded together two at a time, each pair renumbered densely through a table of
bounded size, or through sorting where the table would be too large, so the cost is linear in the
rows and no key ever overflows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.typing import Codes, Counts

DENSE_LIMIT = 1 << 26
"""The largest table used to renumber a pair of columns: 256 MB of int32."""


def group_rows(columns: Sequence[Codes], sizes: Sequence[int]) -> tuple[Codes, Counts]:
    """``(group of each row, first row of each group)``; groups follow the order of their codes.

    ``sizes[c]`` is one more than the largest code of column ``c``. With no column at all every row
    is in one group, and with no row there is no group.
    """
    n_rows = len(columns[0]) if columns else 0
    groups = np.zeros(n_rows, dtype=np.int32)
    n_groups = 1 if n_rows else 0
    for codes, size in zip(columns, sizes, strict=True):
        groups, n_groups = _fold(groups, n_groups, codes, size)
    first = np.full(n_groups, -1, dtype=np.int64)
    _first_rows(groups, first)
    return groups, first


def _fold(groups: Codes, n_groups: int, codes: Codes, size: int) -> tuple[Codes, int]:
    """Renumber the pairs (group, code) densely, in the order of the pairs."""
    keys = groups.astype(np.int64) * size + codes
    if n_groups * size <= DENSE_LIMIT:
        numbers = np.zeros(n_groups * size, dtype=np.int32)
        numbers[keys] = 1
        found = int(numbers.sum())
        numbers = (np.cumsum(numbers, dtype=np.int32) - 1).astype(np.int32)
        return numbers[keys], found
    distinct, folded = np.unique(keys, return_inverse=True)
    return folded.astype(np.int32), len(distinct)


@kernel
def _first_rows(groups: Codes, first: Counts) -> None:
    for row in range(len(groups)):
        if first[groups[row]] < 0:
            first[groups[row]] = row
