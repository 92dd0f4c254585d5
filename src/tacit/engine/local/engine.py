"""The engine that runs in this process: kernels over arrays in memory."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tacit.data.table import Table
from tacit.data.transactions import Transactions
from tacit.engine.base import Combinations, Deal, Done, Engine, HeldSets, WantedItemsets
from tacit.random.key import Key
from tacit.typing import Codes

if TYPE_CHECKING:
    from tacit.arrays.compiled import Flag
    from tacit.engine.itemsets.mine import FoundItemsets, TooManyItemsets
    from tacit.engine.local.buckets import LocalBucketized
    from tacit.engine.local.sets import LocalRecoded, LocalSanitizer
    from tacit.engine.sanitizing import Summed
    from tacit.engine.sets import SetCounts


class LocalEngine(Engine):
    """Counts and applies with numba kernels, in this process."""

    session: None = None
    """What is read for this engine comes into this process, and stays on no session of Spark."""

    def combinations(self, table: Table, names: Sequence[str]) -> Combinations:
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
        return len(data)

    def bucketized(self, table: Table, deal: Deal, key: Key) -> LocalBucketized:
        from tacit.engine.local.buckets import deal_in_memory

        return deal_in_memory(table, deal, key)

    def placed(
        self, table: Table, buckets: Codes, fakes: Codes, texts: pl.Series, key: Key
    ) -> LocalBucketized:
        from tacit.engine.local.buckets import place_in_memory

        return place_in_memory(table, buckets, fakes, texts, key)

    def frequent_itemsets(
        self, transactions: Transactions, wanted: WantedItemsets, *, threads: int, progress: Done | None
    ) -> FoundItemsets | TooManyItemsets:
        from tacit.engine.itemsets.few import few_itemsets
        from tacit.engine.itemsets.mine import frequent_itemsets

        rows = transactions.indptr, transactions.items, transactions.n_items
        found = few_itemsets(*rows, wanted)
        if found is not None:
            return found
        return frequent_itemsets(*rows, wanted, threads=threads, progress=progress)

    def summed_over(self, transactions: Transactions) -> Summed:
        from tacit.engine.sanitizing import summed_over

        return summed_over(transactions.indptr, transactions.items)

    def set_counts(
        self, transactions: Transactions, *, size: int = 0, spare: int = 0, flag: Flag | None = None
    ) -> SetCounts:
        from tacit.engine import sets

        many = len(transactions) >= sets.LARGE and size <= sets.PAIRS
        gather = partial(sets.local_coreset, transactions) if many else None
        return sets.SetCounts(transactions, gather, size=size, spare=spare, flag=flag)

    def gathered(self, transactions: Transactions, *, k: int, size: int) -> tuple[int, int]:
        return len(transactions), transactions.n_occurrences

    def sanitizer(self, transactions: Transactions, key: Key, *, sliding: bool = False) -> LocalSanitizer:
        from tacit.engine.local.sets import LocalSanitizer

        return LocalSanitizer(transactions, key)

    def recoded(self, transactions: Transactions, names: Sequence[str], left_out: HeldSets) -> LocalRecoded:
        from tacit.engine.local.sets import recoded_in_memory

        return recoded_in_memory(transactions, names, left_out)
