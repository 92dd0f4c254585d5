"""Every conjunction of items of a table that enough rows match, with its counts by sensitive value.

The table is aggregated once to distinct combinations; conjunctions are then grown depth first, one
attribute and one level at a time, each step a single pass over the combinations that still count.
A conjunction that too few rows match is not grown further, because no longer one can match more.

A step splits groups of weighted rows by one more column, which gives each row its members (one code, or
several with shares for fuzzy sets, or none). It pairs every group with every code, adds the rows' weights up
per pair and per class, drops the pairs that weigh too little, and numbers the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays.groups import numbered, places_of_rows
from tacit.data.hierarchy import NULL_LABEL, Hierarchy
from tacit.data.table import Table
from tacit.engine.base import Combinations
from tacit.errors import Place
from tacit.typing import AnyArray, Bools, Codes, Counts, Floats, Offsets


@dataclass(frozen=True, eq=False)
class Conjunctions:
    """Conjunctions over the same attributes at the same levels.

    ``nodes`` has one row per conjunction and one column per attribute of the table, -1 where the
    attribute takes no part. ``matching`` are the rows that match it, ``counts`` those of them with each of
    the sensitive ``values``: of all that were asked about.
    """

    nodes: Codes
    matching: AnyArray
    values: Counts
    counts: AnyArray  # (conjunctions, values)

    def __len__(self) -> int:
        return len(self.nodes)


@dataclass(frozen=True, eq=False)
class _State:
    """Rows of the aggregated table that match some conjunction, and which one."""

    rows: AnyArray
    groups: Codes
    weights: AnyArray
    nodes: Codes  # (groups, attributes)
    next_attribute: int
    length: int


def conjunctions(
    combinations: Combinations,
    attributes: Sequence[Attribute],
    sensitive: str,
    *,
    min_count: float,
    max_length: int | None = None,
    needed: AnyArray | None = None,
) -> Iterator[Conjunctions]:
    """Every conjunction of 1 to ``max_length`` items that weighs at least ``min_count``.

    Yields them in blocks, one per choice of attributes and levels. Values may be thousands that few rows
    hold: a block counts only those of which it has a conjunction that weighs as much as is ``needed``.
    """
    places = [combinations.place(attribute.name) for attribute in attributes]
    codes = [np.ascontiguousarray(combinations.codes[:, place]) for place in places]
    place = combinations.place(sensitive)
    classes = np.ascontiguousarray(combinations.codes[:, place])
    needed = np.zeros(len(combinations.texts[place])) if needed is None else needed
    limit = len(attributes) if max_length is None else min(max_length, len(attributes))
    fuzzy = any(shares.dtype == np.float64 for attribute in attributes for _, _, shares in attribute.levels)
    weighted = fuzzy or combinations.counts.dtype == np.float64  # expected counts of a release
    weights = combinations.counts.astype(np.float64 if weighted else np.int64)

    stack = [
        _State(
            rows=np.arange(len(combinations)),
            groups=np.zeros(len(combinations), dtype=np.int32),
            weights=weights,
            nodes=np.full((1, len(attributes)), -1, dtype=np.int32),
            next_attribute=0,
            length=0,
        )
    ]
    while stack:
        state = stack.pop()
        for number in range(state.next_attribute, len(attributes)):
            attribute = attributes[number]
            for members in attribute.levels:
                rows, groups, scaled, parents, nodes, matching = extend(
                    codes[number][state.rows],
                    state.groups,
                    state.weights,
                    len(state.nodes),
                    attribute.n_nodes,
                    members,
                    min_count,
                )
                if not len(matching):
                    continue
                grown = state.nodes[parents]
                grown[:, number] = nodes
                asked = np.flatnonzero(needed <= matching.max())
                held = classes[state.rows[rows]]
                counts = _tally(groups, held, scaled, len(matching), asked, len(needed))
                yield Conjunctions(grown, matching, asked, counts)
                if state.length + 1 < limit and number + 1 < len(attributes):
                    stack.append(
                        _State(state.rows[rows], groups, scaled, grown, number + 1, state.length + 1)
                    )


def _members(
    codes: Codes, groups: Codes, weights: AnyArray, offsets: Offsets, nodes: Codes, shares: AnyArray
) -> tuple[Counts, Counts, Codes, AnyArray]:
    """Each row once per member of its code: (row, group, node, weight)."""
    ends, places = places_of_rows(offsets, codes)
    rows = np.repeat(np.arange(len(codes)), np.diff(ends))
    scaled = (weights[rows] * shares[places]).astype(weights.dtype, copy=False)
    return rows, groups[rows].astype(np.int64), nodes[places], scaled


def _tally(
    numbers: Codes, classes: Codes, weights: AnyArray, n_pairs: int, asked: Counts, n_classes: int
) -> AnyArray:
    """The weights of each pair by class, of the classes that are asked about."""
    if len(asked) < n_classes:
        column = np.full(n_classes, -1, dtype=np.int32)
        column[asked] = np.arange(len(asked), dtype=np.int32)
        there = np.flatnonzero(column[classes] >= 0)
        numbers, classes, weights = numbers[there], column[classes[there]], weights[there]
    cells = numbers.astype(np.int64) * len(asked) + classes
    table = np.bincount(cells, weights, minlength=n_pairs * len(asked))
    return table.astype(weights.dtype, copy=False).reshape(n_pairs, len(asked))


def extend(
    codes: Codes,
    groups: Codes,
    weights: AnyArray,
    n_groups: int,
    n_nodes: int,
    members: tuple[Offsets, Codes, AnyArray],
    least: float,
) -> tuple[Counts, Codes, AnyArray, Counts, Codes, AnyArray]:
    """Split the groups by a further column; keep the pairs that weigh at least ``least``.

    ``codes``, ``groups`` and ``weights`` are per row; ``members`` lists, in CSR form, the nodes of each code
    with the share of membership. Returns, for the rows kept, (row, new group, weight), and for the new
    groups, (old group, node, weight).
    """
    rows, pairs, nodes, scaled = _members(codes, groups, weights, *members)
    numbers, distinct = numbered(pairs * n_nodes + nodes, n_groups * n_nodes)
    # Most of many pairs weigh too little, and a table of them all by class might not fit in memory.
    totals = np.bincount(numbers, scaled, minlength=len(distinct))
    heavy = totals >= least
    rows, numbers, scaled, distinct = _only(heavy, rows, numbers, scaled, distinct)
    matching = totals[heavy].astype(weights.dtype, copy=False)
    return rows, numbers, scaled, distinct // n_nodes, (distinct % n_nodes).astype(np.int32), matching


def _only(
    heavy: Bools, rows: Counts, numbers: Codes, scaled: AnyArray, distinct: Counts
) -> tuple[Counts, Codes, AnyArray, Counts]:
    """The rows of the heavy pairs, which are numbered anew, and those pairs."""
    if heavy.all():
        return rows, numbers, scaled, distinct
    keep = heavy[numbers]
    renumbered = (np.cumsum(heavy) - 1).astype(np.int32)
    return rows[keep], renumbered[numbers[keep]], scaled[keep], distinct[heavy]


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


def conditions(attributes: Sequence[Attribute], nodes: Codes) -> tuple[tuple[str, str], ...]:
    """A conjunction of nodes in words: the attributes that take part, each with its label."""
    both = zip(attributes, nodes.tolist(), strict=True)
    return tuple((attribute.name, attribute.label(node)) for attribute, node in both if node >= 0)


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
