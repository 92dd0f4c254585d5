"""Cells kept or empty, in large tables: which columns a row keeps is all that its class depends on.

Where a cell is published as it is or not at all, a class loses the same however many rows it has: so many
columns of each. So all rows that agree in some columns may be one class, and are where they are k or more.
The most columns come first; of as many columns, those in which the most rows find a class. Every combination
stays where it is first found, and what is found nowhere joins the class that then loses the least more.

Clustering looks at pairs of combinations, block by block. This looks at each once for every set of columns,
and over the whole table: it is many times faster on large tables of few columns, and loses less.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from tacit.arrays.compiled import Flag
from tacit.recoding.clustering import class_nodes, class_rows, joined_rest
from tacit.recoding.problem import Problem, merged
from tacit.typing import Bools, Codes, Counts

MANY = 100_000
"""Fewer combinations are clustered: that takes seconds, and their releases stay as they are."""
MOST_COLUMNS = 10
"""Of more there are too many sets of columns to look at each."""


def can_be_emptied(problem: Problem) -> bool:
    """Whether cells are kept or empty, columns few and combinations many."""
    forest = problem.forest
    above = forest.parents[np.concatenate(problem.leaves)]
    costs = forest.costs[forest.roots]  # a column of one value loses nothing
    return (
        len(problem.counts) > MANY
        and problem.n_columns <= MOST_COLUMNS
        and bool(((above < 0) | (forest.parents[above] < 0)).all())
        and bool(((costs == 0) | (costs == costs.max())).all())
    )


class _Waiting:
    """The combinations that are in no class yet."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        sizes = [len(leaves) for leaves in problem.leaves]
        kept = np.concatenate(problem.leaves)
        empty = np.repeat(problem.forest.roots, sizes)
        self.nodes = np.concatenate([kept, empty]).astype(np.int32)
        self.kept = np.cumsum([0, *sizes[:-1]])
        self.empty = self.kept + len(kept)
        self.class_of = np.full(len(problem.counts), -1, dtype=np.int32)
        self.places = np.arange(len(problem.counts), dtype=np.int32)
        self.counts = problem.counts
        self.n_classes = 0

    def alike(self, columns: tuple[int, ...]) -> tuple[Codes, Counts]:
        """Those that agree in some columns: the group of each, and the rows of each group."""
        starts = self.empty.copy()
        starts[[*columns]] = self.kept[[*columns]]
        group, rows, _ = merged(self.problem, self.places, self.counts, starts, self.nodes)
        return group, rows

    def take(self, columns: tuple[int, ...]) -> None:
        """Make classes of those that agree in some columns, wherever they are k rows or more."""
        group, rows = self.alike(columns)
        enough: Bools = rows >= self.problem.promise.k
        number = np.cumsum(enough, dtype=np.int32) - np.int32(1) + np.int32(self.n_classes)
        taken = enough[group]
        self.class_of[self.places[taken]] = number[group[taken]]
        self.n_classes += int(enough.sum())
        self.places, self.counts = self.places[~taken], self.counts[~taken]


def emptied(problem: Problem, flag: Flag) -> Codes:
    """The class of each combination: so many columns kept as can be, each class of k rows or more."""
    waiting, k = _Waiting(problem), problem.promise.k
    for size in range(problem.n_columns, -1, -1):
        reached = []
        for columns in combinations(range(problem.n_columns), size):
            if flag[0] or not len(waiting.places):
                break
            if size in (problem.n_columns, 0):
                reached.append((0, columns))
            else:
                _, rows = waiting.alike(columns)
                reached.append((-int(rows[rows >= k].sum()), columns))
        for covered, columns in sorted(reached):
            if flag[0] or not len(waiting.places):
                break
            if covered or size in (problem.n_columns, 0):
                waiting.take(columns)
    return _with_rest(problem, waiting)


def _with_rest(problem: Problem, waiting: _Waiting) -> Codes:
    """The classes, with what is left in the one that then loses the least more."""
    trees, class_of = problem.forest.trees, waiting.class_of
    if not len(waiting.places):
        return class_of
    shown = class_nodes(problem.nodes, class_of, waiting.n_classes, trees)
    rows = class_rows(problem.counts, class_of, waiting.n_classes)
    joined_rest(problem.nodes, problem.counts, class_of, waiting.places, shown, rows, trees)
    return class_of
