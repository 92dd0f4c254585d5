"""The engine that runs on Apache Spark: rows stay there, and only counts come into this process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from tacit.arrays.interrupt import Flag
from tacit.data.table import Table
from tacit.data.transactions import Transactions
from tacit.engine.base import Combinations, Deal, HeldSets, WantedItemsets
from tacit.engine.sanitizing import Itemlist, pair_supports, set_supports
from tacit.engine.spark.buckets import SparkBucketized
from tacit.engine.spark.counts import summed_over
from tacit.errors import UsageError
from tacit.io.spark.session import spark_session
from tacit.io.spark.source import ON_SPARK, SparkSource
from tacit.io.spark.transactions import SparkTransactions
from tacit.random.key import Key
from tacit.typing import Codes, Counts

if TYPE_CHECKING:
    from tacit.engine.itemsets.mine import FoundItemsets, TooManyItemsets
    from tacit.engine.local.sets import CoresetCounts
    from tacit.engine.spark.recoding import RecodedTransactions
    from tacit.engine.spark.sanitizing import SparkSanitizer


class SparkEngine:
    """Counts and applies with Spark's own groupings, and the kernels in Arrow batches on its workers.

    ``session`` is a Spark session, also one of Spark Connect; by default the active one, or a new one on
    the cluster that the environment names, else on this machine. About ``range_rows`` rows are numbered by
    one task.
    """

    def __init__(self, session: Any = None, *, range_rows: int = 500_000) -> None:
        self.session = spark_session() if session is None else session
        self.range_rows = range_rows

    def combinations(self, table: Table, names: Sequence[str]) -> Combinations:
        """The distinct combinations of the named columns, with their counts, by one grouping."""
        source = source_on_spark(table)
        codes, counts = source.combinations(names)
        texts = tuple(tuple(table.column(name).texts) for name in names)
        return Combinations(names=tuple(names), texts=texts, codes=codes, counts=counts)

    def rows_here(self, data: Table | Transactions, most: int) -> int:
        """How many rows come into this process: up to ``most``."""
        return min(len(data), most)

    def placed(
        self, table: Table, buckets: Codes, fakes: Codes, texts: pl.Series, key: Key
    ) -> SparkBucketized:
        """Not on Spark: the rows of a series are told apart by person in this process."""
        raise UsageError(
            "Releases of a series are made in this process, not on Spark.",
            code="not-on-spark",
            hint=f"On Spark work {ON_SPARK}. Leave the engine out, or say local.",
        )

    def bucketized(self, table: Table, deal: Deal, key: Key) -> SparkBucketized:
        """Deal the rows of each kind out to its places, and number the buckets by what is published."""
        from tacit.engine.spark.dealing import deal_on_spark

        if deal.shown:
            raise UsageError(
                "Buckets of coarser quasi-identifiers are made in this process, not on Spark.",
                code="not-on-spark",
                hint=f"On Spark work {ON_SPARK}. Leave the engine out, or say local.",
            )
        return deal_on_spark(table, source_on_spark(table), deal, key, range_rows=self.range_rows)

    def frequent_itemsets(
        self,
        transactions: Transactions,
        wanted: WantedItemsets,
        *,
        threads: int,
        progress: Callable[[float], None] | None,
    ) -> FoundItemsets | TooManyItemsets:
        """The itemsets asked for, or that they are too many; Spark says how many tasks there are."""
        from tacit.engine.spark.itemsets import spark_itemsets

        return spark_itemsets(transactions_on_spark(transactions), wanted, progress)

    def set_supports(self, transactions: Transactions, sets: Itemlist) -> Counts:
        """The support of each set of items, by one pass."""
        return set_supports(sets, transactions.supports, summed_over(transactions_on_spark(transactions)))

    def pair_supports(self, transactions: Transactions, items: Codes) -> Counts:
        """The support of every pair a < b of these items, as the upper half of a matrix, by one pass."""
        return pair_supports(items, transactions.n_items, summed_over(transactions_on_spark(transactions)))

    def sanitizer(self, transactions: Transactions, key: Key, *, sliding: bool = False) -> SparkSanitizer:
        """The sanitizer of these transactions under a key; windows slide in this process alone."""
        from tacit.engine.spark.sanitizing import SparkSanitizer

        if sliding:
            raise UsageError(
                "Hiding with sliding windows runs in this process, not on Spark.",
                code="not-on-spark",
                hint=f"On Spark work {ON_SPARK}. Leave the engine out, or say local.",
            )
        return SparkSanitizer(transactions_on_spark(transactions), key, task_rows=self.range_rows)

    def set_counts(
        self, transactions: Transactions, *, size: int = 0, spare: int = 0, flag: Flag | None = None
    ) -> CoresetCounts:
        """What a solver may ask about these transactions; a coreset of them comes into this process."""
        from tacit.engine.local.sets import CoresetCounts
        from tacit.engine.spark.counts import spark_coreset

        there = transactions_on_spark(transactions)
        return CoresetCounts(there, partial(spark_coreset, there), size=size, spare=spare, flag=flag)

    def gathered(self, transactions: Transactions, *, k: int, size: int) -> tuple[int, int]:
        """The transactions of a coreset, which are counted in this process, and their items."""
        return self.set_counts(transactions).gathered(k=k, size=size)

    def recoded(
        self, transactions: Transactions, names: Sequence[str], left_out: HeldSets
    ) -> RecodedTransactions:
        """The transactions with item ``i`` called ``names[i]``, without those left out."""
        from tacit.engine.spark.recoding import recoded_on_spark

        return recoded_on_spark(transactions_on_spark(transactions), names, left_out)


def source_on_spark(table: Table) -> SparkSource:
    """The source of a table on Spark; an error for one in memory."""
    if not isinstance(table.source, SparkSource):
        raise UsageError(
            "The engine spark works on tables that are on Spark, and this one is in memory.",
            code="rows-in-memory",
            hint="Read it with engine=SparkEngine(...) (--engine spark), or leave the engine out.",
        )
    return table.source


def transactions_on_spark(transactions: Transactions) -> SparkTransactions:
    """Transactions on Spark; an error for those in memory."""
    if not isinstance(transactions, SparkTransactions):
        raise UsageError(
            "The engine spark works on transactions that are on Spark, and these are in memory.",
            code="rows-in-memory",
            hint="Read them with engine=SparkEngine(...) (--engine spark), or leave the engine out.",
        )
    return transactions
