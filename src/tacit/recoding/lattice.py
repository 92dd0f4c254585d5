"""One level per column for everybody: the least loss over the whole lattice of levels, with a proof.

A state is a level for each column. Its loss is what its levels lose of the rows that stay, and everything
of those left out. Two facts bound the loss of states that were never looked at:

- the loss by levels alone, all rows counted, is a sum over columns and grows with every level;
- rows in classes that are too small (or have too few values) at a state are so at every state below it,
  so there they are left out too: what they lose more than by levels is again a sum over columns.

Each state that is evaluated so raises the lower bounds of all states below it. The next state is found
from the smallest lower bound by climbing as long as the bound stays under the best loss: states high up
bound the most others. The search ends when no bound is below the best loss.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacit.data.hierarchy import Hierarchy
from tacit.errors import Cancelled
from tacit.recoding.problem import Problem, Recoded, merged
from tacit.typing import Bools, Codes, Counts, Floats

MOST_WORK = 400_000_000
"""The search stops after so many combinations were merged, with a bound instead of a proof."""
MOST_STATES = 20_000_000
"""Of lattices with more states (:mod:`tacit.recoding.subtree`) not even the bounds fit into memory."""
REMEMBERED = 3
"""Merged combinations are kept by the levels of so many columns, those with the most values."""

State = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Lattice:
    """What is known of every state: an array with one axis per column."""

    lower: Floats
    """A lower bound of the loss; infinite where too many rows would have to be left out."""
    losses: Floats
    """The loss of the states that were evaluated, else not a number."""

    def by_height(self) -> list[dict[str, float | int | None]]:
        """States by the sum of their levels: how many, how many evaluated, their least loss and bound."""
        heights = np.indices(self.lower.shape).sum(axis=0).reshape(-1)
        lower, losses = self.lower.reshape(-1), self.losses.reshape(-1)
        found: list[dict[str, float | int | None]] = []
        for height in range(int(heights.max()) + 1):
            here = heights == height
            known = losses[here][~np.isnan(losses[here])]
            open_ = lower[here][np.isfinite(lower[here])]
            least = float(known.min()) if len(known) else None
            bounds = [float(open_.min())] if len(open_) else []
            found.append(
                {
                    "levels": height,
                    "states": int(here.sum()),
                    "evaluated": len(known),
                    "least": least,
                    "bound": min([*bounds, *([] if least is None else [least])], default=None),
                }
            )
        return found


@dataclass(frozen=True, eq=False)
class Optimum:
    """The best state, the rows left out in it, and how far below any other could be."""

    state: State
    loss: float
    bound: float
    suppressed: int
    recoded: Recoded
    cut: Codes
    """The node of every value, column after column."""
    lattice: Lattice | None
    """Where all states were looked at, or bounded."""
    evaluated: int

    @property
    def proven(self) -> bool:
        return self.bound >= self.loss


def level_shape(problem: Problem) -> State:
    """How many levels each column has; a kept one has its values alone."""
    heights = [int(tree.heights[tree.root]) + 1 for tree in problem.forest.hierarchies]
    return (*heights[: problem.n_columns], *[1] * problem.kept)


class Levels:
    """The levels of every column of a problem, and what each loses."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.starts: list[Counts] = []
        nodes: list[Codes] = []
        self.costs: list[Floats] = []  # (levels, values)
        self.means: list[Floats] = []
        placed = 0
        cells = problem.n_rows * problem.n_columns
        forest, shape = problem.forest, level_shape(problem)
        for column, (tree, numbers) in enumerate(zip(forest.hierarchies, forest.numbers, strict=True)):
            leaf = np.empty(len(forest.parents), dtype=np.int32)
            leaf[numbers] = np.arange(tree.n_nodes)
            at = numbers[levels(tree)[: shape[column], leaf[problem.leaves[column]]]]
            nodes.append(at.reshape(-1))
            self.starts.append(placed + np.arange(len(at)) * at.shape[1])
            placed += at.size
            held = np.bincount(problem.codes[:, column], weights=problem.counts, minlength=at.shape[1])
            self.costs.append(forest.costs[at])
            self.means.append(self.costs[-1] @ held / cells)
        self.nodes = np.concatenate(nodes).astype(np.int32)
        self.shape = tuple(len(starts) for starts in self.starts)

    def starts_at(self, state: State) -> Counts:
        return np.array([starts[level] for starts, level in zip(self.starts, state, strict=True)])

    def cut(self, state: State) -> Codes:
        """The node of every value at a state, column after column."""
        sizes = [len(leaves) for leaves in self.problem.leaves]
        return np.concatenate(
            [
                self.nodes[start : start + size]
                for start, size in zip(self.starts_at(state), sizes, strict=True)
            ]
        )

    def outer(self, parts: list[Floats]) -> Floats:
        """The sum of one part per column, for every state."""
        found = np.zeros((1,) * len(parts))
        for axis, part in enumerate(parts):
            found = found + part.reshape([-1 if place == axis else 1 for place in range(len(parts))])
        return found


