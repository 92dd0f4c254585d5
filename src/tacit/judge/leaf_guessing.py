"""An attack on generalized sets: guessing which item stands behind a published node.

The release hides which leaf of a node a record held. A reader who knows from similar data how often
items occur guesses the most frequent one; one who also knows with what they occur does better where
items of one node keep different company. The attack learns from half of the records and guesses on the
other half, so that it shows what such a reader could do with knowledge of this kind, not with this
release alone. Both figures stand beside a blind guess among the leaves that occur.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.data.transactions import Transactions, from_rows
from tacit.kernels.interrupt import Flag, interruptible

CELLS = 1 << 26
"""Leaves times published nodes, at most: the attack counts every leaf with every node."""


@dataclass(frozen=True, slots=True)
class LeafGuessing:
    """One guess for each node with several leaves in each record of the half that was guessed on."""

    guesses: int
    right: int
    """By a reader who knows what goes with what."""
    right_by_frequency: int
    """By a reader who always guesses the node's most frequent leaf."""
    expected_at_random: float
    """By a blind guess among the node's leaves."""

    @property
    def accuracy(self) -> float:
        return self.right / max(1, self.guesses)

    @property
    def baseline(self) -> float:
        return self.right_by_frequency / max(1, self.guesses)

    @property
    def at_random(self) -> float:
        return self.expected_at_random / max(1, self.guesses)

    def to_dict(self) -> dict[str, Any]:
        return {
            "guesses": self.guesses,
            "accuracy": self.accuracy,
            "baseline": self.baseline,
            "at_random": self.at_random,
        }


def guess_leaves(
    original: Transactions, mapping: Mapping[str, str], *, flag: Flag | None = None
) -> LeafGuessing | None:
    """The attack on the original published under a mapping; None where it would need too much memory.

    ``mapping`` says what each item is published as.
    """
    from tacit.kernels.leaf_guess import companions, right_guesses

    labels = [mapping[item] for item in original.vocabulary]
    published = from_rows(original.indptr, original.items, labels)
    n_leaves, n_nodes = original.n_items, published.n_items
    if n_leaves * n_nodes > CELLS:
        return None
    node_of_leaf = np.array([published.index[label] for label in labels], dtype=np.int32)
    leaves_below = np.argsort(node_of_leaf, kind="stable").astype(np.int32)
    starts = np.concatenate([[0], np.cumsum(np.bincount(node_of_leaf, minlength=n_nodes))]).astype(np.int64)
    learned, guessed = _halves(original)
    data = (original.indptr, original.items, published.indptr, published.items)
    alone, together = companions(*data, learned, n_leaves, n_nodes)
    # One imagined record more for each node, so that what was never seen is not thought impossible.
    log_given = np.log((together + 1.0) / (alone + 2.0)[:, None])
    return LeafGuessing(
        *interruptible(
            right_guesses, *data, guessed, node_of_leaf, starts, leaves_below, alone, log_given, flag=flag
        )
    )


def _halves(original: Transactions) -> tuple[np.ndarray, np.ndarray]:
    """Two halves of the records, dealt out in the order of their content: no order of rows can matter."""
    from tacit.kernels.row_order import row_order

    order = row_order(original.indptr, original.items).astype(np.int64)
    return order[::2], order[1::2]
