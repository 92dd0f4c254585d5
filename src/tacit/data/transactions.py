"""Sets of items, one per person or visit, in compressed sparse row form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tacit.data.column import Column
from tacit.data.hierarchy import Hierarchy
from tacit.exceptions import InputError
from tacit.typing import Codes, Counts, Offsets


@dataclass(frozen=True, eq=False)
class Transactions:
    """Transaction ``t`` is the set ``items[indptr[t] : indptr[t + 1]]``, ascending and without repeats.

    ``vocabulary[i]`` is the name of item ``i``; every item occurs in some transaction, and items
    are numbered in the order of their names: by size where all are whole numbers, else by text.
    """

    indptr: Offsets
    items: Codes
    vocabulary: tuple[str, ...]
    sensitive: Column | None = None
    hierarchy: Hierarchy | None = None
    origin: str | None = None
    format: str = "dat"
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.indptr) - 1

    @property
    def n_items(self) -> int:
        return len(self.vocabulary)

    @cached_property
    def lengths(self) -> Counts:
        """The number of items of each transaction."""
        return np.diff(self.indptr)

    @cached_property
    def supports(self) -> Counts:
        """The support of each item."""
        return np.bincount(self.items, minlength=self.n_items)

    @cached_property
    def index(self) -> Mapping[str, int]:
        """The number of each item name."""
        return {name: item for item, name in enumerate(self.vocabulary)}

    def codes_of(self, names: Iterable[str]) -> tuple[int, ...]:
        """The numbers of these items, ascending; an unknown name is an error."""
        wanted = [str(name) for name in names]
        unknown = [name for name in wanted if name not in self.index]
        if unknown:
            raise InputError(
                f"No transaction holds {', '.join(map(repr, unknown[:20]))}.",
                code="unknown-item",
                hint="Items are named as in the data; check the spelling.",
            )
        return tuple(sorted({self.index[name] for name in wanted}))

    def sets(self) -> list[frozenset[str]]:
        """The transactions as sets of names; for small data and tests."""
        names = np.array(self.vocabulary, dtype=object)
        return [frozenset(names[part]) for part in np.split(self.items, self.indptr[1:-1])] if len(self) else []

    def with_hierarchy(self, hierarchy: Hierarchy) -> Transactions:
        """The same transactions under this hierarchy."""
        return replace(self, hierarchy=hierarchy)

    def take(self, rows: np.ndarray) -> Transactions:
        """The transactions named by an index or a mask; items that no longer occur are left out."""
        rows = np.flatnonzero(rows) if rows.dtype == bool else rows
        lengths = self.lengths[rows]
        indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        positions = np.repeat(self.indptr[rows] - indptr[:-1], lengths) + np.arange(indptr[-1])
        present, packed = np.unique(self.items[positions], return_inverse=True)
        return replace(
            self,
            indptr=indptr,
            items=packed.astype(np.int32),
            vocabulary=tuple(self.vocabulary[item] for item in present),
            sensitive=None if self.sensitive is None else self.sensitive.take(rows),
        )


def transactions_from_sets(
    sets: Sequence[Iterable[object]],
    *,
    sensitive: Column | None = None,
    hierarchy: Hierarchy | None = None,
    origin: str | None = None,
) -> Transactions:
    """Transactions from Python sets or lists of items; for small data and tests."""
    records = [[str(name) for name in names] for names in sets]
    names = [name for record in records for name in record]
    vocabulary = sorted(set(names), key=name_order(set(names)))
    number = {name: item for item, name in enumerate(vocabulary)}
    codes = np.fromiter((number[name] for name in names), dtype=np.int32, count=len(names))
    owners = np.repeat(np.arange(len(records)), [len(record) for record in records])
    return from_pairs(
        owners, codes, len(records), tuple(vocabulary), sensitive=sensitive, hierarchy=hierarchy, origin=origin
    )


def from_pairs(
    records: np.ndarray,
    codes: np.ndarray,
    n_records: int,
    vocabulary: tuple[str, ...],
    *,
    sensitive: Column | None = None,
    hierarchy: Hierarchy | None = None,
    origin: str | None = None,
    format: str = "dat",
    notes: tuple[str, ...] = (),
) -> Transactions:
    """Transactions from (record, item) pairs in any order; repeats inside a record are collapsed and counted."""
    keys = np.unique(records.astype(np.int64) * max(1, len(vocabulary)) + codes)
    repeated = len(codes) - len(keys)
    if repeated:
        notes = (*notes, f"{repeated} repeated items inside a transaction were collapsed.")
    lengths = np.bincount(keys // max(1, len(vocabulary)), minlength=n_records)
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    items = (keys % max(1, len(vocabulary))).astype(np.int32)
    empty = int((lengths == 0).sum())
    if empty:
        notes = (*notes, f"{empty} transactions are empty; they are kept.")
    indptr.flags.writeable = items.flags.writeable = False
    return Transactions(indptr, items, vocabulary, sensitive, hierarchy, origin, format, notes)


def name_order(names: Iterable[str]) -> Callable[[str], int | bytes]:
    """The key that sorts item names: by size where all are plain whole numbers, else by their bytes."""
    if all(name.isascii() and name.isdigit() and str(int(name)) == name for name in names):
        return int
    return str.encode
