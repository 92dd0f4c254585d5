"""A cut of a hierarchy: one node above (or at) every leaf, none above another.

Publishing under a cut replaces every item by the cut's node above it, and a record stays a set:
items that share a node merge. This is global recoding: an item is replaced by the same node in
every record.

A cut as a tree of few nodes: what it takes to see where detail was kept and where it was given up.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacit.data.hierarchy import Hierarchy
from tacit.data.transactions import Transactions
from tacit.engine.base import HeldSets, Recoded
from tacit.engine.choice import engine_for
from tacit.errors import InputError
from tacit.typing import Codes

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
