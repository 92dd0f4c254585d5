"""What readers who know more than was promised could do with published sets.

k^m-anonymity is a promise about readers who know up to m items of a record. The judge measures those
who know more: m + 1 to m + 3 items, the whole record, an absence beside m items, everything about
everybody. A record is narrowed when *some* choice of so many of its items leaves fewer than k records
(or just one): the worst case for its owner, not an average. It knows nothing of how the sets were made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import comb, sqrt
from typing import Any

import numpy as np
from scipy import special

from tacit.arrays.interrupt import Flag, interruptible, new_flag
from tacit.data.transactions import Transactions
from tacit.judging.leaf_guessing import LeafGuessing, guess_leaves
from tacit.notebook import InNotebook
from tacit.typing import Bools, Counts

MOST_SETS = 20_000_000_000
"""With more sets of items than this, records are too long for all of them to be counted."""
QUICK, FULL = 10_000, 1_000_000
"""Up to so many records are looked at one and all, where judging is to be quick and where it may take long;
of more, an evenly spread sample of this size. Each is compared with all records."""
FEWEST = 250
"""The fewest records that a sample is made of."""
MOST_TRIED = 250_000
"""Where judging is to be quick: so many sets of items are tried for a reader, of fewer records where they are
long. A record that alone has a tenth of it is not tried."""


@dataclass(frozen=True, slots=True)
class Narrowed:
    """Records that a reader narrows below k, and to themselves alone."""

    knows: str
    below_k: int
    to_one: int
    records: int
    """The records looked at."""
    untried: int = 0
    """Of these, the records that have too many sets to try them all. They count as narrowed: all that
    can be known of them narrows them."""

    @property
    def share_below_k(self) -> float:
        return self.below_k / max(1, self.records)

    @property
    def share_to_one(self) -> float:
        return self.to_one / max(1, self.records)

    def error(self, total: int) -> float:
        """The standard error of the share below k, and the share that was not tried.

        0 where all of the ``total`` records were looked at and tried.
        """
        untried = self.untried / max(1, self.records)
        if self.records >= total:
            return untried
        return untried + sqrt(self.share_below_k * (1 - self.share_below_k) / max(1, self.records))


@dataclass(frozen=True, slots=True)
class Diversity:
    """What m known items tell of the sensitive column that goes along."""

    column: str
    fewest: int
    """The ℓ of the release: the fewest different values behind any set of up to m items."""
    given_away: int
    """Records whose value some set of up to m of their items gives away."""


@dataclass(frozen=True, slots=True)
class SetRisks(InNotebook):
    """What the promise does not cover, measured on the release."""

    k: int
    m: int
    records: int
    narrowed: tuple[Narrowed, ...]
    """By reader: m + 1, m + 2, m + 3 items, the whole record, m items and an absence, all of it."""
    diversity: Diversity | None
    """None where no sensitive column goes along."""
    leaf_guessing: LeafGuessing | None
    """None where the original was not given."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "records": self.records,
            "narrowed": [
                {
                    "knows": reader.knows,
                    "below_k": reader.share_below_k,
                    "to_one": reader.share_to_one,
                    "records": reader.records,
                    "error": reader.error(self.records),
                }
                for reader in self.narrowed
            ],
            "diversity": None
            if self.diversity is None
            else {
                "column": self.diversity.column,
                "fewest": self.diversity.fewest,
                "given_away": self.diversity.given_away,
            },
            "leaf_guessing": None if self.leaf_guessing is None else self.leaf_guessing.to_dict(),
        }


