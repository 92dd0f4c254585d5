"""A cut of a hierarchy: one node above (or at) every leaf, none above another.

Publishing under a cut replaces every item by the cut's node above it, and a record stays a set:
items that share a node merge. This is global recoding: an item is replaced by the same node in
every record.

A cut as a tree of few nodes: what it takes to see where detail was kept and where it was given up.

A draft is a cut in the making: it is moved up and down, and its cost is kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacit.data.hierarchy import Hierarchy, ItemTree
from tacit.data.transactions import Transactions
from tacit.engine.base import HeldSets, Recoded
from tacit.engine.choice import engine_for
from tacit.errors import InputError
from tacit.typing import Codes, Counts

SAME = "Use the hierarchy that the cut was made with."


@dataclass(frozen=True, eq=False)
class Cut:
    """``of_leaf[i]`` is the node that stands for leaf ``i`` of the hierarchy.

    >>> from tacit.data.hierarchy import from_parents
    >>> tree = from_parents({"a1": "A", "a2": "A", "b1": "B", "b2": "B", "A": "ALL", "B": "ALL"})
    >>> Cut.of_labels(tree, ["A", "b1", "b2"]).mapping
    {'a1': 'A', 'a2': 'A', 'b1': 'b1', 'b2': 'b2'}
    """

    hierarchy: Hierarchy
    of_leaf: Codes

    @classmethod
    def of_labels(cls, hierarchy: Hierarchy, labels: list[str]) -> Cut:
        """The cut made of the nodes with these labels; an error where they are none."""
        of_leaf = np.full(hierarchy.n_leaves, -1, dtype=np.int32)
        for label in labels:
            node = hierarchy.index.get(label)
            low, high = (0, 0) if node is None else hierarchy.leaf_ranges[node]
            if node is None or (of_leaf[low:high] >= 0).any():
                what = "is not in the hierarchy" if node is None else "lies above or below another node"
                raise InputError(
                    f"These labels are not a cut: {label!r} {what}.", code="not-a-cut", hint=SAME
                )
            of_leaf[low:high] = node
        if (of_leaf < 0).any():
            leaf = hierarchy.labels[int(np.argmax(of_leaf < 0))]
            raise InputError(
                f"These labels are not a cut: no node stands for {leaf!r}.", code="not-a-cut", hint=SAME
            )
        return cls(hierarchy, of_leaf)

    @property
    def nodes(self) -> Codes:
        """The nodes of the cut, ascending."""
        return np.unique(self.of_leaf)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the cut's nodes, along the leaves."""
        return tuple(self.hierarchy.labels[node] for node in dict.fromkeys(self.of_leaf.tolist()))

    @cached_property
    def mapping(self) -> dict[str, str]:
        """What each leaf is published as, along the leaves."""
        labels = self.hierarchy.labels
        return {labels[leaf]: labels[node] for leaf, node in enumerate(self.of_leaf.tolist())}

    def carried_out(self, transactions: Transactions, left_out: HeldSets) -> Recoded:
        """The records with every item replaced by its node of the cut, without those left out."""
        names = [self.mapping[item] for item in transactions.vocabulary]
        return engine_for(transactions).recoded(transactions, names, left_out)

    @property
    def is_root(self) -> bool:
        """Whether every leaf is published as the root: no detail is left."""
        return bool((self.of_leaf == self.hierarchy.root).all())

    def ncp(self, transactions: Transactions) -> float:
        """The normalized certainty penalty of publishing these transactions under the cut, from 0 to 1.

        An occurrence of an item costs nothing where the item's node has one leaf below it, else the
        share of all leaves of the hierarchy that lie below the node [1, Section 3.3].

        [1] M. Terrovitis, N. Mamoulis, P. Kalnis. Privacy-preserving Anonymization of Set-valued
            Data. VLDB 2008.
        """
        nodes = self.of_leaf[self.hierarchy.leaves_of(transactions.vocabulary)]
        sizes = self.hierarchy.leaf_counts[nodes].astype(np.int64)
        lost = int((np.where(sizes > 1, sizes, 0) * transactions.supports).sum())
        return lost / (self.hierarchy.n_leaves * max(1, int(transactions.supports.sum())))


MOST_NODES = 300


@dataclass(frozen=True, slots=True)
class CutNode:
    """A node of the hierarchy that is not a leaf, at or above the cut."""

    node: str
    parent: str | None
    items: int
    """Leaves below it."""
    published_as: int
    """Nodes of the cut that stand for them: 1 where the node itself is in the cut."""
    in_cut: bool


def cut_tree(cut: Cut) -> tuple[CutNode, ...]:
    """The nodes above the leaves and not below the cut, parents first: the levels that MOST_NODES allow."""
    hierarchy = cut.hierarchy
    chosen = set(cut.nodes.tolist())
    listed: list[int] = []
    level = [hierarchy.root]
    while level and len(listed) + len(level) <= MOST_NODES:
        listed += level
        level = [
            child
            for node in level
            if node not in chosen
            for child in hierarchy.children[node]
            if hierarchy.leaf_counts[child] > 1 or hierarchy.children[child]
        ]
    return tuple(_node(cut, node, node in chosen) for node in listed)


def _node(cut: Cut, node: int, in_cut: bool) -> CutNode:
    hierarchy = cut.hierarchy
    low, high = hierarchy.leaf_ranges[node]
    above = hierarchy.ancestors(node)
    return CutNode(
        node=hierarchy.labels[node],
        parent=hierarchy.labels[above[0]] if above else None,
        items=int(hierarchy.leaf_counts[node]),
        published_as=len(np.unique(cut.of_leaf[low:high])),
        in_cut=in_cut,
    )


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
