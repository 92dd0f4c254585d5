"""Taking items out of transactions: what an engine does before and after a solver of hiding has spoken.

A sanitizer belongs to some transactions and a key. It counts what the solver asks for, and it carries
the plan out: every verb that takes items out returns a *removal*, which cells (the transaction, item pairs
of the data) go. What a removal is, the engine alone knows: a mask over the cells in memory, or the steps
that workers go through for each transaction. Random choices follow a transaction's content, never its place.

What is counted in a block of rows is added up over all blocks. In this process there is one block, on Spark
there are many; an engine's way of adding up is given as ``summed``, from the length of an array of counts and
what makes it of a block.

What is left is put in published order: sorted by text, so that no place tells anything. Items that occur no
more have no name there, and the others are numbered anew, as if what is left were read from a file. A release
of very many transactions is judged by those of one published content in so many, because the time of judging
grows with their square. Those that look alike when published are taken together or not at all; published
names alone decide, so that every engine takes the same ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from tacit.arrays.groups import row_order, take_rows
from tacit.arrays.interrupt import Flag
from tacit.data.column import Column
from tacit.data.table import Table
from tacit.data.transactions import Transactions, sorted_names
from tacit.engine.base import ItemsetCounting
from tacit.random.digests import set_digests, value_digests
from tacit.random.key import Key
from tacit.typing import Bools, Codes, Counts, Offsets, Words

if TYPE_CHECKING:
    from tacit.engine.kernels.contained import Sets
    from tacit.engine.kernels.sanitizing import Columns


@dataclass(frozen=True, eq=False)
class HitCounts:
    """Per mark, the transactions that hold both its items, and those whose sum is positive."""

    hits: Counts
    positive: Counts


@dataclass(frozen=True, eq=False)
class Left:
    """What is left of some transactions, in published order: sorted by their text.

    ``order`` is the original place of each, where transactions have one.
    """

    transactions: Transactions
    order: Counts | None


Itemlist = Sequence[Sequence[int]]
"""Sets of item numbers."""

Choice = Callable[[Offsets, Codes], Bools]
"""Which cells of some transactions go."""


def indexed_sets(sets: Itemlist, supports: Counts) -> Sets:
    """The sets as the kernels take them, by the supports of the items."""
    from tacit.engine.kernels.contained import index_sets

    offsets = np.cumsum([0, *map(len, sets)], dtype=np.int64)
    codes = np.fromiter((item for members in sets for item in members), np.int32, int(offsets[-1]))
    return index_sets(offsets, codes, supports)


Removal = TypeVar("Removal")
"""Which cells go, in the form of an engine."""


class Sanitizer(Protocol[Removal]):
    """What a solver of hiding may ask of some transactions."""

    n_rows: int

    def clock(self) -> float:
        """The seconds that steps are timed by: of this process's work, or of time where others work."""

    def rest_seconds(self, solving: float) -> float:
        """About how long carrying a plan out takes, where solving took so long."""

    @property
    def digest(self) -> str:
        """A keyed digest of the transactions, whatever their order."""

    def supports(self, sets: Itemlist, removed: Removal | None = None) -> Counts:
        """The support of each set, in the data or in what is left of them."""

    def pair_supports(self, items: Codes) -> Counts:
        """The support of every pair a < b of these items, as the upper half of a matrix."""

    def hits(self, matrix: Columns, n_marks: int) -> HitCounts:
        """How many cells each mark of a matrix hits."""

    def drawn(self, matrix: Columns, high: Words, low: Words, *, label: int) -> Removal:
        """The cells a draw takes out; another label is an independent draw."""

    def taken_from(
        self, sets: Itemlist, shown: Bools, choose: Choice, removed: Removal | None = None
    ) -> Removal:
        """The cells that are chosen go, too, from the transactions left that hold one of the sets.

        They are chosen at once over all of these, in the key's order; items not ``shown`` play no part.
        """

    def slid(self, sets: Itemlist, *, disclosure: Fraction, window: int) -> Removal:
        """The cells that sliding windows take out."""

    def refilled(self, removed: Removal, barred: Bools) -> Removal:
        """One item is given back to every transaction that would be empty, never a barred one."""

    def left(self, removed: Removal) -> Left:
        """What is left of the transactions, as it is published."""


class Sanitizing(ItemsetCounting, Protocol):
    """The engine verbs of hiding."""

    def rows_here(self, data: Table | Transactions, most: int) -> int:
        """How many rows come into this process: all, or up to ``most`` where they stay elsewhere."""

    def sanitizer(self, transactions: Transactions, key: Key, *, sliding: bool = False) -> Sanitizer[Any]:
        """The sanitizer of these transactions under a key; ``sliding`` where windows will slide over them."""


Count = Callable[[Offsets, Codes, Flag], Counts]
Summed = Callable[[int, Count], Counts]


def set_supports(sets: Itemlist, supports: Counts, summed: Summed) -> Counts:
    """The support of each set; ``supports`` are those of the items."""
    if not len(sets):
        return np.zeros(0, dtype=np.int64)
    indexed = indexed_sets(sets, supports)

    def count(indptr: Offsets, items: Codes, flag: Flag) -> Counts:
        from tacit.engine.kernels.contained import count_sets

        return count_sets(indptr, items, indexed, flag)

    return summed(len(sets), count)


