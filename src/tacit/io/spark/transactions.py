"""Transactions that stay on Spark: their vocabulary and their counts are here, their rows are not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tacit.data.column import Column
from tacit.data.hierarchy import Hierarchy
from tacit.data.transactions import Transactions
from tacit.io.spark.source import CountedColumn, rows_needed
from tacit.typing import Codes, Counts, Offsets

ITEMS, SENSITIVE = "items", "sensitive"
"""The columns of the frame: the codes of a transaction's items, and the code of its sensitive value."""


class SparkTransactions(Transactions):
    """Transactions whose rows are on Spark.

    ``frame`` has a row for each transaction: ``items``, an array of item numbers, ascending and without
    repeats, and with a sensitive column ``sensitive``, the code of its value. Spark keeps it on its disks,
    because many passes go over it. ``parts`` are the transactions in each partition, where that is known.
    """

    frame: Any
    parts: Counts

    def __init__(
        self,
        frame: Any,
        *,
        vocabulary: tuple[str, ...],
        supports: Counts,
        length_counts: Counts,
        parts: Counts | None = None,
        sensitive: CountedColumn | None = None,
        hierarchy: Hierarchy | None = None,
        origin: str | None = None,
        format: str = "dat",
        notes: tuple[str, ...] = (),
    ) -> None:
        # Frozen, like all transactions: set here once.
        self.__dict__.update(
            frame=frame,
            vocabulary=vocabulary,
            supports=supports,
            length_counts=length_counts,
            parts=np.zeros(0, dtype=np.int64) if parts is None else parts,
            sensitive=sensitive,
            hierarchy=hierarchy,
            origin=origin,
            format=format,
            notes=notes,
        )

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
        from tacit.io.spark.transactions_writing import sorted_parts

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
        """Some of the transactions, or all in another form: those of a frame with the same columns.

        The counts stay those of all.
        """
        return self._with(frame=frame)

    def _with(self, **changed: Any) -> SparkTransactions:
        other = SparkTransactions.__new__(SparkTransactions)
        other.__dict__.update({**self.__dict__, **changed})
        return other
