"""Parts of a large table that are clustered apart: combinations near each other, divided again and again."""

from __future__ import annotations

import numpy as np

from tacit.recoding.problem import Problem
from tacit.typing import AnyArray, Codes, Counts

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
