"""The hierarchies of several columns as one array of nodes, numbered so that a subtree is a range.

A node comes before everything below it (preorder), and the columns follow each other: node ``u`` covers
exactly the nodes ``u <= v < ends[u]``. The lowest common ancestor of two nodes of a column is found by
climbing from one until its range holds the other, and no table of pairs is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.data.hierarchy import Hierarchy
from tacit.typing import Codes, Counts, Floats

UNIT = 1 << 20
"""The cost of a root in whole numbers: solvers add and compare whole numbers, so their choices are exact."""


class Trees(NamedTuple):
    """What kernels are given of a forest: the parent and the end of each node, its cost in whole numbers."""

    parents: Codes
    ends: Codes
    units: Codes | Counts


@dataclass(frozen=True, eq=False)
class Forest:
    """One tree per column; ``costs[u]`` is the loss of a cell published as node ``u``, 0 to 1."""

    hierarchies: tuple[Hierarchy, ...]
    parents: Codes
    """The parent of each node; -1 for roots."""
    ends: Codes
    costs: Floats
    numbers: tuple[Codes, ...]
    """Per column, where each node of its hierarchy stands here."""

    @property
    def roots(self) -> Codes:
        return np.array(
            [numbers[tree.root] for numbers, tree in zip(self.numbers, self.hierarchies, strict=True)],
            dtype=np.int32,
        )

    @cached_property
    def units(self) -> Counts:
        """The costs as whole numbers."""
        return np.rint(self.costs * UNIT).astype(np.int64)

    @property
    def trees(self) -> Trees:
        return Trees(self.parents, self.ends, self.units)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The label of each node."""
        found = [""] * len(self.parents)
        for numbers, tree in zip(self.numbers, self.hierarchies, strict=True):
            for number, label in zip(numbers.tolist(), tree.labels, strict=True):
                found[number] = label
        return tuple(found)


def leaf_costs(tree: Hierarchy) -> Floats:
    """The loss of each node: the leaves under it beyond the first, of those of the whole hierarchy."""
    return np.asarray((tree.leaf_counts - 1) / max(1, tree.n_leaves - 1), dtype=np.float64)


def forest_of(hierarchies: Sequence[Hierarchy], costs: Sequence[Floats] | None = None) -> Forest:
    """The forest of these hierarchies; without ``costs`` a node costs the leaves under it."""
    costs = [leaf_costs(tree) for tree in hierarchies] if costs is None else costs
    parents, ends, spent, numbers = [], [], [], []
    start = 0
    for tree, own in zip(hierarchies, costs, strict=True):
        # By first leaf, the larger first; a node and its only child cover the same, and the child has
        # the smaller number.
        first, last = tree.leaf_ranges.T
        order = np.lexsort((-np.arange(tree.n_nodes), -last, first))
        place = np.empty(tree.n_nodes, dtype=np.int32)
        place[order] = np.arange(start, start + tree.n_nodes, dtype=np.int32)
        above = tree.parents[order]
        parents.append(np.where(above < 0, -1, place[above]))
        below = _subtree_sizes(tree)
        ends.append(place[order] + below[order])
        spent.append(own[order])
        numbers.append(place)
        start += tree.n_nodes
    return Forest(
        hierarchies=tuple(hierarchies),
        parents=np.concatenate(parents).astype(np.int32),
        ends=np.concatenate(ends).astype(np.int32),
        costs=np.concatenate(spent),
        numbers=tuple(numbers),
    )


def _subtree_sizes(tree: Hierarchy) -> Counts:
    sizes = [1] * tree.n_nodes
    for node, parent in enumerate(tree.parents[:-1].tolist()):  # children come before parents
        sizes[parent] += sizes[node]
    return np.array(sizes, dtype=np.int64)


@kernel
def common(one: int, other: int, parents: Codes, ends: Codes) -> int:
    """The lowest common ancestor of two nodes of one column."""
    while not one <= other < ends[one]:
        one = parents[one]
    return one
