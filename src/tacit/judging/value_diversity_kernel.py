"""How many different values stand behind a set of items.

Each row is a set of items and carries one value. Somebody who knows some items of a row is left with
the values of all rows that hold them: the fewer, the more is known of the row's own value.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.engine.kernels.projection import NEXT, STOP, TOP, Stack, count_following, first_items, grow
from tacit.typing import Bools, Bytes, Codes, Counts, Offsets

_POLL = 1 << 22
"""How many steps are made between two looks at the flag."""


def fewest_values(
    indptr: Offsets, items: Codes, values: Codes, n_values: int, size: int, flag: Bytes
) -> tuple[int, Bools]:
    """The fewest values behind any set of up to ``size`` items that occurs, and the rows given away.

    A row is given away when some set of up to ``size`` of its items leaves a single value. Rows are
    ascending sets of items; the fewest is 0 where no row holds an item.
    """
    n_rows, n_items = len(indptr) - 1, int(items.max(initial=-1)) + 1
    given_away, ones = np.zeros(n_rows, dtype=np.bool_), np.ones(n_rows, dtype=np.int64)
    stack, _, levels = first_items(indptr, items, ones, 0, n_items, size)
    seen = np.full(n_values, -1, dtype=np.int64)
    return _fewest_values(indptr, items, values, ones, stack, levels, seen, given_away, flag), given_away


@kernel
def _fewest_values(
    indptr: Offsets, items: Codes, values: Codes, ones: Counts, stack: Stack, levels: Counts, seen: Counts,
    given_away: Bools, flag: Bytes,
) -> int:  # fmt: skip
    size = levels.shape[1] - 1
    depth = steps = visit = fewest = 0
    while depth >= 0:
        if levels[NEXT, depth] == levels[STOP, depth]:
            depth -= 1
            continue
        if steps > _POLL:
            steps = 0
            if flag[0]:
                break
        number = levels[NEXT, depth]
        levels[NEXT, depth] += 1
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
        stack, n_sets, top = grow(
            indptr, items, stack, start, end, n_touched, levels[STOP, depth], levels[TOP, depth], 1
        )
        levels[NEXT, depth + 1] = levels[STOP, depth]
        depth += 1
        levels[STOP, depth], levels[TOP, depth] = n_sets, top
    return fewest
