"""Counts of sets of items asked of a few transactions that speak for all.

They are chosen by :mod:`tacit.engine.kernels.coreset`. A solver asks whether supports reach k, and for
smaller ones how large they are. A coreset answers that exactly, and holds every transaction with a rare
set, so that these can be counted and left out. Without them the supports of other sets may fall, and the
coreset may have too few of *their* transactions: it is then gathered once more, unless it was gathered with
so many to spare.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy

import numpy as np

from tacit.arrays.interrupt import Flag, new_flag
from tacit.data.item_tree import item_tree
from tacit.data.transactions import Transactions
from tacit.engine.base import HeldSets, RareSets
from tacit.engine.local.sets import LocalSetCounts
from tacit.typing import Codes, Counts, Offsets

Gather = Callable[[int, int, HeldSets], tuple[Offsets, Codes]]
"""``gather(least, size, dropped)``: a coreset, for sets of up to ``size`` items and supports up to ``least``,
of the transactions without those dropped."""


class CoresetCounts:
    """The counts of some transactions; see :class:`tacit.engine.base.SetCounts`."""

    def __init__(
        self, transactions: Transactions, gather: Gather, *, spare: int = 0, flag: Flag | None = None
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
        self._least = self._size = 0  # what the coreset answers
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

    def supports(self, sets: Codes, *, cap: int) -> Counts:
        """The supports of many sets, lines filled up with -1; ``cap`` for those that are at least that."""
        return self._for(cap, sets.shape[1]).supports(sets, cap=cap)

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
