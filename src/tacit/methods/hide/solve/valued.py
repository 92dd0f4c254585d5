"""Patterns that should stay frequent, laid out so that each item that may go walks those that hold it."""

from __future__ import annotations

import numpy as np

from tacit.arrays.groups import row_order, take_rows
from tacit.engine.kernels.keeping import Valued, Walks
from tacit.methods.hide.solve.patterns import Frequent
from tacit.mining.itemsets import Itemsets
from tacit.typing import Bools, Codes, Counts


def valued_patterns(kept: Itemsets, concerned: Codes, frequent: Frequent) -> Valued:
    """These patterns and the items concerned, which may go; walks are for those items."""
    owners = np.repeat(np.arange(len(kept), dtype=np.int32), kept.lengths)
    starts, codes, patterns, skips = [0], [], [], []
    for item in concerned:
        numbers = owners[kept.items == item]
        offsets, items = take_rows(kept.offsets, kept.items, numbers)
        others = items != item
        lengths = np.diff(offsets) - 1
        ends = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        # Sorted by their other items, a pattern comes right before those that extend it.
        order = row_order(ends, items[others])
        _, ordered = take_rows(ends, items[others], order)
        depths = lengths[order]
        codes.append(ordered[np.cumsum(depths) - 1])
        patterns.append(numbers[order])
        skips.append(starts[-1] + _next_not_deeper(depths))
        starts.append(starts[-1] + len(numbers))
    empty = np.zeros(0, dtype=np.int32)
    columns = np.full(len(kept.vocabulary), -1, dtype=np.int32)
    columns[concerned] = np.arange(len(concerned))
    walks = Walks(
        columns,
        np.array(starts, dtype=np.int64),
        np.concatenate([empty, *codes]).astype(np.int32),
        np.concatenate([empty, *patterns]).astype(np.int32),
        np.concatenate([empty, *skips]).astype(np.int64),
        np.arange(len(kept), len(kept) + len(concerned), dtype=np.int32),
    )
    supports = np.concatenate([kept.supports, frequent.item_supports[concerned]])
    return Valued(walks, supports.astype(np.int64) - frequent.least)


def shown(walks: Walks) -> Bools:
    """The items that walks look at, and those that they are of."""
    looked_at = walks.columns >= 0
    looked_at[walks.codes] = True
    return looked_at


def _next_not_deeper(depths: Counts) -> Counts:
    """For each node of a preorder the next that does not lie below it."""
    result = np.full(len(depths), len(depths), dtype=np.int64)
    waiting: list[int] = []
    for place, depth in enumerate(depths.tolist()):
        while waiting and depths[waiting[-1]] >= depth:
            result[waiting.pop()] = place
        waiting.append(place)
    return result