@dataclass(frozen=True, eq=False)
class _Classes:
    """The classes of a state: rows and a member of each, and the class of each of the finer classes."""

    rows: Counts
    members: Codes
    onto: Codes
    finer: _Classes | None

    @cached_property
    def of_all(self) -> Codes:
        """The class of each combination."""
        return self.onto if self.finer is None else self.onto[self.finer.of_all]


class _Search:
    """The search for the best state."""

    def __init__(self, problem: Problem, most_suppressed: int) -> None:
        self.problem = problem
        self.most_suppressed = most_suppressed
        self.levels = Levels(problem)
        self.by_levels = self.levels.outer(self.levels.means)
        self.lower = self.by_levels.copy()
        self.losses = np.full(self.lower.shape, np.nan)
        self.best: tuple[float, State] | None = None
        self.work = self.evaluated = 0
        sizes = [len(leaves) for leaves in problem.leaves]
        self.remembered = sorted(range(len(sizes)), key=lambda column: -sizes[column])[:REMEMBERED]
        self.kept: dict[State, _Classes] = {}
        everything = np.arange(len(problem.counts), dtype=np.int32)
        self.everything = _Classes(problem.counts, everything, everything, None)

    @property
    def least(self) -> float:
        return np.inf if self.best is None else self.best[0]

    def classes(self, state: State) -> _Classes:
        """The classes of a state, from those of one below it."""
        below = self._below(state)
        if below == state:
            finer = self.everything
        else:
            if below not in self.kept:
                self.kept[below] = self.classes(below)
            finer = self.kept[below]
        self.work += len(finer.rows)
        starts = self.levels.starts_at(state)
        onto, rows, members = merged(self.problem, finer.members, finer.rows, starts, self.levels.nodes)
        return _Classes(rows, members, onto, finer)

    def _below(self, state: State) -> State:
        """The state from whose classes those of a state are merged: the remembered columns, one by one."""
        first = tuple(level if column in self.remembered else 0 for column, level in enumerate(state))
        if first != state:
            return first
        last = next((column for column in reversed(self.remembered) if state[column]), 0)
        return (*state[:last], 0, *state[last + 1 :])

    def evaluate(self, state: State) -> None:
        """The loss of a state, and what it says about the states below it."""
        self.evaluated += 1
        classes = self.classes(state)
        rows, members = classes.rows, classes.members
        failing, surely = self._failing(classes)
        below = tuple(slice(0, level + 1) for level in state)
        if int(rows[surely].sum()) > self.most_suppressed:
            self.lower[below] = np.inf
            return
        raised = self.by_levels[below] + self._more(members[surely], rows[surely], state)
        np.maximum(self.lower[below], raised, out=self.lower[below])
        loss = float(
            self.by_levels[state] + self._more(members[failing], rows[failing], state)[(-1,) * len(state)]
        )
        if int(rows[failing].sum()) <= self.most_suppressed:
            self.losses[state] = loss
            if loss < self.least:
                self.best = loss, state
        self.lower[state] = np.inf

    def _more(self, members: Codes, rows: Counts, state: State) -> Floats:
        """What leaving out some classes costs beyond the levels, at every state below."""
        cells = self.problem.n_rows * self.problem.n_columns
        parts = []
        for column, (costs, level) in enumerate(zip(self.levels.costs, state, strict=True)):
            values = self.problem.codes[members, column]
            held = np.bincount(values, weights=rows, minlength=costs.shape[1])
            lost = (int(rows.sum()) - costs[: level + 1] @ held) / cells
            parts.append(lost if column < self.problem.n_columns else np.zeros(1))
        return self.levels.outer(parts)

    def next_state(self) -> State | None:
        """A state with a bound below the best loss, as high up as can be climbed; None where none is left."""
        state = tuple(int(level) for level in np.unravel_index(int(self.lower.argmin()), self.lower.shape))
        if not self.lower[state] < self.least:
            return None
        while True:
            above = [
                higher
                for column, level in enumerate(state)
                if level + 1 < self.lower.shape[column]
                and self.lower[higher := (*state[:column], level + 1, *state[column + 1 :])] < self.least
            ]
            if not above:
                return state
            state = min(above, key=lambda higher: float(self.by_levels[higher]))

    def recoded(self, state: State) -> Recoded:
        classes = self.classes(state)
        starts = self.levels.starts_at(state)
        nodes = self.levels.nodes[starts + self.problem.codes[classes.members]]
        return Recoded(classes.of_all, nodes, self._failing(classes)[0])

    def _failing(self, classes: _Classes) -> tuple[Bools, Bools]:
        promise = self.problem.promise
        class_of = classes.onto if promise.of_rows_alone else classes.of_all
        return promise.failing(class_of, classes.rows)


