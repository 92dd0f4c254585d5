"""Cuts of hierarchies, the same for all rows, refined as long as the promise is kept: by nodes, or by levels.

A node of a cut is replaced by its children if that loses less, all rows left out counted, and the promise
is kept. The nodes that would save the most are tried first. What a node cannot be replaced by is not tried
again: refining other nodes only makes classes smaller.

One level per column, where the lattice has too many states to look at, is found in the same way: from the
roots down, the column whose next level saves the most is made finer. A bound stands beside it: under some of
the columns alone, classes are unions of those under all, so a state that keeps k rows keeps them there too
and leaves out no more rows. So the cells of a group of columns lose at least what the best levels of the
group lose by themselves, and loss is a sum over groups.
"""

from __future__ import annotations

import heapq
from dataclasses import replace

import numpy as np

from tacit.arrays.groups import group_rows
from tacit.errors import Cancelled
from tacit.recoding.forest import forest_of
from tacit.recoding.lattice import MOST_WORK, Levels, Optimum, level_shape, optimum
from tacit.recoding.problem import Problem, Recoded, merged
from tacit.recoding.promises import Promise
from tacit.typing import Codes, Counts


class Cuts:
    """A cut per column: ``nodes`` holds the node of every value, column after column."""

    def __init__(self, problem: Problem, most_suppressed: int) -> None:
        self.problem = problem
        self.most_suppressed = most_suppressed
        self.starts = np.cumsum([0, *(len(leaves) for leaves in problem.leaves)])
        self.leaves = np.concatenate(problem.leaves)
        weights = [
            np.bincount(problem.codes[:, column], weights=problem.counts, minlength=len(leaves))
            for column, leaves in enumerate(problem.leaves)
        ]
        self.weights = np.concatenate(weights)
        self.everything = np.arange(len(problem.counts), dtype=np.int32)

    def recoded(self, nodes: Codes) -> Recoded:
        """The classes under a cut."""
        problem, starts = self.problem, self.starts[:-1]
        class_of, rows, members = merged(problem, self.everything, problem.counts, starts, nodes)
        failing, _ = problem.promise.failing(class_of, rows)
        return Recoded(class_of, nodes[starts + problem.codes[members]], failing)

    def loss(self, nodes: Codes) -> float:
        """The loss under a cut; infinite where it leaves out too many rows."""
        found = self.recoded(nodes)
        out = int(self.problem.counts[found.left_out[found.class_of]].sum())
        return found.loss(self.problem) if out <= self.most_suppressed else np.inf

    def no_worse(self, nodes: Codes, loss: float) -> float | None:
        """The loss under a cut that leaves out few enough rows, if it is no larger than this one."""
        if self.problem.promise.flag is not None and self.problem.promise.flag[0]:
            raise Cancelled()
        found = self.loss(nodes)
        return found if found <= loss and np.isfinite(found) else None

    def below(self, node: int) -> Codes:
        """The values under a node, as places in ``nodes``."""
        ends = self.problem.forest.ends
        return np.flatnonzero((self.leaves >= node) & (self.leaves < ends[node])).astype(np.int32)

    def replaced(self, nodes: Codes, node: int) -> Codes:
        """The cut with a node replaced by its children."""
        places = self.below(node)
        at = self.leaves[places].copy()
        parents = self.problem.forest.parents
        while (higher := parents[at] != node).any():
            at[higher] = parents[at[higher]]
        found = nodes.copy()
        found[places] = at
        return found

    def saved(self, nodes: Codes, finer: Codes) -> float:
        """What the cells would lose less, no row left out."""
        costs = self.problem.forest.costs
        return float((costs[nodes] - costs[finer]) @ self.weights)


def subtree_recoding(problem: Problem, start: Codes | None, *, most_suppressed: int = 0) -> Recoded | None:
    """A cut per column with little loss; None where even the roots break the promise.

    It is refined from the roots and, where one is given, from a first cut (a node of every value, column
    after column), and the better is taken.
    """
    cuts = Cuts(problem, most_suppressed)
    roots = np.concatenate(
        [
            np.full(len(leaves), root) if column < problem.n_columns else leaves
            for column, (leaves, root) in enumerate(zip(problem.leaves, problem.forest.roots, strict=True))
        ]
    ).astype(np.int32)
    starts = [roots] if start is None else [start, roots]
    found = [
        (loss, place, nodes) for place, one in enumerate(starts) for loss, nodes in [_refined(cuts, one)]
    ]
    loss, _, nodes = min(found, key=lambda entry: entry[:2])
    return cuts.recoded(nodes) if np.isfinite(loss) else None


