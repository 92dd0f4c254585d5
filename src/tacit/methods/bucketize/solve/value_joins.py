"""Sensitive values joined along their hierarchies, one node after another.

Where a value cannot change hands (those who hold it are the only ones who may), joining it with a value
that others hold lets it. It helps nobody who may have fewer than ℓ values, and no value that is too frequent:
joined values are fewer and more frequent.

Which values are joined next follows from how often each value occurs in the whole table, and from
the hierarchy: the node that covers the fewest rows. What people's quasi-identifiers are has no part in it; it
only decides how many steps are taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from tacit.data.column import Column, frozen
from tacit.data.hierarchy import NULL_LABEL, Hierarchy
from tacit.data.table import Table

Joined = Mapping[str, Mapping[str, tuple[str | None, ...]]]
"""Per sensitive column and published label, every value of the hierarchy below it."""


@dataclass(frozen=True, eq=False)
class JoinedTable:
    """A table some of whose sensitive values are joined."""

    table: Table
    joined: Joined


def joined_tables(table: Table) -> Iterator[JoinedTable]:
    """The table with more and more values joined, as long as every joined column keeps two."""
    cuts = {
        name: _Cut(table.column(name), table.hierarchies[name])
        for name in table.roles.sensitive
        if name in table.hierarchies
    }
    while True:
        steps = {name: step for name, cut in cuts.items() if (step := cut.next_step()) is not None}
        if not steps:
            return
        name = min(steps, key=lambda one: (*steps[one], table.roles.sensitive.index(one)))
        cuts[name].join(steps[name][-1])
        changed = {name: cut for name, cut in cuts.items() if cut.joined}
        source = table.source.settled({name: cut.column() for name, cut in changed.items()})
        trees = {name: tree for name, tree in table.hierarchies.items() if name not in changed}
        yield JoinedTable(
            replace(table, source=source, hierarchies=trees),
            {name: cut.below() for name, cut in changed.items()},
        )


def with_joined(table: Table, joined: Joined) -> Table:
    """A table with the values joined that stand below a label, as a release has joined them."""
    columns = {}
    for name, labels in joined.items():
        label_of = {value: label for label, values in labels.items() for value in values}
        column = table.column(name)
        columns[name] = _relabelled(column, [label_of.get(text, text) for text in column.texts])
    return replace(table, source=table.source.settled(columns)) if columns else table


class _Cut:
    """A column's values under a cut of its hierarchy: values as they are, or joined under a node."""

    def __init__(self, column: Column, hierarchy: Hierarchy) -> None:
        self._column, self._whole = column, hierarchy
        self._tree = hierarchy.restricted(column.texts)
        self._leaf = self._tree.leaves_of(column.texts)
        self._node = np.arange(self._tree.n_leaves)  # per leaf, the node that stands for it
        held = np.bincount(self._leaf, weights=column.counts, minlength=self._tree.n_leaves)
        self._sums = np.concatenate([[0], np.cumsum(held)]).astype(np.int64)

    @property
    def joined(self) -> list[int]:
        """The nodes that stand for several values."""
        return sorted({int(node) for node in self._node if node >= self._tree.n_leaves})

    def next_step(self) -> tuple[int, int, int] | None:
        """(rows, leaves, node) of the node to join next; None where only one value would be left."""
        ranges, n_leaves = self._tree.leaf_ranges, self._tree.n_leaves
        found = []
        for node in range(n_leaves, self._tree.n_nodes):
            low, high = (int(end) for end in ranges[node])
            # One join at a time: a node whose values are two or more now, none of them joined further up.
            if high - low == n_leaves or len(set(self._node[low:high])) < 2:
                continue
            found.append((int(self._sums[high] - self._sums[low]), high - low, node))
        return min(found, default=None)

    def join(self, node: int) -> None:
        low, high = self._tree.leaf_ranges[node]
        self._node[low:high] = node

    def column(self) -> Column:
        """The column as it is published: a label in the place of each joined value."""
        labels = [
            text if self._node[leaf] == leaf else self._tree.labels[self._node[leaf]]
            for text, leaf in zip(self._column.texts, self._leaf, strict=True)
        ]
        return _relabelled(self._column, labels)

    def below(self) -> dict[str, tuple[str | None, ...]]:
        """Per label every value below it in the whole hierarchy, whether it occurs or not."""
        found: dict[str, tuple[str | None, ...]] = {}
        for node in self.joined:
            label = self._tree.labels[node]
            low, high = self._whole.leaf_ranges[self._whole.index[label]]
            leaves = self._whole.labels[low:high]
            found[label] = tuple(None if leaf == NULL_LABEL else leaf for leaf in leaves)
        return found


def _relabelled(column: Column, labels: Sequence[str | None]) -> Column:
    """The column with a label in the place of each value."""
    known = sorted({label for label in labels if label is not None}, key=str.encode)
    number: dict[str | None, int] = {label: code for code, label in enumerate(known)}
    number[None] = len(known)
    codes = np.array([number[label] for label in labels], dtype=np.int32)
    values: list[str | None] = [*known, None] if None in labels else [*known]
    return column.recoded(pl.Series(column.name, values, dtype=pl.String), frozen(codes))