def optimum(problem: Problem, *, most_suppressed: int = 0, most_work: int = MOST_WORK) -> Optimum | None:
    """The state with the least loss that leaves out at most so many rows; None where there is none."""
    search = _Search(problem, most_suppressed)
    while (state := search.next_state()) is not None and (search.work < most_work or search.best is None):
        if problem.promise.flag is not None and problem.promise.flag[0]:
            raise Cancelled()
        search.evaluate(state)
    if search.best is None:
        return None
    loss, best = search.best
    recoded = search.recoded(best)
    out = recoded.left_out[recoded.class_of]
    return Optimum(
        state=best,
        loss=loss,
        bound=min(loss, float(search.lower.min())),
        suppressed=int(problem.counts[out].sum()),
        recoded=recoded,
        cut=search.levels.cut(best),
        lattice=Lattice(search.lower, search.losses),
        evaluated=search.evaluated,
    )


def levels(tree: Hierarchy) -> Codes:
    """Shape (levels, leaves): the node of each leaf at each level, cuts that lie one above the other.

    The node of a leaf at level h is its highest ancestor from which no way down is longer than h. In a tree
    whose leaves are all equally deep this is the ancestor h steps up; in any tree the nodes of a level cover
    every leaf once, level 0 has the leaves, and the last level the root alone.

    >>> from tacit.data.hierarchy import from_parents
    >>> tree = from_parents({"flu": "lung", "asthma": "lung", "lung": "*", "ulcer": "*"})
    >>> [[tree.labels[node] for node in level] for level in levels(tree)]
    [['flu', 'asthma', 'ulcer'], ['lung', 'lung', 'ulcer'], ['*', '*', '*']]
    """
    found = [np.arange(tree.n_leaves, dtype=np.int32)]
    for level in range(1, int(tree.heights[tree.root]) + 1):
        nodes = found[-1].copy()
        while True:
            above = tree.parents[nodes]
            higher = (above >= 0) & (tree.heights[above] <= level)
            if not higher.any():
                break
            nodes[higher] = above[higher]
        found.append(nodes)
    return np.stack(found)
