"""Taking items out of transactions held in memory, by kernels; see :mod:`tacit.engine.sanitizing`."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from time import process_time
from typing import TYPE_CHECKING

import numpy as np

from tacit.arrays.groups import read_only
from tacit.data.transactions import Transactions
from tacit.engine.sanitizing import (
    Choice,
    HitCounts,
    Itemlist,
    Left,
    indexed_sets,
    mark_hits,
    pair_supports,
    published_transactions,
    set_supports,
    summed_over,
)
from tacit.random.key import Key
from tacit.typing import Bools, Codes, Counts, Offsets, Words

if TYPE_CHECKING:
    from tacit.engine.kernels.contained import Sets
    from tacit.engine.kernels.sanitizing import Columns, Draws


SECONDS_A_CELL = 1.5e-7
"""Taking items out, sorting and writing, measured on five million transactions of fifteen items."""


class LocalSanitizer:
    """A sanitizer of transactions in memory; see :class:`tacit.engine.sanitizing.Sanitizer`."""

    def __init__(self, transactions: Transactions, key: Key) -> None:
        self.n_rows = len(transactions)
        self._transactions = transactions
        self._key = key

    def clock(self) -> float:
        return process_time()

    def rest_seconds(self, solving: float) -> float:
        return SECONDS_A_CELL * self._transactions.n_occurrences

    @property
    def digest(self) -> str:
        from tacit.random.keyed import digest_of_all

        digests, ranks, _ = self._content
        return digest_of_all(self._key.subkey("hide: digest"), digests, ranks)

    def supports(self, sets: Itemlist, removed: Bools | None = None) -> Counts:
        data = self._transactions
        indptr, items = (data.indptr, data.items) if removed is None else self.rows(removed)
        return set_supports(sets, data.supports, summed_over(read_only(indptr), read_only(items)))

    def pair_supports(self, items: Codes) -> Counts:
        data = self._transactions
        return pair_supports(items, data.n_items, summed_over(data.indptr, data.items))

    def hits(self, matrix: Columns, n_marks: int) -> HitCounts:
        data = self._transactions
        return mark_hits(matrix, n_marks, summed_over(data.indptr, data.items))

    def drawn(self, matrix: Columns, high: Words, low: Words, *, label: int) -> Bools:
        from tacit.arrays.interrupt import interruptible
        from tacit.engine.kernels.sanitizing import drawn_removals

        data = self._transactions
        draws = self._draws(f"hide: cells {label}")
        return interruptible(drawn_removals, data.indptr, data.items, matrix, high, low, draws)

    def taken_from(self, sets: Itemlist, shown: Bools, choose: Choice, removed: Bools | None = None) -> Bools:
        from tacit.arrays.groups import places_of_rows
        from tacit.arrays.interrupt import interruptible
        from tacit.engine.kernels.contained import holds_any
        from tacit.random.keyed import draws as drawn_words
        from tacit.random.keyed import keyed_order

        data = self._transactions
        digests, ranks, _ = self._content
        gone = np.zeros(len(data.items), dtype=np.bool_) if removed is None else removed.copy()
        left = (data.indptr, data.items) if removed is None else self.rows(gone)
        found = interruptible(holds_any, read_only(left[0]), read_only(left[1]), self._indexed(sets))
        rows = np.flatnonzero(found)
        words = drawn_words(self._key.subkey("hide: order"), digests[rows], ranks[rows])
        rows = rows[keyed_order(words, digests[rows], ranks[rows])]
        indptr, places = places_of_rows(data.indptr, rows)
        there = ~gone[places]
        ends, places = np.concatenate([[0], np.cumsum(there)])[indptr], places[there]
        gone[places[choose(ends, data.items[places])]] = True
        return gone

    def slid(self, sets: Itemlist, *, disclosure: Fraction, window: int) -> Bools:
        from tacit.arrays.interrupt import interruptible
        from tacit.engine.kernels.contained import count_sets, rows_of_sets
        from tacit.engine.kernels.sanitizing import slide
        from tacit.random.keyed import draws as drawn_words
        from tacit.random.keyed import keyed_order

        data = self._transactions
        digests, ranks, _ = self._content
        indexed = self._indexed(sets)
        counts = interruptible(count_sets, data.indptr, data.items, indexed)
        ends, rows = interruptible(rows_of_sets, data.indptr, data.items, indexed, counts)
        # The windows of a file follow its order; here they follow the keyed order, which no file changes.
        words = drawn_words(self._key.subkey("hide: windows"), digests, ranks)
        windows = np.empty(self.n_rows, dtype=np.int64)
        windows[keyed_order(words, digests, ranks)] = np.arange(self.n_rows) // window
        n_windows = -(-self.n_rows // window)
        share = disclosure.numerator, disclosure.denominator
        draws = self._draws("hide: victims")
        return interruptible(
            slide, data.indptr, data.items, indexed, ends, rows, windows, n_windows, *share, draws
        )

    def refilled(self, removed: Bools, barred: Bools) -> Bools:
        from tacit.engine.kernels.sanitizing import refill

        mask = removed.copy()
        refill(self._transactions.indptr, self._transactions.items, mask, barred, self._draws("hide: refill"))
        return mask

    def left(self, removed: Bools) -> Left:
        return Left(*published_transactions(self._transactions, self.rows(removed)))

    def rows(self, removed: Bools) -> tuple[Offsets, Codes]:
        """What is left of the transactions, in their order."""
        from tacit.engine.kernels.sanitizing import without_cells

        return without_cells(self._transactions.indptr, self._transactions.items, removed)

    @cached_property
    def _content(self) -> tuple[Words, Counts, Words]:
        """The digest and the rank of each transaction, and the word of each item."""
        from tacit.random.digests import ranks, set_digests, value_digests

        data = self._transactions
        subkey = self._key.subkey("hide: content")
        values = value_digests(subkey, "item", data.vocabulary)
        # A value that goes along is published too: transactions that differ in it are not interchangeable.
        column = data.sensitive
        beside = [] if column is None else [(column.codes, value_digests(subkey, "beside", column.texts))]
        digests = set_digests(data.indptr, data.items, values, columns=beside)
        return digests, ranks(digests), values[:, 0].copy()

    def _draws(self, purpose: str) -> Draws:
        from tacit.engine.kernels.sanitizing import Draws

        k0, k1 = self._key.subkey(purpose).words
        return Draws(np.uint64(k0), np.uint64(k1), *self._content)

    def _indexed(self, sets: Itemlist) -> Sets:
        return indexed_sets(sets, self._transactions.supports)
