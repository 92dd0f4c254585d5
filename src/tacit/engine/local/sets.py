"""Plans carried out on transactions held in memory: a cut, and items taken out by kernels.

A cut publishes every item by its name there; records left out are left out. How items are taken out is said
in :mod:`tacit.engine.sanitizing`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from time import process_time

import numpy as np

from tacit.arrays.compiled import interruptible
from tacit.arrays.groups import places_of_rows, read_only
from tacit.data.transactions import Transactions, from_rows
from tacit.engine.base import HeldSets
from tacit.engine.kernels.sanitizing import slide
from tacit.engine.kernels.sets import count_sets, holds_any, rows_of_sets
from tacit.engine.sanitizing import (
    Choice,
    Itemlist,
    Known,
    Left,
    Rows,
    Sanitizer,
    Step,
    Summed,
    indexed_sets,
    judged_rows,
    numbered_names,
    published_transactions,
    summed_over,
)  # fmt: skip
from tacit.random.digests import ranks
from tacit.random.key import Key, Subkey
from tacit.random.keyed import draws, keyed_order
from tacit.typing import Bools, Codes, Counts, Offsets


@dataclass(frozen=True, eq=False)
class LocalRecoded:
    """Transactions in memory and what is published of them; see :class:`tacit.engine.base.Recoded`."""

    original: Transactions
    published: Transactions
    merged: int
    left_out: Counts
    names: tuple[str, ...]
    rows: Counts

    def part(self, one_in: int) -> Transactions:
        if one_in == 1:
            return self.original
        return self.original.take(judged_rows(self.original, self.names, one_in))


def recoded_in_memory(transactions: Transactions, names: Sequence[str], left_out: HeldSets) -> LocalRecoded:
    """The transactions with item ``i`` called ``names[i]``, without those left out.

    A record stays a set, so items that share a name merge; an empty record stays empty. The records
    are sorted by their published text, item by item, so that their order says nothing.
    """
    held = left_out.rows(transactions)
    codes, vocabulary = numbered_names(names)
    recoded = from_rows(transactions.indptr, codes[transactions.items], vocabulary)
    left = np.flatnonzero(~held)
    kept = replace(
        recoded.take(left) if held.any() else recoded,
        sensitive=None if transactions.sensitive is None else transactions.sensitive.take(left),
        format=transactions.format,
    )
    published, order = published_transactions(kept, (kept.indptr, kept.items))
    return LocalRecoded(
        transactions,
        replace(published, origin=transactions.origin),
        recoded.n_occurrences,
        np.flatnonzero(held),
        tuple(names),
        left[order],
    )


SECONDS_A_CELL = 1.5e-7
"""Taking items out, sorting and writing, measured on five million transactions of fifteen items."""


class LocalSanitizer(Sanitizer[Bools]):
    """A sanitizer of transactions in memory; a removal is a mask over their cells."""

    def __init__(self, transactions: Transactions, key: Key) -> None:
        super().__init__(transactions, key)
        self._transactions = transactions

    def clock(self) -> float:
        return process_time()

    def rest_seconds(self, solving: float) -> float:
        return SECONDS_A_CELL * self._transactions.n_occurrences

    @cached_property
    def _known(self) -> Known:
        data, column = self._transactions, self._transactions.sensitive
        beside = None if column is None else column.codes
        digests = self._content.digests(data.indptr, data.items, beside)
        return Known(Rows(data.indptr, data.items, ranks(digests), beside), digests, self._content.words)

    def _digested(self, subkey: Subkey) -> Counts:
        return self._known.digest(subkey)

    def _summed(self, removed: Bools | None) -> Summed:
        return summed_over(*self.rows(removed))

    def _then(self, removed: Bools | None, step: Step) -> Bools:
        return interruptible(step.take, self._known, self._mask(removed))

    def _mask(self, removed: Bools | None) -> Bools:
        return np.zeros(len(self._transactions.items), np.bool_) if removed is None else removed.copy()

    def taken_from(self, sets: Itemlist, shown: Bools, choose: Choice, removed: Bools | None = None) -> Bools:
        data, gone, subkey = self._transactions, self._mask(removed), self._key.subkey("hide: order")
        found = interruptible(holds_any, *self.rows(removed), indexed_sets(sets, data.supports))
        rows = np.flatnonzero(found)
        indptr, places = places_of_rows(data.indptr, rows[self._order(subkey, rows)])
        there = ~gone[places]
        ends, places = np.concatenate([[0], np.cumsum(there)])[indptr], places[there]
        gone[places[choose(ends, data.items[places])]] = True
        return gone

    def slid(self, sets: Itemlist, *, disclosure: Fraction, window: int) -> Bools:
        data, indexed = self._transactions, indexed_sets(sets, self._transactions.supports)
        counts = interruptible(count_sets, data.indptr, data.items, indexed)
        ends, rows = interruptible(rows_of_sets, data.indptr, data.items, indexed, counts)
        # The windows of a file follow its order; here they follow the keyed order, which no file changes.
        windows = np.empty(self.n_rows, dtype=np.int64)
        order = self._order(self._key.subkey("hide: windows"), np.arange(self.n_rows))
        windows[order] = np.arange(self.n_rows) // window
        n_windows = -(-self.n_rows // window)
        share = disclosure.numerator, disclosure.denominator
        drawn = self._known.draws(self._key.subkey("hide: victims"))
        return interruptible(
            slide, data.indptr, data.items, indexed, ends, rows, windows, n_windows, *share, drawn
        )

    def _order(self, subkey: Subkey, rows: Counts) -> Counts:
        """The keyed order of some rows."""
        digests, rank = self._known.digests[rows], self._known.rows.ranks[rows]
        return keyed_order(draws(subkey, digests, rank), digests, rank)

    def left(self, removed: Bools) -> Left:
        return Left(*published_transactions(self._transactions, self.rows(removed)))

    def rows(self, removed: Bools | None) -> tuple[Offsets, Codes]:
        """What is left of the transactions, in their order."""
        if removed is None:
            return self._transactions.indptr, self._transactions.items
        indptr, items = self._known.left(removed)
        return read_only(indptr), read_only(items)
