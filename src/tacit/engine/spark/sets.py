"""Plans carried out on transactions on Spark: a cut, and items taken out.

A cut publishes every item by its name there; records left out are left out. How items are taken out is said
in :mod:`tacit.engine.sanitizing`: workers count, and go through the steps of a removal, with the kernels that
the engine in this process uses. Subkeys reach them inside the functions that they run. A removal needs no
place to be kept, and gives the same wherever it is gone through. Where cells are chosen over all transactions
that hold a secret, workers send those, the items that matter and nothing else of them; what goes returns as a
list of cells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from time import perf_counter
from typing import Any, cast

import numpy as np

from tacit.arrays.compiled import Flag, new_flag
from tacit.arrays.csr import as_sets
from tacit.arrays.groups import keys_of, places_of_rows, read_only, take_rows
from tacit.data.transactions import Transactions, sorted_names
from tacit.engine.base import HeldSets
from tacit.engine.kernels.sets import Sets, holds_any
from tacit.engine.sanitizing import (
    Choice,
    Content,
    Itemlist,
    Known,
    Left,
    Rows,
    Sanitizer,
    Step,
    Summed,
    indexed_sets,
    name_digests,
    published_names,
    remainders,
)  # fmt: skip
from tacit.engine.spark.blocks import Blocks
from tacit.errors import ResourceError
from tacit.io.spark.session import kept_on_disk, on_worker, spark_errors
from tacit.io.spark.source import CountedColumn
from tacit.io.spark.transactions import (
    CHUNKS,
    SparkTransactions,
    as_lists,
    as_rows,
    chunk,
    chunk_cells,
    counted,
    rows_in,
)
from tacit.random.key import Key, Subkey
from tacit.random.keyed import draws, keyed_order
from tacit.typing import AnyArray, Bools, Codes, Counts, Offsets, Words


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

        whole, codes, digests = self.original, self.codes, name_digests(self.names)

        def rest(indptr: Offsets, items: Codes) -> Counts:
            return remainders(indptr, items, codes, digests, one_in)

        def lowest(batches: Iterator[Any]) -> Iterator[Any]:
            import pyarrow

            for indptr, items, _ in rows_in(batches):
                yield pyarrow.RecordBatch.from_pydict({"rest": [rest(indptr, items).min()]})

        with spark_errors(whole.origin):
            # Where there are few contents none may have the remainder 0: the least that one has.
            every = whole.frame.mapInArrow(on_worker(lowest), "rest bigint")
            least = every.agg(functions.min("rest")).first()[0]
        found = whole.over(_those(whole, lambda *rows: rest(*rows) == least)).brought_here()
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
    with spark_errors(transactions.origin):
        frame = kept_on_disk(_recoded(transactions, codes, left_out if left_out.sets else None))
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

    def recode(batches: Iterator[Any]) -> Iterator[Any]:
        for indptr, items, beside in rows_in(batches):
            if left_out is not None:
                rows = np.flatnonzero(~left_out.among(indptr, items))
                indptr, items = take_rows(indptr, items, rows)
                beside = None if beside is None else beside[rows]
            yield chunk(*as_sets(indptr, items, codes)[:2], beside)

    return transactions.frame.mapInArrow(on_worker(recode), CHUNKS)


def _those(transactions: SparkTransactions, wanted: Callable[[Offsets, Codes], Bools]) -> Any:
    """A frame of some transactions."""

    def take(batches: Iterator[Any]) -> Iterator[Any]:
        for indptr, items, beside in rows_in(batches):
            rows = np.flatnonzero(wanted(indptr, items))
            yield chunk(*take_rows(indptr, items, rows), None if beside is None else beside[rows])

    return transactions.frame.mapInArrow(on_worker(take), CHUNKS)


PASSES_LEFT = 4
"""Solving was a few passes, and the rest is so many times as many."""
MOST_CELLS = 10_000_000
"""The most cells of transactions that hold a secret that are brought into this process."""
_WORDS = ("one", "two", "draw")

Removal = tuple[Step, ...]
"""The steps by which cells go."""


@dataclass(frozen=True, eq=False)
class Listed:
    """The cells on a list go: they are known by the digest and the rank of their row, and their code."""

    digests: Words
    ranks: Counts
    codes: Codes

    def take(self, known: Known, removed: Bools, flag: Flag) -> Bools:
        rows = known.rows
        concerned = np.flatnonzero(np.isin(known.digests[:, 0], self.digests[:, 0]))
        indptr, places = places_of_rows(rows.indptr, concerned)
        owners = np.repeat(concerned, np.diff(indptr))
        cells = _cells(known.digests[owners], rows.ranks[owners], rows.items[places])
        removed[places[np.isin(cells, _cells(self.digests, self.ranks, self.codes))]] = True
        return removed


def _cells(digests: Words, ranks: Counts, codes: Codes) -> AnyArray:
    return keys_of(np.column_stack([digests, ranks.astype(np.uint64), codes.astype(np.uint64)]))


@dataclass(frozen=True, eq=False)
class _Remaining:
    """What workers make of rows by a removal."""

    content: Content
    removal: Removal

    def of(self, rows: Rows) -> tuple[Offsets, Codes]:
        return self.known(rows)[1] if self.removal else (rows.indptr, rows.items)

    def known(self, rows: Rows) -> tuple[Known, tuple[Offsets, Codes]]:
        known = self.content.of(rows)
        removed = np.zeros(len(rows.items), dtype=np.bool_)
        for step in self.removal:
            removed = step.take(known, removed, new_flag())
        indptr, items = known.left(removed)
        return known, (read_only(indptr), read_only(items))


@dataclass(frozen=True, eq=False)
class _Holding:
    """The rows that hold one of some sets after a removal, and those of their items that are shown."""

    remaining: _Remaining
    sets: Sets
    shown: Bools
    subkey: Subkey

    def of(self, rows: Rows) -> tuple[Known, Counts, tuple[Offsets, Codes]]:
        known, (left, items) = self.remaining.known(rows)
        found = np.flatnonzero(holds_any(left, items, self.sets, new_flag()))
        indptr, places = places_of_rows(left, found)
        seen = self.shown[items[places]]
        ends = np.concatenate([[0], np.cumsum(seen)])[indptr]
        return known, found, (ends, items[places[seen]])

    def count(self, rows: Rows) -> Counts:
        return np.array([len(self.of(rows)[2][1])])

    def send(self, rows: Rows) -> dict[str, Any]:
        known, found, lists = self.of(rows)
        digests, ranks = np.ascontiguousarray(known.digests[found]), rows.ranks[found]
        words = (digests[:, 0], digests[:, 1], draws(self.subkey, digests, ranks))
        signed = {name: word.copy().view(np.int64) for name, word in zip(_WORDS, words, strict=True)}
        return signed | {"rank": ranks, "codes": as_lists(*lists)}


class SparkSanitizer(Sanitizer[Removal]):
    """A sanitizer of transactions on Spark; about ``task_rows`` of them are one task."""

    def __init__(self, transactions: SparkTransactions, key: Key, *, task_rows: int) -> None:
        super().__init__(transactions, key)
        self._transactions = transactions
        self._blocks = Blocks(transactions, task_rows=task_rows)

    def clock(self) -> float:
        return perf_counter()

    def rest_seconds(self, solving: float) -> float:
        return PASSES_LEFT * solving

    def _digested(self, subkey: Subkey) -> Counts:
        content = self._content
        return self._blocks.summed(2, lambda rows: content.of(rows).digest(subkey))

    def _summed(self, removed: Removal | None) -> Summed:
        blocks, left = self._blocks, self._left(removed)
        return lambda size, count: blocks.summed(size, lambda rows: count(*left.of(rows), new_flag()))

    def _left(self, removed: Removal | None) -> _Remaining:
        return _Remaining(self._content, removed or ())

    def _then(self, removed: Removal | None, step: Step) -> Removal:
        return (*(removed or ()), step)

    def taken_from(
        self, sets: Itemlist, shown: Bools, choose: Choice, removed: Removal | None = None
    ) -> Removal:
        indexed = indexed_sets(sets, self._transactions.supports)
        holding = _Holding(self._left(removed), indexed, shown, self._key.subkey("hide: order"))
        with spark_errors(self._transactions.origin):
            return self._then(removed, _listed_to_go(self._blocks, holding, choose))

    def slid(self, sets: Itemlist, *, disclosure: Fraction, window: int) -> Removal:
        raise AssertionError("windows are refused before")

    def left(self, removed: Removal) -> Left:
        whole, left = self._transactions, self._left(removed)
        n_items, column = whole.n_items, whole.sensitive
        present = self._blocks.summed(n_items, lambda rows: np.bincount(left.of(rows)[1], minlength=n_items))
        names = published_names(whole.vocabulary, present > 0)
        codes = names.codes

        def publish(rows: Rows) -> dict[str, Any]:
            indptr, items, _ = as_sets(*left.of(rows), codes)
            return chunk_cells(indptr, items, rows.beside)

        with spark_errors(whole.origin):
            rows = kept_on_disk(self._blocks.mapped(publish, CHUNKS))
            supports, length_counts, parts = counted(rows, len(names.vocabulary))
        published = SparkTransactions(
            rows,
            vocabulary=names.vocabulary,
            supports=supports,
            length_counts=length_counts,
            parts=parts,
            sensitive=cast("CountedColumn | None", column),
            format=whole.format,
        )
        return Left(published, None)


def _listed_to_go(blocks: Blocks, holding: _Holding, choose: Choice) -> Listed:
    """The cells that are chosen to go from the transactions left that hold one of the sets."""
    n_cells = int(blocks.summed(1, holding.count)[0])
    if n_cells > MOST_CELLS:
        raise ResourceError(
            f"Choosing what goes would bring {n_cells:,} items of transactions that hold a secret into this"
            f" process, and at most {MOST_CELLS:,} are brought.",
            code="spark-too-many",
            hint="Use the policy 'certified' and leave min_confidence out: then none are brought.",
        )
    schema = "one bigint, two bigint, draw bigint, rank bigint, codes array<int>"
    found = blocks.mapped(holding.send, schema).toArrow()
    one, two, draw = (np.asarray(found.column(name)).view(np.uint64) for name in _WORDS)
    digests, ranks = np.column_stack([one, two]), np.asarray(found.column("rank"))
    indptr, codes = as_rows(found.column("codes").combine_chunks())
    order = keyed_order(draw, digests, ranks)
    ends, places = places_of_rows(np.asarray(indptr, dtype=np.int64), order)
    items = np.asarray(codes, dtype=np.int32)[places]
    going = np.flatnonzero(choose(ends, items))
    rows = order[np.searchsorted(ends, going, side="right") - 1]
    return Listed(digests[rows], ranks[rows], items[going])
