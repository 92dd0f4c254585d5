"""Taking items out of transactions held in memory, by kernels; see :mod:`tacit.engine.sanitizing`."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from time import process_time
from typing import TYPE_CHECKING

import numpy as np

from tacit.arrays.groups import read_only
from tacit.data.transactions import Transactions
from tacit.engine.sanitizing import (
    HitCounts,
    Itemlist,
    Left,
    Valued,
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
    from tacit.engine.kernels.keeping import Marks
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
        from tacit.random.keyed import draws

        digests, ranks, _ = self._content
        subkey = self._key.subkey("hide: digest")
        return "".join(f"{int(draws(subkey, digests, ranks, label=label).sum()):016x}" for label in (0, 1))

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

    def kept_within(self, marks: Marks, limits: Counts, valued: Valued) -> Bools:
        from tacit.arrays.groups import places_of_rows
        from tacit.arrays.interrupt import interruptible
        from tacit.engine.kernels.keeping import cells_to_go, rows_hit
        from tacit.random.keyed import draws as drawn_words
        from tacit.random.keyed import keyed_order

        data = self._transactions
        digests, ranks, _ = self._content
        rows = interruptible(rows_hit, data.indptr, data.items, marks)
        words = drawn_words(self._key.subkey("hide: order"), digests[rows], ranks[rows])
        rows = rows[keyed_order(words, digests[rows], ranks[rows])]
        indptr, places = places_of_rows(data.indptr, rows)
        removed = np.zeros(len(data.items), dtype=np.bool_)
        removed[places] = cells_to_go(indptr, data.items[places], marks, limits, valued)
        return removed

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

    def thinned(self, removed: Bools, held: Sequence[int], victim: int, *, keep: int) -> Bools:
        from tacit.arrays.interrupt import interruptible
        from tacit.engine.kernels.contained import count_sets, rows_of_sets
        from tacit.random.keyed import draws as drawn_words
        from tacit.random.keyed import keyed_order

        digests, ranks, _ = self._content
        indptr, items = (read_only(part) for part in self.rows(removed))
        indexed = self._indexed([held])
        counts = interruptible(count_sets, indptr, items, indexed)
        _, rows = interruptible(rows_of_sets, indptr, items, indexed, counts)
        words = drawn_words(self._key.subkey(f"hide: thin {self._names(held)}"), digests[rows], ranks[rows])
        by_key = rows[keyed_order(words, digests[rows], ranks[rows])]
        # The shortest first: they hold the fewest other patterns.
        shortest = by_key[np.argsort(np.diff(indptr)[by_key], kind="stable")]
        going = np.zeros(self.n_rows, dtype=np.bool_)
        going[shortest[: max(0, len(rows) - keep)]] = True
        data = self._transactions
        owners = np.repeat(going, data.lengths)
        return np.asarray(removed | (owners & (data.items == victim)), dtype=np.bool_)

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

    def _names(self, items: Sequence[int]) -> str:
        return "\0".join(self._transactions.vocabulary[item] for item in items)

    def _indexed(self, sets: Itemlist) -> Sets:
        return indexed_sets(sets, self._transactions.supports)
