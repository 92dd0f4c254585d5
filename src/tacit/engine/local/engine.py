"""The engine that runs in this process: kernels over arrays in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tacit.arrays.interrupt import Flag
from tacit.data.table import Table
from tacit.data.transactions import Transactions
from tacit.engine.base import Combinations, Deal, HeldSets, WantedItemsets
from tacit.engine.local.buckets import LocalBucketized
from tacit.engine.local.dealing import deal_in_memory, place_in_memory
from tacit.engine.local.sanitizing import LocalSanitizer
from tacit.engine.sanitizing import Itemlist, pair_supports, set_supports, summed_over
from tacit.random.key import Key
from tacit.typing import Codes, Counts

if TYPE_CHECKING:
    from tacit.engine.itemsets.mine import FoundItemsets, TooManyItemsets
    from tacit.engine.local.recoding import LocalRecoded
    from tacit.engine.local.sets import CoresetCounts, LocalSetCounts


class LocalEngine:
    """Counts and applies with numba kernels, in this process."""

    session: None = None
    """What is read for this engine comes into this process, and stays on no session of Spark."""

    def combinations(self, table: Table, names: Sequence[str]) -> Combinations:
        """The distinct combinations of the named columns, with their counts."""
        from tacit.arrays.groups import group_rows, group_sorted

        columns = [table.column(name) for name in names]
        cells, times = [column.codes for column in columns], table.times
        if times is not None and columns and tuple(names) == table.names[: len(names)]:
            groups, first = group_sorted(cells)
        else:
            groups, first = group_rows(cells, [len(column.values) for column in columns])
        codes = np.column_stack([column.codes[first] for column in columns]) if columns else np.zeros((1, 0))
        return Combinations(
            names=tuple(names),
            texts=tuple(tuple(column.texts) for column in columns),
            codes=np.ascontiguousarray(codes, dtype=np.int32),
            counts=np.bincount(groups, weights=times, minlength=len(first)).astype(np.int64),
        )

    def rows_here(self, data: Table | Transactions, most: int) -> int:
        """How many rows are in this process: all of them."""
        return len(data)

    def bucketized(self, table: Table, deal: Deal, key: Key) -> LocalBucketized:
        """Deal the rows of each kind out to its places, and number the buckets by what is published."""
        return deal_in_memory(table, deal, key)

    def placed(
        self, table: Table, buckets: Codes, fakes: Codes, texts: pl.Series, key: Key
    ) -> LocalBucketized:
        """Put every row into the bucket chosen for it, beside counterfeits."""
        return place_in_memory(table, buckets, fakes, texts, key)

    def frequent_itemsets(
        self,
        transactions: Transactions,
        wanted: WantedItemsets,
        *,
        threads: int,
        progress: Callable[[float], None] | None,
    ) -> FoundItemsets | TooManyItemsets:
        """The itemsets asked for, or that they are too many."""
        from tacit.engine.itemsets.few import few_itemsets
        from tacit.engine.itemsets.mine import frequent_itemsets

        rows, n_items = (transactions.indptr, transactions.items), transactions.n_items
        found = few_itemsets(*rows, n_items, wanted)
        if found is not None:
            return found
        return frequent_itemsets(*rows, n_items=n_items, **vars(wanted), threads=threads, progress=progress)

    def set_supports(self, transactions: Transactions, sets: Itemlist) -> Counts:
        """The support of each set of items."""
        return set_supports(sets, transactions.supports, summed_over(transactions.indptr, transactions.items))

    def pair_supports(self, transactions: Transactions, items: Codes) -> Counts:
        """The support of every pair a < b of these items, as the upper half of a matrix."""
        return pair_supports(
            items, transactions.n_items, summed_over(transactions.indptr, transactions.items)
        )

    def set_counts(
        self, transactions: Transactions, *, size: int = 0, spare: int = 0, flag: Flag | None = None
    ) -> LocalSetCounts | CoresetCounts:
        """What a solver may ask about these transactions; where they are many, few of them answer for all."""
        from tacit.engine.local import sets
        from tacit.engine.local.sets import CoresetCounts

        if len(transactions) < sets.LARGE or size > sets.PAIRS:
            return sets.LocalSetCounts(transactions, flag=flag)
        gather = partial(sets.local_coreset, transactions)
        return CoresetCounts(transactions, gather, size=size, spare=spare, flag=flag)

    def gathered(self, transactions: Transactions, *, k: int, size: int) -> tuple[int, int]:
        """The transactions that are counted in this process, and their items: all of them."""
        return len(transactions), transactions.n_occurrences

    def sanitizer(self, transactions: Transactions, key: Key, *, sliding: bool = False) -> LocalSanitizer:
        """The sanitizer of these transactions under a key."""
        return LocalSanitizer(transactions, key)

    def recoded(self, transactions: Transactions, names: Sequence[str], left_out: HeldSets) -> LocalRecoded:
        """The transactions with item ``i`` called ``names[i]``, without those left out."""
        from tacit.engine.local.recoding import recoded_in_memory

        return recoded_in_memory(transactions, names, left_out)
