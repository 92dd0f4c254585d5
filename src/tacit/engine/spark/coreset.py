"""Gathering a coreset on Spark: every task keeps a few of its transactions, and few tasks do so again.

Which transactions are kept depends on their order, and any choice will do; but what a task gives must be the
same when it is run again, because others may have taken a part of it already. So wherever Spark may change
the order, transactions are sorted first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tacit.engine.base import HeldSets
from tacit.errors import Place, ResourceError
from tacit.io.spark.session import spark_errors
from tacit.io.spark.transactions import ITEMS, SparkTransactions
from tacit.io.spark.transactions_coding import as_codes, as_lists
from tacit.io.spark.workers import on_worker
from tacit.typing import Codes, Offsets

TOGETHER = 8
"""So many tasks give what they kept to one."""
MOST_ITEMS = 100_000_000
"""The most items of a coreset that are brought into this process, over all its transactions."""


def spark_coreset(
    transactions: SparkTransactions, least: int, size: int, dropped: HeldSets
) -> tuple[Offsets, Codes]:
    """A coreset of the transactions without those dropped."""
    from pyspark.sql import functions

    from tacit.arrays.csr import take_rows
    from tacit.engine.kernels.coreset import coreset_rows, nothing_known

    n_items = transactions.n_items
    keep = _keeper(n_items, least, size)
    kept = transactions.frame.select(ITEMS).mapInArrow(
        on_worker(_keeper(n_items, least, size, dropped if dropped.sets else None)), f"{ITEMS} array<int>"
    )
    parts = len(transactions.parts)
    while parts > 1:
        parts = -(-parts // TOGETHER)
        spread = kept.repartition(parts, functions.xxhash64(ITEMS)).sortWithinPartitions(ITEMS)
        kept = spread.mapInArrow(on_worker(keep), f"{ITEMS} array<int>")
    known = nothing_known(n_items, size, least)
    rows = [np.zeros(0, dtype=np.int64)]
    held = [np.zeros(0, dtype=np.int32)]
    n_held = 0
    with spark_errors(transactions.origin):
        packed = kept.mapInArrow(on_worker(_pack), "lengths binary, items binary")
        for part in packed.toLocalIterator():
            lengths = np.frombuffer(part["lengths"], dtype=np.int64)
            items = np.frombuffer(part["items"], dtype=np.int32)
            # The last come first: what was kept early, when nothing was known, may not be needed.
            indptr = np.concatenate([[0], np.cumsum(lengths)])
            indptr, items = take_rows(indptr, items, np.arange(len(lengths))[::-1])
            chosen = np.flatnonzero(coreset_rows(indptr, items, least, known))
            indptr, items = take_rows(indptr, items, chosen)
            rows.append(np.diff(indptr))
            held.append(items)
            n_held += len(items)
            if n_held > MOST_ITEMS:
                raise ResourceError(
                    f"Counting would bring more than {MOST_ITEMS:,} items of transactions into this process.",
                    code="spark-too-many",
                    where=Place(file=transactions.origin),
                    hint="Choose a smaller k or m, or group rare items by a hierarchy beforehand.",
                )
    return np.concatenate([[0], np.cumsum(np.concatenate(rows))]), np.concatenate(held)


def _keeper(
    n_items: int, least: int, size: int, dropped: HeldSets | None = None
) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def keep(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        from tacit.arrays.csr import take_rows
        from tacit.engine.kernels.coreset import coreset_rows, nothing_known

        known = nothing_known(n_items, size, least)
        for batch in batches:
            indptr, items = as_codes(batch)
            if dropped is not None:
                indptr, items = take_rows(indptr, items, np.flatnonzero(~dropped.among(indptr, items)))
            chosen = np.flatnonzero(coreset_rows(indptr, items, least, known))
            yield pyarrow.RecordBatch.from_arrays([as_lists(*take_rows(indptr, items, chosen))], [ITEMS])

    return keep


def _pack(batches: Iterator[Any]) -> Iterator[Any]:
    """Transactions as two runs of bytes: a part of them is fetched as one row."""
    import pyarrow

    for batch in batches:
        indptr, items = as_codes(batch)
        cells = [pyarrow.array([array.tobytes()], pyarrow.binary()) for array in (np.diff(indptr), items)]
        yield pyarrow.RecordBatch.from_arrays(cells, ["lengths", "items"])
