"""Sets of items, one per person or visit, in compressed sparse row form.

However transactions come in (read from a file, as pairs, as Python sets), :func:`from_rows` puts
them in the one form everything else relies on: items numbered in the order of their names, each
record ascending, repeats collapsed and counted, empty records kept and counted.

Orders, receipts, visits and click-streams often come as a table that lists an item a line: a column names
the transaction and repeats, and one names the item. :func:`listing` guesses so, from names and counts.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from tacit.arrays.groups import read_only
from tacit.data.column import Column
from tacit.data.hierarchy import Hierarchy
from tacit.errors import InputError, Place, UsageError
from tacit.typing import Bools, Codes, Counts, Offsets

COUNTED_AT_ONCE = 1 << 22
"""How many items are counted at a time."""


@dataclass(frozen=True, eq=False, repr=False)
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
    records: Column | None = None
    """What names each transaction, where the data say it; it is never published."""

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def __repr__(self) -> str:
        return f"<Transactions: {len(self):,} sets of {self.n_items:,} items>"

    @property
    def n_items(self) -> int:
        return len(self.vocabulary)

    @cached_property
    def lengths(self) -> Counts:
        """The number of items of each transaction."""
        return np.diff(self.indptr)

    @cached_property
    def length_counts(self) -> Counts:
        """How many transactions have each number of items, from 0 to that of the longest."""
        return np.bincount(self.lengths, minlength=1)

    @property
    def longest(self) -> int:
        """The number of items of the longest transaction."""
        return len(self.length_counts) - 1

    @property
    def n_occurrences(self) -> int:
        """The items of all transactions together."""
        return int(self.supports.sum())

    @cached_property
    def supports(self) -> Counts:
        """The support of each item."""
        counts = np.zeros(self.n_items, dtype=np.int64)
        for start in range(0, len(self.items), COUNTED_AT_ONCE):  # numpy copies what it counts, twice as wide
            counts += np.bincount(self.items[start : start + COUNTED_AT_ONCE], minlength=self.n_items)
        return counts

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
        if not len(self):
            return []
        return [frozenset(names[part].tolist()) for part in np.split(self.items, self.indptr[1:-1])]

    def with_hierarchy(self, hierarchy: Hierarchy) -> Transactions:
        """The same transactions under this hierarchy."""
        return self._with(hierarchy=hierarchy)

    def noted(self, note: str) -> Transactions:
        """The same transactions with a note before the others."""
        return self._with(notes=(note, *self.notes))

    def _with(self, **changed: Any) -> Transactions:
        return replace(self, **changed)

    def in_order(self) -> Iterator[Transactions]:
        """The transactions, part after part, in the order in which they are written."""
        yield self

    def in_memory(self, most: int) -> Transactions | None:
        """The transactions in this process; None where more than ``most`` would have to be brought here."""
        return self

    def take(self, rows: np.ndarray) -> Transactions:
        """The transactions named by an index or a mask; items that no longer occur are left out."""
        from tacit.arrays.groups import take_rows

        chosen = np.arange(len(self))[
            rows
        ]  # a mask, a negative number or one out of range, as numpy takes them
        indptr, codes = take_rows(self.indptr, self.items, chosen)
        present = np.bincount(codes, minlength=self.n_items) > 0
        items = (np.cumsum(present, dtype=np.int32) - 1).astype(np.int32)[codes]
        return replace(
            self,
            indptr=read_only(indptr),
            items=read_only(items),
            vocabulary=tuple(self.vocabulary[item] for item in np.flatnonzero(present)),
            sensitive=None if self.sensitive is None else self.sensitive.take(chosen),
            records=None if self.records is None else self.records.take(chosen),
        )


def transactions_from_sets(
    sets: Sequence[Iterable[object]],
    *,
    sensitive: Column | None = None,
    hierarchy: Hierarchy | None = None,
    origin: str | None = None,
) -> Transactions:
    """Transactions from Python sets or lists of items; for small data and tests.

    >>> baskets = transactions_from_sets([{"beer", "chips"}, {"beer"}, set()])
    >>> baskets.vocabulary, baskets.supports.tolist(), baskets.notes
    (('beer', 'chips'), [2, 1], ('1 transaction is empty and kept.',))
    """
    for place, one in enumerate(sets, start=1):
        if isinstance(one, str | bytes) or not hasattr(one, "__iter__"):
            raise UsageError(
                f"Set {place:,} is no set or list of items: it is {type(one)}.",
                code="wrong-data",
                hint="Give a list of sets, such as [{'beer', 'chips'}, {'beer'}].",
            )
    records = [[str(name) for name in names] for names in sets]
    names = [name for record in records for name in record]
    number = {name: code for code, name in enumerate(dict.fromkeys(names))}
    codes = np.fromiter((number[name] for name in names), dtype=np.int32, count=len(names))
    indptr = np.cumsum([0, *map(len, records)], dtype=np.int64)
    return from_rows(indptr, codes, list(number), sensitive=sensitive, hierarchy=hierarchy, origin=origin)


def from_pairs(
    records: np.ndarray, codes: np.ndarray, n_records: int, names: Sequence[str], **said: Any
) -> Transactions:
    """Transactions from (record, item) pairs in any order; the rest is as in :func:`from_rows`."""
    from tacit.arrays.groups import gather_rows

    _check_range(records, n_records, "record")
    _check_range(codes, len(names), "item")
    indptr, gathered = gather_rows(records, codes, n_records)
    return from_rows(indptr, gathered, names, **said)


def from_rows(
    indptr: Offsets,
    codes: Codes,
    names: Sequence[str],
    *,
    sensitive: Column | None = None,
    hierarchy: Hierarchy | None = None,
    origin: str | None = None,
    format: str = "dat",
    notes: tuple[str, ...] = (),
    multiset: bool = False,
    records: Column | None = None,
) -> Transactions:
    """Transactions from records of codes in any order; code ``c`` stands for the item ``names[c]``.

    Codes of one name are one item, and names without a record are left out. An item repeated inside
    a record is collapsed and counted; with ``multiset`` the number of times makes it another item,
    so that a record with two milks holds ``milk×2``.
    """
    from tacit.arrays.csr import as_sets

    _check_range(codes, len(names), "item")
    present = np.zeros(len(names), dtype=np.bool_)
    present[codes] = True
    vocabulary, renumbered = _in_order(names, present)
    indptr, items, times = as_sets(indptr, codes, renumbered)
    repeated = len(codes) - len(items)
    if repeated and multiset:
        counted, pairs = counted_items(vocabulary, items, times, origin=origin)
        vocabulary, renumbered = _in_order(counted, np.ones(len(counted), dtype=bool))
        indptr, items, _ = as_sets(indptr, pairs, renumbered)
        notes = (*notes, f"Items that occur n times in a transaction are called 'item{TIMES}n'.")
        repeated = 0
    notes = (*notes, *notes_on(repeated, int((np.diff(indptr) == 0).sum())))
    indptr, items = read_only(indptr), read_only(items)
    return Transactions(
        indptr, items, tuple(vocabulary), sensitive, hierarchy, origin, format, notes, records
    )


def notes_on(repeated: int, empty: int) -> tuple[str, ...]:
    """What to tell of items repeated inside a transaction, and of empty transactions."""
    notes = []
    if repeated:
        what = "1 repeated item" if repeated == 1 else f"{repeated} repeated items"
        notes.append(f"{what} inside a transaction {'was' if repeated == 1 else 'were'} collapsed.")
    if empty:
        what = "1 transaction is" if empty == 1 else f"{empty} transactions are"
        notes.append(f"{what} empty and kept.")
    return tuple(notes)


def sorted_names(names: Iterable[str]) -> list[str]:
    """Distinct item names in their order: by size where all are plain whole numbers, else by their bytes.

    >>> sorted_names(["10", "9"]), sorted_names(["10", "9", "a"])
    (['9', '10'], ['10', '9', 'a'])
    """
    ordered = sorted(names)  # by code points, which is the order of their bytes
    joined = "".join(ordered)
    # An empty name stands first, and one with a leading zero first or right after "0".
    if joined.isascii() and joined.isdigit() and all(map(is_plain_number, ordered[:2])):
        return sorted(ordered, key=len)  # of plain numbers the longer is the larger
    return ordered


def is_plain_number(name: str) -> bool:
    """Whether a name is a whole number written plainly: digits alone, without a leading zero."""
    return name.isascii() and name.isdigit() and (name[0] != "0" or len(name) == 1)


def _in_order(names: Sequence[str], present: Bools) -> tuple[list[str], Codes]:
    """The names that are present, sorted and each once, and the new number of each old code."""
    kept = [name for name, occurs in zip(names, present.tolist(), strict=True) if occurs]
    vocabulary = sorted_names(dict.fromkeys(kept))
    number = {name: item for item, name in enumerate(vocabulary)}
    return vocabulary, np.fromiter((number.get(name, -1) for name in names), dtype=np.int32, count=len(names))


def _check_range(numbers: np.ndarray, count: int, what: str) -> None:
    # Kernels do not check their indexes: a number out of range would touch foreign memory.
    if len(numbers) and (int(numbers.min()) < 0 or int(numbers.max()) >= count):
        raise ValueError(f"A {what} number lies outside the {count} there are.")


TIMES = "×"
"""What stands between an item and its number in the name of a repeated item."""


def counted_items(
    vocabulary: Sequence[str], items: Codes, times: Codes, *, origin: str | None
) -> tuple[list[str], Codes]:
    """One name for each (item, times) that occurs, and the code of each pair's name."""
    most = int(times.max()) + 1
    distinct, pairs = np.unique(items.astype(np.int64) * most + times, return_inverse=True)
    names = [
        vocabulary[item] if n == 1 else f"{vocabulary[item]}{TIMES}{n}"
        for item, n in zip((distinct // most).tolist(), (distinct % most).tolist(), strict=True)
    ]
    name, uses = Counter(names).most_common(1)[0]
    if uses > 1:
        raise InputError(
            f"An item is called {name!r} already, which would also be the name of a repeated item.",
            code="multiset-name",
            where=Place(file=origin, value=name),
            hint="Rename that item, or read the data without 'multiset'.",
        )
    return names, pairs.astype(np.int32)


RECORD_WORDS = (
    "transaction", "invoice", "receipt", "basket", "cart", "order", "ticket", "tid", "session", "visit",
    "purchase", "rechnung", "bestell", "auftrag", "bon", "beleg", "factura", "facture", "commande", "user",
    "customer", "client", "member", "patient", "person", "kunde", "cliente",
)  # fmt: skip
"""Words for what holds items; of several columns the one with the earlier word is taken."""
ITEM_WORDS = (
    "item", "sku", "stock", "product", "article", "artikel", "produkt", "ware", "produit", "producto",
    "articulo", "page", "url", "movie", "film", "book", "song", "track", "drug", "medication", "diagnosis",
    "procedure", "icd", "atc", "description",
)  # fmt: skip
"""Words for what is held."""
STEMS = ("rechnung", "bestell", "auftrag", "beleg", "kunde", "artikel", "produkt")
"""Words that longer ones begin with: Bestellnummer, Artikelbezeichnung."""
LINES_EACH = 1.5
"""At least so many lines a transaction has on average."""
APART = 0.8
"""At least this share of the lines are different pairs: an item is listed once in a transaction."""


@dataclass(frozen=True, slots=True)
class LongForm:
    """The columns that name the transaction and the item."""

    record: str
    item: str


def listing(n_lines: int, distinct: Mapping[str, int], pairs: Callable[[str, str], int]) -> LongForm | None:
    """The two columns of a list, by how many values columns have and pairs of them; None where it is none."""
    repeating = [name for name, count in distinct.items() if n_lines >= LINES_EACH * count]
    for record in _named(repeating, RECORD_WORDS):
        for item in _named(repeating, ITEM_WORDS):
            if record != item and pairs(record, item) >= APART * n_lines:
                return LongForm(record, item)
    return None


def words_of(name: str) -> set[str]:
    """The words of a column's name, in small letters without accents.

    >>> sorted(words_of("Année_deNaissance"))
    ['annee', 'de', 'naissance']
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return set(re.split(r"[^a-z]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", plain).lower())) - {""}


def _named(names: list[str], words: tuple[str, ...]) -> list[str]:
    """The names that have one of these words, those with the earlier word first.

    >>> _named(["Artikelbezeichnung", "Preis", "Bestellnr."], RECORD_WORDS)
    ['Bestellnr.']
    """
    places = [(min(map(words.index, _known(name) & set(words)), default=None), name) for name in names]
    return [name for _, name in sorted((place, name) for place, name in places if place is not None)]


def _known(name: str) -> set[str]:
    """The words of a name, and the stems that they begin with."""
    words = words_of(name)
    return words | {stem for stem in STEMS if any(word.startswith(stem) for word in words)}
