"""Counts of sets of items: what a solver may ask about transactions, under the tree of their items.

Equal transactions are merged first and carry a weight; nothing else is left out. At a cut the transactions
are recoded once more, and again those that have become equal are merged. Where transactions are very many, or
not in this process, a coreset of them is counted: few answer for all (:mod:`tacit.engine.kernels.coreset`).
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from tacit.arrays.compiled import Flag, interruptible, new_flag
from tacit.arrays.csr import recoded_rows
from tacit.arrays.groups import take_rows
from tacit.data.hierarchy import item_tree
from tacit.data.transactions import Transactions
from tacit.engine.base import HeldSets
from tacit.engine.kernels import item_ranges
from tacit.engine.kernels.combinations import rare_combinations
from tacit.engine.kernels.coreset import coreset_rows, nothing_known
from tacit.engine.kernels.narrowing import narrowed_rows
from tacit.errors import Cancelled
from tacit.typing import Codes, Counts, Offsets

Result = TypeVar("Result")
Gather = Callable[[int, int, HeldSets], tuple[Offsets, Codes]]
"""``gather(least, size, dropped)``: a coreset, for sets of up to ``size`` items and supports up to ``least``,
of the transactions without those dropped."""

LONG = 50_000
"""Rows with more items than this are counted in a thread that can be interrupted."""
CHOICES = 20_000
"""Up to so many ways of lifting one rare set are weighed against each other."""
LARGE = 500_000
"""From so many transactions on, gathering a coreset costs little beside counting them all."""
PAIRS = 2
"""As long as it is of pairs: to gather one of triples takes several times as long as to count them all."""
TRIED, WORTH = 100_000, 0.75
"""If of the last of so many transactions more than this share would still be kept, all of them are."""


@dataclass(frozen=True, eq=False)
class RareSets:
    """Sets of nodes with too small a support, in a canonical order."""

    sets: Codes  # (sets, size), filled up with -1
    unseen: Codes
    """Of the nodes asked about, those that were not reached because there was enough already."""

    def __len__(self) -> int:
        return len(self.sets)


class SetCounts:
    """The counts of some transactions, of all of them or of a coreset that is gathered as questions need it.

    Nodes are those of the tree; a table gives the node that stands for each item at a cut. A set of nodes
    occurs in a transaction that holds an item below each of them; its support is the number of such
    transactions. A coreset is gathered for sets of up to ``size`` items at least, and so that ``spare``
    records can be left out before it must be once more.
    """

    def __init__(
        self, transactions: Transactions, gather: Gather | None = None, *, size: int = 0, spare: int = 0,
        flag: Flag | None = None,
    ) -> None:  # fmt: skip
        self.tree = item_tree(transactions)
        self.n_records = self._total = len(transactions)
        self.n_nonempty = len(transactions) - int(transactions.length_counts[0])
        """The records that hold an item at all: the support of the root."""
        self.occurrences: Counts = self.tree.occurrences
        """How many records hold each item, along the leaves."""
        self.flag = new_flag() if flag is None else flag
        """Set its cell to 1 to stop whatever is going on."""
        self.just_dropped: tuple[Offsets, Codes] = (np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32))
        """The different records that were left out last, along the leaves."""
        self._dropped: tuple[Codes, ...] = ()
        self._spare, self._longest = spare, transactions.longest
        self._least, self._size = 0, min(size, self._longest)  # what the coreset answers
        self._gone = 0  # records left out since it was gathered
        self._whole = gather is None  # whether it is all the transactions
        self._data: item_ranges.IndexedRows | None = None
        if gather is None:
            self._data = self._indexed(transactions.indptr, transactions.items)
        else:
            self._gather = gather

    @property
    def suppressed(self) -> HeldSets:
        """The transactions that have been left out, by what they hold."""
        count = self._total - self.n_records
        return HeldSets(self.tree, self._dropped, count, self._total, self.occurrences)

    def without(self, sets: Codes, *, floor: int = 0) -> SetCounts | None:
        """The counts without the records that hold one of these sets of nodes, which must be rare.

        None where fewer than ``floor`` records are left.
        """
        assert self._data is not None, "the sets were counted"
        # All records with a rare set are in the coreset, so that what goes with them is known exactly.
        data, other = self._data, copy(self)
        gone = item_ranges.rows_with_sets(data, self.tree.ranges, sets, self.n_records - floor)
        n_gone = int(data.weights[gone].sum())
        if self.n_records - n_gone < floor:
            return None
        weights = data.weights.copy()
        weights[gone] = 0
        other._data = data._replace(weights=weights)
        other._dropped = (*self._dropped, sets)
        other.n_records, other.n_nonempty = self.n_records - n_gone, self.n_nonempty - n_gone
        other._gone = self._gone + n_gone
        other.just_dropped = taken, items = take_rows(data.indptr, data.items, gone)
        lost = np.bincount(items, np.repeat(data.weights[gone], np.diff(taken)), self.tree.n_items)
        other.occurrences = self.occurrences - lost.astype(np.int64)
        return other

    def rare_sets(
        self, table: Codes, *, k: int, size: int, among: Codes | None = None, limit: int | None = None
    ) -> RareSets:
        """The sets of up to ``size`` nodes of a cut that occur, but in fewer than ``k`` transactions.

        ``among`` asks only for sets with at least one of these nodes; ``limit`` for not many more than so
        many sets.
        """
        nodes, codes = np.unique(table, return_inverse=True)
        asked = np.ones(len(nodes), dtype=bool) if among is None else np.isin(nodes, among)
        n_asked = int(asked.sum())
        # A set is counted from its first node: nodes asked about come first, and rare ones before
        # common ones, which keeps the lists of places short.
        supports = np.bincount(codes, weights=self.occurrences, minlength=len(nodes))
        order = np.lexsort((nodes, supports, ~asked))
        ranks = np.empty(len(nodes), dtype=np.int32)
        ranks[order] = np.arange(len(nodes))
        data = self._answering(k, size)
        which = None if among is None else item_ranges.rows_in_ranges(data, *self.tree.ranges[among].T)
        rows = recoded_rows(data.indptr, data.items, data.weights, ranks[codes], which)
        wanted = np.iinfo(np.int64).max if limit is None else limit
        # A thread is needed only where somebody could lose patience.
        run = interruptible if len(rows.items) > LONG else _at_once
        sets, done = run(rare_combinations, *rows[:3], range(n_asked), k, size, wanted, flag=self.flag)
        ordered = nodes[order].astype(np.int32)
        return RareSets(sets=np.where(sets >= 0, ordered[sets], -1), unseen=np.sort(ordered[done:n_asked]))

    def cheapest_lift(self, nodes: Codes, prices: Counts, *, k: int) -> Codes:
        """The cheapest ancestors-or-selves of some nodes that together have a support of at least ``k``."""
        data, tree = self._answering(k, len(nodes)), self.tree
        return item_ranges.cheapest_lift(data, tree.parents, tree.ranges, prices, nodes, k, CHOICES)

    def highest_rare(self, nodes: Codes, *, k: int, start: int) -> Codes:
        """Ancestors-or-selves of the nodes of a rare set, as high as they can be while the set stays rare."""
        data, tree = self._answering(k, len(nodes)), self.tree
        return item_ranges.highest_rare(data, tree.parents, tree.ranges, nodes, k, start)

    def narrowed(self, table: Codes, *, k: int, size: int) -> int:
        """How many records some ``size`` of whose nodes at a cut are shared by fewer than ``k`` records."""
        data = self._answering(k, size)  # a record with a rare set is in the coreset for sets of that size
        rows = recoded_rows(data.indptr, data.items, data.weights, table)
        wanted = np.ones(len(rows.weights), dtype=np.bool_)
        found = interruptible(narrowed_rows, *rows[:3], k, size, wanted, False, flag=self.flag)
        return int(rows.weights[found].sum())

    def gathered(self, *, k: int, size: int) -> tuple[int, int]:
        """The records of a coreset that answers such questions, and the items of the different ones."""
        data = self._answering(k, size)
        return int(data.weights.sum()), len(data.items)

    def _answering(self, k: int, size: int) -> item_ranges.IndexedRows:
        """The rows of a coreset that answers questions of this kind."""
        size = min(size, self._longest)
        enough = self._whole or (k + self._gone <= self._least and size <= self._size)
        if self._data is None or not enough:
            least, size = k + self._spare, max(size, self._size)
            indptr, items = self._gather(least, size, self.suppressed)
            self._data, self._least, self._size, self._gone = self._indexed(indptr, items), least, size, 0
            self._whole = int(np.count_nonzero(np.diff(indptr))) == self.n_nonempty
        return self._data

    def _indexed(self, indptr: Offsets, items: Codes) -> item_ranges.IndexedRows:
        rows = recoded_rows(indptr, items, np.ones(len(indptr) - 1, dtype=np.int64), self.tree.places)
        return item_ranges.indexed(*rows[:3], self.tree.n_items)


def _at_once(work: Callable[..., Result], *arguments: Any, flag: Flag) -> Result:
    """The result of ``work(*arguments, flag)``, like :func:`interruptible` but in this thread."""
    result = work(*arguments, flag)
    if flag[0]:  # what a stopped count returns would pass for "nothing is rare"
        raise Cancelled()
    return result


def local_coreset(
    transactions: Transactions, least: int, size: int, dropped: HeldSets
) -> tuple[Offsets, Codes]:
    """A coreset of the transactions without those dropped."""
    indptr, items, n_items = transactions.indptr, transactions.items, transactions.n_items
    if dropped.sets:
        indptr, items = take_rows(indptr, items, np.flatnonzero(~dropped.among(indptr, items)))
    if size > PAIRS:
        return indptr, items
    known = nothing_known(n_items, size, least)
    early = coreset_rows(indptr[: TRIED + 1], items, least, known)
    if len(indptr) > TRIED and early[-TRIED // 4 :].mean() > WORTH:
        return indptr, items
    late = coreset_rows(indptr[len(early) :], items, least, known)
    chosen = np.concatenate([early, late])
    # Once more from the last to the first: what was kept early, when nothing was known, may not be needed.
    indptr, items = take_rows(indptr, items, np.flatnonzero(chosen)[::-1])
    chosen = coreset_rows(indptr, items, least, nothing_known(n_items, size, least))
    return take_rows(indptr, items, np.flatnonzero(chosen))