def _refined(cuts: Cuts, nodes: Codes) -> tuple[float, Codes]:
    """The loss of the refined cut, and the cut."""
    loss = cuts.loss(nodes)
    waiting: list[tuple[float, int]] = []

    def offer(places: Codes | Counts) -> None:
        for node in np.unique(nodes[places]):
            if cuts.problem.forest.ends[node] > node + 1:  # no leaf
                heapq.heappush(waiting, (-cuts.saved(nodes, cuts.replaced(nodes, node)), int(node)))

    offer(np.arange(len(nodes)))
    while waiting:
        _, node = heapq.heappop(waiting)
        finer = cuts.replaced(nodes, node)
        if (found := cuts.no_worse(finer, loss)) is not None:
            loss, nodes = found, finer
            offer(cuts.below(node))
    return loss, nodes


GROUP_STATES = 50_000
"""The most states of a group of columns."""
GROUPS_WORK = MOST_WORK // 4
"""So many combinations are merged for the bound, all groups together."""


def descended(problem: Problem, *, most_suppressed: int = 0) -> Optimum | None:
    """Levels with little loss, and a bound of what any lose; None where the roots break the promise."""
    levels, cuts = Levels(problem), Cuts(problem, most_suppressed)
    state = [size - 1 for size in levels.shape]
    loss = cuts.loss(levels.cut(tuple(state)))
    waiting: list[tuple[float, int]] = []

    def offer(column: int) -> None:
        if (level := state[column]) > 0:
            saved = float(levels.means[column][level] - levels.means[column][level - 1])
            heapq.heappush(waiting, (-saved, column))

    for column in range(problem.n_columns):
        offer(column)
    evaluated = 1
    while waiting:
        _, column = heapq.heappop(waiting)
        state[column] -= 1
        found = cuts.no_worse(levels.cut(tuple(state)), loss)
        evaluated += 1
        if found is None:
            state[column] += 1
        else:
            loss = found
            offer(column)
    if not np.isfinite(loss):
        return None
    best = tuple(state)
    recoded = cuts.recoded(levels.cut(best))
    return Optimum(
        state=best,
        loss=loss,
        bound=min(loss, _bound(problem, most_suppressed)),
        suppressed=int(problem.counts[recoded.left_out[recoded.class_of]].sum()),
        recoded=recoded,
        cut=levels.cut(best),
        lattice=None,
        evaluated=evaluated,
    )


def _bound(problem: Problem, most_suppressed: int) -> float:
    """No levels lose less: the best levels of each group of columns, by themselves, for k alone."""
    groups = _groups(problem)
    found = 0.0
    for group in groups:
        part = optimum(
            _of_columns(problem, group), most_suppressed=most_suppressed, most_work=GROUPS_WORK // len(groups)
        )
        found += 0.0 if part is None else part.bound * len(group) / problem.n_columns
    return found


def _groups(problem: Problem) -> list[list[int]]:
    """The columns in groups of few states, those with the most values together."""
    shape = level_shape(problem)
    groups: list[list[int]] = []
    for column in sorted(range(problem.n_columns), key=lambda column: -len(problem.leaves[column])):
        if groups and np.prod([shape[one] for one in (*groups[-1], column)], dtype=float) <= GROUP_STATES:
            groups[-1].append(column)
        else:
            groups.append([column])
    return groups


def _of_columns(problem: Problem, columns: list[int]) -> Problem:
    """The problem of some columns alone, with k alone."""
    codes = [np.ascontiguousarray(problem.codes[:, column]) for column in columns]
    number, first = group_rows(codes, [len(problem.leaves[column]) for column in columns])
    own = problem.forest
    forest = forest_of(
        [own.hierarchies[column] for column in columns],
        [own.costs[own.numbers[column]] for column in columns],
    )
    leaves = []
    for place, column in enumerate(columns):
        node = np.empty(len(own.parents), dtype=np.int32)
        node[own.numbers[column]] = forest.numbers[place]
        leaves.append(node[problem.leaves[column]])
    rows = np.bincount(number, weights=problem.counts, minlength=len(first)).astype(np.int64)
    return replace(
        problem,
        forest=forest,
        codes=np.ascontiguousarray(problem.codes[first][:, columns]),
        leaves=tuple(leaves),
        counts=rows,
        promise=Promise(problem.promise.k, flag=problem.promise.flag),
        kept=0,
    )
