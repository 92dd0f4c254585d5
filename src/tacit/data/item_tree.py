"""The part of a hierarchy that matters for some transactions: their items, and where paths meet.

Going up from an item, the sets that hold it grow only at nodes under which further items of the
data lie. All other nodes are passed over: climbing to one would lose detail and win nothing. What
is left has fewer inner nodes than items, however deep or sparsely used the hierarchy is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacit.data.hierarchy import Hierarchy
from tacit.data.transactions import Transactions
from tacit.errors import UsageError, option
from tacit.typing import Codes, Counts


@dataclass(frozen=True, eq=False)
class ItemTree:
    """Nodes 0 … n_items - 1 are the items along the leaves; inner nodes follow, children first, root last.

    With a single item, that item is the root.
    """

    hierarchy: Hierarchy
    places: Codes
    """The node of each item of the transactions' vocabulary."""
    nodes: Codes
    """The node of the hierarchy that each node stands for."""
    parents: Codes
    """The parent of each node; -1 for the root."""
    ranges: Codes
    """Shape (nodes, 2): node ``u`` covers the items ``[ranges[u, 0], ranges[u, 1])``."""
    sizes: Counts
    """What publishing one occurrence as each node costs: the leaves of the hierarchy below the node,
    and nothing where there is one."""
    occurrences: Counts
    """How many records hold each item, along the leaves."""

    @property
    def n_items(self) -> int:
        return len(self.places)

    @property
    def n_nodes(self) -> int:
        return len(self.nodes)

    @property
    def root(self) -> int:
        return len(self.nodes) - 1

    @cached_property
    def costs(self) -> Counts:
        """What publishing every occurrence below each node as that node costs.

        The NCP of a cut is the sum of the costs of its nodes, divided by :attr:`total`.
        """
        below = np.concatenate([[0], np.cumsum(self.occurrences)])
        costs: Counts = self.sizes * (below[self.ranges[:, 1]] - below[self.ranges[:, 0]])
        return costs

    @cached_property
    def total(self) -> int:
        """The cost of publishing the root of the hierarchy everywhere; at least 1."""
        return max(1, int(self.occurrences.sum()) * self.hierarchy.n_leaves)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The children of each node, in number order."""
        found: list[list[int]] = [[] for _ in range(self.n_nodes)]
        for node, parent in enumerate(self.parents.tolist()):
            if parent >= 0:
                found[parent].append(node)
        return tuple(map(tuple, found))

    @cached_property
    def steps(self) -> Counts:
        """What the step from its children up to each node costs; 0 for items."""
        steps = self.costs.copy()
        np.subtract.at(steps, self.parents[:-1], self.costs[:-1])
        return steps

    def path(self, node: int) -> list[int]:
        """The node and its ancestors, up to the root."""
        found = [node]
        while (node := int(self.parents[node])) >= 0:
            found.append(node)
        return found


def item_tree(transactions: Transactions) -> ItemTree:
    """The tree of the items of some transactions under their hierarchy."""
    hierarchy = transactions.hierarchy
    if hierarchy is None:
        raise UsageError(
            "Generalizing needs a hierarchy over the items, and these transactions have none.",
            code="hierarchy-needed",
            hint=f"Give {option('hierarchy')}, or build one {option('hierarchy build')}.",
        )
    leaves = hierarchy.leaves_of(transactions.vocabulary)
    order = np.argsort(leaves)
    places = np.empty(len(leaves), dtype=np.int32)
    places[order] = np.arange(len(leaves))
    nodes, parents = _meeting_points(hierarchy, leaves[order])
    ranges = np.searchsorted(leaves[order], hierarchy.leaf_ranges[nodes]).astype(np.int32)
    sizes = hierarchy.leaf_counts[nodes].astype(np.int64)
    return ItemTree(
        hierarchy=hierarchy,
        places=places,
        nodes=nodes,
        parents=parents,
        ranges=ranges,
        sizes=np.where(sizes > 1, sizes, 0),
        occurrences=transactions.supports[order].astype(np.int64),
    )


def _meeting_points(hierarchy: Hierarchy, leaves: Codes) -> tuple[Codes, Codes]:
    """The given leaves, ascending, and every node where the ways up from two of them meet; with parents."""
    parents = hierarchy.parents
    # How many of the children of a node lead to an item; a pass in number order sees children first.
    used = np.zeros(hierarchy.n_nodes, dtype=bool)
    used[leaves] = True
    branches = np.zeros(hierarchy.n_nodes, dtype=np.int32)
    for node in range(hierarchy.n_nodes - 1):
        if used[node]:
            branches[parents[node]] += 1
            used[parents[node]] = True
    nodes = np.concatenate([leaves, np.flatnonzero(branches > 1)]).astype(np.int32)
    number = np.full(hierarchy.n_nodes, -1, dtype=np.int32)
    number[nodes] = np.arange(len(nodes))
    # The nearest kept ancestor of each node, from the root downwards.
    above = np.full(hierarchy.n_nodes, -1, dtype=np.int32)
    for node in range(hierarchy.n_nodes - 2, -1, -1):
        parent = parents[node]
        above[node] = number[parent] if number[parent] >= 0 else above[parent]
    return nodes, above[nodes]
