"""Transactions on Spark as blocks: many in one row of a frame, equal ones once with their number.

Equal transactions are interchangeable: with its rank among them, from 0, each is one record, however the rows
are partitioned. So a block carries them once, in four arrays.

Workers count, and their counts are added up. Of a coreset every task keeps a few of its transactions, and few
tasks do so again. Which are kept depends on their order, and any choice will do; but what a task gives must
be the same when it is run again, because others may have taken a part of it already. So wherever Spark may
change the order, transactions are sorted first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np

from tacit.arrays.compiled import new_flag
from tacit.arrays.groups import read_only, take_rows
from tacit.engine.base import HeldSets
from tacit.engine.sanitizing import Count, Rows, Summed
from tacit.errors import Place, ResourceError
from tacit.io.spark.session import kept_on_disk, on_worker, spark_errors
from tacit.io.spark.transactions import (
    CHUNKS,
    ITEMS,
    LENGTHS,
    SparkTransactions,
    chunked,
    of_rows,
    row_batch,
    rows_in,
    rows_schema,
    single_rows,
)
from tacit.typing import Codes, Counts, Offsets

MOST_TASKS = 2_000
_PARTS = {"lengths": np.int64, "items": np.int32, "times": np.int64, "beside": np.int32}


class Blocks:
    """The blocks of some transactions, kept by Spark on its disks; about ``task_rows`` rows a task."""

    def __init__(self, transactions: SparkTransactions, *, task_rows: int) -> None:
        self._origin = transactions.origin
        self.n_parts = min(MOST_TASKS, len(transactions) // task_rows + 1)
        with spark_errors(self._origin):
            self.frame = kept_on_disk(_blocked(transactions, self.n_parts))

    def summed(self, size: int, count: Callable[[Rows], Counts]) -> Counts:
        """The sum of an array of counts over all rows: workers add up, and few arrays come back."""
        with spark_errors(self._origin):
            return summed(self.frame, rows_of, size, count)

    def mapped(self, make: Callable[[Rows], dict[str, Any]], schema: str) -> Any:
        """A frame of what a function makes of some rows at a time: columns by name, as arrays."""

        def run(batches: Iterator[Any]) -> Iterator[Any]:
            import pyarrow

            for rows in rows_of(batches):
                made = make(rows)
                cells = [
                    pyarrow.array(cell) if isinstance(cell, np.ndarray) else cell for cell in made.values()
                ]
                yield pyarrow.RecordBatch.from_arrays(cells, list(made))

        return self.frame.mapInArrow(on_worker(run), schema)


def rows_of(batches: Iterator[Any]) -> Iterator[Rows]:
    """The transactions of batches of blocks, some at a time."""
    for batch in batches:
        for number in range(batch.num_rows):
            lengths, items, times, beside = (
                np.frombuffer(batch.column(name)[number].as_buffer(), dtype=kind)
                for name, kind in _PARTS.items()
            )
            indptr = np.concatenate([[0], np.cumsum(lengths)])
            ends = np.concatenate([[0], np.cumsum(times)])
            for start in range(0, int(ends[-1]), AT_ONCE):
                places = np.arange(start, min(start + AT_ONCE, int(ends[-1])))
                owners = np.searchsorted(ends, places, side="right") - 1
                taken = [read_only(part) for part in take_rows(indptr, items, owners)]
                yield Rows(taken[0], taken[1], places - ends[owners], beside[owners] if len(beside) else None)


def _blocked(transactions: SparkTransactions, n_tasks: int) -> Any:
    """The distinct transactions with their numbers, as blocks."""
    from pyspark.sql import functions

    def block(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        for some in some_at_once(batches, len):
            yield _block(pyarrow.Table.from_batches(some).combine_chunks().to_batches()[0])

    rows = single_rows(transactions)
    keys = rows.columns
    grouped = rows.repartition(n_tasks, *keys).groupBy(*keys).agg(functions.count("*").alias("times"))
    return grouped.mapInArrow(on_worker(block), ", ".join(f"{name} binary" for name in _PARTS))


def _block(batch: Any) -> Any:
    import pyarrow

    indptr, items, values = of_rows(batch)
    times = np.asarray(batch.column("times")).astype(np.int64)
    beside = np.zeros(0, np.int32) if values is None else values
    cells = [part.tobytes() for part in (np.diff(indptr), items, times, beside)]
    return pyarrow.RecordBatch.from_arrays([pyarrow.array([cell]) for cell in cells], list(_PARTS))


AT_ONCE = 50_000
"""About so many transactions are handed to a kernel at a time."""
SLICE = 1 << 15
"""Of more counts than this, no more are added up by one task."""

Read = TypeVar("Read")


def summed_over(transactions: SparkTransactions) -> Summed:
    """How counts are added up over these transactions."""

    def add_up(size: int, count: Count) -> Counts:
        with spark_errors(transactions.origin):
            return summed(transactions.frame, _codes_of, size, lambda rows: count(*rows, new_flag()))

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


def _numbers(cell: Any) -> Counts:
    return np.frombuffer(cell.as_buffer(), dtype=np.int64)


def _codes_of(batches: Iterator[Any]) -> Iterator[tuple[Offsets, Codes]]:
    """The transactions of batches of chunks, some chunks at a time."""
    chunks = ((indptr, items) for indptr, items, _ in rows_in(batches))
    return map(joined, some_at_once(chunks, lambda rows: len(rows[0]) - 1))


Part = TypeVar("Part")


def some_at_once(parts: Iterator[Part], size: Callable[[Part], int]) -> Iterator[list[Part]]:
    """Parts of some rows each, as many together as a kernel is handed at a time."""
    waiting: list[Part] = []
    for part in parts:
        waiting.append(part)
        if sum(map(size, waiting)) >= AT_ONCE:
            yield waiting
            waiting = []
    if waiting:
        yield waiting


def joined(parts: Sequence[tuple[Offsets, Codes]]) -> tuple[Offsets, Codes]:
    """Transactions one after the other."""
    lengths = [np.zeros(1, dtype=np.int64), *(np.diff(indptr) for indptr, _ in parts)]
    items = [np.zeros(0, dtype=np.int32), *(items for _, items in parts)]
    return read_only(np.cumsum(np.concatenate(lengths))), read_only(np.concatenate(items))


TOGETHER = 8
"""So many tasks give what they kept to one."""
MOST_ITEMS = 100_000_000
"""The most items of a coreset that are brought into this process, over all its transactions."""


def spark_coreset(
    transactions: SparkTransactions, least: int, size: int, dropped: HeldSets
) -> tuple[Offsets, Codes]:
    """A coreset of the transactions without those dropped."""
    from pyspark.sql import functions

    from tacit.arrays.groups import take_rows
    from tacit.engine.kernels.coreset import coreset_rows, nothing_known

    n_items, schema = transactions.n_items, rows_schema(None)
    keep = _keeper(map_rows, n_items, least, size)
    kept = transactions.frame.mapInArrow(
        on_worker(_keeper(rows_in, n_items, least, size, dropped if dropped.sets else None)), schema
    )
    parts = len(transactions.parts)
    while parts > 1:
        parts = -(-parts // TOGETHER)
        spread = kept.repartition(parts, functions.xxhash64(ITEMS)).sortWithinPartitions(ITEMS)
        kept = spread.mapInArrow(on_worker(keep), schema)
    known = nothing_known(n_items, size, least)
    rows = [np.zeros(0, dtype=np.int64)]
    held = [np.zeros(0, dtype=np.int32)]
    n_held = 0
    with spark_errors(transactions.origin):
        for part in kept.mapInArrow(on_worker(chunked), CHUNKS).toLocalIterator():
            lengths, items = (np.frombuffer(part[name], dtype=np.int32) for name in (LENGTHS, ITEMS))
            # The last come first: what was kept early, when nothing was known, may not be needed.
            indptr = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
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


Rowed: TypeAlias = "tuple[Offsets, Codes, Codes | None]"
"""The pointers of some transactions, their items, and what goes along."""


def _keeper(
    read: Callable[[Iterator[Any]], Iterator[Rowed]],
    n_items: int,
    least: int,
    size: int,
    dropped: HeldSets | None = None,
) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def keep(batches: Iterator[Any]) -> Iterator[Any]:
        from tacit.arrays.groups import take_rows
        from tacit.engine.kernels.coreset import coreset_rows, nothing_known

        known = nothing_known(n_items, size, least)
        for indptr, items, _ in read(batches):
            if dropped is not None:
                indptr, items = take_rows(indptr, items, np.flatnonzero(~dropped.among(indptr, items)))
            chosen = np.flatnonzero(coreset_rows(indptr, items, least, known))
            yield row_batch(*take_rows(indptr, items, chosen), None)

    return keep


def map_rows(batches: Iterator[Any]) -> Iterator[Rowed]:
    """The transactions of batches with a row for each."""
    return map(of_rows, batches)
