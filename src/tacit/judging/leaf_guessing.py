"""An attack on generalized sets: guessing which item stands behind a published node.

The release hides which leaf of a node a record held. A reader who knows from similar data how often
items occur guesses the most frequent one; one who also knows with what they occur does better where
items of one node keep different company. The attack learns from half of the records and guesses on the
other half, so that it shows what such a reader could do with knowledge of this kind, not with this
release alone. How far it trusts the company of rare leaves it learns as well, from a part of its half
that it set aside. Both figures stand beside a blind guess among the leaves that occur.

It guesses by naive Bayes: the leaf of the node with the largest P(leaf) · Π P(other node | leaf).

Where each row carries one value, somebody who knows some items of a row is left with the values of all rows
that hold them: the fewer, the more is known of the row's own value. That is counted here as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.arrays.compiled import Flag, interruptible, kernel
from tacit.data.transactions import Transactions, from_rows
from tacit.engine.kernels.sets import Stack, count_following, first_items, grow, take_set
from tacit.typing import Bools, Bytes, Codes, Counts, Floats, Offsets

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


def companions(
    indptr: Offsets,
    leaves: Codes,
    node_indptr: Offsets,
    nodes: Codes,
    rows: Counts,
    n_leaves: int,
    n_nodes: int,
) -> tuple[Counts, Codes]:
    """In how many of the rows each leaf occurs, and with each node: shapes (leaves,) and (leaves, nodes)."""
    alone, together = np.zeros(n_leaves, dtype=np.int64), np.zeros((n_leaves, n_nodes), dtype=np.int32)
    _count_companions(indptr, leaves, node_indptr, nodes, rows, alone, together)
    return alone, together


@kernel
def _count_companions(
    indptr: Offsets,
    leaves: Codes,
    node_indptr: Offsets,
    nodes: Codes,
    rows: Counts,
    alone: Counts,
    together: Codes,
) -> None:
    for row in rows:
        for place in range(indptr[row], indptr[row + 1]):
            leaf = leaves[place]
            alone[leaf] += 1
            for other in range(node_indptr[row], node_indptr[row + 1]):
                together[leaf, nodes[other]] += 1


@kernel
def right_guesses(
    indptr: Offsets, leaves: Codes, node_indptr: Offsets, nodes: Codes, rows: Counts, node_of_leaf: Codes,
    leaf_starts: Offsets, leaves_below: Codes, alone: Counts, log_given: Floats, flag: Bytes,
) -> tuple[int, int, int, float]:  # fmt: skip
    """The guesses made on some rows, how many are right, right by frequency alone, and expected at random.

    One guess is made for each node of a row that has several leaves below it; it is right when the row
    holds the leaf. ``log_given[leaf, node]`` is log P(node | leaf); the leaves below node ``u`` are
    ``leaves_below[leaf_starts[u] : leaf_starts[u + 1]]``. Ties go to the leaf that comes first.
    """
    guesses = 0
    right = 0
    right_by_frequency = 0
    at_random = 0.0
    steps = 0
    for row in rows:
        steps += 1
        if steps % 4096 == 0 and flag[0]:
            break
        for place in range(node_indptr[row], node_indptr[row + 1]):
            node = nodes[place]
            first, last = leaf_starts[node], leaf_starts[node + 1]
            if last - first < 2:
                continue
            held = 0
            for position in range(indptr[row], indptr[row + 1]):
                held += node_of_leaf[leaves[position]] == node
            best = likeliest = leaves_below[first]
            best_score = -np.inf
            for index in range(first, last):
                leaf = leaves_below[index]
                if alone[leaf] > alone[likeliest]:
                    likeliest = leaf
                score = np.log(alone[leaf] + 1.0)
                for other in range(node_indptr[row], node_indptr[row + 1]):
                    if nodes[other] != node:
                        score += log_given[leaf, nodes[other]]
                if score > best_score + 1e-9:  # not by rounding alone
                    best_score = score
                    best = leaf
            guesses += 1
            at_random += held / (last - first)
            for position in range(indptr[row], indptr[row + 1]):
                right += leaves[position] == best
                right_by_frequency += leaves[position] == likeliest
    return guesses, right, right_by_frequency, at_random


def fewest_values(
    indptr: Offsets, items: Codes, values: Codes, n_values: int, size: int, flag: Bytes
) -> tuple[int, Bools]:
    """The fewest values behind any set of up to ``size`` items that occurs, and the rows given away.

    A row is given away when some set of up to ``size`` of its items leaves a single value. Rows are
    ascending sets of items; the fewest is 0 where no row holds an item.
    """
    n_rows, n_items = len(indptr) - 1, int(items.max(initial=-1)) + 1
    given_away, ones = np.zeros(n_rows, dtype=np.bool_), np.ones(n_rows, dtype=np.int64)
    stack, _, levels = first_items(indptr, items, ones, 0, n_items, size)
    seen = np.full(n_values, -1, dtype=np.int64)
    return _fewest_values(indptr, items, values, ones, stack, levels, seen, given_away, flag), given_away


@kernel
def _fewest_values(
    indptr: Offsets, items: Codes, values: Codes, ones: Counts, stack: Stack, levels: Counts, seen: Counts,
    given_away: Bools, flag: Bytes,
) -> int:  # fmt: skip
    size = levels.shape[1] - 1
    depth = visit = fewest = 0
    while True:
        depth, number = take_set(levels, depth, flag)
        if depth < 0:
            break
        start, end = stack.starts[number], stack.ends[number]
        if start == end:
            continue
        visit += 1
        different = 0
        all_given_away = True
        for entry in range(start, end):
            row = stack.rows[entry]
            if seen[values[row]] != visit:
                seen[values[row]] = visit
                different += 1
            all_given_away = all_given_away and given_away[row]
        fewest = different if fewest == 0 else min(fewest, different)
        if different == 1:
            for entry in range(start, end):
                given_away[stack.rows[entry]] = True
            continue  # larger sets leave the same value
        if depth + 1 == size or all_given_away:
            continue
        n_touched, _ = count_following(indptr, items, ones, stack, start, end)
        stack = grow(indptr, items, stack, start, end, n_touched, levels, depth, 1)
        depth += 1
    return fewest
