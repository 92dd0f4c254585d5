"""A cut as a tree of few nodes: what it takes to see where detail was kept and where it was given up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.methods.generalize_sets.solve.cut import Cut

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
    """The nodes above the leaves and not below the cut, each after its parent.

    Where there are more than ``MOST_NODES``, only the levels that fit are listed, from the root down.
    """
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
