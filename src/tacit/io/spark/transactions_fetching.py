"""Bringing transactions on Spark into this process, where they are few enough."""

from __future__ import annotations

import numpy as np

from tacit.data.column import Column
from tacit.data.transactions import Transactions
from tacit.io.spark.session import spark_errors
from tacit.io.spark.transactions import ITEMS, SENSITIVE, SparkTransactions
from tacit.io.spark.transactions_coding import as_rows


def in_memory(transactions: SparkTransactions) -> Transactions:
    """The same transactions in memory, in whatever order Spark gives them."""
    with spark_errors(transactions.origin):
        found = transactions.frame.toArrow()
    indptr, cells = as_rows(found.column(ITEMS).combine_chunks())
    items = np.array(cells, dtype=np.int32)
    for array in (indptr, items):
        array.flags.writeable = False
    column = transactions.sensitive
    if column is not None:
        column = Column(column.name, np.array(found.column(SENSITIVE), dtype=np.int32), column.values)
    return Transactions(
        indptr,
        items,
        transactions.vocabulary,
        column,
        transactions.hierarchy,
        transactions.origin,
        transactions.format,
        transactions.notes,
    )
