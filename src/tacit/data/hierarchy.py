"""A generalization hierarchy: a tree over the values of one attribute, or over items.

Nodes are numbered so that arrays do the work: the leaves come first, in depth-first order, then
the inner nodes, children before parents, the root last. Every node therefore covers a range of
consecutive leaves, and a pass over the nodes in order sees children before their parents.
Depth may be uneven, and a node may have a single child.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacit.exceptions import InputError, Place
from tacit.typing import Codes, Floats


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """A tree given by its nodes' labels and parents; build one with :func:`from_parents`.

    >>> tree = from_parents({"flu": "lung", "asthma": "lung", "lung": "*", "ulcer": "*"})
    >>> tree.labels[tree.root], tree.n_leaves
    ('*', 3)
    >>> [tree.labels[node] for node in tree.ancestors(tree.index["flu"])]
    ['lung', '*']
    """

    labels: tuple[str, ...]
    parents: Codes
    """The parent of each node; -1 for the root."""
    name: str | None = None

    @property
    def n_nodes(self) -> int:
        return len(self.labels)

    @property
    def root(self) -> int:
        return self.n_nodes - 1

    @cached_property
    def n_leaves(self) -> int:
        inner = np.zeros(self.n_nodes, dtype=bool)
        inner[self.parents[:-1]] = True
        return int(self.n_nodes - inner.sum())

    @cached_property
    def index(self) -> Mapping[str, int]:
        """The node number of each label."""
        return {label: node for node, label in enumerate(self.labels)}

    @cached_property
    def leaf_ranges(self) -> Codes:
        """Shape (nodes, 2): node ``u`` covers the leaves ``[range[u, 0], range[u, 1])``."""
        ranges = np.empty((self.n_nodes, 2), dtype=np.int32)
        ranges[: self.n_leaves, 0] = np.arange(self.n_leaves)
        ranges[: self.n_leaves, 1] = np.arange(1, self.n_leaves + 1)
        ranges[self.n_leaves :, 0] = self.n_leaves
        ranges[self.n_leaves :, 1] = 0
        for node in range(self.n_nodes - 1):  # children come before parents
            parent = self.parents[node]
            ranges[parent, 0] = min(ranges[parent, 0], ranges[node, 0])
            ranges[parent, 1] = max(ranges[parent, 1], ranges[node, 1])
        return ranges

    @cached_property
    def leaf_counts(self) -> Codes:
        """How many leaves each node covers."""
        return self.leaf_ranges[:, 1] - self.leaf_ranges[:, 0]

    @cached_property
    def heights(self) -> Codes:
        """The longest way from each node down to a leaf; 0 for leaves."""
        heights = np.zeros(self.n_nodes, dtype=np.int32)
        for node in range(self.n_nodes - 1):
            parent = self.parents[node]
            heights[parent] = max(heights[parent], heights[node] + 1)
        return heights

    @cached_property
    def depths(self) -> Codes:
        """The number of steps from each node up to the root; 0 for the root."""
        depths = np.zeros(self.n_nodes, dtype=np.int32)
        for node in range(self.n_nodes - 2, -1, -1):
            depths[node] = depths[self.parents[node]] + 1
        return depths

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The children of each node, from left to right."""
        found: list[list[int]] = [[] for _ in range(self.n_nodes)]
        for node in range(self.n_nodes - 1):
            found[self.parents[node]].append(node)
        first = self.leaf_ranges[:, 0]
        return tuple(tuple(sorted(nodes, key=lambda node: int(first[node]))) for nodes in found)

    @cached_property
    def intervals(self) -> Floats | None:
        """Shape (nodes, 2): the smallest and largest leaf value under each node, for a numeric hierarchy.

        None where a leaf is not a finite number.
        """
        try:
            leaves = np.array([float(label) for label in self.labels[: self.n_leaves]])
        except ValueError:
            return None
        if not np.isfinite(leaves).all():
            return None
        low = np.full(self.n_nodes, np.inf)
        high = np.full(self.n_nodes, -np.inf)
        low[: self.n_leaves] = high[: self.n_leaves] = leaves
        for node in range(self.n_nodes - 1):
            parent = self.parents[node]
            low[parent] = min(low[parent], low[node])
            high[parent] = max(high[parent], high[node])
        return np.column_stack([low, high])

    def ancestors(self, node: int) -> list[int]:
        """The proper ancestors of a node, from its parent up to the root."""
        found = []
        while (node := int(self.parents[node])) >= 0:
            found.append(node)
        return found

    def is_ancestor(self, above: int, below: int) -> bool:
        """Whether ``above`` is ``below`` or one of its ancestors."""
        while below >= 0 and below != above:
            below = int(self.parents[below])
        return below == above

    def leaves_of(self, values: Sequence[str | None], *, where: Place | None = None) -> Codes:
        """The leaf of each value; a value without one is an error that names the first twenty.

        A null (None) is looked up as the label ``NULL_LABEL``.
        """
        index = self.index
        found = np.array([index.get(NULL_LABEL if value is None else value, -1) for value in values], dtype=np.int32)
        missing = [value for value, leaf in zip(values, found, strict=True) if leaf < 0 or leaf >= self.n_leaves]
        if missing:
            shown = ", ".join(repr(NULL_LABEL if value is None else value) for value in missing[:20])
            more = f" and {len(missing) - 20} more" if len(missing) > 20 else ""
            raise InputError(
                f"{len(missing)} of the values have no leaf in the hierarchy{f' of {self.name!r}' if self.name else ''}:"
                f" {shown}{more}.",
                code="hierarchy-missing-leaf",
                where=where,
                hint="Add them to the hierarchy file, or build one with 'tacit hierarchy build'.",
            )
        return found

    def restricted(self, values: Iterable[str | None]) -> Hierarchy:
        """The hierarchy of these leaves alone: unused leaves and inner nodes left without any are gone."""
        keep = {NULL_LABEL if value is None else value for value in values}
        parents: dict[str, str] = {}
        for label in keep:
            node = self.index[label]
            while (parent := int(self.parents[node])) >= 0:
                parents[self.labels[node]] = self.labels[parent]
                node = parent
        ordered = {label: parents[label] for label in self.labels if label in parents}
        return from_parents(ordered, name=self.name, root=self.labels[self.root])


