"""Deal rows out to numbered places, and number groups by what they hold."""

from __future__ import annotations

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.typing import Codes, Counts, Offsets


@kernel
def deal_out(order: Counts, kinds: Codes, ends: Offsets, places: Codes) -> Codes:
    """Give each row the next free place of its kind, in this order of the rows; -1 once there is none.

    The places of kind k are ``places[ends[k] : ends[k + 1]]``.
    """
    next_free = ends[:-1].copy()
    dealt = np.full(len(kinds), -1, dtype=np.int32)
    for row in order:
        kind = kinds[row]
        if next_free[kind] < ends[kind + 1]:
            dealt[row] = places[next_free[kind]]
            next_free[kind] += 1
    return dealt


@kernel
def exchange_inside(givers: Counts, takers: Counts, groups: Codes, n_groups: int) -> Counts:
    """For each row, the row of its group that it takes from: the first taker from the first giver, and so on.

    ``givers`` and ``takers`` are two orders of the rows; rows of group -1 take from themselves.
    """
    ends = np.zeros(n_groups + 1, dtype=np.int64)
    for group in groups:
        if group >= 0:
            ends[group + 1] += 1
    for group in range(n_groups):
        ends[group + 1] += ends[group]
    waiting = np.empty(ends[-1], dtype=np.int64)
    cursor = ends[:-1].copy()
    for row in takers:
        if groups[row] >= 0:
            waiting[cursor[groups[row]]] = row
            cursor[groups[row]] += 1
    sources = np.arange(len(groups))
    cursor = ends[:-1].copy()
    for row in givers:
        if groups[row] >= 0:
            sources[waiting[cursor[groups[row]]]] = row
            cursor[groups[row]] += 1
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
        by_code = _counting_order(codes, int(codes.max(initial=0)) + 1)
        _gather(by_code, groups, codes, ends, lists[place])
    # Two leading codes settle nearly all of the order; only runs that agree in both are compared in full.
    lead = lists[0][ends[:-1]].astype(np.int64) << 32
    longer = sizes > 1
    lead[longer] |= lists[0][ends[:-1][longer] + 1].astype(np.int64) + 1
    order = np.argsort(lead, kind="stable")
    _sort_runs(order, lead[order], lists, ends)
    numbers = np.empty(n_groups, dtype=np.int32)
    numbers[order] = np.arange(1, n_groups + 1, dtype=np.int32)
    return numbers


def sorted_rows(*columns: Codes) -> Counts:
    """The rows in the order of the first column's codes, then of the second's, and so on; linear time."""
    order = np.arange(len(columns[0]))
    for codes in reversed(columns):
        order = order[_counting_order(codes[order], int(codes.max(initial=0)) + 1)]
    return order


@kernel
def _counting_order(codes: Codes, n_codes: int) -> Counts:
    """The rows in the order of their codes, equal ones as they were."""
    ends = np.zeros(n_codes + 1, dtype=np.int64)
    for code in codes:
        ends[code + 1] += 1
    for code in range(n_codes):
        ends[code + 1] += ends[code]
    order = np.empty(len(codes), dtype=np.int64)
    for row in range(len(codes)):
        order[ends[codes[row]]] = row
        ends[codes[row]] += 1
    return order


@kernel
def _gather(order: Counts, groups: Codes, codes: Codes, ends: Offsets, lists: Codes) -> None:
    """Write the codes of each group one after the other, in this order of the rows."""
    cursor = ends[:-1].copy()
    for row in order:
        group = groups[row]
        if group >= 0:
            lists[cursor[group]] = codes[row]
            cursor[group] += 1


@kernel
def _sort_runs(order: Counts, lead: Counts, lists: Codes, ends: Offsets) -> None:
    """Sort each run of groups with the same lead by their whole content (merge sort)."""
    spare = np.empty_like(order)
    first = 0
    while first < len(order):
        end = first + 1
        while end < len(order) and lead[end] == lead[first]:
            end += 1
        width = 1
        while width < end - first:
            low = first
            while low < end:
                middle, high = min(low + width, end), min(low + 2 * width, end)
                left, right, at = low, middle, low
                while at < high:
                    if right >= high or (
                        left < middle and _compare(order[left], order[right], lists, ends) <= 0
                    ):
                        spare[at] = order[left]
                        left += 1
                    else:
                        spare[at] = order[right]
                        right += 1
                    at += 1
                low = high
            order[first:end] = spare[first:end]
            width *= 2
        first = end


@kernel
def _compare(one: int, other: int, lists: Codes, ends: Offsets) -> int:
    """Negative, zero or positive as the content of one group sorts before, with or after another's."""
    mine, its = int(ends[one + 1] - ends[one]), int(ends[other + 1] - ends[other])
    for place in range(len(lists)):
        for step in range(min(mine, its)):
            difference = int(lists[place, ends[one] + step]) - int(lists[place, ends[other] + step])
            if difference != 0:
                return difference
        if mine != its:
            return mine - its
    return 0
