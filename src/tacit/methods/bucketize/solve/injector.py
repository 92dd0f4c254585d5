"""Injector: buckets that keep ℓ valid values against a reader who knows negative rules [1].

Rows of the same class are interchangeable, so the paper's Figure 2 runs on classes with counts. Its
three phases are here: count the classes (:mod:`tacit.methods.bucketize.solve.plan`), form buckets of
ℓ pairwise compatible rows, and place the rows left over, merging buckets where it must be.

Three choices of this project. The paper adds the row that leaves the fewest incompatible, which
uses up rare values first and leaves the frequent ones over (``way=FEWEST_LOST``). Here a bucket starts
with the value that can spare the fewest partners and goes on with the values that have the most
compatible rows, which leaves hardly a row over and distorts counts less. A row that is left over
joins the least incompatible bucket *in which it has ℓ valid values*; buckets are merged only where
there is none. And where no bucket is left to merge with, all remaining rows go into one, which is
valid because feasibility was decided before.

*Near partners.* Rows alike in their quasi-identifiers make better partners than any rows: a count over
quasi-identifiers is then hardly distorted, and a reader who has learned which value goes with which
quasi-identifiers cannot tell the rows of a bucket apart by them. Cells are made from the quasi-identifiers
alone, so that they say nothing about a sensitive value that the published table does not say. They are gone
through from the smallest to the whole table; each forms what buckets it can and hands the rest on. The
promise is the same; only who shares a bucket differs, and that names people
(:mod:`tacit.methods.bucketize.attacks`).

[1] T. Li, N. Li. Injector: Mining Background Knowledge for Data Anonymization. ICDE 2008, section V.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays.bitmaps import lists
from tacit.arrays.compiled import Flag, interruptible
from tacit.engine.base import Combinations
from tacit.methods.bucketize.solve import placing
from tacit.methods.bucketize.solve.compatible import BALANCED, Kinds, compatible_groups, make_kinds
from tacit.methods.bucketize.solve.feasibility import largest_share
from tacit.methods.bucketize.solve.plan import Classes, Plan, make_plan
from tacit.random.key import Key
from tacit.typing import AnyArray, Codes, Counts


def injector_plan(
    classes: Classes, l: int, key: Key, *, suppressed: Counts | None = None, way: int = BALANCED
) -> Plan:
    """Buckets in which every row has at least ℓ valid values; the classes must be feasible."""
    groups, left_over = compatible_buckets(classes, l, key, way=way)
    kinds, buckets = place_rest(classes, groups, left_over, l)
    return make_plan(classes, kinds, buckets, suppressed)


def place_rest(classes: Classes, groups: Codes, left_over: Counts, l: int) -> tuple[Codes, Codes]:
    """(class, bucket) of every row: first those of the groups of ℓ, then the rows left over per class."""
    kinds = placing.Kinds(classes.values, classes.forbidden, classes.parts)
    return interruptible(placing.place_left_over, groups, l, left_over, kinds)


def compatible_buckets(classes: Classes, size: int, key: Key, *, way: int = BALANCED) -> tuple[Codes, Counts]:
    """Buckets of ``size`` pairwise compatible rows, as their classes in a row; the rows left per class.

    In such a bucket every row can have every value, and each with the same chance.
    """
    words = np.array(key.subkey("bucketize: injector").words, dtype=np.uint64)
    return interruptible(compatible_groups, size, way, classes.counts, kinds_of(classes), words)


def kinds_of(classes: Classes) -> Kinds:
    """The classes as groups are built from them."""
    conflicts = lists(classes.conflicts)
    return make_kinds(classes.values, conflicts, classes.forbidden_lists, classes.further_lists)


def near_plan(
    classes: Classes, l: int, key: Key, *, cells: Cells, class_of: Codes, rows_of: Counts, suppressed: Counts
) -> Plan:
    """Buckets in which every row has at least ℓ valid values, near rows together; feasible classes only."""
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


ROWS_PER_VALUE = 20
"""The fewest rows of a cell are so many for each of the ℓ values of a bucket: fewer leave too many over."""
MOST_CELLS = 256
"""About the most cells of a table, so that their number does not grow with the rows."""


@dataclass(frozen=True, eq=False)
class Cells:
    """A tree of cells; cell 0 is the whole table, and a cell has a smaller number than those inside it."""

    parents: Codes
    """Per cell, the cell around it; -1 for the whole table."""
    of: Codes
    """Per combination, the smallest cell it is in."""

    def __len__(self) -> int:
        return len(self.parents)


def cells_of(combinations: Combinations, quasi: Sequence[str], l: int) -> Cells:
    """Split near the middle, by the attribute with the fewest values that still leaves cells large enough."""
    ranks = [value_ranks(combinations, name) for name in quasi]
    sizes = [int(rank.max(initial=0)) + 1 for rank in ranks]
    by_values = sorted(range(len(ranks)), key=lambda place: (sizes[place], place))
    counts = combinations.counts
    least = max(ROWS_PER_VALUE * l, -(-combinations.n_rows // MOST_CELLS))
    parents: list[int] = []
    smallest = np.zeros(len(combinations), dtype=np.int32)
    waiting: list[tuple[AnyArray, int]] = [(np.arange(len(combinations)), -1)]
    while waiting:
        inside, parent = waiting.pop()
        number = len(parents)
        parents.append(parent)
        smallest[inside] = number
        for place in by_values:
            rank = ranks[place][inside]
            cut = middle(rank, counts[inside], sizes[place], least)
            if cut is not None:
                below = rank <= cut
                waiting += [(inside[~below], number), (inside[below], number)]
                break
    return Cells(np.array(parents, dtype=np.int32), smallest)


def middle(rank: Codes, counts: Counts, size: int, least: int) -> int | None:
    """The rank up to which about half the rows are; None where a side would have fewer than ``least``."""
    upto = np.cumsum(np.bincount(rank, weights=counts, minlength=size)).astype(np.int64)
    total = int(upto[-1])
    cut = int(np.argmin(np.abs(2 * upto - total)))
    return cut if min(int(upto[cut]), total - int(upto[cut])) >= least else None


def value_ranks(combinations: Combinations, name: str) -> Codes:
    """The rank of each combination's value: by number where all are numbers, else by text; missing first."""
    place = combinations.place(name)
    texts = combinations.texts[place]
    order = sorted(range(len(texts)), key=_sort_keys(texts).__getitem__)
    ranks = np.empty(len(texts), dtype=np.int32)
    ranks[order] = np.arange(len(texts), dtype=np.int32)
    return ranks[combinations.codes[:, place]]


def _sort_keys(texts: Sequence[str | None]) -> list[tuple[float, bytes]]:
    """What values are ordered by; numbers that read differently and are equal are ordered by their text."""
    try:
        numbers = [float("-inf") if text is None else float(text) for text in texts]
    except ValueError:
        numbers = [float(text is not None) for text in texts]
    if np.isnan(numbers).any():
        numbers = [float(text is not None) for text in texts]
    return [(number, (text or "").encode()) for number, text in zip(numbers, texts, strict=True)]
