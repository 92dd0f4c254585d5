"""Carrying a cut out on Spark: every item by the name it is published under, records left out left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from tacit.arrays.csr import as_sets
from tacit.arrays.groups import take_rows
from tacit.data.transactions import Transactions, sorted_names
from tacit.engine.base import HeldSets
from tacit.engine.sanitizing import name_digests, remainders
from tacit.io.spark.session import on_worker, spark_errors
from tacit.io.spark.source import CountedColumn
from tacit.io.spark.transactions import ITEMS, SENSITIVE, SparkTransactions, as_codes, as_lists, counted
from tacit.typing import Codes, Words

REST = "rest"
"""The column that says of a transaction whether a release is judged by it."""


@dataclass(frozen=True, eq=False)
class RecodedTransactions:
    """Transactions on Spark and what is published of them; see :class:`tacit.engine.base.Recoded`."""

    original: SparkTransactions
    published: SparkTransactions
    merged: int
    codes: Codes
    """The published number of each original item."""
    names: tuple[str, ...]
    """The published names, along their numbers."""
    left_out: None = None
    rows: None = None

    def part(self, one_in: int) -> Transactions:
        if one_in == 1:
            return self.original.brought_here()
        from pyspark.sql import functions

        whole = _with_remainders(self.original, self.codes, name_digests(self.names), one_in)
        found = self.original.over(whole.where(functions.col(REST) == 0)).brought_here()
        if not len(found):  # there are few contents, and none has this remainder
            with spark_errors(self.original.origin):
                least = whole.agg(functions.min(REST)).first()[0]
            found = self.original.over(whole.where(functions.col(REST) == least)).brought_here()
        return found.take(np.arange(len(found)))


def recoded_on_spark(
    transactions: SparkTransactions, names: Sequence[str], left_out: HeldSets
) -> RecodedTransactions:
    """The transactions with item ``i`` called ``names[i]``, without those left out."""
    held = left_out.occurrences[left_out.tree.places] > 0
    vocabulary = sorted_names({name for name, there in zip(names, held.tolist(), strict=True) if there})
    number = {name: item for item, name in enumerate(vocabulary)}
    # Items of no published record have no number there; where the original is looked at they need one.
    others = [name for name in dict.fromkeys(names) if name not in number]
    number |= {name: len(number) + place for place, name in enumerate(others)}
    codes = np.array([number[name] for name in names], dtype=np.int32)
    frame = _recoded(transactions, codes, left_out if left_out.sets else None)
    with spark_errors(transactions.origin):
        supports, lengths, parts = counted(frame, len(vocabulary))
        merged = int(supports.sum())
        if left_out.count:
            whole = _recoded(transactions, codes, None)
            merged = int(counted(whole, len(number))[0].sum())
    published = SparkTransactions(
        frame,
        vocabulary=tuple(vocabulary),
        supports=supports,
        length_counts=lengths,
        parts=parts,
        sensitive=cast("CountedColumn | None", transactions.sensitive),
        origin=transactions.origin,
        format=transactions.format,
    )
    return RecodedTransactions(transactions, published, merged, codes, tuple(number))


def _recoded(transactions: SparkTransactions, codes: Codes, left_out: HeldSets | None) -> Any:
    """A frame of the published items."""
    column = transactions.sensitive is not None
    names = [ITEMS, *([SENSITIVE] if column else [])]

    def recode(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        for batch in batches:
            indptr, items = as_codes(batch)
            rows = None if left_out is None else np.flatnonzero(~left_out.among(indptr, items))
            if rows is not None:
                indptr, items = take_rows(indptr, items, rows)
            cells = [as_lists(*as_sets(indptr, items, codes)[:2])]
            if column:
                values = np.asarray(batch.column(SENSITIVE))
                cells.append(pyarrow.array(values if rows is None else values[rows]))
            yield pyarrow.RecordBatch.from_arrays(cells, names)

    return _mapped(transactions, recode, names)


def _with_remainders(transactions: SparkTransactions, codes: Codes, digests: Words, one_in: int) -> Any:
    """The frame of the transactions, with a number that follows from what is published of each."""
    names = [ITEMS, REST, *([] if transactions.sensitive is None else [SENSITIVE])]

    def add(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        for batch in batches:
            rest = pyarrow.array(remainders(*as_codes(batch), codes, digests, one_in))
            cells = [rest if name == REST else batch.column(name) for name in names]
            yield pyarrow.RecordBatch.from_arrays(cells, names)

    return _mapped(transactions, add, names)


def _mapped(transactions: SparkTransactions, work: Callable[..., Any], names: Sequence[str]) -> Any:
    kinds = {ITEMS: "array<int>", REST: "bigint", SENSITIVE: "int"}
    mapped: Callable[..., Any] = transactions.frame.mapInArrow
    return mapped(on_worker(work), ", ".join(f"{name} {kinds[name]}" for name in names))
