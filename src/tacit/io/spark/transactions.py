"""Transactions that stay on Spark: their vocabulary and their counts are here, their rows are not.

Whatever form transactions come in, a ``split`` turns a batch of Spark's rows into records of tokens, on the
workers. The distinct tokens with their counts come into this process, where their names are settled as
everywhere; then the workers write each record as the ascending set of its items' numbers.

In published order, sorted by their text, so that no place tells, they come part after part: Spark sorts, and
the next part is fetched while one is written, so that this process holds one at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from tacit.data.column import Column, codes_among
from tacit.data.transactions import Transactions, notes_on, sorted_names
from tacit.io.spark.session import kept_on_disk, on_worker, spark_errors
from tacit.io.spark.source import MOST_VALUES, CountedColumn, fetched, rows_needed
from tacit.typing import AnyArray, Codes, Counts, Offsets

LENGTHS, ITEMS, SENSITIVE = "lengths", "items", "sensitive"
"""Of a row for each transaction: the bytes of its items' codes, and the code of its sensitive value. Of a
row for many, a chunk: the bytes of their lengths, of their items' codes and of their sensitive values."""
CHUNKS = f"{LENGTHS} binary, {ITEMS} binary, {SENSITIVE} binary"


class SparkTransactions(Transactions):
    """Transactions whose rows are on Spark.

    ``frame`` has thousands of them in a row, because what passes cost is mostly carrying rows to the workers
    one by one; items are ascending numbers without repeats. Spark keeps it on its disks, because many passes
    go over it. ``parts`` are the transactions in each partition, where that is known.
    """

    frame: Any
    parts: Counts = np.zeros(0, dtype=np.int64)

    def __init__(self, frame: Any, **known: Any) -> None:
        # Frozen, like all transactions: set here once; a field that is not given has its default.
        self.__dict__.update(frame=frame, **known)

    @property
    def indptr(self) -> Offsets:
        raise rows_needed()

    @property
    def items(self) -> Codes:
        raise rows_needed()

    def __len__(self) -> int:
        return int(self.length_counts.sum())

    def in_order(self) -> Iterator[Transactions]:
        """The transactions sorted by their text, part after part: on Spark they have no other order."""
        return sorted_parts(self)

    def in_memory(self, most: int) -> Transactions | None:
        """The transactions in this process, sorted; None where they are more than ``most``."""
        return self.brought_here() if len(self) <= most else None

    def brought_here(self) -> Transactions:
        """The transactions of the frame in this process, sorted."""
        empty = np.zeros(0, dtype=np.int32)
        parts = [(part.lengths, part.items, part.sensitive) for part in self.in_order()]
        lengths, items, values = zip((empty, empty, None), *parts, strict=True)
        column = self.sensitive
        if column is not None:
            codes = [empty, *(value.codes for value in values if value is not None)]
            column = Column(column.name, np.concatenate(codes), column.values)
        arrays = np.cumsum(np.concatenate([[0], *lengths])), np.concatenate(items)
        for array in arrays:
            array.flags.writeable = False
        return Transactions(
            *arrays, self.vocabulary, column, self.hierarchy, self.origin, self.format, self.notes
        )

    def over(self, frame: Any) -> SparkTransactions:
        """The transactions of a frame with the same columns; the counts stay those of all."""
        return self._with(frame=frame)

    def _with(self, **changed: Any) -> SparkTransactions:
        return SparkTransactions(**{**self.__dict__, **changed})


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
        from tacit.arrays.csr import as_sets

        for batch in batches:
            tokens = split(batch)
            own = item_of[codes_among(pl.Series(list(tokens.texts), dtype=pl.String), texts)]
            indptr, items, _ = as_sets(tokens.indptr, tokens.codes, np.ascontiguousarray(own))
            beside = None if sensitive is None else sensitive.codes_of(as_series(batch.column(SENSITIVE)))
            yield made(indptr, items, beside)

    made, schema = (chunk, CHUNKS) if sorted else (row_batch, rows_schema(sensitive))
    encoded = frame.mapInArrow(on_worker(encode), schema)
    if not sorted:
        encoded = encoded.sortWithinPartitions(*encoded.columns).mapInArrow(on_worker(chunked), CHUNKS)
    with spark_errors(origin):
        rows = kept_on_disk(encoded)
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


def chunk_cells(indptr: Offsets, items: Codes, beside: Codes | None) -> dict[str, Any]:
    """Some transactions as one row of a frame: its columns by name."""
    import pyarrow

    parts = (np.diff(indptr), items, np.zeros(0) if beside is None else beside)
    cells = [pyarrow.array([part.astype(np.int32).tobytes()], pyarrow.binary()) for part in parts]
    return dict(zip((LENGTHS, ITEMS, SENSITIVE), cells, strict=True))


def chunk(indptr: Offsets, items: Codes, beside: Codes | None) -> Any:
    """A batch of one row that holds some transactions."""
    import pyarrow

    return pyarrow.RecordBatch.from_pydict(chunk_cells(indptr, items, beside))


def rows_in(batches: Iterator[Any]) -> Iterator[tuple[Offsets, Codes, Codes | None]]:
    """The transactions of batches of chunks, chunk by chunk; what goes along is None where nothing does."""
    for batch in batches:
        for number in range(batch.num_rows):
            lengths, items, beside = (
                np.frombuffer(batch.column(name)[number].as_buffer(), dtype=np.int32)
                for name in (LENGTHS, ITEMS, SENSITIVE)
            )
            if len(lengths):
                indptr = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
                yield indptr, items, beside if len(beside) else None


