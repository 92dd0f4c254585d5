"""The levels of a hierarchy: cuts that lie one above the other, whatever the shape of the tree.

The node of a leaf at level h is its highest ancestor from which no way down is longer than h. In a tree
whose leaves are all equally deep this is the ancestor h steps up; in any tree the nodes of a level cover
every leaf once, level 0 has the leaves, and the last level the root alone.
"""

from __future__ import annotations

import numpy as np

from tacit.data.hierarchy import Hierarchy
from tacit.typing import Codes


def levels(tree: Hierarchy) -> Codes:
    """Shape (levels, leaves): the node of each leaf at each level.

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
