"""Frequent itemsets of transactions, as arrays that behave as a sequence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from tacit.mining.rules import take_lists
from tacit.notebook import InNotebook
from tacit.typing import AnyArray, Codes, Counts, Offsets

"""Mining stops with an error when it would find more."""


@dataclass(frozen=True, slots=True)
class Itemset:
    """A set of items and the number of transactions that hold all of them."""

    items: tuple[str, ...]
    support: int

    def __str__(self) -> str:
        return f"{{{', '.join(self.items)}}}: {self.support}"


@dataclass(frozen=True, eq=False)
class Itemsets(InNotebook):
    """Itemset ``i`` is ``items[offsets[i] : offsets[i + 1]]``, ascending; a sequence of :class:`Itemset`.

    Ordered by length, then by items.
    """

    vocabulary: tuple[str, ...]
    offsets: Offsets
    items: Codes
    supports: Counts
    n_rows: int

    def __len__(self) -> int:
        return len(self.supports)

    def __iter__(self) -> Iterator[Itemset]:
        return (self[place] for place in range(len(self)))

    def __getitem__(self, place: int) -> Itemset:
        place = range(len(self))[place]
        codes = self.items[self.offsets[place] : self.offsets[place + 1]]
        return Itemset(tuple(self.vocabulary[code] for code in codes), int(self.supports[place]))

    @property
    def lengths(self) -> Counts:
        """The number of items of each itemset."""
        return np.diff(self.offsets)

    def select(self, places: AnyArray) -> Itemsets:
        """The itemsets named by an index or a mask."""
        places = np.flatnonzero(places) if places.dtype == bool else places
        offsets, items = take_lists(self.offsets, self.items, places)
        return Itemsets(self.vocabulary, offsets, items, self.supports[places], self.n_rows)

    def of_length(self, length: int) -> tuple[Codes, Counts, AnyArray]:
        """The itemsets of one length: (items as a matrix, supports, their places)."""
        places = np.flatnonzero(self.lengths == length)
        positions = self.offsets[places][:, None] + np.arange(length)
        return self.items[positions].astype(np.int32), self.supports[places], places

    def support_of(self, items: Iterable[str]) -> int | None:
        """The support of one itemset, or None where it is not among these."""
        wanted = set(items)
        index = {name: code for code, name in enumerate(self.vocabulary)}
        if not wanted <= set(index):
            return None
        codes = np.array(sorted(index[name] for name in wanted), dtype=np.int32)
        matrix, supports, _ = self.of_length(len(codes))
        found = np.flatnonzero((matrix == codes).all(axis=1))
        return int(supports[found[0]]) if len(found) else None

    def to_frame(self) -> pl.DataFrame:
        """One row per itemset: its items, its length, its support as a count and as a share."""
        names = pl.Series(self.vocabulary, dtype=pl.String).gather(self.items)
        lists = names.to_list()
        return pl.DataFrame(
            {
                "items": pl.Series(
                    [
                        lists[start:end]
                        for start, end in zip(self.offsets[:-1], self.offsets[1:], strict=True)
                    ],
                    dtype=pl.List(pl.String),
                ),
                "length": self.lengths,
                "count": self.supports,
                "support": self.supports / max(1, self.n_rows),
            }
        )
