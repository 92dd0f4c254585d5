"""What readers who know more than was promised could do with published sets.

k^m-anonymity is a promise about readers who know up to m items of a record. The judge measures those
who know more: m + 1 to m + 3 items, the whole record, an absence beside m items, everything about
everybody. A record is narrowed when *some* choice of so many of its items leaves fewer than k records
(or just one): the worst case for its owner, not an average. It knows nothing of how the sets were made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from math import comb, gcd, sqrt
from typing import Any

import numpy as np

from tacit.arrays.compiled import Flag, interruptible, new_flag
from tacit.data.transactions import Transactions
from tacit.judging.leaf_guessing import LeafGuessing, guess_leaves
from tacit.notebook import InNotebook
from tacit.typing import AnyArray, Bools, Codes, Counts

MOST_SETS = 20_000_000_000
"""With more sets of items than this, records are too long for all of them to be counted."""
QUICK, FULL = 10_000, 1_000_000
"""Up to so many records are looked at one and all, where judging is to be quick and where it may take long;
of more, an evenly spread sample of this size. Each is compared with all records."""
GOLDEN = (sqrt(5) - 1) / 2
"""Steps of this share of a whole fall, however many there are, evenly over it."""
FEWEST = 250
"""The fewest records that a sample is made of."""
MOST_TRIED = 200_000_000
"""Where judging is to be quick: about so many steps are made for a kind of reader, on fewer records where
they are long or many. A record that takes more than its share is not tried to the end."""


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
            "diversity": None if self.diversity is None else asdict(self.diversity),
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

    At most ``sample`` records are looked at, and fewer where that would take more than ``most_tried`` steps.
    With the ``original`` and the ``mapping`` of its items, guessing leaves is measured as well, on at most
    ``guessed`` records.
    """
    flag = new_flag() if flag is None else flag
    rows = _Rows(published, sample, flag)
    sizes = range(m + 1, m + 4)
    if most_tried is None:
        readers = [
            rows.narrowed(k, lambda least, among, size=size: rows.by_items(least, size, among))
            for size in sizes
        ]
        absent = rows.narrowed(k, lambda least, among: rows.by_items(least, m, among, absence=True))
    else:
        readers = rows.by_overlaps(k, sizes, most_tried)
        absent = rows.by_absences(k, m, most_tried)
    readers += [
        rows.narrowed(k, lambda least, among: rows.by_all(least) & among),
        absent,
        rows.by_exact_record(k),
    ]
    knows = (
        *(f"{size} items" for size in sizes),
        "the whole record",
        f"{'1 item' if m == 1 else f'{m} items'} and one absence",
        "what is in the record and what is not",
    )
    readers = [replace(reader, knows=name) for reader, name in zip(readers, knows, strict=True)]
    guessing = None
    if original is not None and mapping is not None:
        guessing = guess_leaves(original, mapping, most=guessed, flag=flag)
    return SetRisks(k, m, len(published), tuple(readers), _diversity(published, m, flag), guessing)


def unique_shares(transactions: Transactions, *, sizes: tuple[int, ...]) -> tuple[float | None, ...]:
    """For each size, the share of records that some so many of their items single out.

    None where records are so long that their sets are too many to count.
    """
    rows = _Rows(transactions, FULL, new_flag())
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
        found = rows.narrowed(2, lambda least, among, size=size: rows.by_items(least, size, among))
        shares.append(found.share_to_one)
    return tuple(shares)


def narrowed_share(transactions: Transactions, *, k: int, size: int) -> float:
    """The share of records some so many of whose items fewer than ``k`` records hold."""
    rows = _Rows(transactions, FULL, new_flag())
    found = rows.by_items(k, size, rows.sampled)
    return rows.counted(len(rows.turns), found, found).share_below_k


def spread(records: int, most: int) -> Counts:
    """The places of up to ``most`` of so many records; the first of them, too, are spread evenly over all."""
    step = max(1, int(records * GOLDEN))
    while gcd(step, records) > 1:
        step += 1
    return np.arange(min(records, most)) * step % max(1, records)


