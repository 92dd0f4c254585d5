"""Transactions on Spark in published order, part after part: sorted by their text, so that no place tells.

Spark sorts; the parts are fetched one after the other, the next while one is written, so that this process
holds one at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tacit.data.column import Column
from tacit.data.transactions import Transactions
from tacit.io.spark.session import spark_errors
from tacit.io.spark.transactions import ITEMS, SENSITIVE, SparkTransactions
from tacit.io.spark.transactions_coding import as_codes, as_lists
from tacit.io.spark.workers import on_worker
from tacit.typing import Codes

PART_ROWS = 500_000
"""About so many records are sorted by one task, and fetched at a time."""


def sorted_parts(transactions: SparkTransactions) -> Iterator[Transactions]:
    """The records sorted by the texts of their items, in turn, and then by that of the value beside them."""
    ranks = text_ranks(list(transactions.vocabulary))
    column = transactions.sensitive
    value_ranks = None if column is None else text_ranks([text or "" for text in column.texts])

    def key(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        for batch in batches:
            indptr, items = as_codes(batch)
            cells = [as_lists(indptr, ranks[items])]
            if value_ranks is not None:
                cells.append(pyarrow.array(value_ranks[np.asarray(batch.column(SENSITIVE))]))
            yield pyarrow.RecordBatch.from_arrays(cells, names)

    def pack(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        for batch in batches:
            indptr, items = as_codes(batch)
            values = np.asarray(batch.column(SENSITIVE)) if len(names) > 1 else np.zeros(0, np.int32)
            cells = [pyarrow.array([array.tobytes()]) for array in (np.diff(indptr), items, values)]
            yield pyarrow.RecordBatch.from_arrays(cells, ["lengths", "items", "beside"])

    names = [ITEMS] if column is None else [ITEMS, SENSITIVE]
    schema = ", ".join([f"{ITEMS} array<int>", f"{SENSITIVE} int"][: len(names)])
    by_text = np.argsort(ranks).astype(np.int32)
    by_value = None if value_ranks is None else np.argsort(value_ranks).astype(np.int32)
    with spark_errors(transactions.origin):
        keyed = transactions.frame.mapInArrow(on_worker(key), schema)
        n_parts = max(1, -(-len(transactions) // PART_ROWS))
        ordered = keyed.repartitionByRange(n_parts, *names).sortWithinPartitions(*names)
        for row in ordered.mapInArrow(
            on_worker(pack), "lengths binary, items binary, beside binary"
        ).toLocalIterator(prefetchPartitions=True):
            lengths, items, beside = (
                np.frombuffer(row[name], dtype=kind)
                for name, kind in (("lengths", np.int64), ("items", np.int32), ("beside", np.int32))
            )
            values = None
            if column is not None and by_value is not None:
                values = Column(column.name, by_value[beside], column.values)
            indptr = np.concatenate([[0], np.cumsum(lengths)])
            yield Transactions(indptr, by_text[items], transactions.vocabulary, values)


def text_ranks(texts: list[str]) -> Codes:
    """The rank of each text; equal ones keep their order."""
    by_text = np.argsort(np.array(texts, dtype=object), kind="stable")
    ranks = np.empty(len(texts), dtype=np.int32)
    ranks[by_text] = np.arange(len(texts), dtype=np.int32)
    return ranks
