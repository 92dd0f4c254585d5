"""Transactions on Spark as blocks: many in one row of a frame, equal ones once with their number.

Most passes of a method over the same transactions count something in each, by a kernel, and what they cost is
mostly carrying rows to the workers one by one. A block carries thousands in four arrays. Equal transactions
are interchangeable: with its rank among them, from 0, each is one record, however the rows are partitioned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.arrays.groups import read_only
from tacit.engine.spark.counts import AT_ONCE, some_at_once, summed
from tacit.io.spark.session import kept_on_disk, on_worker, spark_errors
from tacit.io.spark.transactions import ITEMS, SENSITIVE, SparkTransactions, as_codes
from tacit.typing import Codes, Counts, Offsets

MOST_TASKS = 2_000
_PARTS = {"lengths": np.int64, "items": np.int32, "times": np.int64, "beside": np.int32}


@dataclass(frozen=True, eq=False)
class Rows:
    """Some transactions in memory: their items, the rank of each among its equals, and what goes along."""

    indptr: Offsets
    items: Codes
    ranks: Counts
    beside: Codes | None

    def __len__(self) -> int:
        return len(self.indptr) - 1


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
    from tacit.arrays.groups import take_rows

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
            packed = _as_bytes(4 * indptr, items.tobytes())
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
    items = b"".join(_bytes_of(chunk) for chunk in packed.chunks)
    times = np.asarray(table.column("times")).astype(np.int64)
    beside = np.asarray(table.column(SENSITIVE)).astype(np.int32) if with_value else np.zeros(0, np.int32)
    cells = [lengths.tobytes(), items, times.tobytes(), beside.tobytes()]
    return pyarrow.RecordBatch.from_arrays([pyarrow.array([cell]) for cell in cells], list(_PARTS))


def _as_bytes(ends: Offsets, whole: bytes) -> Any:
    """An Arrow array of runs of bytes that lie one after the other."""
    import pyarrow

    buffers = [None, pyarrow.py_buffer(ends.astype(np.int32)), pyarrow.py_buffer(whole)]
    return pyarrow.Array.from_buffers(pyarrow.binary(), len(ends) - 1, buffers)


def _bytes_of(cells: Any) -> bytes:
    """What the cells of an Arrow array of bytes hold, one after the other."""
    _, ends, whole = cells.buffers()
    bounds = np.frombuffer(ends, dtype=np.int32)[cells.offset : cells.offset + len(cells) + 1]
    return bytes(memoryview(whole or b"")[bounds[0] : bounds[-1]])
