"""A generalization hierarchy: a tree over the values of one attribute, or over items.

Nodes are numbered so that arrays do the work: the leaves come first, in depth-first order, then
the inner nodes, children before parents, the root last. Every node therefore covers a range of
consecutive leaves, and a pass over the nodes in order sees children before their parents.
Depth may be uneven, and a node may have a single child. Of the hierarchy of some transactions only their
items matter, and where paths meet: the :class:`ItemTree`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from tacit.arrays.groups import read_only
from tacit.errors import InputError, Place, UsageError, listed, option, shorten
from tacit.typing import Codes, Counts, Floats

if TYPE_CHECKING:
    from tacit.data.transactions import Transactions

NULL_LABEL = "NaN"
"""The leaf that stands for a missing value, as Amnesia writes it."""


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
    ranges: bool = False
    """Whether leaves are ranges that wait for values; see :func:`tacit.io.hierarchies.fill_ranges`."""

    def __repr__(self) -> str:
        return f"<Hierarchy: {self.name or 'no name'}, {self.n_leaves:,} leaves, {self.n_nodes:,} nodes>"

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
        leaves = range(self.n_leaves)
        ranges = np.array([self._gather_up(leaves, min), self._gather_up(leaves, max)], dtype=np.int32)
        ranges[1] += 1
        return read_only(ranges.T)

    @cached_property
    def leaf_counts(self) -> Codes:
        """How many leaves each node covers."""
        return read_only(self.leaf_ranges[:, 1] - self.leaf_ranges[:, 0])

    @cached_property
    def heights(self) -> Codes:
        """The longest way from each node down to a leaf; 0 for leaves."""
        heights = [0] * self.n_nodes
        for node, parent in enumerate(self.parents[:-1].tolist()):  # children come before parents
            if heights[node] >= heights[parent]:
                heights[parent] = heights[node] + 1
        return read_only(np.array(heights, dtype=np.int32))

    @cached_property
    def depths(self) -> Codes:
        """The number of steps from each node up to the root; 0 for the root."""
        depths = [0] * self.n_nodes
        parents = self.parents.tolist()
        for node in range(self.n_nodes - 2, -1, -1):
            depths[node] = depths[parents[node]] + 1
        return read_only(np.array(depths, dtype=np.int32))

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The children of each node, from left to right."""
        found: list[list[int]] = [[] for _ in range(self.n_nodes)]
        parents = self.parents.tolist()
        # Taken by their first leaf; a node and its only child share it but never their parent.
        for node in np.argsort(self.leaf_ranges[:-1, 0], kind="stable").tolist():
            found[parents[node]].append(node)
        return tuple(map(tuple, found))

    @cached_property
    def intervals(self) -> Floats | None:
        """Shape (nodes, 2): the smallest and largest leaf value under each node, for a numeric hierarchy.

        None where a leaf is not a finite number.
        """
        try:
            leaves = [float(label) for label in self.labels[: self.n_leaves]]
        except ValueError:
            return None
        if not np.isfinite(leaves).all():
            return None
        return read_only(np.array([self._gather_up(leaves, min), self._gather_up(leaves, max)]).T)

    def ancestors(self, node: int) -> list[int]:
        """The proper ancestors of a node, from its parent up to the root."""
        found = []
        while (node := int(self.parents[node])) >= 0:
            found.append(node)
        return found

    def leaves_of(self, values: Sequence[str | None], *, where: Place | None = None) -> Codes:
        """The leaf of each value; a value without one is an error that names the first twenty.

        A null (None) is looked up as the label ``NULL_LABEL``.
        """
        index, n_leaves = self.index, self.n_leaves
        labels = [NULL_LABEL if value is None else value for value in values]
        found = np.array([index.get(label, -1) for label in labels], dtype=np.int32)
        missing = [labels[position] for position in np.flatnonzero((found < 0) | (found >= n_leaves))]
        if missing:
            inner = next((label for label in missing if label in index), None)
            raise InputError(
                f"{len(missing)} of the values {'has' if len(missing) == 1 else 'have'} no leaf"
                " in the hierarchy"
                f"{f' of {self.name!r}' if self.name else ''}: {listed(missing)}.",
                code="hierarchy-missing-leaf",
                where=where,
                hint=f"Add them to the hierarchy file, or build one {option('hierarchy build')}."
                if inner is None
                else f"{shorten(inner)!r} is an inner node there, and data hold leaves only.",
            )
        return found

    def restricted(self, values: Iterable[str | None]) -> Hierarchy:
        """The hierarchy of these leaves alone: unused leaves and inner nodes left without any are gone."""
        keep = np.zeros(self.n_nodes, dtype=bool)
        keep[self.leaves_of(list(values))] = True
        keep = np.array(self._gather_up(keep[: self.n_leaves].tolist(), max), dtype=bool)
        keep[self.root] = True
        # Dropping nodes keeps the order of the others, so the numbering stays a right one.
        numbers = np.cumsum(keep, dtype=np.int32) - 1
        parents = numbers[self.parents[keep]]
        parents[-1] = -1
        labels = tuple(self.labels[node] for node in np.flatnonzero(keep))
        return replace(self, labels=labels, parents=read_only(parents))

    def _gather_up(self, leaves: Sequence[float], best: Callable[[float, float], float]) -> list[float]:
        """The best of the leaves under each node, given the leaves' own; one pass, however deep the tree."""
        found: list[float | None] = [*leaves, *[None] * (self.n_nodes - self.n_leaves)]
        for node, parent in enumerate(self.parents[:-1].tolist()):  # children come before parents
            mine, so_far = found[node], found[parent]
            found[parent] = mine if so_far is None or mine is None else best(so_far, mine)
        return [value for value in found if value is not None]