def rows_schema(sensitive: object) -> str:
    """The schema of a frame with a row for each transaction."""
    return f"{ITEMS} binary" + ("" if sensitive is None else f", {SENSITIVE} int")


def row_batch(indptr: Offsets, items: AnyArray, beside: Codes | None) -> Any:
    """A batch with a row for each transaction."""
    import pyarrow

    cells = {ITEMS: as_bytes(items.itemsize * indptr, items.tobytes())}
    if beside is not None:
        cells[SENSITIVE] = pyarrow.array(beside)
    return pyarrow.RecordBatch.from_pydict(cells)


def of_rows(batch: Any) -> tuple[Offsets, Codes, Codes | None]:
    """The transactions of a batch with a row for each."""
    import pyarrow.compute

    packed = batch.column(ITEMS)
    lengths = np.asarray(pyarrow.compute.binary_length(packed)).astype(np.int64) // 4
    there = SENSITIVE in batch.schema.names
    beside = np.asarray(batch.column(SENSITIVE)).astype(np.int32) if there else None
    return np.concatenate([[0], np.cumsum(lengths)]), np.frombuffer(bytes_of(packed), dtype=np.int32), beside


def chunked(batches: Iterator[Any]) -> Iterator[Any]:
    """Rows for each transaction as chunks."""
    return (chunk(*of_rows(batch)) for batch in batches)


def single_rows(transactions: SparkTransactions) -> Any:
    """A frame with a row for each transaction."""

    def part(batches: Iterator[Any]) -> Iterator[Any]:
        return (row_batch(*rows) for rows in rows_in(batches))

    return transactions.frame.mapInArrow(on_worker(part), rows_schema(transactions.sensitive))


def as_lists(indptr: Offsets, items: AnyArray) -> Any:
    """An Arrow array of lists of numbers."""
    import pyarrow

    return pyarrow.ListArray.from_arrays(pyarrow.array(indptr.astype(np.int32)), pyarrow.array(items))


def as_bytes(ends: Offsets, whole: bytes) -> Any:
    """An Arrow array of runs of bytes that lie one after the other."""
    import pyarrow

    buffers = [None, pyarrow.py_buffer(ends.astype(np.int32)), pyarrow.py_buffer(whole)]
    return pyarrow.Array.from_buffers(pyarrow.binary(), len(ends) - 1, buffers)


def bytes_of(cells: Any) -> bytes:
    """What the cells of an Arrow array of bytes hold, one after the other."""
    _, ends, whole = cells.buffers()
    bounds = np.frombuffer(ends, dtype=np.int32)[cells.offset : cells.offset + len(cells) + 1]
    return bytes(memoryview(whole or b"")[bounds[0] : bounds[-1]])


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
        for indptr, items, _ in rows_in(batches):
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

    def counts(kind: int, least: int) -> Counts:
        of_kind = what == kind
        found = np.zeros(max(least, int(value[of_kind].max(initial=0)) + 1), dtype=np.int64)
        found[value[of_kind]] = n[of_kind]
        return found

    return counts(0, n_items), counts(1, 1), counts(2, 1)


PART_ROWS = 500_000
"""About so many records are sorted by one task, and fetched at a time."""


def sorted_parts(transactions: SparkTransactions) -> Iterator[Transactions]:
    """The records sorted by the texts of their items, in turn, and then by that of the value beside them."""
    ranks = text_ranks(list(transactions.vocabulary))
    column = transactions.sensitive
    value_ranks = None if column is None else text_ranks([text or "" for text in column.texts])

    # Bytes, the highest of each rank first, are in the order of the ranks, and sorted much faster than lists.
    def key(batches: Iterator[Any]) -> Iterator[Any]:
        for indptr, items, beside in rows_in(batches):
            ranked = None if value_ranks is None else value_ranks[beside]
            yield row_batch(indptr, ranks[items].astype(">i4"), ranked)

    schema = rows_schema(column)
    names = [name.split()[0] for name in schema.split(", ")]
    by_text = np.argsort(ranks).astype(np.int32)
    by_value = None if value_ranks is None else np.argsort(value_ranks).astype(np.int32)
    with spark_errors(transactions.origin):
        keyed = transactions.frame.mapInArrow(on_worker(key), schema)
        n_parts = max(1, -(-len(transactions) // PART_ROWS))
        ordered = keyed.repartitionByRange(n_parts, *names).sortWithinPartitions(*names)
        packed = ordered.mapInArrow(on_worker(chunked), CHUNKS)
        for row in packed.toLocalIterator(prefetchPartitions=True):
            lengths, items, beside = (
                np.frombuffer(row[name], dtype=kind)
                for name, kind in ((LENGTHS, np.int32), (ITEMS, ">i4"), (SENSITIVE, np.int32))
            )
            values = None
            if column is not None and by_value is not None:
                values = Column(column.name, by_value[beside], column.values)
            indptr = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
            yield Transactions(indptr, by_text[items], transactions.vocabulary, values)


def text_ranks(texts: list[str]) -> Codes:
    """The rank of each text; equal ones keep their order."""
    by_text = np.argsort(np.array(texts, dtype=object), kind="stable")
    ranks = np.empty(len(texts), dtype=np.int32)
    ranks[by_text] = np.arange(len(texts), dtype=np.int32)
    return ranks