def judge_sets(
    published: Transactions,
    *,
    k: int,
    m: int,
    original: Transactions | None = None,
    mapping: Mapping[str, str] | None = None,
    sample: int = FULL,
    most_tried: int | None = None,
    guessed: int | None = None,
    flag: Flag | None = None,
) -> SetRisks:
    """Measure every reader on the published records.

    At most ``sample`` records are looked at, and fewer where more than ``most_tried`` sets of their items
    would have to be tried. With the ``original`` and the ``mapping`` of its items, guessing leaves is
    measured as well, on at most ``guessed`` records.
    """
    flag = new_flag() if flag is None else flag
    rows = _Rows(published, sample, flag, most_tried)
    readers = [
        rows.narrowed(
            f"{m + more} items", k, lambda least, among, more=more: rows.by_items(least, m + more, among)
        )
        for more in (1, 2, 3)
    ]
    readers.append(rows.narrowed("the whole record", k, rows.by_whole_record))
    readers.append(
        rows.narrowed(
            f"{'1 item' if m == 1 else f'{m} items'} and one absence",
            k,
            lambda least, among: rows.by_items(least, m, among, absence=True),
        )
    )
    readers.append(rows.narrowed("what is in the record and what is not", k, rows.by_exact_record))
    guessing = None
    if original is not None and mapping is not None:
        guessing = guess_leaves(original, mapping, most=guessed, flag=flag)
    return SetRisks(k, m, len(published), tuple(readers), _diversity(published, m, flag), guessing)


def unique_shares(
    transactions: Transactions, *, sizes: tuple[int, ...], flag: Flag | None = None
) -> tuple[float | None, ...]:
    """For each size, the share of records that some so many of their items single out.

    None where records are so long that their sets are too many to count.
    """
    rows = _Rows(transactions, FULL, new_flag() if flag is None else flag)
    alone = rows.data.weights == 1
    lengths, numbers = np.unique(np.diff(rows.data.indptr)[alone], return_counts=True)
    shares: list[float | None] = []
    for size in sizes:
        work = sum(
            comb(int(length), size) * int(number) for length, number in zip(lengths, numbers, strict=True)
        )
        if work > MOST_SETS and not all(share == 1.0 for share in shares[-1:] or [None]):
            shares.append(None)
            continue
        found = rows.narrowed(
            f"{size} items", 2, lambda least, among, size=size: rows.by_items(least, size, among)
        )
        shares.append(found.share_to_one)
    return tuple(shares)


def narrowed_share(transactions: Transactions, *, k: int, size: int, flag: Flag | None = None) -> float:
    """The share of records some so many of whose items fewer than ``k`` records hold."""
    rows = _Rows(transactions, FULL, new_flag() if flag is None else flag)
    found, empty = rows.by_items(k, size, rows.looked_at > 0)
    return rows._count(found, empty) / max(1, rows.n_looked_at)


