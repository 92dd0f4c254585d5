"""Deal rows out to numbered places, and number groups by what they hold."""

from __future__ import annotations

import numpy as np

from tacit.arrays.sorting import stable_order
from tacit.typing import Codes, Counts, Offsets


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
