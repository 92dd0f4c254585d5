"""What taking one code out of the rows that hold a pair would cost a list of patterns.

Patterns are sets of codes with their supports. Taking the victim j out of a share of the rows that hold
{i, j} takes rows from every pattern that holds j: of the pattern Q that share of the rows of Q ∪ {i}.
The harm to Q is how much of its slack, the rows it has above the least support, this uses up, at most 1;
harm adds up over pairs until it reaches 1. These are estimates from supports alone, made without a look
at the rows; they steer a choice of what to keep and decide nothing about what is hidden.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.compiled import Flag, kernel
from tacit.arrays.groups import inverted
from tacit.engine.kernels.keeping import Walks
from tacit.engine.kernels.sets import POLLED
from tacit.typing import Bools, Codes, Counts, Floats, Offsets, Words

_MIX = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_30, _27, _31 = np.uint64(30), np.uint64(27), np.uint64(31)


class Patterns(NamedTuple):
    """Patterns in CSR form with supports, an index from code to pattern, and a table from hash to pattern."""

    offsets: Offsets
    codes: Codes
    supports: Counts
    counted: Bools  # the patterns whose loss counts
    starts: Offsets
    holders: Codes
    hashes: Words
    slots: Codes


def index_patterns(
    offsets: Offsets, codes: Codes, supports: Counts, counted: Bools, victims: Bools
) -> Patterns:
    """Prepare patterns for :func:`harm`; only these codes will be victims, and have an index."""
    taken = victims[codes]  # of the others the index would be as large as all patterns
    inside = np.add.reduceat(taken, offsets[:-1], dtype=np.int64)
    starts, holders = inverted(np.concatenate(([0], np.cumsum(inside))), codes[taken], len(victims))
    hashes, slots = _table(offsets, codes)
    return Patterns(offsets, codes, supports, counted, starts, holders, hashes, slots)


@kernel
def harm(
    patterns: Patterns, cause: int, victim: int, share: float, least: int, supports: Counts, spent: Floats
) -> tuple[float, Floats]:
    """The harm of one choice on top of what is ``spent``, and what would be spent then, along its holders.

    ``share`` is the share of the rows of {cause, victim} that lose the victim, ``supports`` are those of
    the codes alone.
    """
    first, end = patterns.starts[victim], patterns.starts[victim + 1]
    after = np.empty(end - first, dtype=np.float64)
    total = 0.0
    for place in range(first, end):
        pattern = patterns.holders[place]
        before = spent[pattern]
        after[place - first] = before
        if not patterns.counted[pattern]:
            continue
        support = patterns.supports[pattern]
        if _holds(patterns, pattern, cause):
            used = 1.0  # it holds the pair itself, which will not be frequent
        else:
            wider = _find(patterns, pattern, cause)
            # Rarer than the least support is all that is known: as if the cause fell where it may.
            rows = (
                float(wider) if wider >= 0 else min(least - 1.0, support * supports[cause] / supports[victim])
            )
            used = share * rows / (support - least + 1)
        after[place - first] = min(1.0, before + used)
        total += after[place - first] - before
    return total, after


@kernel
def walk_cells(
    indptr: Offsets, items: Codes, rows: Counts, cells: Counts, costs: Counts, walks: Walks, present: Counts,
    flag: Flag,
) -> tuple[Counts, Counts]:  # fmt: skip
    """What each of the cells ``cells[r]`` costs ``rows[r]``, and how often their walks come to each node.

    After the nodes, ``costs`` has that of each code by itself. ``present`` holds -1 for every code.
    """
    totals = np.zeros(cells.shape, dtype=np.int64)
    visits = np.zeros(len(costs), dtype=np.int64)
    for number in range(len(rows)):
        if number % POLLED == 0 and flag[0]:
            break
        for at in range(indptr[rows[number]], indptr[rows[number] + 1]):
            present[items[at]] = number
        for place in range(cells.shape[1]):
            column = walks.columns[items[cells[number, place]]]
            totals[number, place] = costs[len(walks.codes) + column]
            visits[len(walks.codes) + column] += 1
            node = walks.starts[column]
            while node < walks.starts[column + 1]:
                if present[walks.codes[node]] == number:
                    totals[number, place] += costs[node]
                    visits[node] += 1
                    node += 1
                else:
                    node = walks.skips[node]
    return totals, visits


@kernel
def _holds(patterns: Patterns, pattern: int, code: int) -> bool:
    for at in range(patterns.offsets[pattern], patterns.offsets[pattern + 1]):
        if patterns.codes[at] == code:
            return True
    return False


@kernel
def _find(patterns: Patterns, pattern: int, code: int) -> int:
    """The support of the pattern with one more code, or -1 where it is not listed."""
    wanted = patterns.hashes[pattern] + _word(code)
    slot = np.int64(wanted & np.uint64(len(patterns.slots) - 1))
    while patterns.slots[slot] >= 0:
        if patterns.hashes[patterns.slots[slot]] == wanted:
            return int(patterns.supports[patterns.slots[slot]])
        slot = (slot + 1) & (len(patterns.slots) - 1)
    return -1


@kernel
def _table(offsets: Offsets, codes: Codes) -> tuple[Words, Codes]:
    n = len(offsets) - 1
    size = 16
    while size < 2 * n:
        size *= 2
    slots = np.full(size, -1, dtype=np.int32)
    hashes = np.zeros(n, dtype=np.uint64)
    for pattern in range(n):
        total = np.uint64(0)
        for at in range(offsets[pattern], offsets[pattern + 1]):
            total += _word(codes[at])
        hashes[pattern] = total
        slot = np.int64(total & np.uint64(size - 1))
        while slots[slot] >= 0:
            slot = (slot + 1) & (size - 1)
        slots[slot] = pattern
    return hashes, slots


@kernel
def _word(code: int) -> np.uint64:
    """A scrambled word for a code, so that the sum over a set tells sets apart."""
    word = np.uint64(code + 1) * _MIX
    word = (word ^ (word >> _30)) * _FIRST
    word = (word ^ (word >> _27)) * _SECOND
    return word ^ (word >> _31)
