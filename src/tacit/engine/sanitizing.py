"""Taking items out of transactions: what an engine does before and after a solver of hiding has spoken.

A sanitizer belongs to some transactions and a key. It counts what the solver asks for, and it carries
the plan out: every verb that takes items out returns a *removal*, which cells (the transaction, item pairs
of the data) go. What a removal is, the engine alone knows: a mask over the cells in memory, or the steps
that workers go through for each transaction. Every step looks at one transaction alone: its content, its
rank among equal ones, never its place, and what earlier steps have taken from it.

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

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import Generic, Protocol, TypeVar

import numpy as np

from tacit.arrays.compiled import Flag, interruptible
from tacit.arrays.csr import as_sets
from tacit.arrays.groups import row_order, take_rows, without_cells
from tacit.data.column import Column
from tacit.data.transactions import Transactions, sorted_names
from tacit.engine.kernels.combinations import pair_counts
from tacit.engine.kernels.sanitizing import Columns, Draws, count_hits, drawn_removals, refill
from tacit.engine.kernels.sets import Sets, count_sets, index_sets
from tacit.random.digests import set_digests, value_digests
from tacit.random.key import Key, Subkey
from tacit.random.keyed import draws
from tacit.typing import Bools, Codes, Counts, Offsets, Words

Itemlist = Sequence[Sequence[int]]
"""Sets of item numbers."""
Choice = Callable[[Offsets, Codes], Bools]
"""Which cells of some transactions go."""
Count = Callable[[Offsets, Codes, Flag], Counts]
Summed = Callable[[int, Count], Counts]
Removal = TypeVar("Removal")
"""Which cells go, in the form of an engine."""


@dataclass(frozen=True, eq=False)
class HitCounts:
    """Per mark, the transactions that hold both its items, and those whose sum is positive."""

    hits: Counts
    positive: Counts


@dataclass(frozen=True, eq=False)
class Left:
    """What is left of some transactions, sorted by text, with their original places, where they have one."""

    transactions: Transactions
    order: Counts | None


@dataclass(frozen=True, eq=False)
class Rows:
    """Some transactions in memory: their items, the rank of each among its equals, and what goes along."""

    indptr: Offsets
    items: Codes
    ranks: Counts
    beside: Codes | None

    def __len__(self) -> int:
        return len(self.indptr) - 1


@dataclass(frozen=True, eq=False)
class Known:
    """Some rows with what random choices follow: the digest and rank of each, the word of each item."""

    rows: Rows
    digests: Words
    words: Words

    def draws(self, subkey: Subkey) -> Draws:
        """What the draws of cells are made of."""
        k0, k1 = subkey.words
        return Draws(np.uint64(k0), np.uint64(k1), self.digests, self.rows.ranks, self.words)

    def left(self, removed: Bools) -> tuple[Offsets, Codes]:
        """What is left of the rows."""
        return without_cells(self.rows.indptr, self.rows.items, removed)

    def digest(self, subkey: Subkey) -> Counts:
        """Two sums of draws, as signed words: they add up to the digest of all records."""
        words = [draws(subkey, self.digests, self.rows.ranks, label=label).sum() for label in (0, 1)]
        return np.array(words, dtype=np.uint64).view(np.int64)


@dataclass(frozen=True, eq=False)
class Content:
    """What the content of a transaction is known by: digests of its items and of the value beside it.

    A value that goes along is published too: transactions that differ in it are not interchangeable.
    """

    items: Words
    beside: Words | None

    def digests(self, indptr: Offsets, items: Codes, beside: Codes | None) -> Words:
        values = [] if self.beside is None or beside is None else [(beside, self.beside)]
        return set_digests(indptr, items, self.items, columns=values)

    def of(self, rows: Rows) -> Known:
        """Rows with their digests."""
        return Known(rows, self.digests(rows.indptr, rows.items, rows.beside), self.words)

    @cached_property
    def words(self) -> Words:
        return self.items[:, 0].copy()


class Step(Protocol):
    """One step of a removal."""

    def take(self, known: Known, removed: Bools, flag: Flag) -> Bools:
        """The mask over the cells of some rows, this step included; the one given may be changed."""


@dataclass(frozen=True, eq=False)
class Drawn:
    """Cells that a matrix hits go by chance; see :func:`tacit.engine.kernels.sanitizing.drawn_removals`."""

    matrix: Columns
    high: Words
    low: Words
    subkey: Subkey

    def take(self, known: Known, removed: Bools, flag: Flag) -> Bools:
        rows, drawn = known.rows, known.draws(self.subkey)
        matrix = self.matrix, self.high, self.low
        return removed | drawn_removals(rows.indptr, rows.items, *matrix, drawn, flag)


@dataclass(frozen=True, eq=False)
class Refilled:
    """Every transaction that would be empty gets an item back, never a barred one."""

    barred: Bools
    subkey: Subkey

    def take(self, known: Known, removed: Bools, flag: Flag) -> Bools:
        refill(known.rows.indptr, known.rows.items, removed, self.barred, known.draws(self.subkey))
        return removed


class Sanitizer(ABC, Generic[Removal]):
    """What a solver of hiding may ask of some transactions; an engine says what is not said here."""

    def __init__(self, transactions: Transactions, key: Key) -> None:
        self.n_rows = len(transactions)
        self._key = key
        subkey, column = key.subkey("hide: content"), transactions.sensitive
        self._content = Content(
            value_digests(subkey, "item", transactions.vocabulary),
            None if column is None else value_digests(subkey, "beside", column.texts),
        )
        self._supports, self._n_items = transactions.supports, transactions.n_items

    @abstractmethod
    def clock(self) -> float:
        """The seconds that steps are timed by: of this process's work, or of time where others work."""

    @abstractmethod
    def rest_seconds(self, solving: float) -> float:
        """About how long carrying a plan out takes, where solving took so long."""

    @abstractmethod
    def _digested(self, subkey: Subkey) -> Counts:
        """The sums of :meth:`Known.digest` over all rows."""

    @abstractmethod
    def _summed(self, removed: Removal | None) -> Summed:
        """How counts are added up over what is left of the transactions."""

    @abstractmethod
    def _then(self, removed: Removal | None, step: Step) -> Removal:
        """What goes by a step, after what has gone before."""

    @property
    def digest(self) -> str:
        """A keyed digest of the transactions, whatever their order."""
        words = self._digested(self._key.subkey("hide: digest")).view(np.uint64)
        return "".join(f"{int(word):016x}" for word in words)

    def supports(self, sets: Itemlist, removed: Removal | None = None) -> Counts:
        """The support of each set, in the data or in what is left of them."""
        return set_supports(sets, self._supports, self._summed(removed))

    def pair_supports(self, items: Codes) -> Counts:
        """The support of every pair a < b of these items, as the upper half of a matrix."""
        return pair_supports(items, self._n_items, self._summed(None))

    def hits(self, matrix: Columns, n_marks: int) -> HitCounts:
        """How many cells each mark of a matrix hits."""
        counts = self._summed(None)(2 * n_marks, partial(_hits, matrix, n_marks))
        return HitCounts(counts[:n_marks], counts[n_marks:])

    def drawn(self, matrix: Columns, high: Words, low: Words, *, label: int) -> Removal:
        """The cells a draw takes out; another label is an independent draw."""
        return self._then(None, Drawn(matrix, high, low, self._key.subkey(f"hide: cells {label}")))

    def refilled(self, removed: Removal, barred: Bools) -> Removal:
        """One item is given back to every transaction that would be empty, never a barred one."""
        return self._then(removed, Refilled(barred, self._key.subkey("hide: refill")))

    @abstractmethod
    def taken_from(
        self, sets: Itemlist, shown: Bools, choose: Choice, removed: Removal | None = None
    ) -> Removal:
        """The cells that are chosen go, too, from the transactions left that hold one of the sets.

        They are chosen at once over all of these, in the key's order; items not ``shown`` play no part.
        """

    @abstractmethod
    def slid(self, sets: Itemlist, *, disclosure: Fraction, window: int) -> Removal:
        """The cells that sliding windows take out."""

    @abstractmethod
    def left(self, removed: Removal) -> Left:
        """What is left of the transactions, as it is published."""


