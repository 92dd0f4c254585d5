"""Rows of several columns as few whole numbers, so that Spark groups and sends numbers instead of texts.

A number holds the codes of as many columns as fit, the first column in its highest digits: numbers in their
order are rows in the order of their codes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from tacit.data.column import codes_among
from tacit.io.spark.workers import on_worker
from tacit.typing import Codes, Counts

if TYPE_CHECKING:
    from tacit.io.spark.source import CountedColumn

LARGEST = 1 << 62
"""Numbers stay below this."""
AT_ONCE = 100_000
"""About so many rows are looked up at a time."""


@dataclass(frozen=True, eq=False)
class Packing:
    """Which columns go into which number: for each number, how many values its columns have."""

    sizes: tuple[tuple[int, ...], ...]


def packed(frame: Any, columns: Sequence[CountedColumn]) -> tuple[Any, Packing]:
    """A frame of numbers instead of these columns, which are all that the frame has; and how to read them."""
    plan = Packing(tuple(_shared([len(column.values) for column in columns])))
    raws, code_of = [column.raw for column in columns], [column.code_of for column in columns]
    names = [f"w{place}" for place in range(len(plan.sizes))]

    def pack(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        for table in _some_at_once(batches):
            codes = iter(
                codes[codes_among(pl.Series(pl.from_arrow(cells)), raw)]
                for cells, raw, codes in zip(table.columns, raws, code_of, strict=True)
            )
            words = []
            for sizes in plan.sizes:
                word = np.zeros(table.num_rows, dtype=np.int64)
                for size in sizes:
                    word *= size
                    word += next(codes)
                words.append(pyarrow.array(word))
            yield pyarrow.RecordBatch.from_arrays(words, names)

    return frame.mapInArrow(on_worker(pack), ", ".join(f"{name} bigint" for name in names)), plan


def unpacked(found: pl.DataFrame, plan: Packing) -> tuple[list[Codes], Counts]:
    """The codes of each column in the order of the rows, and the column ``rows`` along them."""
    words = [found.get_column(f"w{place}").to_numpy() for place in range(len(plan.sizes))]
    order = np.lexsort(words[::-1])
    counts = found.get_column("rows").to_numpy()[order].astype(np.int64)
    codes: list[Codes] = []
    for word, sizes in zip(words, plan.sizes, strict=True):
        rest, own = word[order], []
        for size in reversed(sizes):
            rest, code = np.divmod(rest, size)
            own.append(code.astype(np.int32))
        codes += reversed(own)
    return codes, counts


def _shared(sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The sizes of columns, as many together as fit into a number."""
    some: list[int] = []
    room = LARGEST
    for size in sizes:
        if some and size > room:
            yield tuple(some)
            some, room = [], LARGEST
        some.append(size)
        room //= size
    yield tuple(some)


def _some_at_once(batches: Iterator[Any]) -> Iterator[Any]:
    """Batches as tables of many rows."""
    import pyarrow

    waiting: list[Any] = []
    for batch in batches:
        waiting.append(batch)
        if sum(part.num_rows for part in waiting) >= AT_ONCE:
            yield pyarrow.Table.from_batches(waiting)
            waiting = []
    if waiting:
        yield pyarrow.Table.from_batches(waiting)
