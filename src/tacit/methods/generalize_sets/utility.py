"""What detail generalized sets keep."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tacit.data.hierarchy import Hierarchy
from tacit.data.transactions import Transactions, from_rows
from tacit.notebook import InNotebook


@dataclass(frozen=True, slots=True)
class Level:
    """How much is published so many steps above where it was."""

    steps: int
    items: int
    """Items of the data."""
    occurrences: int
    """Their occurrences in the records."""


@dataclass(frozen=True, slots=True)
class SetUtility(InNotebook):
    """What was lost and kept when items were replaced by nodes of the hierarchy."""

    ncp: float
    """The normalized certainty penalty, 0 for no loss to 1 for the root everywhere."""
    items: int
    published_items: int
    """Different items in the original, and different nodes in the published records."""
    average_length: float
    published_average_length: float
    """Items per record: those that share a node have merged."""
    levels: tuple[Level, ...]
    """By the steps from the item up to its node; 0 steps are items published as they are."""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"levels": [asdict(level) for level in self.levels]}


def measure_sets(
    original: Transactions, mapping: Mapping[str, str], hierarchy: Hierarchy, *, merged: int | None = None
) -> SetUtility:
    """The utility of publishing the original under a mapping; ``merged`` is how many items that leaves."""
    leaves = hierarchy.leaves_of(original.vocabulary)
    labels = [mapping[item] for item in original.vocabulary]
    nodes = np.array([hierarchy.index[label] for label in labels], dtype=np.int64)
    sizes = hierarchy.leaf_counts[nodes].astype(np.int64)
    lost = int((np.where(sizes > 1, sizes, 0) * original.supports).sum())
    occurrences = int(original.supports.sum())
    if merged is None:
        merged = from_rows(original.indptr, original.items, labels).n_occurrences
    steps = hierarchy.depths[leaves] - hierarchy.depths[nodes]
    return SetUtility(
        ncp=lost / (hierarchy.n_leaves * max(1, occurrences)),
        items=original.n_items,
        published_items=len(set(labels)),
        average_length=occurrences / max(1, len(original)),
        published_average_length=merged / max(1, len(original)),
        levels=tuple(
            Level(int(step), int((steps == step).sum()), int(original.supports[steps == step].sum()))
            for step in np.unique(steps)
        ),
    )