class _Rows:
    """The different records, with how many there are of each, and the records that are looked at."""

    def __init__(self, published: Transactions, sample: int, flag: Flag) -> None:
        from tacit.arrays.csr import recoded_rows
        from tacit.engine.kernels.item_ranges import indexed

        # Rare items first: few records are then met for most sets.
        ranks = np.argsort(np.argsort(published.supports, kind="stable")).astype(np.int32)
        ones = np.ones(len(published), dtype=np.int64)
        rows = recoded_rows(published.indptr, published.items, ones, ranks)
        self.data = indexed(rows.indptr, rows.items, rows.weights, published.n_items)
        self.n_empty = int((rows.groups < 0).sum())
        self.longest = int(published.lengths.max()) if len(published) else 0
        self.turns: Codes = rows.groups[spread(len(published), sample)].astype(np.int32)
        """Of each record that is looked at, the place among the different ones; -1 where it is empty."""
        self.sampled: Bools = np.isin(np.arange(len(rows.weights)), self.turns)
        self.flag = flag
        self._by_fewer: dict[tuple[int, int], Bools] = {}
        """The records found to be narrowed so far, by how far and by how many items."""
        self._left: Counts | None = None
        """How many records hold all items of each, of records with fewer equals than ``_asked``."""
        self._asked = 0

    @cached_property
    def _order(self) -> Counts:
        """The different records in lexicographic order."""
        from tacit.arrays.groups import row_order

        return row_order(self.data.indptr, self.data.items)

    def narrowed(self, k: int, found: Callable[..., Bools]) -> Narrowed:
        """The records looked at that ``found(least, among)`` says are left with a weight below ``least``."""
        below = found(k, self.sampled)
        alone = found(2, below)  # whoever is left with one is left with fewer than k
        return self.counted(len(self.turns), below, alone)

    def by_overlaps(self, k: int, sizes: range, most: int) -> list[Narrowed]:
        """The records that so many items narrow, for each of the sizes; in about ``most`` steps."""
        from tacit.engine.kernels.overlaps import narrowed_by_overlaps

        by_all = np.stack([self.by_all(least) for least in (k, 2)], axis=1)
        found, taken = interruptible(
            narrowed_by_overlaps,
            self.data, self.turns, sizes.start, sizes.stop, np.array([k, 2]), by_all, most, FEWEST,
            flag=self.flag,
        )  # fmt: skip
        return [self._tried(taken, found[:, place]) for place in range(len(sizes))]

    def by_absences(self, k: int, size: int, most: int) -> Narrowed:
        """The records that so many items and one absence narrow; in about ``most`` steps."""
        from tacit.engine.kernels.overlaps import narrowed_by_absences

        found, taken = interruptible(
            narrowed_by_absences,
            self.data, self.turns, size, np.array([k, 2]), most, FEWEST, flag=self.flag,
        )  # fmt: skip
        return self._tried(taken, found)

    def _tried(self, turns: int, found: AnyArray) -> Narrowed:
        """What was found of the first records, for k and for one; -1 where that was not tried to the end."""
        return self.counted(turns, found[:, 0] != 0, found[:, 1] != 0, found[:, 0] < 0)

    def counted(self, turns: int, below: Bools, alone: Bools, untried: Bools | None = None) -> Narrowed:
        looked_at = self.turns[:turns]
        some = looked_at[looked_at >= 0]
        counts = [0 if rows is None else int(rows[some].sum()) for rows in (below, alone, untried)]
        return Narrowed("", counts[0], counts[1], turns, counts[2])

    def by_items(self, least: int, size: int, among: Bools, *, absence: bool = False) -> Bools:
        from tacit.engine.kernels.narrowing import narrowed_greedily, narrowed_rows

        data = self.data
        size = max(1, min(size, self.longest))
        wanted = among & (data.weights < least)  # a record with enough equals is never narrowed
        known = np.zeros_like(wanted)
        if not absence:
            # Fewer items narrow no further than more do, nor than all items of the record.
            known = self._by_fewer.get((least, size - 1), known) & among
            wanted &= self.by_all(least) & ~known
            known |= interruptible(narrowed_greedily, data, least, size, wanted, flag=self.flag)
            wanted &= ~known
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
        return rows

    def by_all(self, least: int) -> Bools:
        """The records that all their items narrow."""
        from tacit.engine.kernels.narrowing import left_by_all

        if self._left is None or self._asked < least:
            wanted = self.sampled & (self.data.weights < least)
            self._left = interruptible(left_by_all, self.data, self._order, wanted, flag=self.flag)
            self._asked = least
        return self._left < least

    def by_exact_record(self, k: int) -> Narrowed:
        """The records that few others equal, and the empty ones where they are few."""
        found = self.narrowed(k, lambda least, among: (self.data.weights < least) & among)
        empty = int((self.turns < 0).sum())
        below, alone = (
            found_so + empty * (self.n_empty < least)
            for found_so, least in ((found.below_k, k), (found.to_one, 2))
        )
        return replace(found, below_k=below, to_one=alone)


def _diversity(published: Transactions, m: int, flag: Flag) -> Diversity | None:
    from tacit.judging.leaf_guessing import fewest_values

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
