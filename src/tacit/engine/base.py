"""What an engine does for the methods: count, and carry a plan out.

A method's solver never sees rows; it works on what these verbs return. An engine runs in this
process (:mod:`tacit.engine.local.engine`), or elsewhere when the data outgrow the machine.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
import polars as pl

from tacit.data.column import Column
from tacit.data.hierarchy import ItemTree
from tacit.data.table import Table
from tacit.data.transactions import Transactions
from tacit.random.key import Key, Subkey
from tacit.typing import Bools, Codes, Counts, Offsets, Words

if TYPE_CHECKING:
    from tacit.arrays.compiled import Flag
    from tacit.engine.itemsets.mine import FoundItemsets, TooManyItemsets
    from tacit.engine.sanitizing import Itemlist, Sanitizer, Summed
    from tacit.engine.sets import SetCounts

Done = Callable[[float], None]
"""Is told now and then what share of the work is done."""

NO_LIMIT = 2**31 - 1
"""Sets of any length: rows and sets are numbered in 32 bits."""

SKETCH = 8
"""So many of its combinations stand for a table."""


@dataclass(frozen=True, eq=False)
class Combinations:
    """The distinct combinations of some columns, with the number of rows that hold each.

    ``codes`` has one row per combination and one column per name, in the order of the codes;
    ``texts[c][codes[g, c]]`` is the text of a value (None for a null).
    """

    names: tuple[str, ...]
    texts: tuple[tuple[str | None, ...], ...]
    codes: Codes  # (combinations, names)
    counts: Counts  # (combinations,)

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def n_rows(self) -> int:
        return int(self.counts.sum())

    def place(self, name: str) -> int:
        """The position of a column."""
        return self.names.index(name)

    def digests(self, subkey: Subkey, names: Sequence[str] | None = None) -> Words:
        """A keyed digest of what each combination holds in the named columns or all, whatever its codes."""
        from tacit.random.digests import record_digests, value_digests

        return record_digests(
            [
                (np.ascontiguousarray(self.codes[:, place]), value_digests(subkey, name, self.texts[place]))
                for place, name in enumerate(self.names)
                if names is None or name in names
            ]
        )

    def key(self, key: Key) -> Key:
        """What drives the choices made for a table, by the few combinations whose draws are the smallest.

        A reader who knows a table learns from its release what was drawn for it; the table of other people
        must not be drawn for so. Two tables that share a part J of their combinations, with the same counts,
        have the same key with probability about J to the power of ``SKETCH``. So the key hardly ever changes
        where a few rows were corrected, and what is as it was leaves nothing to intersect.
        """
        from tacit.random.keyed import draws

        digests = self.digests(key.subkey("table: content"))
        smallest = np.sort(draws(key.subkey("table: records"), digests, self.counts))[:SKETCH]
        return key.branch("table " + " ".join(f"{word:016x}" for word in smallest.tolist()))


@dataclass(frozen=True, eq=False)
class HeldSets:
    """Records known by what they hold, wherever they are: those with one of some sets of nodes."""

    tree: ItemTree
    sets: tuple[Codes, ...]  # each (sets, size), filled up with -1
    count: int
    """How many such records there are."""
    total: int
    """How many records there are in all."""
    occurrences: Counts
    """How many of the other records hold each item, along the leaves."""

    def rows(self, transactions: Transactions) -> Bools:
        """Which of the transactions in memory are such records; they may be a part of those known."""
        leaves = self.tree.hierarchy.leaves_of(transactions.vocabulary)
        places = np.searchsorted(self.tree.nodes[: self.tree.n_items], leaves)
        return self.among(transactions.indptr, transactions.items, places.astype(np.int32))

    def among(self, indptr: Offsets, items: Codes, places: Codes | None = None) -> Bools:
        """Which of some rows of items are such records; ``places`` has the node of each item."""
        from tacit.arrays.csr import as_sets
        from tacit.arrays.groups import take_rows
        from tacit.engine.kernels.item_ranges import below_rarest, indexed, rows_with_sets

        held = np.zeros(len(indptr) - 1, dtype=np.bool_)
        if self.sets:
            tree, places = self.tree, self.tree.places if places is None else places
            # Few rows hold an item below the rarest node of a set, and only they are looked at closely.
            among = [below_rarest(places[items], tree.ranges, sets) for sets in self.sets]
            rows = np.unique(np.searchsorted(indptr, np.flatnonzero(sum(among)), side="right") - 1)
            along, leaves, _ = as_sets(*take_rows(indptr, items, rows), places)
            data = indexed(along, leaves, np.ones(len(rows), dtype=np.int64), tree.n_items)
            for sets in self.sets:
                held[rows[rows_with_sets(data, tree.ranges, sets)]] = True
        return held


class Recoded(Protocol):
    """Transactions and what is published of them."""

    @property
    def published(self) -> Transactions: ...

    @property
    def merged(self) -> int:
        """The items of the published records, had no record been left out."""

    @property
    def left_out(self) -> Counts | None:
        """The numbers of the records left out; None where records have no numbers."""

    @property
    def rows(self) -> Counts | None:
        """Which record each published one is; None where records have no numbers."""

    def part(self, one_in: int) -> Transactions:
        """The original records, in memory, that it is judged by: see :mod:`tacit.engine.sanitizing`."""


@dataclass(frozen=True, eq=False)
class WantedItemsets:
    """Which itemsets are asked for; the empty set never is.

    What is closed or maximal is decided among all sets of allowed items; ``required`` and the bounds on the
    length then choose among them.
    """

    min_count: int
    kind: Literal["complete", "closed", "maximal"] = "complete"
    min_length: int = 1
    max_length: int = NO_LIMIT
    allowed: Bools | None = None
    """A mask over the codes: other items are looked at as if no row held them."""
    required: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    """Codes that every set must hold."""
    max_itemsets: int = 10_000_000

    def usable(self, supports: Counts) -> Bools:
        """The items of these supports that sets are made of, beside those required."""
        usable = supports >= self.min_count
        if self.allowed is not None:
            usable &= self.allowed
        usable[self.required] = False
        return np.asarray(usable)


GROUP, COUNT = "group", "count"
"""The names of the columns that a release adds."""


@dataclass(frozen=True, eq=False)
class Deal:
    """Which buckets the rows of each kind go to.

    ``kind_of`` is the kind of each combination of the named columns, as an engine lists them; kind k has
    ``places[ends[k] : ends[k + 1]]``. With ``permuted``, rows of a bucket exchange their sensitive values
    at random, and its content shows them so. ``shown`` has, for each combination, what is published instead
    of its quasi-identifiers; where it is empty they are published as they are.
    """

    names: tuple[str, ...]
    kind_of: Codes
    ends: Offsets
    places: Codes
    permuted: bool
    shown: tuple[Column, ...] = ()


class Bucketized(Protocol):
    """The buckets of a table, numbered from 1 by the rank of their content."""

    @property
    def table(self) -> Table: ...

    @property
    def shown(self) -> Table | None:
        """The rows as they are published, where their quasi-identifiers are coarser."""

    @property
    def digest(self) -> str:
        """A keyed digest of the records, whatever their order."""

    @property
    def n_published(self) -> int:
        """How many rows are published."""

    @property
    def n_counterfeits(self) -> int:
        """How many values are published beside those of the rows."""

    def occurring(self, name: str) -> Codes:
        """The codes of a column that occur among the published rows."""

    def part(self, table: Table, most: int) -> tuple[Table, Codes, int]:
        """Rows of the table to judge by, the group of each (0 for none), and one bucket in how many it is.

        Rows that would have to be brought into this process are about ``most`` at the most. Counterfeits come
        last, each looking like somebody of its bucket.
        """

    def columns(self, name: str) -> list[Column]:
        """A published table, sorted by content: ``qit``, ``st`` or ``table``."""

    def write(self, name: str, file: Path) -> None:
        """Write a published table to a CSV file."""

    def row_files(self) -> dict[str, Callable[[Path], object]]:
        """What writes where each row went, for the owner; nothing where rows have no numbers."""


class Engine(ABC):
    """What an engine does for the methods."""

    @abstractmethod
    def combinations(self, table: Table, names: Sequence[str]) -> Combinations:
        """The distinct combinations of the named columns, with their counts."""

    @abstractmethod
    def rows_here(self, data: Table | Transactions, most: int) -> int:
        """How many rows come into this process: all, or up to ``most`` where they stay elsewhere."""

    @abstractmethod
    def bucketized(self, table: Table, deal: Deal, key: Key) -> Bucketized:
        """Deal the rows of each kind out to its places, in an order that the key alone decides.

        Buckets are numbered by what is published of them.
        """

    @abstractmethod
    def placed(self, table: Table, buckets: Codes, fakes: Codes, texts: pl.Series, key: Key) -> Bucketized:
        """Put every row into the bucket chosen for it, and counterfeits of these texts into ``fakes``."""

    @abstractmethod
    def frequent_itemsets(
        self, transactions: Transactions, wanted: WantedItemsets, *, threads: int, progress: Done | None
    ) -> FoundItemsets | TooManyItemsets:
        """The itemsets asked for, or that they are too many."""

    @abstractmethod
    def summed_over(self, transactions: Transactions) -> Summed:
        """How counts are added up over these transactions."""

    def set_supports(self, transactions: Transactions, sets: Itemlist) -> Counts:
        """The support of each set of items."""
        from tacit.engine.sanitizing import set_supports

        return set_supports(sets, transactions.supports, self.summed_over(transactions))

    def pair_supports(self, transactions: Transactions, items: Codes) -> Counts:
        """The support of every pair a < b of these items, as the upper half of a matrix."""
        from tacit.engine.sanitizing import pair_supports

        return pair_supports(items, transactions.n_items, self.summed_over(transactions))

    @abstractmethod
    def set_counts(
        self, transactions: Transactions, *, size: int = 0, spare: int = 0, flag: Flag | None = None
    ) -> SetCounts:
        """What a solver may ask about these transactions; where they are many, few of them answer for all."""

    @abstractmethod
    def gathered(self, transactions: Transactions, *, k: int, size: int) -> tuple[int, int]:
        """The transactions that are counted in this process, and their items."""

    @abstractmethod
    def sanitizer(self, transactions: Transactions, key: Key, *, sliding: bool = False) -> Sanitizer[Any]:
        """The sanitizer of these transactions under a key; ``sliding`` where windows will slide over them."""

    @abstractmethod
    def recoded(self, transactions: Transactions, names: Sequence[str], left_out: HeldSets) -> Recoded:
        """The transactions with item ``i`` called ``names[i]``, without those left out."""
