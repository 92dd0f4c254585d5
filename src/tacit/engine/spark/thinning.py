"""The last of the transactions on Spark that lose an item: found by counting, without sorting them.

The transactions that hold a set lose an item in an order: by length, then as drawn. How many have each length
and each beginning of the drawn word says where the last one lies; only its like are looked at one by one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tacit.engine.spark.blocks import Blocks, Rows
from tacit.engine.spark.removal import Content, Holders, Removal, go_through
from tacit.typing import AnyArray, Counts

BITS = 10
"""Words are counted by so many of their first bits."""
_REST = np.uint64(64 - BITS)
_WORDS = ("draw", "one", "two")


def last_going(
    blocks: Blocks, content: Content, removed: Removal, holders: Holders, *, keep: int
) -> tuple[int, ...] | None:
    """The place in the order of the last transaction to lose an item so that ``keep`` are left.

    None where no more than that hold the set.
    """
    from pyspark.sql import functions

    def find(rows: Rows) -> tuple[AnyArray, ...]:
        known = content.of(rows)
        return holders.find(known, go_through(removed, known))[1]

    def count(rows: Rows) -> dict[str, Any]:
        lengths, words, *_ = find(rows)
        cells = np.column_stack([lengths, (words >> _REST).astype(np.int64)])
        found, numbers = np.unique(cells, axis=0, return_counts=True)
        return {"length": found[:, 0].copy(), "first": found[:, 1].copy(), "n": numbers}

    counted = blocks.mapped(count, "length bigint, first bigint, n bigint")
    cells = counted.groupBy("length", "first").agg(functions.sum("n").alias("n")).toArrow()
    lengths, firsts, numbers = (np.asarray(cells.column(name)) for name in ("length", "first", "n"))
    going = int(numbers.sum()) - keep
    if going <= 0:
        return None
    order = np.lexsort((firsts, lengths))
    upto = np.cumsum(numbers[order])
    cell = int(np.searchsorted(upto, going))
    length, first = int(lengths[order[cell]]), int(firsts[order[cell]])
    place = going - (int(upto[cell - 1]) if cell else 0) - 1

    def alike(rows: Rows) -> dict[str, Any]:
        lengths, *words, ranks = find(rows)
        chosen = (lengths == length) & ((words[0] >> _REST) == np.uint64(first))
        return {
            **{name: word[chosen].view(np.int64) for name, word in zip(_WORDS, words, strict=True)},
            "rank": ranks[chosen],
        }

    found = blocks.mapped(alike, "draw bigint, one bigint, two bigint, rank bigint").toArrow()
    words = [_unsigned(found.column(name)) for name in _WORDS]
    ranks: Counts = np.asarray(found.column("rank"))
    row = np.lexsort((ranks, *words[::-1]))[place]
    return (length, *(int(word[row]) for word in words), int(ranks[row]))


def _unsigned(column: Any) -> AnyArray:
    return np.asarray(column).view(np.uint64)
