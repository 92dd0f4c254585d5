"""The engine that runs in this process: kernels over arrays in memory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.data.table import Table
from tacit.engine.base import Combinations


class LocalEngine:
    """Counts and applies with numba kernels, in this process."""

    def combinations(self, table: Table, names: Sequence[str]) -> Combinations:
        """The distinct combinations of the named columns, with their counts."""
        from tacit.kernels.grouping import group_rows

        columns = [table.column(name) for name in names]
        groups, first = group_rows(
            [column.codes for column in columns], [len(column.values) for column in columns]
        )
        codes = np.column_stack([column.codes[first] for column in columns]) if columns else np.zeros((1, 0))
        return Combinations(
            names=tuple(names),
            texts=tuple(tuple(column.texts) for column in columns),
            codes=np.ascontiguousarray(codes, dtype=np.int32),
            counts=np.bincount(groups, minlength=len(first)).astype(np.int64),
        )
