"""Injector's buckets from nearby rows first: each cell forms what buckets it can and hands the rest on.

The cells are gone through from the smallest to the whole table. In each, buckets of ℓ pairwise
compatible rows are formed from the rows that no smaller cell could use; what is left over in the
whole table joins a bucket as always. So the promise is the same, and only who shares a bucket differs.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.arrays.interrupt import Flag, interruptible
from tacit.methods.bucketize.kernels.compatible import BALANCED, compatible_groups
from tacit.methods.bucketize.solve.cells import Cells
from tacit.methods.bucketize.solve.classes import Classes
from tacit.methods.bucketize.solve.feasibility import largest_share
from tacit.methods.bucketize.solve.injector import kinds_of, place_rest
from tacit.methods.bucketize.solve.plan import Plan, make_plan
from tacit.random.key import Key
from tacit.typing import Codes, Counts


def near_plan(
    classes: Classes, l: int, key: Key, *, cells: Cells, class_of: Codes, rows_of: Counts, suppressed: Counts
) -> Plan:
    """Buckets in which every row has at least ℓ valid values, near rows together; feasible classes only.

    ``class_of`` and ``rows_of`` are the class and the rows of each combination that the cells were
    made of; rows of a class without count are left out.
    """
    groups, places, left = interruptible(_form, classes, l, key, cells, class_of, rows_of)
    kinds, buckets = place_rest(classes, groups, left.counts(len(classes)), l)
    # Whoever was left over is placed class by class, which is how the rest is sorted.
    added = np.empty(len(left), dtype=np.int32)
    added[np.argsort(kinds[len(groups) :], kind="stable")] = left.cells
    return make_plan(classes, kinds, buckets, suppressed, cells=cells, places=np.concatenate([places, added]))


class _Rest:
    """Rows not yet in a bucket, sorted by class: their classes and smallest cells."""

    def __init__(self, kinds: Codes, cells: Codes) -> None:
        order = np.argsort(kinds, kind="stable")
        self.kinds, self.cells = kinds[order], cells[order]

    def __len__(self) -> int:
        return len(self.kinds)

    def counts(self, n_classes: int) -> Counts:
        return np.bincount(self.kinds, minlength=n_classes).astype(np.int64)

    def usable(self, classes: Classes, l: int) -> Counts:
        """Per class, the rows that buckets of ℓ distinct values could use at most: no value too often."""
        counts = self.counts(len(classes))
        held = np.bincount(classes.values, weights=counts, minlength=classes.n_values).astype(np.int64)
        most = largest_share(held, l)
        order = np.argsort(classes.values, kind="stable")
        before = np.cumsum(counts[order]) - counts[order]
        before -= (np.cumsum(held) - held)[classes.values[order]]
        counts[order] = np.clip(most - before, 0, counts[order])
        return counts

    def take(self, groups: Codes, n_classes: int) -> tuple[Codes, _Rest]:
        """The cell of each row of the groups, which have as many of each class, and the rest of the rest."""
        starts = np.searchsorted(self.kinds, np.arange(n_classes))
        used = np.bincount(groups, minlength=n_classes)
        order = np.argsort(groups, kind="stable")
        rank = np.arange(len(groups)) - np.repeat(np.cumsum(used) - used, used)
        cells = np.empty(len(groups), dtype=np.int32)
        cells[order] = self.cells[starts[groups[order]] + rank]
        stay = np.arange(len(self)) - starts[self.kinds] >= used[self.kinds]
        return cells, _Rest(self.kinds[stay], self.cells[stay])


def _form(
    classes: Classes, l: int, key: Key, cells: Cells, class_of: Codes, rows_of: Counts, flag: Flag
) -> tuple[Codes, Codes, _Rest]:
    """(classes of all buckets' rows, their smallest cells, the rows left over)."""
    kinds = kinds_of(classes)
    waiting = _by_cell(classes, cells, class_of, rows_of)
    groups: list[Codes] = []
    places: list[Codes] = []
    rest = _joined([])
    for cell in range(len(cells) - 1, -1, -1):
        rest = _joined(waiting.pop(cell, []))
        usable = rest.usable(classes, l)
        if usable.any() and not flag[0]:
            words = np.array(key.subkey(f"bucketize: injector: {cell}").words, dtype=np.uint64)
            formed, _ = compatible_groups(l, BALANCED, usable, kinds, words, flag)
            taken, rest = rest.take(formed, len(classes))
            groups.append(formed)
            places.append(taken)
        if cell:
            waiting.setdefault(int(cells.parents[cell]), []).append(rest)
    return _together(groups), _together(places), rest


def _joined(parts: Sequence[_Rest]) -> _Rest:
    return _Rest(_together([part.kinds for part in parts]), _together([part.cells for part in parts]))


def _together(parts: Sequence[Codes]) -> Codes:
    return np.concatenate([np.empty(0, dtype=np.int32), *parts])


def _by_cell(classes: Classes, cells: Cells, class_of: Codes, rows_of: Counts) -> dict[int, list[_Rest]]:
    """The rows of each smallest cell."""
    kept = np.flatnonzero(classes.counts[class_of] > 0)
    order = kept[np.lexsort((class_of[kept], cells.of[kept]))]
    rows = rows_of[order]
    kinds, inside = np.repeat(class_of[order], rows), np.repeat(cells.of[order], rows)
    ends = np.flatnonzero(np.diff(inside)) + 1
    return {
        int(part[0]): [_Rest(kind, part)]
        for kind, part in zip(np.split(kinds, ends), np.split(inside, ends), strict=True)
        if len(part)
    }