class _Rows:
    """The different records, with how many there are of each and how many of these are looked at."""

    def __init__(
        self, published: Transactions, sample: int, flag: Flag, most_tried: int | None = None
    ) -> None:
        from tacit.engine.kernels.item_ranges import indexed
        from tacit.engine.kernels.recoding import recoded_rows

        # Rare items first: few records are then met for most sets.
        ranks = np.argsort(np.argsort(published.supports, kind="stable")).astype(np.int32)
        ones = np.ones(len(published), dtype=np.int64)
        rows = recoded_rows(published.indptr, published.items, ones, ranks)
        self.data = indexed(rows.indptr, rows.items, rows.weights, published.n_items)
        self.n_empty = int((rows.groups < 0).sum())
        self.longest = int(published.lengths.max()) if len(published) else 0
        chosen = np.arange(len(published))
        if len(published) > sample:
            # Records are in the order of their content, so evenly spread numbers are a fair sample of it.
            chosen = np.unique(np.linspace(0, len(published) - 1, sample).astype(np.int64))
        self.groups = rows.groups[chosen]
        self._look_at(1)
        self._sampled: Bools = self.looked_at > 0
        self.flag = flag
        self.most_tried = most_tried
        self._untried: Bools = np.zeros(len(rows.weights), dtype=np.bool_)
        """The records of which the last reader did not try all sets."""
        self._by_fewer: dict[tuple[int, int], Bools] = {}
        """The records found to be narrowed so far, by how far and by how many items."""
        self._by_whole: dict[int, Bools] = {}

    @cached_property
    def _order(self) -> Counts:
        """The different records in lexicographic order."""
        from tacit.arrays.groups import row_order

        return row_order(self.data.indptr, self.data.items)

    def _look_at(self, one_in: int) -> None:
        """Look at one in so many records of the sample."""
        groups = self.groups[::one_in]
        self.looked_at: Counts = np.bincount(groups[groups >= 0], minlength=len(self.data.weights))
        self.n_looked_at, self.n_empty_looked_at = len(groups), int((groups < 0).sum())

    def narrowed(self, knows: str, k: int, found: Any) -> Narrowed:
        """The records looked at that ``found(least, among)`` says are left with a weight below ``least``."""
        self._untried[:] = False
        self._look_at(1)
        below, empty = found(k, self.looked_at > 0)
        alone, empty_alone = found(2, below)  # whoever is left with one is left with fewer than k
        counts = self._count(below, empty), self._count(alone, empty_alone), self.n_looked_at
        return Narrowed(knows, *counts, self._count(self._untried, empty=False))

    def by_items(self, least: int, size: int, among: Bools, *, absence: bool = False) -> tuple[Bools, bool]:
        from tacit.engine.kernels.narrowing import narrowed_by_overlaps, narrowed_greedily, narrowed_rows

        data = self.data
        size = max(1, min(size, self.longest))
        wanted = among & (data.weights < least)  # a record with enough equals is never narrowed
        known = np.zeros_like(wanted)
        if not absence:
            # Fewer items narrow no further than more do, nor than all items of the record.
            known = self._by_fewer.get((least, size - 1), known) & among
            wanted &= self._by_all(least) & ~known
            if self.most_tried is not None:
                most = self.most_tried // 10  # what is dearer, many records share
                found, wanted = interruptible(
                    narrowed_by_overlaps, data, least, size, wanted, most, flag=self.flag
                )
                known |= found
            known |= interruptible(narrowed_greedily, data, least, size, wanted, flag=self.flag)
            wanted &= ~known
        untried = np.zeros_like(wanted)
        if self.most_tried is not None:
            wanted, untried = self._affordable(wanted, size - (not absence))
            self._untried |= untried
        rows = interruptible(
            narrowed_rows,
            data.indptr,
            data.items,
            data.weights,
            least,
            size,
            wanted,
            absence,
            flag=self.flag,
        )
        if not absence:
            self._by_fewer[least, size] = rows = rows | known
        return rows | untried, False

    def _affordable(self, wanted: Bools, size: int) -> tuple[Bools, Bools]:
        """The records to try, fewer the more sets of ``size`` items they have; those that are not tried."""
        assert self.most_tried is not None
        sets = np.where(wanted, np.maximum(1.0, special.comb(np.diff(self.data.indptr), size)), 0.0)
        untried = sets > self.most_tried / 10
        sets[untried] = 0.0
        while sets[self.looked_at > 0].sum() > self.most_tried and self.n_looked_at >= 2 * FEWEST:
            self._look_at(2 * (len(self.groups) // self.n_looked_at))
        looked_at = self.looked_at > 0
        return wanted & looked_at & ~untried, untried & looked_at

    def by_whole_record(self, least: int, among: Bools) -> tuple[Bools, bool]:
        return self._by_all(least) & among, False

    def _by_all(self, least: int) -> Bools:
        """The records that all their items narrow."""
        from tacit.engine.kernels.narrowing import narrowed_by_all

        if least not in self._by_whole:
            wanted = self._sampled & (self.data.weights < least)
            found = interruptible(narrowed_by_all, self.data, self._order, wanted, least, flag=self.flag)
            self._by_whole[least] = found
        return self._by_whole[least]

    def by_exact_record(self, least: int, among: Bools) -> tuple[Bools, bool]:
        return (self.data.weights < least) & among, 0 < self.n_empty < least

    def _count(self, rows: Bools, empty: bool) -> int:
        return int(self.looked_at[rows].sum()) + (self.n_empty_looked_at if empty else 0)


def _diversity(published: Transactions, m: int, flag: Flag) -> Diversity | None:
    from tacit.judging.value_diversity_kernel import fewest_values

    sensitive = published.sensitive
    if sensitive is None:
        return None
    size = max(1, min(m, int(published.lengths.max()) if len(published) else 1))
    fewest, given_away = interruptible(
        fewest_values,
        published.indptr,
        published.items,
        sensitive.codes,
        len(sensitive.values),
        size,
        flag=flag,
    )
    return Diversity(sensitive.name, int(fewest), int(given_away.sum()))
