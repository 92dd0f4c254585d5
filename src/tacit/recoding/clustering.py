"""Classes by likeness: each begins next to the last one, and always takes the cheapest combination to add.

Combinations are never divided. One with k rows or more is a class of its own from the beginning. Classes that
begin next to each other leave what is far from everything to the end; beginning far away instead would use up
near combinations for the far ones, and loses more. A class may be tried with several combinations as its
second; the cheapest class is taken. What is left at the end joins the class where it costs least. Costs are
whole numbers (:data:`UNIT` for a root).

Where a cell is published as it is or not at all, a class loses the same however many rows it has: so many
columns of each, and which columns a row keeps is all that its class depends on. So all rows that agree in
some columns may be one class, and are where they are k or more. The most columns come first; of as many
columns, those in which the most rows find a class. Every combination stays where it is first found, and what
is found nowhere joins the class that then loses the least more. Clustering looks at pairs of combinations,
block by block. This looks at each once for every set of columns, and over the whole table: it is many times
faster on large tables of few columns, and loses less.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from tacit.arrays.compiled import Flag, kernel
from tacit.arrays.csr import sort_codes
from tacit.recoding.forest import Trees, common
from tacit.recoding.problem import Problem, merged
from tacit.typing import Bools, Codes, Counts

FAR = np.int64(1) << np.int64(62)
GONE = np.int32(1 << 30)
"""The cost of what is already in a class: above all others, with room for more."""


def clusters(nodes: Codes, counts: Counts, k: int, tries: int, trees: Trees, flag: Flag) -> Codes:
    """The class of each combination; ``nodes`` has shape (combinations, columns).

    So many seconds are tried for each class. With fewer than k rows in all there is one class.
    """
    class_of = np.full(len(nodes), -1, dtype=np.int32)
    waiting = np.empty(len(nodes), dtype=np.int32)
    # Short numbers, so that the sums over all that wait are fast: a class costs less than GONE.
    short = trees._replace(units=(trees.units // (1 + nodes.shape[1] // 500)).astype(np.int32))
    n_waiting = _grow(nodes, counts, k, tries, short, class_of, waiting, flag)
    n_classes = int(class_of.max(initial=-1)) + 1
    if n_classes == 0:
        return np.zeros_like(class_of)
    rows = class_rows(counts, class_of, n_classes)
    shown = class_nodes(nodes, class_of, n_classes, trees)
    joined_rest(nodes, counts, class_of, waiting[:n_waiting], shown, rows, trees)
    return class_of


def class_rows(counts: Counts, class_of: Codes, n_classes: int) -> Counts:
    """The rows of each class; a combination whose class is negative is in none."""
    rows = np.zeros(n_classes, dtype=np.int64)
    np.add.at(rows, class_of[class_of >= 0], counts[class_of >= 0])
    return rows


@kernel
def _grow(
    nodes: Codes,
    counts: Counts,
    k: int,
    tries: int,
    trees: Trees,
    class_of: Codes,
    waiting: Codes,
    flag: Flag,
) -> int:
    """Write classes of at least k rows, and what is left over to ``waiting``; how many these are."""
    (n, n_columns), parents, ends = nodes.shape, trees.parents, trees.ends
    # The combinations that wait, packed so that those already placed cost nothing; cells column by column.
    cells = np.empty((n_columns, n), dtype=np.int32)
    sizes = np.empty(n, dtype=np.int64)
    n_waiting, n_classes, left = 0, 0, 0
    for one in range(n):
        if counts[one] >= k:
            class_of[one] = n_classes
            n_classes += 1
        else:
            waiting[n_waiting] = one
            sizes[n_waiting] = counts[one]
            for column in range(n_columns):
                cells[column, n_waiting] = nodes[one, column]
            left += counts[one]
            n_waiting += 1
    begun = np.empty(n, dtype=np.int32)  # the cost of a row, if one that waits were added to the first alone
    far = np.empty(n, dtype=np.int32)  # the same of the class as it has grown
    near = np.empty(n, dtype=np.int32)  # and of the best class so far
    row = np.empty(len(parents), dtype=np.int32)  # of each node: its cost together with the class's node
    wider = np.empty(len(parents), dtype=np.int32)  # what it costs more with a node above that
    current = np.empty(n_columns, dtype=np.int32)
    members, chosen = np.empty(k, dtype=np.int32), np.empty(k, dtype=np.int32)
    first = 0
    while left >= k and not flag[0]:
        for place in range(n_waiting):
            begun[place] = 0
        for column in range(n_columns):
            fill(row, cells[column, first], trees)
            own = cells[column]
            for place in range(n_waiting):
                begun[place] += row[own[place]]
        begun[first] = GONE
        n_chosen, least = 0, GONE
        for _ in range(tries):
            taken = _least(begun, n_waiting)
            if begun[taken] >= least:
                break
            for place in range(n_waiting):
                far[place] = begun[place]
            for column in range(n_columns):
                current[column] = cells[column, first]
            members[0], size, n_members = first, sizes[first], 1
            cost = far[taken]
            while cost < least:
                members[n_members] = taken
                n_members += 1
                size += sizes[taken]
                far[taken] = GONE
                if size >= k:
                    break
                for column in range(n_columns):
                    joined = common(current[column], cells[column, taken], parents, ends)
                    if joined != current[column]:
                        top = fill(row, current[column], trees)
                        fill(wider, joined, trees)
                        for node in range(top, ends[top]):
                            wider[node] -= row[node]
                        current[column] = joined
                        own = cells[column]
                        for place in range(n_waiting):
                            far[place] += wider[own[place]]
                taken = _least(far, n_waiting)
                cost = far[taken]
            if cost < least and size >= k:
                least, n_chosen = cost, n_members
                for number in range(n_members):
                    chosen[number] = members[number]
                for place in range(n_waiting):
                    near[place] = far[place]
            begun[members[1]] = GONE  # the next try is without it
        sort_codes(chosen, 0, n_chosen)
        for number in range(n_chosen - 1, -1, -1):  # the last first: it is replaced by the last that waits
            taken = chosen[number]
            class_of[waiting[taken]] = n_classes
            left -= sizes[taken]
            n_waiting -= 1
            waiting[taken], sizes[taken], near[taken] = waiting[n_waiting], sizes[n_waiting], near[n_waiting]
            for column in range(n_columns):
                cells[column, taken] = cells[column, n_waiting]
        n_classes += 1
        if n_waiting:
            first = _least(near, n_waiting)
    return n_waiting


@kernel
def _least(costs: Codes, n: int) -> int:
    """The place of the smallest of the first ``n`` costs: the first such place."""
    best = 0
    for place in range(1, n):
        if costs[place] < costs[best]:
            best = place
    return best


@kernel
def fill(row: Codes | Counts, node: int, trees: Trees) -> int:
    """For every node of the column, the cost of its lowest common ancestor with ``node``; gives the root."""
    # From the node up: each ancestor fills what the ones below it left open, to the left and to the right.
    parents, ends, units = trees
    first, end, above = node, node, node
    while above >= 0:
        cost = units[above]
        for place in range(above, first):
            row[place] = cost
        for place in range(end, ends[above]):
            row[place] = cost
        first, end, above = above, ends[above], parents[above]
    return first


def class_nodes(nodes: Codes, class_of: Codes, n_classes: int, trees: Trees) -> Codes:
    """Shape (classes, columns): the lowest node over all cells of a class; -1 for a class without any."""
    found = np.full((n_classes, nodes.shape[1]), -1, dtype=np.int32)
    _raise_nodes(nodes, class_of, trees.parents, trees.ends, found)
    return found


@kernel
def _raise_nodes(nodes: Codes, class_of: Codes, parents: Codes, ends: Codes, found: Codes) -> None:
    for one in range(len(nodes)):
        mine = class_of[one]
        if mine < 0:
            continue
        for column in range(nodes.shape[1]):
            at = found[mine, column]
            found[mine, column] = (
                nodes[one, column] if at < 0 else common(at, nodes[one, column], parents, ends)
            )


@kernel
def joined_rest(
    nodes: Codes, counts: Counts, class_of: Codes, rest: Codes, shown: Codes, rows: Counts, trees: Trees
) -> None:
    """Put every combination that is left into the class that then loses the least more."""
    (n_classes, n_columns), (parents, ends, units) = shown.shape, trees
    for one in rest:
        best, least = 0, FAR
        for other in range(n_classes):
            more = np.int64(0)
            for column in range(n_columns):
                joined = common(shown[other, column], nodes[one, column], parents, ends)
                more += (
                    units[joined] * (rows[other] + counts[one]) - units[shown[other, column]] * rows[other]
                )
            if more < least:
                best, least = other, more
        class_of[one] = best
        rows[best] += counts[one]
        for column in range(n_columns):
            shown[best, column] = common(shown[best, column], nodes[one, column], parents, ends)


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
