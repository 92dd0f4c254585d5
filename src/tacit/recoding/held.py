"""What sensitive values the combinations of a table hold, and the same by class."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tacit.knowledge.row_classes import RowClasses
from tacit.typing import AnyArray, Codes, Counts, Offsets

MOST_CELLS = 1 << 22
"""Classes are counted so many cells (classes times values) at a time."""


@dataclass(frozen=True, eq=False)
class Held:
    """Entry e: ``rows[e]`` rows of the combination ``combinations[e]`` are of the kind ``kinds_of[e]``.

    A kind is a sensitive value together with the values that rules forbid to the rows that hold it.
    """

    combinations: Codes
    kinds_of: Codes
    rows: Counts
    kinds: RowClasses

    def of(self, chosen: AnyArray, n_combinations: int) -> Held:
        """What some of the combinations hold, numbered anew."""
        place = np.full(n_combinations, -1, dtype=np.int32)
        place[chosen] = np.arange(len(chosen), dtype=np.int32)
        there = place[self.combinations] >= 0
        return Held(place[self.combinations[there]], self.kinds_of[there], self.rows[there], self.kinds)

    def values(self, attribute: int) -> Codes:
        """The code of each entry's value in one sensitive attribute."""
        return np.ascontiguousarray(self.kinds.parts[self.kinds.values[self.kinds_of], attribute])

    def totals(self, attribute: int) -> Counts:
        """How many rows of the table hold each value of an attribute."""
        n_values = len(self.kinds.texts[attribute])
        return np.bincount(self.values(attribute), weights=self.rows, minlength=n_values).astype(np.int64)

    def histograms(self, class_of: Codes, n_classes: int, attribute: int) -> Iterator[tuple[int, Counts]]:
        """Rows by class and value, some classes at a time: the first class, and shape (classes, values)."""
        values, classes = self.values(attribute), class_of[self.combinations]
        n_values = len(self.kinds.texts[attribute])
        step = max(1, MOST_CELLS // n_values)
        if n_classes > step:
            order = np.argsort(classes, kind="stable")
            values, classes, rows = values[order], classes[order], self.rows[order]
        else:
            rows = self.rows
        for first in range(0, n_classes, step):
            size = min(step, n_classes - first)
            here = (
                slice(*np.searchsorted(classes, [first, first + size])) if n_classes > step else slice(None)
            )
            cells = (classes[here] - first).astype(np.int64) * n_values + values[here]
            counted = np.bincount(cells, weights=rows[here], minlength=size * n_values)
            yield first, counted.astype(np.int64).reshape(size, n_values)

    def members(self, class_of: Codes, n_classes: int) -> tuple[Offsets, Codes]:
        """The kinds of each class, each once."""
        pairs = np.unique(class_of[self.combinations].astype(np.int64) * len(self.kinds) + self.kinds_of)
        offsets = np.searchsorted(pairs, np.arange(n_classes + 1) * len(self.kinds))
        return offsets.astype(np.int64), (pairs % len(self.kinds)).astype(np.int32)
