"""A cut in the making: it is moved up and down, and its cost is kept."""

from __future__ import annotations

import numpy as np

from tacit.data.hierarchy import ItemTree
from tacit.methods.generalize_sets.solve.cut import Cut
from tacit.typing import Codes, Counts


class Draft:
    """A cut of the tree of the items; it begins at the items themselves."""

    def __init__(self, tree: ItemTree) -> None:
        self.tree = tree
        self.table: Codes = np.arange(tree.n_items, dtype=np.int32)
        """The node that stands for each item."""
        self.present = np.zeros(tree.n_nodes, dtype=np.bool_)
        """Which nodes are part of the cut."""
        self.present[: tree.n_items] = True
        self._below = np.zeros(tree.n_nodes, dtype=np.int64)  # the cost of the cut below each node
        self._below[: tree.n_items] = tree.costs[: tree.n_items]

    @classmethod
    def at(cls, tree: ItemTree, cut: Cut) -> Draft:
        """The draft at a cut of the hierarchy, or below it where the tree's items allow no other."""
        draft = cls(tree)
        ranges = tree.hierarchy.leaf_ranges
        above = ranges[cut.of_leaf[tree.nodes[tree.ranges[:, 0]]]]  # of the first leaf below each node
        own = ranges[tree.nodes]
        for node in range(tree.n_items, tree.n_nodes):
            if above[node, 0] <= own[node, 0] and own[node, 1] <= above[node, 1]:
                draft.climb(node)
        return draft

    @property
    def cost(self) -> int:
        """What publishing under this cut costs; divided by the tree's total it is the NCP."""
        return int(self._below[-1])

    @property
    def prices(self) -> Counts:
        """What the cut's cost would rise by if it climbed to each node; only for nodes at or above it."""
        return self.tree.costs - self._below

    def copy(self) -> Draft:
        """The same draft, to be changed by itself."""
        other = Draft.__new__(Draft)
        other.tree = self.tree
        other.table, other.present, other._below = self.table.copy(), self.present.copy(), self._below.copy()
        return other

    def climb(self, node: int) -> None:
        """Let one node stand for everything below it."""
        low, high = self.tree.ranges[node]
        self.present[self.table[low:high]] = False
        self.present[node] = True
        self.table[low:high] = node
        self._add(node, int(self.tree.costs[node] - self._below[node]))

    def split(self, node: int) -> None:
        """Let the children of one node of the cut stand in its place."""
        self.present[node] = False
        children = self.tree.children[node]
        for child in children:
            low, high = self.tree.ranges[child]
            self.table[low:high] = child
            self.present[child] = True
            self._below[child] = self.tree.costs[child]
        self._add(node, -int(self.tree.steps[node]))

    def runs_below(self, nodes: Codes) -> bool:
        """Whether the cut runs at or below every one of some nodes."""
        own = self.tree.ranges[nodes]
        cut = self.tree.ranges[self.table[own[:, 0]]]  # at the first item below each
        return bool(((own[:, 0] <= cut[:, 0]) & (cut[:, 1] <= own[:, 1])).all())

    def inner_nodes(self) -> list[int]:
        """The nodes of the cut that stand for several items, dearest first."""
        nodes = np.flatnonzero(self.present[self.tree.n_items :]) + self.tree.n_items
        dearest: list[int] = nodes[np.lexsort((nodes, -self.tree.costs[nodes]))].tolist()
        return dearest

    def cut(self) -> Cut:
        """The cut of the hierarchy; a leaf that no record holds stands for itself unless a node covers it."""
        hierarchy, tree = self.tree.hierarchy, self.tree
        of_leaf = np.arange(hierarchy.n_leaves, dtype=np.int32)
        for node in tree.nodes[self.present].tolist():
            low, high = hierarchy.leaf_ranges[node]
            of_leaf[low:high] = node
        return Cut(hierarchy, of_leaf)

    def _add(self, node: int, cost: int) -> None:
        for above in self.tree.path(node):
            self._below[above] += cost
