"""Classes by division of the whole table, where the values of a class must be spread as in the whole table.

Joining small classes suits promises that nearly every few rows keep. Closeness is another matter: what is
alike in its quasi-identifiers is seldom spread like everybody, so that one half of the tree's first division
breaks it and all rows stay together. Here a class may be divided in every column, the one that saves most
first, and stays undivided only in those that tell about the values.

How a class would be divided depends on quasi-identifiers alone. A column in which a division failed is
closed to everything inside, so that of the tests that looked at two rows of a final class apart at most one
for each column failed. Each has its share of ε.

A large table is divided in much the same way into parts that are clustered apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from tacit.errors import Cancelled
from tacit.recoding.problem import Fails, Problem, chances
from tacit.typing import AnyArray, Bools, Codes, Counts


@dataclass(frozen=True, eq=False)
class _Part:
    """Combinations that are together so far."""

    combinations: AnyArray
    problem: Problem
    closed: frozenset[int]

    def half(self, inside: Bools, closed: frozenset[int]) -> _Part:
        problem, chosen = self.problem, np.flatnonzero(inside)
        own = replace(
            problem,
            codes=np.ascontiguousarray(problem.codes[chosen]),
            counts=problem.counts[chosen],
            promise=problem.promise.of(chosen, len(inside)),
        )
        return _Part(self.combinations[chosen], own, closed)


def divided(problem: Problem, epsilon: float, fails: Fails) -> Codes | None:
    """The class of each combination; None where even the whole table breaks the promise."""
    everything = np.zeros(len(problem.counts), dtype=np.int32)
    if (problem.promise.slack(everything, 1) < 0).any():
        return None
    class_of, n_classes = everything, 0
    waiting = [_Part(np.arange(len(everything)), problem, frozenset())]
    while waiting:
        part = waiting.pop()
        if problem.promise.flag is not None and problem.promise.flag[0]:
            raise Cancelled()
        halves = _halves(part, epsilon / problem.n_columns, fails)
        waiting += halves
        if not halves:
            class_of[part.combinations] = n_classes
            n_classes += 1
    return class_of


def _halves(part: _Part, epsilon: float, fails: Fails) -> list[_Part]:
    """The first division whose test passes; none where all fail."""
    closed = set(part.closed)
    for _, column, below in sorted(_divisions(part), key=lambda division: division[:2]):
        slack = part.problem.promise.slack(below.astype(np.int32), 2)
        halves = part.combinations[below], part.combinations[~below]
        if fails(halves, float(chances(slack, epsilon).max())):
            closed.add(column)
        else:
            shut = frozenset(closed)
            return [part.half(below, shut), part.half(~below, shut)]
    return []


def _divisions(part: _Part) -> Iterator[tuple[int, int, Bools]]:
    """For each column still open its best division: what the cells lose more by it, and the first half."""
    problem = part.problem
    for column in range(problem.n_columns):
        nodes = problem.nodes[:, column]
        cut = None if column in part.closed else middle(problem, nodes, problem.counts)
        if cut is None:
            continue
        ways = [
            (cost, place, below)
            for place, below in enumerate((nodes <= cut, _commonest(problem, nodes)))
            if (cost := _cost(problem, nodes, below)) is not None
        ]
        if ways:
            cost, _, below = min(ways, key=lambda way: way[:2])
            yield cost, column, below


def _commonest(problem: Problem, nodes: Codes) -> Bools:
    """What is below the child of the common node that has the most rows."""
    children = np.flatnonzero(problem.forest.parents == above(problem, nodes))
    child = np.searchsorted(children, nodes, side="right")
    return np.asarray(child == np.bincount(child, weights=problem.counts).argmax())


def _cost(problem: Problem, nodes: Codes, below: Bools) -> int | None:
    """What the cells of a column lose in two halves, less what they lose together; None with too few rows."""
    units, cost = problem.forest.units, 0
    for side in (below, ~below):
        rows = int(problem.counts[side].sum())
        if rows < problem.promise.k:
            return None
        cost += int(units[above(problem, nodes[side])]) * rows
    return cost - int(units[above(problem, nodes)]) * problem.n_rows


LARGEST = 8_000
"""The most combinations of a block: clustering takes time by their square."""


def blocks(problem: Problem, largest: int = LARGEST) -> list[AnyArray]:
    """The combinations of each block.

    A block that is too large is divided in the column where the halves lose the least, between two values
    near the middle of its rows, and between subtrees rather than within one.
    """
    done: list[AnyArray] = []
    waiting = [np.arange(len(problem.counts))]
    while waiting:
        block = waiting.pop()
        below = None if len(block) <= largest else _halved(problem, block)
        if below is None:
            done.append(block)
        else:
            waiting += [block[~below], block[below]]
    return done


def _halved(problem: Problem, block: AnyArray) -> AnyArray | None:
    """The part of a block up to the best cut; None where no cut leaves k rows on both sides."""
    best, least = None, np.inf
    counts, cells = problem.counts[block], problem.nodes[block]
    for column in range(problem.n_columns):
        cut = middle(problem, cells[:, column], counts)
        if cut is None:
            continue
        below = cells[:, column] <= cut
        if min(counts[below].sum(), counts[~below].sum()) < problem.promise.k:
            continue
        cost = sum(
            float(problem.forest.costs[above(problem, cells[side, column])]) * float(counts[side].sum())
            for side in (below, ~below)
        ) - float(problem.forest.costs[above(problem, cells[:, column])]) * float(counts.sum())
        if cost < least:
            best, least = below, cost
    return best


def middle(problem: Problem, nodes: Codes, counts: Counts) -> int | None:
    """The last node of the lower half: between children of the common ancestor if that is not too uneven."""
    values, number = np.unique(nodes, return_inverse=True)
    if len(values) == 1:
        return None
    upto = np.cumsum(np.bincount(number, weights=counts))[:-1]
    uneven = np.abs(upto / counts.sum() - 0.5)
    top = above(problem, nodes)
    children = np.flatnonzero(problem.forest.parents == top)
    child = np.searchsorted(children, values, side="right")
    between = child[:-1] != child[1:]
    if between.any() and uneven[between].min() <= 0.3:
        uneven = np.where(between, uneven, np.inf)
    return int(values[int(uneven.argmin())])


def above(problem: Problem, nodes: Codes) -> int:
    """The lowest common ancestor of nodes of one column."""
    node, last = int(nodes.min()), int(nodes.max())
    while not last < problem.forest.ends[node]:
        node = int(problem.forest.parents[node])
    return node
