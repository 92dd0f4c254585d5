"""Which rows hold each item: the vertical form that itemsets are mined from.

Items are ranked by ascending support, so that a search that adds items in this order starts from
the shortest lists. The rows of a rare item are a list; those of an item that occurs often are a
bitmap, which is then the smaller of the two. Where a table of all pairs of items is small beside
the data, the pairs are counted in one pass over the rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.bitmaps import words_for
from tacit.arrays.compiled import Flag, each, kernel
from tacit.arrays.groups import read_only, without_cells
from tacit.typing import Bools, Codes, Counts, Offsets, Words

_DENSE = 32  # an item in more than one row of so many takes less memory as a bitmap than as a list
_PAIRS = 3  # the table of pairs may take one part in so many of the memory of the rows
_POLL = 1 << 22  # pairs counted before the flag is looked at


class Vertical(NamedTuple):
    """Rows by item and items by row. A rank is a place in the order of ascending support."""

    indptr: Offsets
    """row pointers of the rows as they came, or of their frequent items alone"""
    items: Codes
    codes: Codes
    """rank -> item code"""
    ranks: Codes
    """item code -> rank, or -1 for an item that is not looked at"""
    supports: Counts
    """by rank"""
    starts: Offsets
    """rank -> where the rows of an item begin in ``rows``; ranks from ``n_listed`` on have none"""
    rows: Codes
    bitmaps: Words
    """the bitmap of rank r begins at word ``(r - n_listed) * width``"""
    width: int
    n_listed: int
    n_rows: int
    orders: Codes
    """rank -> place in the order of item codes"""
    pairs: Codes
    """rows by pair of places, at :func:`place_of_pair`; empty where it would be too large"""


class Supports(NamedTuple):
    """In how many rows each item occurs, in all and in each of several parts of the rows."""

    cuts: Offsets
    """part p is rows ``cuts[p]`` to ``cuts[p + 1]``"""
    by_part: Counts
    """part, item code -> rows"""
    longest: int
    """the length of the longest row; -1 when a row is not ascending, repeats an item or is out of range"""

    @property
    def total(self) -> Counts:
        supports: Counts = self.by_part.sum(axis=0)
        return supports


def item_supports(indptr: Offsets, items: Codes, n_items: int, *, threads: int) -> Supports:
    """Count the items, in as many parts of the rows as there are threads."""
    shares = np.arange(1, threads) * len(items) // threads
    # A part begins with a whole word of the bitmaps, so that no two threads write to one.
    inner = np.searchsorted(indptr, shares) // 64 * 64
    cuts = np.concatenate(([0], inner, [len(indptr) - 1])).astype(np.int64)
    by_part = np.zeros((threads, n_items), dtype=np.int64)

    def count(part: int) -> int:
        return _count_items(indptr, items, cuts[part], cuts[part + 1], by_part[part])

    longest = each(count, range(threads), threads=threads)
    return Supports(cuts, by_part, max(longest) if min(longest) >= 0 else -1)


def verticalize(
    indptr: Offsets, items: Codes, *, supports: Supports, eligible: Bools, list_all: bool, flag: Flag
) -> Vertical:
    """The eligible items' rows; ``list_all`` lists those of items that occur often as well."""
    n_rows, (threads, n_items) = len(indptr) - 1, supports.by_part.shape
    chosen = np.flatnonzero(eligible)
    by_support = np.argsort(supports.total[chosen], kind="stable").astype(np.int32)
    codes = chosen[by_support].astype(np.int32)
    ranks = np.full(n_items, -1, dtype=np.int32)
    ranks[codes] = np.arange(len(codes), dtype=np.int32)
    ranked = supports.total[codes]
    n_listed = len(codes) if list_all else int(np.searchsorted(ranked * _DENSE, n_rows, side="right"))
    width = words_for(n_rows)
    starts = np.zeros(n_listed + 1, dtype=np.int64)
    np.cumsum(ranked[:n_listed], out=starts[1:])
    rows = np.empty(starts[-1], dtype=np.int32)
    bitmaps = np.zeros((len(codes) - n_listed) * width, dtype=np.uint64)
    in_part = supports.by_part[:, codes]  # part, rank -> rows
    begins = starts[:-1] + (np.cumsum(in_part, axis=0) - in_part)[:, :n_listed]
    cuts = supports.cuts

    def scatter(part: int) -> None:
        _scatter(indptr, items, cuts[part], cuts[part + 1], ranks, begins[part], rows, bitmaps, width)

    each(scatter, range(threads), threads=threads)
    # Rows without the items that are not looked at are worth their memory once they are half as long.
    if 2 * int(ranked.sum()) <= len(items):
        indptr, items = (read_only(part) for part in without_cells(indptr, items, ranks[items] < 0))
    pairs = _all_pairs(indptr, items, chosen, n_items, threads, flag)
    return Vertical(
        indptr, items, codes, ranks, ranked, starts, rows, bitmaps, width, n_listed, n_rows, by_support, pairs
    )


