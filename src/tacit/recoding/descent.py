"""One level per column where the lattice has too many states to look at: a descent, and a bound beside it.

From the roots down, the column whose next level saves the most is made finer, as long as that loses less and
the promise is kept; a column that cannot be made finer is left, because refining others only makes classes
smaller.

The bound: under some of the columns alone, classes are unions of those under all, so a state that keeps k
rows keeps them there too and leaves out no more rows. So the cells of a group of columns lose at least what
the best levels of the group lose by themselves, and loss is a sum over groups.
"""

from __future__ import annotations

import heapq
from dataclasses import replace

import numpy as np

from tacit.arrays.groups import group_rows
from tacit.errors import Cancelled
from tacit.recoding.forest import forest_of
from tacit.recoding.lattice import MOST_WORK, Levels, Optimum, level_shape, optimum
from tacit.recoding.problem import Problem
from tacit.recoding.promises import Promise
from tacit.recoding.subtree import Cuts

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
        if problem.promise.flag is not None and problem.promise.flag[0]:
            raise Cancelled()
        _, column = heapq.heappop(waiting)
        state[column] -= 1
        found = cuts.loss(levels.cut(tuple(state)))
        evaluated += 1
        if found < loss or (found == loss and np.isfinite(found)):
            loss = found
            offer(column)
        else:
            state[column] += 1
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
