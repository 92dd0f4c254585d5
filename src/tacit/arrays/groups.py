"""Rows of codes by numpy alone: grouped, dealt out, put in order, taken.

To group rows, columns are folded together two at a time, each pair renumbered densely through a table of
bounded size, or through sorting where the table would be too large, so the cost is linear in the
rows and no key ever overflows.

Rows of several codes are in compressed sparse row form: row ``r`` is ``codes[indptr[r] : indptr[r + 1]]``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.typing import AnyArray, Bools, Codes, Counts, Offsets, Words

DENSE_LIMIT = 1 << 26
"""The largest table used to renumber a pair of columns: 256 MB of int32."""
SPARSE = 64
"""A table of so many cells for each key takes longer than to sort the keys."""


def group_rows(columns: Sequence[Codes], sizes: Sequence[int]) -> tuple[Codes, Counts]:
    """``(group of each row, first row of each group)``; groups follow the order of their codes.

    ``sizes[c]`` is one more than the largest code of column ``c``. With no column at all every row
    is in one group, and with no row there is no group.
    """
    n_rows = len(columns[0]) if columns else 0
    groups = np.zeros(n_rows, dtype=np.int32)
    n_groups = 1 if n_rows else 0
    for codes, size in zip(columns, sizes, strict=True):
        groups, n_groups = _fold(groups, n_groups, codes, size)
    first = np.empty(n_groups, dtype=np.int64)
    first[groups[::-1]] = np.arange(n_rows - 1, -1, -1)  # of several the last one written stays
    return groups, first


def group_sorted(columns: Sequence[Codes]) -> tuple[Codes, Counts]:
    """The same for rows that are in the order of their codes: a group ends where a code changes."""
    n_rows = len(columns[0])
    new = np.ones(n_rows, dtype=np.bool_)
    if n_rows:
        new[1:] = False
    for codes in columns:
        new[1:] |= codes[1:] != codes[:-1]
    return np.cumsum(new, dtype=np.int32) - np.int32(1), np.flatnonzero(new)


def _fold(groups: Codes, n_groups: int, codes: Codes, size: int) -> tuple[Codes, int]:
    """Renumber the pairs (group, code) densely, in the order of the pairs."""
    numbers, keys = numbered(groups.astype(np.int64) * size + codes, n_groups * size)
    return numbers, len(keys)


def numbered(keys: AnyArray, n_keys: int) -> tuple[Codes, Counts]:
    """Of each key below ``n_keys`` its place among the distinct ones, in their order; and these."""
    if n_keys > min(DENSE_LIMIT, SPARSE * max(len(keys), 1 << 14)):
        distinct, numbers = np.unique(keys, return_inverse=True)
        return numbers.astype(np.int32), distinct
    present = np.zeros(n_keys, dtype=np.int32)
    present[keys] = 1
    distinct = np.flatnonzero(present)
    np.cumsum(present, out=present)
    return present[keys] - np.int32(1), distinct


def stable_order(codes: AnyArray) -> Counts:
    """The places in the order of their codes, equal ones as they were; in linear time below 2^32."""
    if not len(codes) or codes.min() < 0 or codes.max() >= 1 << 32:
        return np.argsort(codes, kind="stable")
    order = np.argsort(codes.astype(np.uint16), kind="stable")  # by the low half, and then by the high one
    high = (codes >> 16).astype(np.uint16)
    return order[np.argsort(high[order], kind="stable")] if high.any() else order


def deal_out(order: Counts, kinds: Codes, ends: Offsets, places: Codes) -> Codes:
    """Give each row the next free place of its kind, in this order of the rows; -1 once there is none.

    The places of kind k are ``places[ends[k] : ends[k + 1]]``.
    """
    rows = order[stable_order(kinds[order])]
    own = kinds[rows]
    first = np.searchsorted(own, np.arange(len(ends) - 1))
    next_free = ends[own] + np.arange(len(rows)) - first[own]
    free = next_free < ends[own + 1]
    dealt = np.full(len(kinds), -1, dtype=np.int32)
    dealt[rows[free]] = places[next_free[free]]
    return dealt


def exchange_inside(givers: Counts, takers: Counts, groups: Codes) -> Counts:
    """For each row, the row of its group that it takes from: the first taker from the first giver, and so on.

    ``givers`` and ``takers`` are two orders of the rows; rows of group -1 take from themselves.
    """
    sources = np.arange(len(groups))
    sources[_by_group(takers, groups)] = _by_group(givers, groups)
    return sources


def number_by_content(groups: Codes, n_groups: int, contents: list[Codes]) -> Codes:
    """The number of each group, from 1, in the order of its contents.

    Each of the ``contents`` gives a code per row; a group's content is its sorted codes of the first,
    then of the second, and so on, compared as lists. Rows of group -1 take no part.
    """
    sizes = np.bincount(groups[groups >= 0], minlength=n_groups)
    ends = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    lists = np.empty((len(contents), int(ends[-1])), dtype=np.int32)
    for place, codes in enumerate(contents):
        lists[place] = codes[_by_group(stable_order(codes), groups)]
    numbers = np.empty(n_groups, dtype=np.int32)
    numbers[_order_of_lists(lists, ends)] = np.arange(1, n_groups + 1, dtype=np.int32)
    return numbers


def sorted_rows(*columns: Codes) -> Counts:
    """The rows in the order of the first column's codes, then of the second's, and so on; linear time."""
    order = np.arange(len(columns[0]))
    for codes in reversed(columns):
        order = order[stable_order(codes[order])]
    return order


def _by_group(order: Counts, groups: Codes) -> Counts:
    """The rows of each group one after the other, in this order of the rows, without those of group -1."""
    rows = order[groups[order] >= 0]
    return rows[stable_order(groups[rows])]


def _order_of_lists(lists: Codes, ends: Offsets) -> Counts:
    """The groups in the order of their first lists, then of their second, and so on.

    A list follows its own beginnings. Step by step the next code of every list tells groups apart that
    agree in all before it; groups that stand alone are not looked at again.
    """
    n_groups, sizes = len(ends) - 1, np.diff(ends)
    order = np.arange(n_groups)
    runs = np.zeros(n_groups, dtype=np.int64)  # by place, the first place of those that agree so far
    open_places = np.arange(n_groups)
    for codes in lists:
        step = 0
        while len(open_places) and step <= sizes[order[open_places]].max():
            groups, run = order[open_places], runs[open_places]
            codes_here = np.full(len(groups), -1, dtype=np.int64)
            longer = sizes[groups] > step
            codes_here[longer] = codes[ends[groups[longer]] + step]
            by_code = np.lexsort((codes_here, run))
            order[open_places] = groups[by_code]
            codes_here = codes_here[by_code]
            fresh = np.ones(len(groups), dtype=np.bool_)
            fresh[1:] = (run[1:] != run[:-1]) | (codes_here[1:] != codes_here[:-1])
            runs[open_places] = open_places[fresh][np.cumsum(fresh) - 1]
            alone = fresh & np.append(fresh[1:], True)
            open_places = open_places[~alone]
            step += 1
    return order


AT_ONCE = 1 << 18
"""So many codes of rows are copied at a time."""


def gather_rows(rows: AnyArray, codes: AnyArray, n_rows: int) -> tuple[Offsets, Codes]:
    """Pairs (row, code) in any order, gathered by row; within a row they keep their order."""
    indptr = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=n_rows)))).astype(np.int64)
    if (rows[1:] < rows[:-1]).any():
        codes = codes[stable_order(rows)]
    return indptr, np.array(codes, dtype=np.int32)


def take_rows(indptr: Offsets, codes: Codes, rows: AnyArray) -> tuple[Offsets, Codes]:
    """The named rows, one after the other."""
    taken = np.concatenate(([0], np.cumsum(indptr[rows + 1] - indptr[rows]))).astype(np.int64)
    found = np.empty(int(taken[-1]), dtype=codes.dtype)
    first = 0
    while first < len(rows):  # the places of some rows at a time: those of all take more room than the codes
        last = max(first + 1, int(np.searchsorted(taken, taken[first] + AT_ONCE, side="right")) - 1)
        found[taken[first] : taken[last]] = codes[places_of_rows(indptr, rows[first:last])[1]]
        first = last
    return taken, found


def rows_holding(indptr: Offsets, codes: Codes, wanted: AnyArray) -> Counts:
    """The rows, which are sets, that hold all of these codes."""
    holders = np.searchsorted(indptr, np.flatnonzero(np.isin(codes, wanted)), side="right") - 1
    return np.flatnonzero(np.bincount(holders, minlength=len(indptr) - 1) == len(wanted))


def without_cells(indptr: Offsets, codes: Codes, removed: Bools) -> tuple[Offsets, Codes]:
    """The rows without the removed cells."""
    kept = ~removed
    before = np.zeros(len(codes) + 1, dtype=np.int32 if len(codes) < 1 << 31 else np.int64)
    np.cumsum(kept, out=before[1:])
    return before[indptr].astype(np.int64), codes[np.flatnonzero(kept)]


def inverted(indptr: Offsets, codes: Codes, n_codes: int) -> tuple[Offsets, Codes]:
    """For each code the rows that hold it, ascending, as rows."""
    from scipy.sparse import csr_array

    there = np.ones(len(codes), dtype=np.int8)
    by_code = csr_array((there, codes, indptr), shape=(len(indptr) - 1, n_codes)).tocsc()
    return by_code.indptr.astype(np.int64), by_code.indices.astype(np.int32, copy=False)


def sums_over(indptr: Offsets, codes: Codes, weights: AnyArray) -> AnyArray:
    """The sum of the weights of each row's codes; of several columns of weights, column by column."""
    from scipy.sparse import csr_array

    ones = np.ones(len(codes), dtype=weights.dtype)
    return np.asarray(csr_array((ones, codes, indptr), shape=(len(indptr) - 1, len(weights))) @ weights)