def pair_supports(codes: Codes, n_codes: int, summed: Summed) -> Counts:
    """The support of every pair a < b of these codes, as the upper half of a matrix."""
    size = len(codes)
    places = np.full(n_codes, -1, dtype=np.int32)
    places[codes] = np.arange(size)

    def count(indptr: Offsets, items: Codes, flag: Flag) -> Counts:
        from tacit.engine.kernels.combinations import pair_counts

        counts = pair_counts(indptr, items, places, size, flag)
        return np.asarray(counts[np.triu_indices(size, 1)], dtype=np.int64)

    whole = np.zeros((size, size), dtype=np.int64)
    whole[np.triu_indices(size, 1)] = summed(size * (size - 1) // 2, count)
    return whole


def mark_hits(matrix: Columns, n_marks: int, summed: Summed) -> HitCounts:
    """How many cells each mark of a matrix hits."""

    def count(indptr: Offsets, items: Codes, flag: Flag) -> Counts:
        from tacit.engine.kernels.sanitizing import count_hits

        return np.concatenate(count_hits(indptr, items, matrix, n_marks, flag))

    counts = summed(2 * n_marks, count)
    return HitCounts(counts[:n_marks], counts[n_marks:])


def summed_over(indptr: Offsets, items: Codes) -> Summed:
    """How counts are added up over these rows."""
    from tacit.arrays.interrupt import interruptible

    def summed(size: int, count: Count) -> Counts:
        return interruptible(count, indptr, items)

    return summed


@dataclass(frozen=True, eq=False)
class PublishedNames:
    """The names of the items that still occur, in their order.

    ``codes`` has the new number of each old one; ``ranks`` the rank of each new number's text, and
    ``by_text`` the new numbers by that rank.
    """

    vocabulary: tuple[str, ...]
    codes: Codes
    ranks: Codes
    by_text: Codes


def published_names(vocabulary: Sequence[str], present: Bools) -> PublishedNames:
    """The names of those items that are present."""
    names = [name for name, occurs in zip(vocabulary, present.tolist(), strict=True) if occurs]
    ordered = sorted_names(names)
    places = {name: place for place, name in enumerate(ordered)}
    codes = np.zeros(len(present), dtype=np.int32)
    codes[present] = [places[name] for name in names]
    by_text = np.argsort(np.array(ordered, dtype=object)).astype(np.int32)
    ranks = np.empty_like(by_text)
    ranks[by_text] = np.arange(len(by_text))
    return PublishedNames(tuple(ordered), codes, ranks, by_text)


def published_transactions(
    transactions: Transactions, rows: tuple[Offsets, Codes]
) -> tuple[Transactions, Counts]:
    """What is left of the transactions, sorted by their published text, and the original place of each."""
    from tacit.arrays.csr import as_sets

    indptr, items = rows
    present = np.zeros(transactions.n_items, dtype=np.bool_)
    present[items] = True
    names = published_names(transactions.vocabulary, present)
    indptr, items, _ = as_sets(indptr, items, names.codes)
    items = names.ranks[items]  # ranks of text now, in the order of their codes
    first = _by_column(transactions.sensitive)
    if first is not None:
        indptr, items = take_rows(indptr, items, first)
    order = row_order(indptr, items)
    indptr, items = take_rows(indptr, items, order)
    items = names.by_text[items]
    if first is not None:
        order = first[order]
    for array in (indptr, items):
        array.flags.writeable = False
    column = None if transactions.sensitive is None else transactions.sensitive.take(order)
    return Transactions(indptr, items, names.vocabulary, column, format=transactions.format), order


def _by_column(column: Column | None) -> Counts | None:
    """The rows by the text that goes along: the next sort keeps this order among equal sets."""
    if column is None:
        return None
    texts = np.array(["" if text is None else text for text in column.texts], dtype=object)
    return np.argsort(np.argsort(np.argsort(texts, kind="stable"))[column.codes], kind="stable")


def name_digests(names: Sequence[str]) -> Words:
    """What published names are told apart by; nothing about it is secret."""
    return value_digests(Key.from_seed(0).subkey("judged part"), "items", names)


def remainders(indptr: Offsets, items: Codes, codes: Codes, digests: Words, one_in: int) -> Counts:
    """For each transaction a number below ``one_in`` that follows from what is published of it.

    ``codes`` gives the published number of each item, and ``digests`` belong to the published numbers.
    """
    from tacit.arrays.csr import as_sets

    shown = as_sets(indptr, items, codes)
    return (set_digests(shown[0], shown[1], digests)[:, 0] % np.uint64(one_in)).astype(np.int64)


def judged_rows(transactions: Transactions, names: Sequence[str], one_in: int) -> Counts:
    """The numbers of the transactions to judge by, where item ``i`` is published as ``names[i]``."""
    number = {name: place for place, name in enumerate(dict.fromkeys(names))}
    codes = np.array([number[name] for name in names], dtype=np.int32)
    rest = remainders(transactions.indptr, transactions.items, codes, name_digests(list(number)), one_in)
    # Where there are few contents none may have the remainder 0: the least that one has.
    return np.flatnonzero(rest == rest.min())
