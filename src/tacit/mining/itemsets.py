"""Frequent itemsets of transactions, as arrays that behave as a sequence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl

from tacit.arrays.groups import take_rows
from tacit.mining.rules import ItemRules, RuleCounts, confident, list_column
from tacit.notebook import InNotebook
from tacit.typing import AnyArray, Codes, Counts, Offsets, Threshold


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

    def __repr__(self) -> str:
        return f"<Itemsets: {len(self):,} of {self.n_rows:,} rows>"

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
        if places.dtype == bool:  # in less memory: there may be millions
            offsets = np.concatenate(([0], np.cumsum(self.lengths[places])))
            items = self.items[np.repeat(places, self.lengths)]
        else:
            offsets, items = take_rows(self.offsets, self.items, places)
        return Itemsets(self.vocabulary, offsets, items, self.supports[places], self.n_rows)

    def of_length(self, length: int) -> tuple[Codes, Counts, AnyArray]:
        """The itemsets of one length: (items as a matrix, supports, their places)."""
        chosen = self.lengths == length
        matrix = self.items[np.repeat(chosen, self.lengths)].reshape(-1, length)
        return matrix.astype(np.int32, copy=False), self.supports[chosen], np.flatnonzero(chosen)

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

    def supports_in(self, others: Itemsets) -> Counts:
        """The support that each of these itemsets has among others; 0 where it is not one of them."""
        found = np.zeros(len(self), dtype=np.int64)
        index = {name: code for code, name in enumerate(self.vocabulary)}
        codes = np.array([index.get(name, -1) for name in others.vocabulary], dtype=np.int32)
        for length in range(1, int(self.lengths.max(initial=0)) + 1):
            wanted, _, places = self.of_length(length)
            known, supports, _ = others.of_length(length)
            if len(wanted) and len(known):
                found[places] = supports_among(wanted, np.sort(codes[known], axis=1), supports)
        return found

    def to_frame(self) -> pl.DataFrame:
        """One row per itemset: its items, its length, its support as a count and as a share."""
        return pl.DataFrame(
            {
                "items": list_column(self.vocabulary, self.offsets, self.items),
                "length": self.lengths,
                "count": self.supports,
                "support": self.supports / max(1, self.n_rows),
            }
        )


def rules_from_itemsets(
    itemsets: Itemsets,
    *,
    min_confidence: Threshold,
    max_consequent: int | None = 1,
    antecedent: Iterable[int] | None = None,
    consequent: Iterable[int] | None = None,
) -> ItemRules:
    """Every rule A ⇒ B with A ∪ B among the itemsets and a confidence that reaches the threshold.

    ``itemsets`` must be complete: every non-empty subset of an itemset is looked up in them.
    ``max_consequent`` bounds the length of B; ``antecedent`` and ``consequent`` name the only items
    allowed on each side.
    """
    found: dict[tuple[int, int], list[tuple[AnyArray, ...]]] = {}  # by the lengths of both sides
    by_length = {
        length: itemsets.of_length(length)[:2]
        for length in range(1, int(itemsets.lengths.max(initial=0)) + 1)
    }
    allowed_left = _allowed(antecedent, len(itemsets.vocabulary))
    allowed_right = _allowed(consequent, len(itemsets.vocabulary))
    for length, (matrix, supports) in by_length.items():
        longest = length - 1 if max_consequent is None else min(max_consequent, length - 1)
        for size in range(1, longest + 1):
            for places in combinations(range(length), size):
                others = [place for place in range(length) if place not in places]
                left, right = matrix[:, others], matrix[:, list(places)]
                keep = allowed_left[left].all(axis=1) & allowed_right[right].all(axis=1)
                left, right, both = left[keep], right[keep], supports[keep]
                left_support = supports_among(left, *by_length[length - size])
                keep = confident(both, left_support, min_confidence)
                left, right, both, left_support = left[keep], right[keep], both[keep], left_support[keep]
                right_support = supports_among(right, *by_length[size])
                lengths = length - size, size
                found.setdefault(lengths, []).append((left, right, both, left_support, right_support))
    return _assembled(itemsets, found)


def _allowed(items: Iterable[int] | None, n_items: int) -> AnyArray:
    if items is None:
        return np.ones(n_items, dtype=bool)
    allowed = np.zeros(n_items, dtype=bool)
    allowed[list(items)] = True
    return allowed


def supports_among(wanted: Codes, matrix: Codes, supports: Counts) -> Counts:
    """The support of each wanted itemset, looked up among those of its length; 0 where it is not there."""
    columns = [f"item{place}" for place in range(wanted.shape[1])]
    known = pl.DataFrame({name: matrix[:, place] for place, name in enumerate(columns)})
    known = known.with_columns(support=pl.Series(supports))
    asked = pl.DataFrame({name: wanted[:, place] for place, name in enumerate(columns)})
    joined = asked.join(known, on=columns, how="left", maintain_order="left").get_column("support")
    return joined.fill_null(0).to_numpy().astype(np.int64)


def _assembled(itemsets: Itemsets, found: dict[tuple[int, int], list[tuple[AnyArray, ...]]]) -> ItemRules:
    """The rules in canonical order: by the length of both sides, then by their items."""
    empty: list[AnyArray] = [np.zeros(0, dtype=np.int32)] * 2 + [np.zeros(0, dtype=np.int64)] * 5
    parts = [empty]
    for lengths, alike in sorted(found.items()):
        left, right, *counts = (np.concatenate(arrays) for arrays in zip(*alike, strict=True))
        order = np.lexsort([*right.T[::-1], *left.T[::-1]])
        each = [np.full(len(order), length) for length in lengths]
        parts.append([left[order].ravel(), right[order].ravel(), *each, *(count[order] for count in counts)])
    lefts, rights, *counts = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    left_ends, right_ends = (np.concatenate([[0], np.cumsum(lengths)]) for lengths in counts[:2])
    both = RuleCounts(itemsets.n_rows, *counts[2:])
    return ItemRules(both, itemsets.vocabulary, left_ends, lefts, right_ends, rights)
