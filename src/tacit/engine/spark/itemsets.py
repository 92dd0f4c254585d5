"""Frequent itemsets of transactions on Spark: candidates from every part, then one exact count of them all.

A set that c of n transactions hold is held by at least c · r / n of the r transactions of some part. So every
task mines its part at that share of the threshold, with the kernel that the local engine uses, and what is
frequent is among what they find [1]. The candidates are counted in one further pass. Parts in which the
threshold would be small, and nearly everything a candidate, are put together first.

[1] A. Savasere, E. Omiecinski, S. Navathe. An Efficient Algorithm for Mining Association Rules in Large
    Databases. VLDB 1995.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tacit.engine.base import NO_LIMIT, Done, WantedItemsets
from tacit.engine.itemsets.few import as_found, chosen_kind, distinct_sets
from tacit.engine.itemsets.mine import FoundItemsets, TooManyItemsets, frequent_itemsets
from tacit.engine.sanitizing import set_supports
from tacit.engine.spark.blocks import joined, summed_over
from tacit.io.spark.session import on_worker, spark_errors
from tacit.io.spark.transactions import SparkTransactions, of_rows, rows_in, single_rows
from tacit.typing import Bools, Codes, Counts, Offsets

LEAST = 64
"""In no part is a smaller support asked for, unless all the transactions are one part."""
SLACK = 4
"""A part may give so many times the itemsets allowed before its search is given up."""


@dataclass(frozen=True, eq=False)
class _Part:
    """What a task mines: the items asked for, in the transactions that hold all those required."""

    usable: Bools
    required: Codes
    min_count: int
    max_length: int
    max_itemsets: int
    total: int
    single: bool = False
    """Whether a row of Spark's is one transaction; else it is a chunk of them."""

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        n_rows, n_items = 0, len(self.usable)
        numbers = np.where(self.usable, np.arange(n_items), -1).astype(np.int32)
        kept: list[tuple[Offsets, Codes]] = []
        for indptr, items, _ in map(of_rows, batches) if self.single else rows_in(batches):
            n_rows += len(indptr) - 1
            kept.append(self._narrowed(indptr, items, numbers))
        indptr, items = joined(kept)
        # In whole numbers, and rounded up: a frequent set reaches this in at least one part.
        least = max(1, -(-self.min_count * n_rows // self.total))
        wanted = WantedItemsets(least, max_length=self.max_length, max_itemsets=self.max_itemsets)
        found = frequent_itemsets(indptr, items, n_items, wanted)
        if isinstance(found, TooManyItemsets):
            fitting = 0 if found.fitting_count is None else -(-found.fitting_count * self.total // n_rows)
            cells = [b"", b"", b"", max(fitting, self.min_count + 1) if fitting else 0]
        else:
            arrays = found.offsets, found.items, found.supports
            cells = [*(array.tobytes() for array in arrays), -1]
        yield pyarrow.RecordBatch.from_arrays([pyarrow.array([cell]) for cell in cells], _FIELDS)

    def _narrowed(self, indptr: Offsets, items: Codes, numbers: Codes) -> tuple[Offsets, Codes]:
        from tacit.arrays.csr import as_sets
        from tacit.arrays.groups import rows_holding, take_rows

        if len(self.required):
            indptr, items = take_rows(indptr, items, rows_holding(indptr, items, self.required))
        indptr, items, _ = as_sets(indptr, items, numbers)
        return indptr, items


_FIELDS = ["offsets", "items", "supports", "fitting"]


def spark_itemsets(
    transactions: SparkTransactions, wanted: WantedItemsets, progress: Done | None
) -> FoundItemsets | TooManyItemsets:
    """The itemsets asked for, or that they are too many; see :mod:`tacit.engine.itemsets.mine`."""
    min_count, kind = wanted.min_count, wanted.kind
    required, n_required = wanted.required, len(wanted.required)
    usable = wanted.usable(transactions.supports)
    # What is closed or maximal is decided among sets of every length.
    longest = wanted.max_length - n_required if kind == "complete" else NO_LIMIT
    part = _Part(usable, required, min_count, longest, SLACK * wanted.max_itemsets, max(1, len(transactions)))
    held = len(transactions)
    if n_required:
        asked = [required.tolist()]
        held = int(set_supports(asked, transactions.supports, summed_over(transactions))[0])
    none = np.zeros((0, 0), dtype=np.int32)
    sets, counts = [none], [np.zeros(0, dtype=np.int64)]
    if held >= min_count and longest > 0:
        mined = _mined(transactions, part)
        if isinstance(mined, int):
            return _too_many(transactions, mined, wanted)
        sets, counts = mined
    if progress is not None:
        progress(1.0)
    alone = held if n_required and held >= min_count else None

    def chosen(kind: str) -> FoundItemsets:
        return as_found(*chosen_kind(sets, counts, kind, alone), required, wanted)

    asked_for = chosen(kind)
    if len(asked_for.supports) <= wanted.max_itemsets:
        return asked_for
    # Closed ones are at least as many as maximal ones, and their number falls as the threshold rises.
    counted = chosen("closed") if kind == "maximal" else asked_for
    return _fitting(counted.supports, wanted.max_itemsets, held)


def _mined(transactions: SparkTransactions, part: _Part) -> tuple[list[Codes], list[Counts]] | int:
    """The frequent sets by length, with supports; or a threshold to try where they are many."""
    parts, total = transactions.parts, len(transactions)
    frame = transactions.frame
    n_parts = int(np.count_nonzero(parts))
    if not n_parts or (parts[parts > 0] * part.min_count < LEAST * total).any():
        n_parts = max(1, min(n_parts, part.min_count // (2 * LEAST)))
        frame, part = single_rows(transactions).repartition(n_parts), replace(part, single=True)
    found: list[FoundItemsets] = []
    with spark_errors(transactions.origin):
        given = frame.mapInArrow(
            on_worker(part), "offsets binary, items binary, supports binary, fitting bigint"
        )
        for row in given.collect():
            if row["fitting"] >= 0:
                return int(row["fitting"])
            found.append(
                FoundItemsets(
                    np.frombuffer(row["offsets"], dtype=np.int64),
                    np.frombuffer(row["items"], dtype=np.int32),
                    np.frombuffer(row["supports"], dtype=np.int64),
                )
            )
    sets, counts = distinct_sets(found)
    if len(found) > 1 and any(map(len, sets)):
        candidates = [(*line, *part.required.tolist()) for some in sets for line in some.tolist()]
        counted = set_supports(candidates, transactions.supports, summed_over(transactions))
        counts = np.split(counted, np.cumsum([len(some) for some in sets])[:-1])
    frequent = [own >= part.min_count for own in counts]
    return (
        [some[mask] for some, mask in zip(sets, frequent, strict=True)],
        [own[mask] for own, mask in zip(counts, frequent, strict=True)],
    )


def _too_many(transactions: SparkTransactions, fitting: int, wanted: WantedItemsets) -> TooManyItemsets:
    """What a higher threshold gives, tried: the one that some part asked for."""
    min_count = wanted.min_count
    while min_count < fitting <= len(transactions):
        found = spark_itemsets(transactions, replace(wanted, min_count=fitting), None)
        if isinstance(found, FoundItemsets):
            return TooManyItemsets(fitting, len(found.supports))
        if found.fitting_count is None or found.fitting_count <= fitting:
            break
        min_count, fitting = fitting, found.fitting_count
    return TooManyItemsets(None, 0)


def _fitting(supports: Counts, most: int, highest: int) -> TooManyItemsets:
    """The smallest minimum support with which no more than ``most`` of these sets are left."""
    least = int(np.sort(supports)[::-1][most]) + 1
    return TooManyItemsets(least if least <= highest else None, int((supports >= least).sum()))