NULL_LABEL = "NaN"
"""The leaf that stands for a missing value, as Amnesia writes it."""


def from_parents(parents: Mapping[str, str], *, name: str | None = None, root: str | None = None) -> Hierarchy:
    """The hierarchy in which each key's parent is its value.

    Siblings keep the order in which they are first named. A label is one node: a cycle or a
    second root is an error. ``root`` is needed only for a tree of one node.
    """
    children: dict[str, list[str]] = {}
    for child, parent in parents.items():
        children.setdefault(parent, []).append(child)
    roots = [label for label in dict.fromkeys(children) if label not in parents]
    if not parents and root is not None:
        roots = [root]
    if len(roots) > 1:
        shown = ", ".join(repr(label) for label in roots[:20])
        raise InputError(
            f"The hierarchy has {len(roots)} roots: {shown}.",
            code="hierarchy-roots",
            where=Place(file=name),
            hint="Give them a common parent.",
        )
    order = _depth_first(roots[0], children) if roots else []
    expected = len(parents) + 1
    if len(order) != expected:
        reached = {label for label, _ in order}
        stuck = next((label for label in parents if label not in reached), None)
        raise InputError(
            f"The hierarchy has a cycle: going up from {stuck!r} never ends.",
            code="hierarchy-cycle",
            where=Place(file=name, value=stuck),
            hint="Every chain of parents must end at the one root.",
        )
    leaves = [label for label, _ in order if label not in children]
    # Post-order puts children before parents and keeps the root last.
    inner = [label for label, _ in order if label in children]
    labels = tuple(leaves + inner)
    index = {label: node for node, label in enumerate(labels)}
    array = np.full(len(labels), -1, dtype=np.int32)
    for child, parent in parents.items():
        array[index[child]] = index[parent]
    array.flags.writeable = False
    return Hierarchy(labels, array, name)


def _depth_first(root: str, children: Mapping[str, list[str]]) -> list[tuple[str, int]]:
    """The labels below ``root`` in post-order with their depth; iterative, since chains may be very deep."""
    order: list[tuple[str, int]] = []
    stack: list[tuple[str, int, bool]] = [(root, 0, False)]
    while stack:
        label, depth, done = stack.pop()
        if done or label not in children:
            order.append((label, depth))
            continue
        stack.append((label, depth, True))
        stack.extend((child, depth + 1, False) for child in reversed(children[label]))
    return order
