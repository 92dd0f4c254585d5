"""Counts of sets of items, by kernels over transactions held in memory.

Equal transactions are merged first and carry a weight; nothing else is left out. At a cut the
transactions are recoded once more, and again those that have become equal are merged.

A coreset of transactions in memory: of millions, few answer for all, and are counted in less time.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any, TypeVar

import numpy as np

from tacit.arrays.groups import take_rows
from tacit.arrays.interrupt import Flag, interruptible, new_flag
from tacit.data.hierarchy import ItemTree, item_tree
from tacit.data.transactions import Transactions
from tacit.engine.base import HeldSets, RareSets
from tacit.engine.kernels.combinations import rare_combinations
from tacit.engine.kernels.coreset import coreset_rows, nothing_known
from tacit.engine.kernels.item_ranges import (
    cheapest_lift,
    highest_rare,
    indexed,
    rows_in_ranges,
    rows_with_sets,
)
from tacit.engine.kernels.narrowing import narrowed_rows
from tacit.engine.kernels.recoding import recoded_rows
from tacit.errors import Cancelled
from tacit.typing import Codes, Counts, Offsets

Result = TypeVar("Result")

LONG = 50_000
"""Rows with more items than this are counted in a thread that can be interrupted."""

CHOICES = 20_000
"""Up to so many ways of lifting one rare set are weighed against each other."""


class LocalSetCounts:
    """The counts of some transactions, in this process; see :class:`tacit.engine.base.SetCounts`."""

    def __init__(self, transactions: Transactions, *, flag: Flag | None = None) -> None:
        self.n_records = len(transactions)
        self.n_nonempty = len(transactions) - int(transactions.length_counts[0])
        self.flag = new_flag() if flag is None else flag
        self._take(item_tree(transactions), transactions.indptr, transactions.items)

    @classmethod
    def of_part(
        cls, tree: ItemTree, indptr: Offsets, items: Codes, *, n_records: int, n_nonempty: int, flag: Flag
    ) -> LocalSetCounts:
        """Counts of a part of the transactions; the figures are those of all of them."""
        counts = cls.__new__(cls)
        counts.n_records, counts.n_nonempty, counts.flag = n_records, n_nonempty, flag
        counts._take(tree, indptr, items)
        return counts

    def _take(self, tree: ItemTree, indptr: Offsets, items: Codes) -> None:
        self.tree = tree
        self.occurrences = tree.occurrences
        rows = recoded_rows(indptr, items, np.ones(len(indptr) - 1, dtype=np.int64), tree.places)
        self._data = indexed(rows.indptr, rows.items, rows.weights, tree.n_items)
        self._total = self.n_records
        self._dropped: tuple[Codes, ...] = ()
        self.just_dropped: tuple[Offsets, Codes] = (np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32))

    @property
    def extent(self) -> tuple[int, int]:
        """The records that are counted here, and the items of the different ones among them."""
        return int(self._data.weights.sum()), len(self._data.items)

    @property
    def suppressed(self) -> HeldSets:
        """The transactions that have been left out, by what they hold."""
        count = self._total - self.n_records
        return HeldSets(self.tree, self._dropped, count, self._total, self.occurrences)

    def without(self, sets: Codes) -> LocalSetCounts:
        """The counts without the records that hold one of these sets of nodes."""
        data, other = self._data, copy(self)
        gone = rows_with_sets(data, self.tree.ranges, sets)
        weights = data.weights.copy()
        weights[gone] = 0
        other._data = data._replace(weights=weights)
        other._dropped = (*self._dropped, sets)
        n_gone = int(data.weights[gone].sum())
        other.n_records, other.n_nonempty = self.n_records - n_gone, self.n_nonempty - n_gone
        other.just_dropped = taken, items = take_rows(data.indptr, data.items, gone)
        lost = np.bincount(items, np.repeat(data.weights[gone], np.diff(taken)), self.tree.n_items)
        other.occurrences = self.occurrences - lost.astype(np.int64)
        return other

    def rare_sets(
        self, table: Codes, *, k: int, size: int, among: Codes | None = None, limit: int | None = None
    ) -> RareSets:
        """The sets of up to ``size`` nodes of a cut that occur, but in fewer than ``k`` transactions."""
        nodes, codes = np.unique(table, return_inverse=True)
        asked = np.ones(len(nodes), dtype=bool) if among is None else np.isin(nodes, among)
        n_asked = int(asked.sum())
        # A set is counted from its first node: nodes asked about come first, and rare ones before
        # common ones, which keeps the lists of places short.
        supports = np.bincount(codes, weights=self.occurrences, minlength=len(nodes))
        order = np.lexsort((nodes, supports, ~asked))
        ranks = np.empty(len(nodes), dtype=np.int32)
        ranks[order] = np.arange(len(nodes))
        data = self._data
        which = None if among is None else rows_in_ranges(data, *self.tree.ranges[among].T)
        rows = recoded_rows(data.indptr, data.items, data.weights, ranks[codes], which)
        wanted = np.iinfo(np.int64).max if limit is None else limit
        # A thread is needed only where somebody could lose patience.
        run = interruptible if len(rows.items) > LONG else _at_once
        sets, done = run(rare_combinations, *rows[:3], range(n_asked), k, size, wanted, flag=self.flag)
        ordered = nodes[order].astype(np.int32)
        return RareSets(sets=np.where(sets >= 0, ordered[sets], -1), unseen=np.sort(ordered[done:n_asked]))

    def cheapest_lift(self, nodes: Codes, prices: Counts, *, k: int) -> Codes:
        """The cheapest ancestors-or-selves of some nodes that together have a support of at least ``k``."""
        return cheapest_lift(self._data, self.tree.parents, self.tree.ranges, prices, nodes, k, CHOICES)

    def highest_rare(self, nodes: Codes, *, k: int, start: int) -> Codes:
        """Ancestors-or-selves of the nodes of a rare set, as high as they can be while the set stays rare."""
        return highest_rare(self._data, self.tree.parents, self.tree.ranges, nodes, k, start)

    def narrowed(self, table: Codes, *, k: int, size: int) -> int:
        """How many records some ``size`` of whose nodes at a cut are shared by fewer than ``k`` records."""
        data = self._data
        rows = recoded_rows(data.indptr, data.items, data.weights, table)
        wanted = np.ones(len(rows.weights), dtype=np.bool_)
        found = interruptible(narrowed_rows, *rows[:3], k, size, wanted, False, flag=self.flag)
        return int(rows.weights[found].sum())


def _at_once(work: Callable[..., Result], *arguments: Any, flag: Flag) -> Result:
    """The result of ``work(*arguments, flag)``, like :func:`interruptible` but in this thread."""
    result = work(*arguments, flag)
    if flag[0]:  # what a stopped count returns would pass for "nothing is rare"
        raise Cancelled()
    return result


LARGE = 500_000
"""From so many transactions on, gathering a coreset costs little beside counting them all."""
PAIRS = 2
"""As long as it is of pairs: to gather one of triples takes several times as long as to count them all."""
TRIED, WORTH = 100_000, 0.75
"""If of the last of so many transactions more than this share would still be kept, all of them are."""


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


Gather = Callable[[int, int, HeldSets], tuple[Offsets, Codes]]
"""``gather(least, size, dropped)``: a coreset, for sets of up to ``size`` items and supports up to ``least``,
of the transactions without those dropped."""


class CoresetCounts:
    """The counts of some transactions; see :class:`tacit.engine.base.SetCounts`."""

    def __init__(
        self,
        transactions: Transactions,
        gather: Gather,
        *,
        size: int = 0,
        spare: int = 0,
        flag: Flag | None = None,
    ) -> None:
        self.tree = item_tree(transactions)
        self.n_records = self._total = len(transactions)
        self.n_nonempty = len(transactions) - int(transactions.length_counts[0])
        self.occurrences: Counts = self.tree.occurrences
        self.flag = new_flag() if flag is None else flag
        self._gather, self._spare, self._longest = gather, spare, transactions.longest
        self._dropped: tuple[Codes, ...] = ()
        self.just_dropped: tuple[Offsets, Codes] = (np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32))
        self._counts: LocalSetCounts | None = None
        self._least, self._size = 0, min(size, self._longest)  # what the coreset answers
        self._gone = 0  # records left out since it was gathered
        self._whole = False  # whether it is all the transactions

    @property
    def suppressed(self) -> HeldSets:
        """The transactions that have been left out, by what they hold."""
        count = self._total - self.n_records
        return HeldSets(self.tree, self._dropped, count, self._total, self.occurrences)

    def without(self, sets: Codes) -> CoresetCounts:
        """The counts without the records that hold one of these sets of nodes, which must be rare."""
        assert self._counts is not None, "the sets were counted"
        # All records with a rare set are in the coreset, so that what goes with them is known exactly.
        left, other = self._counts.without(sets), copy(self)
        other._counts = left
        other._dropped = (*self._dropped, sets)
        other.just_dropped = left.just_dropped
        other.n_records, other.n_nonempty, other.occurrences = (
            left.n_records,
            left.n_nonempty,
            left.occurrences,
        )
        other._gone = self._gone + self.n_records - left.n_records
        return other

    def rare_sets(
        self, table: Codes, *, k: int, size: int, among: Codes | None = None, limit: int | None = None
    ) -> RareSets:
        """The sets of up to ``size`` nodes of a cut that occur, but in fewer than ``k`` transactions."""
        return self._for(k, size).rare_sets(table, k=k, size=size, among=among, limit=limit)

    def cheapest_lift(self, nodes: Codes, prices: Counts, *, k: int) -> Codes:
        """The cheapest ancestors-or-selves of some nodes that together have a support of at least ``k``."""
        return self._for(k, len(nodes)).cheapest_lift(nodes, prices, k=k)

    def highest_rare(self, nodes: Codes, *, k: int, start: int) -> Codes:
        """Ancestors-or-selves of the nodes of a rare set, as high as they can be while the set stays rare."""
        return self._for(k, len(nodes)).highest_rare(nodes, k=k, start=start)

    def narrowed(self, table: Codes, *, k: int, size: int) -> int:
        """How many records some ``size`` of whose nodes at a cut are shared by fewer than ``k`` records."""
        # A record with a rare set is in the coreset for sets of that size.
        return self._for(k, size).narrowed(table, k=k, size=size)

    def gathered(self, *, k: int, size: int) -> tuple[int, int]:
        """The records of a coreset that answers questions of this kind, and their items in all."""
        return self._for(k, size).extent

    def _for(self, k: int, size: int) -> LocalSetCounts:
        """The counts of a coreset that answers questions of this kind."""
        size = min(size, self._longest)
        enough = self._whole or (k + self._gone <= self._least and size <= self._size)
        if self._counts is None or not enough:
            least, size = k + self._spare, max(size, self._size)
            indptr, items = self._gather(least, size, self.suppressed)
            counts = LocalSetCounts.of_part(
                self.tree, indptr, items, n_records=self.n_records, n_nonempty=self.n_nonempty, flag=self.flag
            )
            counts.occurrences = self.occurrences
            self._counts, self._least, self._size, self._gone = counts, least, size, 0
            self._whole = int(np.count_nonzero(np.diff(indptr))) == self.n_nonempty
        return self._counts