def places_of_rows(indptr: Offsets, rows: AnyArray) -> tuple[Offsets, Offsets]:
    """These rows, in this order: where each begins, and the place each of their codes had."""
    starts = indptr[rows]
    lengths = indptr[rows + 1] - starts  # and not of all rows: there may be many more than these
    taken = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    return taken, np.repeat(starts - taken[:-1], lengths) + np.arange(taken[-1])


def distinct(keys: AnyArray) -> AnyArray:
    """The distinct numbers in order: numpy's own goes through a hash table, which takes ten times as long."""
    keys = np.sort(keys)
    return keys[np.diff(keys, prepend=keys[:1] - 1) > 0]


def keys_of(lines: AnyArray) -> AnyArray:
    """Each line of a table as one key, equal where the lines are; keys can be sorted."""
    whole = np.ascontiguousarray(lines)
    return whole.view(np.dtype((np.void, whole.shape[1] * whole.itemsize))).ravel()


def first_largest(cells: AnyArray, starts: Offsets) -> Counts:
    """Where the largest cell of each row is, the first of equal ones; no row is empty."""
    largest = np.repeat(np.maximum.reduceat(cells, starts[:-1]), np.diff(starts))
    places = np.flatnonzero(cells == largest)
    return places[np.searchsorted(places, starts[:-1])]


