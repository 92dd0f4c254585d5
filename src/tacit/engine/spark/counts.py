"""Counting sets of items in transactions on Spark: workers count, and their counts are added up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np

from tacit.arrays.interrupt import new_flag
from tacit.engine.counting import Count, Summed
from tacit.io.spark.session import spark_errors
from tacit.io.spark.transactions import ITEMS, SparkTransactions
from tacit.io.spark.transactions_coding import as_codes
from tacit.io.spark.workers import on_worker
from tacit.typing import AnyArray, Codes, Counts, Offsets

AT_ONCE = 50_000
"""About so many transactions are handed to a kernel at a time."""
SLICE = 1 << 15
"""Of more counts than this, no more are added up by one task."""

Read = TypeVar("Read")


def summed_over(transactions: SparkTransactions) -> Summed:
    """How counts are added up over these transactions."""

    def add_up(size: int, count: Count) -> Counts:
        with spark_errors(transactions.origin):
            frame = transactions.frame.select(ITEMS)
            return summed(frame, _codes_of, size, lambda rows: count(*rows, new_flag()))

    return add_up


def summed(
    frame: Any, read: Callable[[Iterator[Any]], Iterator[Read]], size: int, count: Callable[[Read], Counts]
) -> Counts:
    """The sum over a frame of an array of so many counts, made of what is read from its batches.

    Workers add up what they have; of a large array every part is added up by another task, so that this
    process gets few numbers, however many the tasks.
    """

    def add(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        total = np.zeros(size, dtype=np.int64)
        for some in read(batches):
            total += count(some)
        places = np.arange(0, size, SLICE)
        parts = [total[place : place + SLICE].tobytes() for place in places]
        cells = [pyarrow.array(places), pyarrow.array(parts, pyarrow.binary())]
        yield pyarrow.RecordBatch.from_arrays(cells, ["place", "counts"])

    def merge(parts: Any) -> Any:
        import pyarrow

        merged = np.sum([_numbers(cell) for cell in parts.column("counts")], axis=0)
        cells = [parts.column("place")[:1].combine_chunks(), pyarrow.array([merged.tobytes()])]
        return pyarrow.Table.from_arrays(cells, ["place", "counts"])

    schema = "place bigint, counts binary"
    parts = frame.mapInArrow(on_worker(add), schema)
    if size > SLICE:
        parts = parts.groupBy("place").applyInArrow(merge, schema)
    found = parts.toArrow()
    total = np.zeros(size, dtype=np.int64)
    for place, cell in zip(found.column("place").to_pylist(), found.column("counts"), strict=True):
        part = _numbers(cell)
        total[place : place + len(part)] += part
    return total


def read_only(array: AnyArray) -> AnyArray:
    """The array as one that cannot be written to: kernels are compiled once, for data like that."""
    array.flags.writeable = False
    return array


def _numbers(cell: Any) -> Counts:
    return np.frombuffer(cell.as_buffer(), dtype=np.int64)


def _codes_of(batches: Iterator[Any]) -> Iterator[tuple[Offsets, Codes]]:
    """The transactions of batches of rows, some batches at a time."""
    for some in some_at_once(batches):
        yield joined([as_codes(batch) for batch in some])


def some_at_once(batches: Iterator[Any]) -> Iterator[list[Any]]:
    """Batches of rows, as many together as a kernel is handed at a time."""
    waiting: list[Any] = []
    for batch in batches:
        waiting.append(batch)
        if sum(part.num_rows for part in waiting) >= AT_ONCE:
            yield waiting
            waiting = []
    if waiting:
        yield waiting


def joined(parts: Sequence[tuple[Offsets, Codes]]) -> tuple[Offsets, Codes]:
    """Transactions one after the other."""
    lengths = [np.zeros(1, dtype=np.int64), *(np.diff(indptr) for indptr, _ in parts)]
    items = [np.zeros(0, dtype=np.int32), *(items for _, items in parts)]
    return read_only(np.cumsum(np.concatenate(lengths))), read_only(np.concatenate(items))