@kernel
def place_of_pair(one: int, other: int) -> int:
    """Where the pair of two places in the order of codes is counted in ``Vertical.pairs``."""
    low, high = (one, other) if one < other else (other, one)
    return int(np.int64(high) * (high - 1) >> 1) + low


def _all_pairs(
    indptr: Offsets, items: Codes, chosen: Counts, n_items: int, threads: int, flag: Flag
) -> Codes:
    """The number of rows of every pair of chosen codes, or nothing where the table would be too large."""
    n_chosen = len(chosen)
    n_pairs = n_chosen * (n_chosen - 1) // 2
    # Each thread counts in a table of its own, as far as there may be so many.
    tables = min(threads, (indptr.nbytes + items.nbytes) // max(1, _PAIRS * 4 * n_pairs))
    if tables == 0 or n_pairs == 0:
        return np.zeros(0, dtype=np.int32)
    orders = np.full(n_items, -1, dtype=np.int32)
    orders[chosen] = np.arange(n_chosen, dtype=np.int32)
    pairs = np.zeros((tables, n_pairs), dtype=np.int32)
    cuts = np.searchsorted(indptr, np.arange(tables + 1) * len(items) // tables)
    cuts[-1] = len(indptr) - 1

    def count(part: int) -> None:
        _count_pairs(indptr, items, orders, cuts[part], cuts[part + 1], pairs[part], flag)

    each(count, range(tables), threads=threads)
    total: Codes = pairs[0]
    for part in range(1, tables):
        total += pairs[part]
    return total


@kernel
def _count_items(indptr: Offsets, items: Codes, begin: int, end: int, supports: Counts) -> int:
    """Count the items of the rows from ``begin`` to ``end``; the longest row, or -1 if one is malformed."""
    longest = 0
    for row in range(begin, end):
        before = -1
        for at in range(indptr[row], indptr[row + 1]):
            item = items[at]
            if item <= before or item >= len(supports):
                return -1
            before = item
            supports[item] += 1
        if indptr[row + 1] - indptr[row] > longest:
            longest = indptr[row + 1] - indptr[row]
    return longest


@kernel
def _count_pairs(
    indptr: Offsets, items: Codes, orders: Codes, begin: int, end: int, pairs: Codes, flag: Flag
) -> None:
    """Count the pairs of items in the rows from ``begin`` to ``end``."""
    earlier = np.empty(len(orders), dtype=np.uint64)
    work = np.uint64(0)
    for row in range(begin, end):
        n_earlier = np.uint64(0)
        for at in range(indptr[row], indptr[row + 1]):
            order = orders[items[at]]
            if order >= 0:
                base = np.uint64(np.int64(order) * (order - 1) >> 1)
                for place in range(n_earlier):
                    pairs[base + earlier[place]] += np.int32(1)
                work += n_earlier
                earlier[n_earlier] = order
                n_earlier += np.uint64(1)
        if work > np.uint64(_POLL):
            work = np.uint64(0)
            if flag[0]:
                return


@kernel
def _scatter(
    indptr: Offsets,
    items: Codes,
    begin: int,
    end: int,
    ranks: Codes,
    ends: Offsets,
    rows: Codes,
    bitmaps: Words,
    width: int,
) -> None:
    """Write rows ``begin`` to ``end`` into the lists (from ``ends`` on) and bitmaps of their items."""
    n_listed = len(ends)
    for row in range(begin, end):
        for at in range(indptr[row], indptr[row + 1]):
            rank = ranks[items[at]]
            if rank < 0:
                continue
            if rank < n_listed:
                rows[ends[rank]] = row
                ends[rank] += 1
            else:
                bitmaps[(rank - n_listed) * width + (row >> 6)] |= np.uint64(1) << np.uint64(row & 63)
