"""Counting in rows held in memory: they are one block."""

from __future__ import annotations

from tacit.engine.counting import Count, Summed
from tacit.typing import Codes, Counts, Offsets


def summed_over(indptr: Offsets, items: Codes) -> Summed:
    """How counts are added up over these rows."""
    from tacit.arrays.interrupt import interruptible

    def summed(size: int, count: Count) -> Counts:
        return interruptible(count, indptr, items)

    return summed
