"""Which cells of transactions go so that marks stay within limits: the best of several tries.

A try gives up some of the patterns that the best one so far has lost, those lost by most first: what was
spent on them is then free for others.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tacit.arrays.csr import read_only
from tacit.arrays.interrupt import interruptible
from tacit.engine.kernels.keeping import Marks, cells_hit, held_patterns, take_out
from tacit.engine.sanitizing import Valued
from tacit.typing import Bools, Codes, Counts, Offsets

POWERS = (2, 1, 4)
"""How much dearer a pattern is the less slack it has; the first alone where nothing is lost."""
GIVEN_UP = ((1, 3), (2, 3), (1, 1))
"""Shares of the lost patterns that a try gives up."""
MOST_HELD = 4_000_000
"""Where cells are needed by patterns more often than this, a part of the patterns stands for all."""
MOST_LOOKED_AT = 200_000_000
"""About how often a try may look at a cell's need."""


def cells_to_go(indptr: Offsets, items: Codes, marks: Marks, limits: Counts, valued: Valued) -> Bools:
    """Which cells of these rows go, each of which some mark hits; of two as cheap that of the earlier row."""
    indptr, items = read_only(indptr), read_only(items)
    hit = cells_hit(indptr, items, marks)
    in_rows = np.bincount(hit.marks, minlength=len(limits))
    above = np.where(marks.causes == marks.victims, in_rows, in_rows // 2) - limits
    counted = np.ones(len(valued.slack), dtype=np.bool_)
    could_lose, held = interruptible(held_patterns, indptr, items, hit, valued.walks, counted, False)
    endangered = np.flatnonzero(could_lose > valued.slack)
    counted[:] = False
    counted[endangered[:: 1 + int(could_lose[endangered].sum()) // MOST_HELD]] = True
    _, held = interruptible(held_patterns, indptr, items, hit, valued.walks, counted, True)
    steps = int(np.clip(MOST_LOOKED_AT // (6 * max(1, len(held.holdings))), 3, 50))

    def tried(given_up: Bools, power: int) -> tuple[tuple[int, int], Bools, Counts]:
        gone, slack = interruptible(take_out, hit, held, above, valued.slack, given_up, power, steps)
        return (int((slack < 0).sum()), int(gone.sum())), gone, slack

    best = tried(np.zeros_like(counted), POWERS[0])
    for share, power in _tries():
        lost = np.flatnonzero(best[2] < 0)
        if not len(lost):
            break
        given_up = np.zeros_like(counted)
        by_depth = lost[np.argsort(best[2][lost], kind="stable")]
        given_up[by_depth[: -(-len(lost) * share[0] // share[1])]] = True
        best = min(best, tried(given_up, power), key=lambda one: one[0])
    removed = np.zeros(len(items), dtype=np.bool_)
    removed[hit.places[best[1]]] = True
    return removed


def _tries() -> Iterator[tuple[tuple[int, int], int]]:
    for power in POWERS:
        for share in GIVEN_UP:
            yield share, power
