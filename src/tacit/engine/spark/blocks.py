"""Transactions on Spark as blocks: many in one row of a frame, equal ones once with their number.

Most passes of a method over the same transactions count something in each, by a kernel, and what they cost is
mostly carrying rows to the workers one by one. A block carries thousands in four arrays. Equal transactions
are interchangeable: with its rank among them, from 0, each is one record, however the rows are partitioned.

Workers count, and their counts are added up. Of a coreset every task keeps a few of its transactions, and few
tasks do so again. Which are kept depends on their order, and any choice will do; but what a task gives must
be the same when it is run again, because others may have taken a part of it already. So wherever Spark may
change the order, transactions are sorted first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np

from tacit.arrays.compiled import new_flag
from tacit.arrays.groups import read_only, take_rows
from tacit.engine.base import HeldSets
from tacit.engine.sanitizing import Count, Rows, Summed
from tacit.errors import Place, ResourceError
from tacit.io.spark.session import kept_on_disk, on_worker, spark_errors
from tacit.io.spark.transactions import (
    ITEMS,
    SENSITIVE,
    SparkTransactions,
    as_bytes,
    as_codes,
    as_lists,
    bytes_of,
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
            self.frame = kept_on_disk(_blocked(transactions.frame, self.n_parts))

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


def _blocked(frame: Any, n_tasks: int) -> Any:
    """The distinct transactions with their numbers, as blocks."""
    from pyspark.sql import functions

    with_value = SENSITIVE in frame.columns

    def pack(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        for batch in batches:
            indptr, items = as_codes(batch)
            packed = as_bytes(4 * indptr, items.tobytes())
            cells = [packed, batch.column(SENSITIVE)] if with_value else [packed]
            yield pyarrow.RecordBatch.from_arrays(cells, keys)

    def block(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        for some in some_at_once(batches):
            yield _block(pyarrow.Table.from_batches(some), with_value=with_value)

    keys = [ITEMS, SENSITIVE] if with_value else [ITEMS]
    packed = frame.mapInArrow(
        on_worker(pack), f"{ITEMS} binary" + (f", {SENSITIVE} int" if with_value else "")
    )
    grouped = packed.repartition(n_tasks, *keys).groupBy(*keys).agg(functions.count("*").alias("times"))
    return grouped.mapInArrow(on_worker(block), ", ".join(f"{name} binary" for name in _PARTS))


def _block(table: Any, *, with_value: bool) -> Any:
    import pyarrow
    import pyarrow.compute

    packed = table.column(ITEMS)
    lengths = np.asarray(pyarrow.compute.binary_length(packed)).astype(np.int64) // 4
    items = b"".join(bytes_of(chunk) for chunk in packed.chunks)
    times = np.asarray(table.column("times")).astype(np.int64)
    beside = np.asarray(table.column(SENSITIVE)).astype(np.int32) if with_value else np.zeros(0, np.int32)
    cells = [lengths.tobytes(), items, times.tobytes(), beside.tobytes()]
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

        from tacit.arrays.groups import take_rows
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