def read_only(array: AnyArray) -> AnyArray:
    """The same array, which cannot be written to by this name.

    A kernel is compiled anew for every kind of argument; one that only reads takes all arrays like this.
    """
    view = array.view()
    view.flags.writeable = False
    return view


def row_order(indptr: Offsets, items: Codes) -> Counts:
    """The permutation that sorts rows by their codes, first code first; a row comes after its beginnings.

    Equal rows keep their order. As many codes as fit into a word are compared at a time, and then the next
    ones of those rows that agree so far.
    """
    bits = max(1, (int(items.max(initial=0)) + 1).bit_length())
    room = 64 // bits
    order, places = np.arange(len(indptr) - 1), np.arange(len(indptr) - 1)
    runs = np.zeros(len(order), dtype=np.int64)  # by place that is not settled: which rows agree so far
    skipped = 0
    while len(places):
        rows = order[places]
        words = _packed(indptr, items, rows, skipped, bits, room)
        by_word = np.lexsort((words, runs)) if skipped else np.argsort(words, kind="stable")
        order[places] = rows[by_word]
        words, runs = words[by_word], runs[by_word]
        new = np.ones(len(words), dtype=np.bool_)
        new[1:] = (words[1:] != words[:-1]) | (runs[1:] != runs[:-1])
        runs = np.cumsum(new)
        # A word whose last code is 0 holds the end of its rows.
        again = (np.bincount(runs)[runs] > 1) & (words & np.uint64((1 << bits) - 1) != 0)
        places, runs, skipped = places[again], runs[again], skipped + room
    return order


def _packed(indptr: Offsets, items: Codes, rows: Counts, skipped: int, bits: int, room: int) -> Words:
    """The next codes of some rows in a word each, as 1, 2, …; 0 is the end of a row."""
    starts, ends = indptr[rows] + skipped, indptr[rows + 1]
    words = np.zeros(len(rows), dtype=np.uint64)
    for at in range(room):
        inside = starts + at < ends
        words <<= np.uint64(bits)
        if len(items):
            codes = items.take(starts + at, mode="clip").astype(np.uint64) + np.uint64(1)
            words |= np.where(inside, codes, np.uint64(0))
    return words