def from_parents(
    parents: Mapping[str, str],
    *,
    name: str | None = None,
    root: str | None = None,
    file: str | None = None,
    lines: Mapping[str, int] | None = None,
) -> Hierarchy:
    """The hierarchy in which each key's parent is its value.

    Siblings keep the order in which they are first named. A label is one node: a cycle or a
    second root is an error. ``root`` is needed only for a tree of one node. ``file`` and ``lines``
    (the line that gives each key its parent) tell an error its place.
    """

    def place(label: str) -> Place:
        return Place(file=name if file is None else file, line=(lines or {}).get(label), value=label)

    children: dict[str, list[str]] = {}
    for child, parent in parents.items():
        if child == parent:
            raise InputError(
                f"{shorten(child)!r} is its own parent.",
                code="hierarchy-self-loop",
                where=place(child),
                hint="Give it another parent, or leave it out as a child if it is the root.",
            )
        children.setdefault(parent, []).append(child)
    top = _only_root(parents, children, root, place)
    # Children are pushed from left to right, so the rightmost is met first; reversed, it is post-order.
    order, stack = [], [top]
    while stack:
        label = stack.pop()
        order.append(label)
        stack.extend(children.get(label, ()))
    order.reverse()
    if len(order) != len(parents) + 1:
        _refuse_cycle(parents, set(order), place)
    leaves = [label for label in order if label not in children]
    inner = [label for label in order if label in children]
    labels = tuple(leaves + inner)
    number = {label: node for node, label in enumerate(labels)}
    above = [number[parents[label]] for label in labels[:-1]]
    return Hierarchy(labels, read_only(np.array([*above, -1], dtype=np.int32)), name)


def _only_root(
    parents: Mapping[str, str],
    children: Mapping[str, list[str]],
    root: str | None,
    place: Callable[[str], Place],
) -> str:
    if not parents:
        if root is not None:
            return root
        raise InputError(
            "The hierarchy has no nodes.",
            code="hierarchy-empty",
            where=Place(file=place("").file),
            hint="Give at least one value and its parent.",
        )
    roots = [label for label in children if label not in parents]
    if not roots:
        _refuse_cycle(parents, set(), place)
    if len(roots) > 1:
        second = children[roots[1]][0]
        raise InputError(
            f"The hierarchy has {len(roots)} roots: {listed(roots)}.",
            code="hierarchy-roots",
            where=replace(place(second), value=roots[1]),
            hint="Give them a common parent, for example '*'.",
        )
    return roots[0]


def _refuse_cycle(parents: Mapping[str, str], reached: set[str], place: Callable[[str], Place]) -> NoReturn:
    label = next(label for label in parents if label not in reached)
    seen: dict[str, None] = {}
    while label not in seen:
        seen[label] = None
        label = parents[label]
    way = list(seen)
    cycle = way[way.index(label) :]
    shown = " -> ".join(
        repr(shorten(node)) for node in [*cycle[:6], *(["…"] if len(cycle) > 6 else []), label]
    )
    raise InputError(
        f"The hierarchy has a cycle: {shown}.",
        code="hierarchy-cycle",
        where=place(label),
        hint="Every chain of parents must end at the one root.",
    )


@dataclass(frozen=True, eq=False)
class ItemTree:
    """Nodes 0 … n_items - 1 are the items along the leaves; inner nodes follow, children first, root last.

    Going up from an item, the sets that hold it grow only at nodes under which further items of the
    data lie. All other nodes are passed over: climbing to one would lose detail and win nothing. What
    is left has fewer inner nodes than items, however deep or sparsely used the hierarchy is. With a
    single item, that item is the root.
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
