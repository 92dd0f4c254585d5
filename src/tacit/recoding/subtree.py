"""One node per value, the same for all rows: a cut of each hierarchy, refined as long as the promise is kept.

A node of a cut is replaced by its children if that loses less, all rows left out counted, and the promise
is kept. The nodes that would save the most are tried first. What a node cannot be replaced by is not tried
again: refining other nodes only makes classes smaller.
"""

from __future__ import annotations

import heapq

import numpy as np

from tacit.errors import Cancelled
from tacit.recoding.merging import merged
from tacit.recoding.problem import Problem, Recoded
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
        if cuts.problem.promise.flag is not None and cuts.problem.promise.flag[0]:
            raise Cancelled()
        finer = cuts.replaced(nodes, node)
        found = cuts.loss(finer)
        if found < loss or (found == loss and np.isfinite(found)):
            loss, nodes = found, finer
            offer(cuts.below(node))
    return loss, nodes
