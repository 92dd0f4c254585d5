"""Numbering the items of transactions on Spark: one pass counts their names, another writes their numbers.

Whatever form transactions come in, a ``split`` turns a batch of Spark's rows into records of tokens, on the
workers. The distinct tokens with their counts come into this process, where their names are settled as
everywhere; then the workers write each record as the ascending set of its items' numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from tacit.data.column import codes_among
from tacit.data.transactions import notes_on, sorted_names
from tacit.io.spark.keeping import kept_on_disk
from tacit.io.spark.session import spark_errors
from tacit.io.spark.source import MOST_VALUES, CountedColumn, fetched
from tacit.io.spark.transactions import ITEMS, SENSITIVE, SparkTransactions
from tacit.io.spark.workers import on_worker
from tacit.typing import AnyArray, Codes, Counts, Offsets


@dataclass(frozen=True, eq=False)
class Tokens:
    """Records of a batch: record ``r`` holds the tokens ``codes[indptr[r] : indptr[r + 1]]``."""

    indptr: Offsets
    codes: Codes
    texts: Sequence[str]
    """The distinct tokens of the batch."""
    wrong: int = 0
    """A number for what is wrong with the batch; 0 where nothing is."""


Split = Callable[[Any], Tokens]
"""The records of an Arrow batch, found on a worker."""


@dataclass(frozen=True, eq=False)
class Found:
    """The distinct tokens of all records, sorted, and how often each was found."""

    texts: pl.Series
    counts: Counts
    n_records: int
    longest: int
    wrong: int


def count_tokens(frame: Any, split: Split, *, origin: str | None) -> Found:
    """Count the tokens of a frame of records in one pass."""
    from pyspark.sql import functions

    def count(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        for batch in batches:
            tokens = split(batch)
            n_tokens = len(tokens.texts)
            counts = np.bincount(tokens.codes, minlength=n_tokens)
            longest = int(np.diff(tokens.indptr).max(initial=0))
            # The last row, without a token, tells of the batch as a whole.
            yield pyarrow.RecordBatch.from_arrays(
                [
                    pyarrow.array([*tokens.texts, None], pyarrow.string()),
                    pyarrow.array(np.append(counts, len(tokens.indptr) - 1)),
                    pyarrow.array(np.append(np.zeros(n_tokens, dtype=np.int64), longest)),
                    pyarrow.array(np.append(np.zeros(n_tokens, dtype=np.int32), np.int32(tokens.wrong))),
                ],
                ["token", "n", "longest", "wrong"],
            )

    counted = frame.mapInArrow(on_worker(count), "token string, n bigint, longest bigint, wrong int")
    grouped = counted.groupBy("token").agg(
        functions.sum("n").alias("n"),
        functions.max("longest").alias("longest"),
        functions.max("wrong").alias("wrong"),
    )
    hint = "Group items beforehand, for instance by a hierarchy."
    found = fetched(grouped, MOST_VALUES, "more distinct items", origin=origin, hint=hint)
    named, whole = found.drop_nulls("token").sort("token"), found.filter(pl.col("token").is_null())
    return Found(
        texts=named.get_column("token"),
        counts=named.get_column("n").to_numpy(),
        n_records=int(whole["n"].sum()),
        longest=int(whole["longest"].sum()),
        wrong=int(whole["wrong"].sum()),
    )


def coded(
    frame: Any,
    split: Split,
    found: Found,
    names: Sequence[str],
    code_of: Codes,
    *,
    sensitive: CountedColumn | None,
    sorted: bool,
    origin: str | None,
    format: str,
    notes: tuple[str, ...],
) -> SparkTransactions:
    """The transactions of a frame of records, their items numbered in the order of their names.

    ``names`` are the items' names once settled, and ``code_of`` is the place of each found token among them.
    ``sorted`` says that every task gives its rows in the same order whenever it is run; else they are sorted.
    """
    vocabulary = sorted_names(dict.fromkeys(names))
    number = {name: item for item, name in enumerate(vocabulary)}
    item_of = np.array([number[name] for name in names], dtype=np.int32)[code_of]
    texts = found.texts

    def encode(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        from tacit.arrays.csr import as_sets

        for batch in batches:
            tokens = split(batch)
            own = item_of[codes_among(pl.Series(list(tokens.texts), dtype=pl.String), texts)]
            indptr, items, _ = as_sets(tokens.indptr, tokens.codes, np.ascontiguousarray(own))
            cells = [as_lists(indptr, items)]
            if sensitive is not None:
                cells.append(pyarrow.array(sensitive.codes_of(as_series(batch.column(SENSITIVE)))))
            yield pyarrow.RecordBatch.from_arrays(cells, [ITEMS, SENSITIVE][: len(cells)])

    schema = f"{ITEMS} array<int>" + ("" if sensitive is None else f", {SENSITIVE} int")
    encoded = frame.mapInArrow(on_worker(encode), schema)
    with spark_errors(origin):
        rows = kept_on_disk(encoded if sorted else encoded.sortWithinPartitions(*encoded.columns))
        supports, length_counts, parts = counted(rows, len(vocabulary))
    repeated = int(found.counts.sum() - supports.sum())
    return SparkTransactions(
        rows,
        vocabulary=tuple(vocabulary),
        supports=supports,
        length_counts=length_counts,
        parts=parts,
        sensitive=sensitive,
        origin=origin,
        format=format,
        notes=(*notes, *notes_on(repeated, int(length_counts[0]))),
    )


def as_rows(cells: Any) -> tuple[Offsets, Any]:
    """The row pointers of an Arrow array of lists, and what the lists hold, one after the other."""
    import pyarrow.compute

    lengths = pyarrow.compute.fill_null(cells.value_lengths(), 0)
    indptr = np.concatenate([[0], np.cumsum(np.asarray(lengths), dtype=np.int64)])
    return indptr, cells.flatten()


def as_codes(batch: Any) -> tuple[Offsets, Codes]:
    """The transactions of a batch of a frame of :class:`~tacit.io.spark.transactions.SparkTransactions`."""
    indptr, items = as_rows(batch.column(ITEMS))
    return indptr, np.asarray(items, dtype=np.int32)


def as_lists(indptr: Offsets, items: AnyArray) -> Any:
    """An Arrow array of lists of numbers."""
    import pyarrow

    return pyarrow.ListArray.from_arrays(pyarrow.array(indptr.astype(np.int32)), pyarrow.array(items))


def as_series(cells: Any) -> pl.Series:
    """An Arrow array as a series of the frame library."""
    return pl.Series(pl.from_arrow(cells))


def counted(rows: Any, n_items: int) -> tuple[Counts, Counts, Counts]:
    """The support of each item, and how many transactions have each length and are in each partition."""
    from pyspark.sql import functions

    def count(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow
        from pyspark import TaskContext

        task = TaskContext.get()
        supports, lengths = np.zeros(n_items, dtype=np.int64), np.zeros(1, dtype=np.int64)
        parts = np.zeros(1 + (task.partitionId() if task else 0), dtype=np.int64)
        for batch in batches:
            indptr, items = as_codes(batch)
            supports += np.bincount(items, minlength=n_items)
            more = np.bincount(np.diff(indptr), minlength=len(lengths))
            more[: len(lengths)] += lengths
            lengths = more
            parts[-1] += len(indptr) - 1
        for what, counts in enumerate((supports, lengths, parts)):
            held = np.flatnonzero(counts)
            cells = [np.full(len(held), what, dtype=np.int32), held.astype(np.int32), counts[held]]
            yield pyarrow.RecordBatch.from_arrays(list(map(pyarrow.array, cells)), ["what", "value", "n"])

    found = rows.mapInArrow(on_worker(count), "what int, value int, n bigint")
    grouped = found.groupBy("what", "value").agg(functions.sum("n").alias("n")).toArrow()
    what, value, n = (np.asarray(grouped.column(name)) for name in ("what", "value", "n"))
    supports = np.zeros(n_items, dtype=np.int64)
    supports[value[what == 0]] = n[what == 0]
    lengths = np.zeros(int(value[what == 1].max(initial=0)) + 1, dtype=np.int64)
    lengths[value[what == 1]] = n[what == 1]
    parts = np.zeros(int(value[what == 2].max(initial=0)) + 1, dtype=np.int64)
    parts[value[what == 2]] = n[what == 2]
    return supports, lengths, parts
