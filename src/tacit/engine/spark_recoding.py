"""Carrying a cut out on Spark: every item by the name it is published under, records left out left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from tacit.data.spark.session import spark_errors
from tacit.data.spark.source import CountedColumn
from tacit.data.spark.transactions import ITEMS, SENSITIVE, SparkTransactions
from tacit.data.spark.transactions_coding import as_codes, as_lists, counted
from tacit.data.spark.transactions_fetching import in_memory
from tacit.data.spark.workers import on_worker
from tacit.data.transactions import Transactions, sorted_names
from tacit.engine.base import HeldSets
from tacit.kernels.csr import as_sets, take_rows
from tacit.typing import Codes

SHOWN = "shown"
"""The column of the published items, beside the original ones."""


@dataclass(frozen=True, eq=False)
class RecodedTransactions:
    """Transactions on Spark and what is published of them."""

    original: SparkTransactions
    published: SparkTransactions
    merged: int
    """The items of the published records, had no record been left out."""
    codes: Codes
    """The published number of each original item."""

    def part(self, most: int) -> tuple[Transactions, int]:
        """Original records, about ``most`` of those that look alike when published, and one in how many.

        They are all there are where they are few enough. Records of equal published content are taken
        together or not at all, by a digest of that content: more, where many records look alike.
        """
        one_in = max(1, -(-len(self.original) // most))
        if one_in == 1:
            return in_memory(self.original), 1
        from pyspark.sql import functions

        rest = functions.pmod(functions.xxhash64(SHOWN), functions.lit(one_in))
        whole = _recoded(self.original, self.codes, None, beside=True)
        found = in_memory(self.original.over(whole.where(rest == 0)))
        if not len(found):  # there are few contents, and none has this remainder: the least that one has
            with spark_errors(self.original.origin):
                least = whole.agg(functions.min(rest)).first()[0]
            found = in_memory(self.original.over(whole.where(rest == least)))
        return found.take(np.arange(len(found))), one_in


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
    frame = _recoded(transactions, codes, left_out if left_out.sets else None, beside=False)
    with spark_errors(transactions.origin):
        supports, lengths, parts = counted(frame, len(vocabulary))
        merged = int(supports.sum())
        if left_out.count:
            whole = _recoded(transactions, codes, None, beside=False)
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
    return RecodedTransactions(transactions, published, merged, codes)


def _recoded(
    transactions: SparkTransactions, codes: Codes, left_out: HeldSets | None, *, beside: bool
) -> Any:
    """A frame of the published items; with ``beside`` the original items and the published ones."""
    column = transactions.sensitive is not None
    names = [ITEMS, *([SHOWN] if beside else []), *([SENSITIVE] if column else [])]

    def recode(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        for batch in batches:
            indptr, items = as_codes(batch)
            rows = None if left_out is None else np.flatnonzero(~left_out.among(indptr, items))
            if rows is not None:
                indptr, items = take_rows(indptr, items, rows)
            shown = as_lists(*as_sets(indptr, items, codes)[:2])
            cells = [as_lists(indptr, items), shown] if beside else [shown]
            if column:
                values = np.asarray(batch.column(SENSITIVE))
                cells.append(pyarrow.array(values if rows is None else values[rows]))
            yield pyarrow.RecordBatch.from_arrays(cells, names)

    kinds = {ITEMS: "array<int>", SHOWN: "array<int>", SENSITIVE: "int"}
    mapped: Callable[..., Any] = transactions.frame.mapInArrow
    return mapped(on_worker(recode), ", ".join(f"{name} {kinds[name]}" for name in names))
