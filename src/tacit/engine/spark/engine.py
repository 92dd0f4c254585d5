"""The engine that runs on Apache Spark: rows stay there, and only counts come into this process."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from tacit.data.table import Table
from tacit.data.transactions import Transactions
from tacit.engine.base import Combinations, Deal, Done, Engine, HeldSets, WantedItemsets
from tacit.engine.spark.buckets import SparkBucketized
from tacit.errors import UsageError
from tacit.io.spark.session import spark_session
from tacit.io.spark.source import ON_SPARK, SparkSource
from tacit.io.spark.transactions import SparkTransactions
from tacit.random.key import Key
from tacit.typing import Codes

if TYPE_CHECKING:
    from tacit.arrays.compiled import Flag
    from tacit.engine.itemsets.mine import FoundItemsets, TooManyItemsets
    from tacit.engine.sanitizing import Summed
    from tacit.engine.sets import SetCounts
    from tacit.engine.spark.sets import RecodedTransactions, SparkSanitizer


class SparkEngine(Engine):
    """Counts and applies with Spark's own groupings, and the kernels in Arrow batches on its workers.

    ``session`` is a Spark session, also one of Spark Connect; by default the active one, or a new one on
    the cluster that the environment names, else on this machine. About ``range_rows`` rows are numbered by
    one task.
    """

    def __init__(self, session: Any = None, *, range_rows: int = 500_000) -> None:
        self.session = spark_session() if session is None else session
        self.range_rows = range_rows

    def combinations(self, table: Table, names: Sequence[str]) -> Combinations:
        codes, counts = source_on_spark(table).combinations(names)
        texts = tuple(tuple(table.column(name).texts) for name in names)
        return Combinations(names=tuple(names), texts=texts, codes=codes, counts=counts)

    def rows_here(self, data: Table | Transactions, most: int) -> int:
        return min(len(data), most)

    def placed(
        self, table: Table, buckets: Codes, fakes: Codes, texts: pl.Series, key: Key
    ) -> SparkBucketized:
        # The rows of a series are told apart by person in this process.
        raise _not_on_spark("Releases of a series are made")

    def bucketized(self, table: Table, deal: Deal, key: Key) -> SparkBucketized:
        from tacit.engine.spark.buckets import deal_on_spark

        if deal.shown:
            raise _not_on_spark("Buckets of coarser quasi-identifiers are made")
        return deal_on_spark(table, source_on_spark(table), deal, key, range_rows=self.range_rows)

    def frequent_itemsets(
        self, transactions: Transactions, wanted: WantedItemsets, *, threads: int, progress: Done | None
    ) -> FoundItemsets | TooManyItemsets:
        from tacit.engine.spark.itemsets import spark_itemsets

        return spark_itemsets(transactions_on_spark(transactions), wanted, progress)

    def summed_over(self, transactions: Transactions) -> Summed:
        from tacit.engine.spark.blocks import summed_over

        return summed_over(transactions_on_spark(transactions))

    def sanitizer(self, transactions: Transactions, key: Key, *, sliding: bool = False) -> SparkSanitizer:
        from tacit.engine.spark.sets import SparkSanitizer

        if sliding:
            raise _not_on_spark("Hiding with sliding windows runs")
        return SparkSanitizer(transactions_on_spark(transactions), key, task_rows=self.range_rows)

    def set_counts(
        self, transactions: Transactions, *, size: int = 0, spare: int = 0, flag: Flag | None = None
    ) -> SetCounts:
        from tacit.engine.sets import SetCounts
        from tacit.engine.spark.blocks import spark_coreset

        there = transactions_on_spark(transactions)
        return SetCounts(there, partial(spark_coreset, there), size=size, spare=spare, flag=flag)

    def gathered(self, transactions: Transactions, *, k: int, size: int) -> tuple[int, int]:
        return self.set_counts(transactions).gathered(k=k, size=size)

    def recoded(
        self, transactions: Transactions, names: Sequence[str], left_out: HeldSets
    ) -> RecodedTransactions:
        from tacit.engine.spark.sets import recoded_on_spark

        return recoded_on_spark(transactions_on_spark(transactions), names, left_out)


def _not_on_spark(what: str) -> UsageError:
    return UsageError(
        f"{what} in this process, not on Spark.",
        code="not-on-spark",
        hint=f"On Spark work {ON_SPARK}. Leave the engine out, or say local.",
    )


def source_on_spark(table: Table) -> SparkSource:
    """The source of a table on Spark; an error for one in memory."""
    if not isinstance(table.source, SparkSource):
        raise _in_memory("tables that are on Spark, and this one is in memory", "it")
    return table.source


def transactions_on_spark(transactions: Transactions) -> SparkTransactions:
    """Transactions on Spark; an error for those in memory."""
    if not isinstance(transactions, SparkTransactions):
        raise _in_memory("transactions that are on Spark, and these are in memory", "them")
    return transactions


def _in_memory(what: str, it: str) -> UsageError:
    return UsageError(
        f"The engine spark works on {what}.",
        code="rows-in-memory",
        hint=f"Read {it} with engine=SparkEngine(...) (--engine spark), or leave the engine out.",
    )
