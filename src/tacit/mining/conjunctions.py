"""Every conjunction of items of a table that enough rows match, with its counts by sensitive value.

The table is aggregated once to distinct combinations; conjunctions are then grown depth first, one
attribute and one level at a time, each step a single pass over the combinations that still count.
A conjunction that too few rows match is not grown further, because no longer one can match more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tacit.engine.base import Combinations
from tacit.mining.attributes import Attribute
from tacit.mining.extension import extend
from tacit.typing import AnyArray, Codes


@dataclass(frozen=True, eq=False)
class Conjunctions:
    """Conjunctions over the same attributes at the same levels.

    ``nodes`` has one row per conjunction and one column per attribute of the table, -1 where the
    attribute takes no part; ``counts`` one column per sensitive value (of one row each).
    """

    nodes: Codes
    counts: AnyArray

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
) -> Iterator[Conjunctions]:
    """Every conjunction of 1 to ``max_length`` items that weighs at least ``min_count``.

    Yields them in blocks, one per choice of attributes and levels.
    """
    places = [combinations.place(attribute.name) for attribute in attributes]
    codes = [np.ascontiguousarray(combinations.codes[:, place]) for place in places]
    place = combinations.place(sensitive)
    classes = np.ascontiguousarray(combinations.codes[:, place])
    n_classes = len(combinations.texts[place])
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
                rows, groups, scaled, parents, nodes, counts = extend(
                    codes[number][state.rows],
                    state.groups,
                    state.weights,
                    classes[state.rows],
                    len(state.nodes),
                    attribute.n_nodes,
                    n_classes,
                    members,
                    min_count,
                )
                if not len(counts):
                    continue
                grown = state.nodes[parents]
                grown[:, number] = nodes
                yield Conjunctions(grown, counts)
                if state.length + 1 < limit and number + 1 < len(attributes):
                    stack.append(
                        _State(state.rows[rows], groups, scaled, grown, number + 1, state.length + 1)
                    )
