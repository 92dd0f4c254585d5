"""Attributes as sets of items: the nodes a value belongs to, level by level.

An item is a node of an attribute's hierarchy, never its root; a conjunction takes at most one per
attribute. Level d holds the nodes at depth d below the root, so that in a tree of uneven depth
every node belongs to exactly one level and a value has at most one crisp item per level.

A node of a numeric hierarchy may be a fuzzy set: a value outside its interval still belongs to it
by a share that falls linearly to 0 over ``spread`` times the interval's width [1].

[1] T. Li, N. Li. Injector: Mining Background Knowledge for Data Anonymization. ICDE 2008, section IV-B.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.data.hierarchy import NULL_LABEL, Hierarchy
from tacit.data.table import Table
from tacit.errors import Place
from tacit.typing import AnyArray, Codes, Floats, Offsets

Members = tuple[Offsets, Codes, AnyArray]
"""In CSR form: the nodes of each value with the share by which it belongs to them."""


@dataclass(frozen=True, eq=False)
class Attribute:
    """A quasi-identifier with its hierarchy and, per level, the items of each of its values."""

    name: str
    hierarchy: Hierarchy
    leaves: Codes
    """The leaf of each value code."""
    levels: tuple[Members, ...]

    @property
    def n_nodes(self) -> int:
        return self.hierarchy.n_nodes

    def label(self, node: int) -> str:
        return self.hierarchy.labels[node]


def attributes_of(
    table: Table, names: Sequence[str], *, spread: float = 0.0, hierarchies: bool = True
) -> tuple[Attribute, ...]:
    """The named columns as attributes; a column without a hierarchy is flat."""
    return tuple(_attribute(table, name, spread=spread, hierarchies=hierarchies) for name in names)


def _attribute(table: Table, name: str, *, spread: float, hierarchies: bool) -> Attribute:
    texts = table.column(name).texts
    hierarchy = table.hierarchies.get(name) if hierarchies else None
    if hierarchy is None:
        hierarchy, leaves = _flat(texts), np.arange(len(texts), dtype=np.int32)
    else:
        leaves = hierarchy.leaves_of(texts, where=Place(file=table.origin, column=name))
    deepest = int(hierarchy.depths[leaves].max(initial=0))
    fuzzy = spread > 0 and hierarchy.intervals is not None
    levels = [
        _fuzzy_level(hierarchy, leaves, depth, spread) if fuzzy else _crisp_level(hierarchy, leaves, depth)
        for depth in range(1, deepest + 1)
    ]
    return Attribute(name, hierarchy, leaves, tuple(levels))


def alike(nodes: Codes, attributes: Sequence[Attribute]) -> Floats:
    """Of each conjunction, how many there could be of the same attributes.

    A rule about one of four hundred postal codes is chance far more often than one about a sex.
    """
    each = np.array([max(1, attribute.n_nodes - 1) for attribute in attributes], dtype=np.float64)
    return np.asarray(np.where(nodes >= 0, each, 1.0).prod(axis=1))


def _flat(texts: Sequence[str | None]) -> Hierarchy:
    """Every value a leaf right below the root."""
    labels = tuple(NULL_LABEL if text is None else text for text in texts)
    parents = np.full(len(labels) + 1, len(labels), dtype=np.int32)
    parents[-1] = -1
    return Hierarchy((*labels, "*"), parents)


def _crisp_level(hierarchy: Hierarchy, leaves: Codes, depth: int) -> Members:
    """The ancestor at this depth of each leaf that lies at least as deep."""
    nodes = leaves.copy()
    for _ in range(int(hierarchy.depths[leaves].max(initial=0)) - depth):
        deeper = hierarchy.depths[nodes] > depth
        nodes[deeper] = hierarchy.parents[nodes[deeper]]
    inside = hierarchy.depths[nodes] == depth
    offsets = np.concatenate([[0], np.cumsum(inside)]).astype(np.int64)
    return offsets, nodes[inside].astype(np.int32), np.ones(int(inside.sum()), dtype=np.int64)


def _fuzzy_level(hierarchy: Hierarchy, leaves: Codes, depth: int, spread: float) -> Members:
    """Every node at this depth that each leaf belongs to by more than 0."""
    intervals = hierarchy.intervals
    assert intervals is not None
    nodes = np.flatnonzero(hierarchy.depths == depth).astype(np.int32)
    low, high = intervals[nodes, 0], intervals[nodes, 1]
    values = intervals[leaves, 0]
    # Distance outside the interval, as a share of the width over which membership falls to 0.
    outside = np.maximum(low - values[:, None], values[:, None] - high).clip(min=0.0)
    fall = spread * (high - low)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(outside == 0, 1.0, np.where(fall > 0, 1.0 - outside / fall, 0.0)).clip(min=0.0)
    rows, places = np.nonzero(share)
    offsets = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(leaves)))]).astype(np.int64)
    return offsets, nodes[places], share[rows, places]
