"""An attack on generalized sets: guessing which item stands behind a published node.

The release hides which leaf of a node a record held. A reader who knows from similar data how often
items occur guesses the most frequent one; one who also knows with what they occur does better where
items of one node keep different company. The attack learns from half of the records and guesses on the
other half, so that it shows what such a reader could do with knowledge of this kind, not with this
release alone. How far it trusts the company of rare leaves it learns as well, from a part of its half
that it set aside. Both figures stand beside a blind guess among the leaves that occur.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.arrays.interrupt import Flag, interruptible
from tacit.data.transactions import Transactions, from_rows
from tacit.typing import Codes, Counts, Floats, Offsets

TRUST = (1.0, 10.0, 100.0, 1000.0, 1e9)
"""How many imagined records of the node's usual company are added to those of each leaf. The last leaves
nothing of the leaf's own company, and is the guess by frequency."""

FEWEST, MOST_STEPS = 100, 1_000_000_000
"""Where only some records are guessed on: fewer of long ones, so that about so many steps are made; and it
learns from no more."""
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
    original: Transactions, mapping: Mapping[str, str], *, most: int | None = None, flag: Flag | None = None
) -> LeafGuessing | None:
    """The attack on the original published under a mapping; None where it would need too much memory.

    ``mapping`` says what each item is published as. The reader learns from all records of a half, and guesses
    on at most ``most`` of the other; how far to trust what it learned it tries on a fourth as many.
    """
    from tacit.arrays.groups import row_order
    from tacit.judging.set_kernels import companions, right_guesses

    labels = [mapping[item] for item in original.vocabulary]
    published = from_rows(original.indptr, original.items, labels)
    n_leaves, n_nodes = original.n_items, published.n_items
    if n_leaves == n_nodes:
        return LeafGuessing(0, 0, 0, 0.0)
    if n_leaves * n_nodes > CELLS:
        return None
    node_of_leaf = np.array([published.index[label] for label in labels], dtype=np.int32)
    leaves_below = np.argsort(node_of_leaf, kind="stable").astype(np.int32)
    starts = np.concatenate([[0], np.cumsum(np.bincount(node_of_leaf, minlength=n_nodes))]).astype(np.int64)
    data = (original.indptr, original.items, published.indptr, published.items)

    def guess(guessed: Counts, company: tuple[Counts, Codes], usual: Floats, trust: float) -> LeafGuessing:
        log_given = _log_company(*company, usual, node_of_leaf, trust)
        below = (node_of_leaf, starts, leaves_below)
        return LeafGuessing(
            *interruptible(right_guesses, *data, guessed, *below, company[0], log_given, flag=flag)
        )

    if most is not None:  # every node of a record is compared with every leaf below its nodes
        steps = int((published.lengths**2).mean() * n_leaves / max(1, n_nodes)) if len(published) else 0
        most = min(most, max(FEWEST, MOST_STEPS // max(1, steps)))
    # Records are dealt out in the order of their content, so that no order of rows can matter.
    order = row_order(original.indptr, original.items).astype(np.int64)
    learned, guessed = order[::2], order[1::2]
    if most is not None:
        steps = int((original.lengths * published.lengths).mean()) if len(published) else 0
        learned = _spread(learned, MOST_STEPS // max(1, steps))
    company = companions(*data, learned[::2], n_leaves, n_nodes)
    tried = _spread(learned[1::2], None if most is None else most // 4)
    usual = _usual_company(*company, leaves_below, starts)
    trials = [guess(tried, company, usual, trust).right for trust in TRUST]
    company = companions(*data, learned, n_leaves, n_nodes)
    usual = _usual_company(*company, leaves_below, starts)
    return guess(_spread(guessed, most), company, usual, TRUST[int(np.argmax(trials))])


def _spread(rows: Counts, most: int | None) -> Counts:
    """At most so many of the rows, evenly spread."""
    if most is None or len(rows) <= most:
        return rows
    return rows[np.linspace(0, len(rows) - 1, most).astype(np.int64)]


def _usual_company(alone: Counts, together: Codes, leaves_below: Codes, starts: Offsets) -> Floats:
    """P(node | some leaf of a node), for every two nodes."""
    node_alone = np.add.reduceat(alone[leaves_below], starts[:-1])
    node_together = np.add.reduceat(together[leaves_below], starts[:-1], dtype=np.int64)
    # One imagined record more, so that what was never seen is not thought impossible.
    usual: Floats = (node_together + 1.0) / (node_alone + 2.0)[:, None]
    return usual


def _log_company(alone: Counts, together: Codes, usual: Floats, node_of_leaf: Codes, trust: float) -> Floats:
    """log P(node | leaf) for every leaf and node, drawn towards what is usual for the leaf's own node."""
    given: Floats = usual[node_of_leaf]  # leaves times nodes may be many: they are held once
    given *= trust
    given += together
    given /= (alone + trust)[:, None]
    return np.log(given, out=given)