def indexed_sets(sets: Itemlist, supports: Counts) -> Sets:
    """The sets as the kernels take them, by the supports of the items."""
    offsets = np.cumsum([0, *map(len, sets)], dtype=np.int64)
    codes = np.fromiter((item for members in sets for item in members), np.int32, int(offsets[-1]))
    return index_sets(offsets, codes, supports)


def set_supports(sets: Itemlist, supports: Counts, summed: Summed) -> Counts:
    """The support of each set; ``supports`` are those of the items."""
    if not len(sets):
        return np.zeros(0, dtype=np.int64)
    indexed = indexed_sets(sets, supports)
    return summed(len(sets), lambda indptr, items, flag: count_sets(indptr, items, indexed, flag))


def pair_supports(codes: Codes, n_codes: int, summed: Summed) -> Counts:
    """The support of every pair a < b of these codes, as the upper half of a matrix."""
    size = len(codes)
    places = np.full(n_codes, -1, dtype=np.int32)
    places[codes] = np.arange(size)
    whole = np.zeros((size, size), dtype=np.int64)
    whole[np.triu_indices(size, 1)] = summed(size * (size - 1) // 2, partial(_pairs, places, size))
    return whole


# Workers get these by name: what is compiled is not sent.
def _pairs(places: Codes, size: int, indptr: Offsets, items: Codes, flag: Flag) -> Counts:
    counts = pair_counts(indptr, items, places, size, flag)
    return np.asarray(counts[np.triu_indices(size, 1)], dtype=np.int64)


def _hits(matrix: Columns, n_marks: int, indptr: Offsets, items: Codes, flag: Flag) -> Counts:
    return np.concatenate(count_hits(indptr, items, matrix, n_marks, flag))


def summed_over(indptr: Offsets, items: Codes) -> Summed:
    """How counts are added up over these rows."""
    return lambda size, count: interruptible(count, indptr, items)


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
    shown = as_sets(indptr, items, codes)
    return (set_digests(shown[0], shown[1], digests)[:, 0] % np.uint64(one_in)).astype(np.int64)


def numbered_names(names: Sequence[str]) -> tuple[Codes, list[str]]:
    """The number of each name among the distinct ones, and these."""
    number = {name: place for place, name in enumerate(dict.fromkeys(names))}
    return np.array([number[name] for name in names], dtype=np.int32), list(number)


def judged_rows(transactions: Transactions, names: Sequence[str], one_in: int) -> Counts:
    """The numbers of the transactions to judge by, where item ``i`` is published as ``names[i]``."""
    codes, known = numbered_names(names)
    rest = remainders(transactions.indptr, transactions.items, codes, name_digests(known), one_in)
    # Where there are few contents none may have the remainder 0: the least that one has.
    return np.flatnonzero(rest == rest.min())
