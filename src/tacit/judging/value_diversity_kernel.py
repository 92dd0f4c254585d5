"""How many different values stand behind a set of items.

Each row is a set of items and carries one value. Somebody who knows some items of a row is left with
the values of all rows that hold them: the fewer, the more is known of the row's own value.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.engine.kernels.projection import count_following, first_items, grow
from tacit.typing import Bools, Bytes, Codes, Offsets

_POLL = 1 << 22
"""How many steps are made between two looks at the flag."""


@kernel
def fewest_values(
    indptr: Offsets, items: Codes, values: Codes, n_values: int, size: int, flag: Bytes
) -> tuple[int, Bools]:
    """The fewest values behind any set of up to ``size`` items that occurs, and the rows given away.

    A row is given away when some set of up to ``size`` of its items leaves a single value. Rows are
    ascending sets of items; the fewest is 0 where no row holds an item.
    """
    n_rows = len(indptr) - 1
    given_away = np.zeros(n_rows, dtype=np.bool_)
    fewest = 0
    n_items = 0
    for item in items:
        n_items = max(n_items, item + 1)
    ones = np.ones(n_rows, dtype=np.int64)
    stack, _, top = first_items(indptr, items, ones, n_items, 0, n_items)
    seen = np.full(n_values, -1, dtype=np.int64)
    following = np.zeros(size + 1, dtype=np.int64)
    stop = np.zeros(size + 1, dtype=np.int64)
    tops = np.zeros(size + 1, dtype=np.int64)
    stop[0] = n_items
    tops[0] = top
    depth = 0
    steps = 0
    visit = 0
    while depth >= 0:
        if following[depth] == stop[depth]:
            depth -= 1
            continue
        if steps > _POLL:
            steps = 0
            if flag[0]:
                break
        number = following[depth]
        following[depth] += 1
        start, end = stack.starts[number], stack.ends[number]
        if start == end:
            continue
        visit += 1
        different = 0
        all_given_away = True
        for entry in range(start, end):
            row = stack.rows[entry]
            if seen[values[row]] != visit:
                seen[values[row]] = visit
                different += 1
            all_given_away = all_given_away and given_away[row]
        steps += end - start
        fewest = different if fewest == 0 else min(fewest, different)
        if different == 1:
            for entry in range(start, end):
                given_away[stack.rows[entry]] = True
            continue  # larger sets leave the same value
        if depth + 1 == size or all_given_away:
            continue
        n_touched, walked = count_following(indptr, items, ones, stack, start, end)
        steps += walked
        stack, n_sets, top = grow(indptr, items, stack, start, end, n_touched, stop[depth], tops[depth], 1)
        following[depth + 1] = stop[depth]
        depth += 1
        stop[depth] = n_sets
        tops[depth] = top
    return fewest, given_away
