"""Taking items out of transactions on Spark; see :mod:`tacit.engine.sanitizing`.

Workers count, and go through the steps of a removal, with the kernels that the engine in this process uses.
Subkeys reach them inside the functions that they run.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from time import perf_counter
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from tacit.arrays.interrupt import new_flag
from tacit.engine.sanitizing import (
    Choice,
    HitCounts,
    Itemlist,
    Left,
    Summed,
    indexed_sets,
    mark_hits,
    pair_supports,
    published_names,
    set_supports,
)
from tacit.engine.spark.blocks import Blocks, Rows
from tacit.engine.spark.keeping import listed_to_go
from tacit.engine.spark.removal import (
    Content,
    Drawn,
    Listed,
    Refilled,
    Removal,
    go_through,
)
from tacit.io.spark.session import kept_on_disk, spark_errors
from tacit.io.spark.transactions import ITEMS, SENSITIVE, SparkTransactions, as_lists, counted
from tacit.random.key import Key
from tacit.typing import Bools, Codes, Counts, Offsets, Words

if TYPE_CHECKING:
    from tacit.engine.kernels.sanitizing import Columns
    from tacit.io.spark.source import CountedColumn


PASSES_LEFT = 4
"""Solving was a few passes, and the rest is so many times as many."""


class SparkSanitizer:
    """A sanitizer of transactions on Spark; about ``task_rows`` of them are one task."""

    def __init__(self, transactions: SparkTransactions, key: Key, *, task_rows: int) -> None:
        from tacit.random.digests import value_digests

        self.n_rows = len(transactions)
        self._transactions = transactions
        self._key = key
        self._blocks = Blocks(transactions, task_rows=task_rows)
        subkey, column = key.subkey("hide: content"), transactions.sensitive
        self._content = Content(
            value_digests(subkey, "item", transactions.vocabulary),
            None if column is None else value_digests(subkey, "beside", column.texts),
        )

    def clock(self) -> float:
        return perf_counter()

    def rest_seconds(self, solving: float) -> float:
        return PASSES_LEFT * solving

    @property
    def digest(self) -> str:
        subkey, content = self._key.subkey("hide: digest"), self._content

        def add(rows: Rows) -> Counts:
            from tacit.random.keyed import draws

            known = content.of(rows)
            words = [draws(subkey, known.digests, rows.ranks, label=label).sum() for label in (0, 1)]
            return np.array(words, dtype=np.uint64).view(np.int64)

        return "".join(f"{int(word):016x}" for word in self._blocks.summed(2, add).view(np.uint64))

    def supports(self, sets: Itemlist, removed: Removal | None = None) -> Counts:
        return set_supports(sets, self._transactions.supports, self._summed(removed or ()))

    def pair_supports(self, items: Codes) -> Counts:
        return pair_supports(items, self._transactions.n_items, self._summed(()))

    def hits(self, matrix: Columns, n_marks: int) -> HitCounts:
        return mark_hits(matrix, n_marks, self._summed(()))

    def drawn(self, matrix: Columns, high: Words, low: Words, *, label: int) -> Removal:
        return (Drawn(matrix, high, low, self._key.subkey(f"hide: cells {label}")),)

    def taken_from(
        self, sets: Itemlist, shown: Bools, choose: Choice, removed: Removal | None = None
    ) -> Removal:
        subkey, earlier = self._key.subkey("hide: order"), removed or ()
        indexed = indexed_sets(sets, self._transactions.supports)
        with spark_errors(self._transactions.origin):
            listed = listed_to_go(self._blocks, self._content, earlier, indexed, shown, choose, subkey)
        return (*earlier, Listed(listed))

    def slid(self, sets: Itemlist, *, disclosure: Fraction, window: int) -> Removal:
        raise AssertionError("windows are refused before")

    def refilled(self, removed: Removal, barred: Bools) -> Removal:
        return (*removed, Refilled(barred, self._key.subkey("hide: refill")))

    def left(self, removed: Removal) -> Left:
        whole, left = self._transactions, self._left(removed)
        n_items, column = whole.n_items, whole.sensitive

        def count(rows: Rows) -> Counts:
            return np.bincount(left(rows)[1], minlength=n_items)

        names = published_names(whole.vocabulary, self._blocks.summed(n_items, count) > 0)
        codes = names.codes

        def publish(rows: Rows) -> dict[str, Any]:
            from tacit.arrays.csr import as_sets

            indptr, items, _ = as_sets(*left(rows), codes)
            lists = {ITEMS: as_lists(indptr, items)}
            return lists if rows.beside is None else {**lists, SENSITIVE: rows.beside}

        schema = f"{ITEMS} array<int>" + ("" if column is None else f", {SENSITIVE} int")
        with spark_errors(whole.origin):
            rows = kept_on_disk(self._blocks.mapped(publish, schema))
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

    def _summed(self, removed: Removal) -> Summed:
        """How counts are added up over what is left of the transactions."""
        blocks, left = self._blocks, self._left(removed)
        return lambda size, count: blocks.summed(size, lambda rows: count(*left(rows), new_flag()))

    def _left(self, removed: Removal) -> Callable[[Rows], tuple[Offsets, Codes]]:
        """What workers make of rows by a removal."""
        content = self._content

        def left(rows: Rows) -> tuple[Offsets, Codes]:
            if not removed:
                return rows.indptr, rows.items
            known = content.of(rows)
            return known.left(go_through(removed, known))

        return left
