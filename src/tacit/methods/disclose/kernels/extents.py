"""Sets of rows in CSR form: which rows match a conjunction, hashed, compared and transposed."""

from __future__ import annotations

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.typing import Codes, Counts, Floats, Offsets, Words


@kernel
def matching(
    codes: Codes, postings: Offsets, rows: Codes, starts: Codes, wanted: Codes
) -> tuple[Offsets, Codes]:
    """For each line of ``wanted`` (a code per column, -1 for any), the rows that match it.

    The rows with code v in column c are ``rows[postings[starts[c] + v] : postings[starts[c] + v + 1]]``,
    ascending; the shortest such list is filtered by the other columns. A line that asks for nothing
    matches every row.
    """
    n_columns = codes.shape[1]
    offsets = np.zeros(len(wanted) + 1, np.int64)
    found = np.empty(1024, np.int32)
    filled = 0
    for line in range(len(wanted)):
        best = -1
        for column in range(n_columns):
            if wanted[line, column] >= 0:
                place = starts[column] + wanted[line, column]
                if best < 0 or postings[place + 1] - postings[place] < postings[best + 1] - postings[best]:
                    best = place
        low = 0 if best < 0 else postings[best]
        high = len(codes) if best < 0 else postings[best + 1]
        if filled + high - low > len(found):
            larger = np.empty(2 * (filled + high - low), np.int32)
            larger[:filled] = found[:filled]
            found = larger
        for place in range(low, high):
            row = place if best < 0 else rows[place]
            whole = True
            for column in range(n_columns):
                if wanted[line, column] >= 0 and codes[row, column] != wanted[line, column]:
                    whole = False
                    break
            if whole:
                found[filled] = row
                filled += 1
        offsets[line + 1] = filled
    return offsets, found[:filled].copy()


@kernel
def transpose(offsets: Offsets, members: Codes, n_members: int) -> tuple[Offsets, Codes]:
    """For each member, the lists it is in, ascending."""
    turned = np.zeros(n_members + 1, np.int64)
    for member in members:
        turned[member + 1] += 1
    for member in range(n_members):
        turned[member + 1] += turned[member]
    lists = np.empty(len(members), np.int32)
    filled = turned[:-1].copy()
    for line in range(len(offsets) - 1):
        for place in range(offsets[line], offsets[line + 1]):
            member = members[place]
            lists[filled[member]] = line
            filled[member] += 1
    return turned, lists


@kernel
def signatures(offsets: Offsets, members: Codes, marks: Words) -> Words:
    """The sums of the marks of each list's members: equal for equal lists, and hardly for others."""
    sums = np.zeros((len(offsets) - 1, marks.shape[1]), np.uint64)
    for line in range(len(offsets) - 1):
        for place in range(offsets[line], offsets[line + 1]):
            for column in range(marks.shape[1]):
                sums[line, column] += marks[members[place], column]
    return sums


@kernel
def sums_over(offsets: Offsets, members: Codes, weights: Floats) -> Floats:
    """The sum of the weights of each list's members."""
    sums = np.zeros(len(offsets) - 1)
    for line in range(len(offsets) - 1):
        total = 0.0
        for place in range(offsets[line], offsets[line + 1]):
            total += weights[members[place]]
        sums[line] = total
    return sums


@kernel
def contained_pairs(
    offsets: Offsets, members: Codes, kinds: Codes, inner: Floats, outer: Floats, n_members: int
) -> Counts:
    """Pairs (i, j) of lists of one kind with ``inner[i] == outer[j]`` and list i a proper part of list j."""
    turned, lists = transpose(offsets, members, n_members)
    pairs = np.empty((256, 2), np.int64)
    filled = 0
    for line in range(len(offsets) - 1):
        low, high = offsets[line], offsets[line + 1]
        if low == high:
            continue
        first = members[low]
        for place in range(turned[first], turned[first + 1]):
            other = lists[place]
            size = offsets[other + 1] - offsets[other]
            if kinds[other] != kinds[line] or outer[other] != inner[line] or size <= high - low:
                continue
            at = offsets[other]
            inside = True
            for own in range(low, high):
                while at < offsets[other + 1] and members[at] < members[own]:
                    at += 1
                if at == offsets[other + 1] or members[at] != members[own]:
                    inside = False
                    break
            if inside:
                if filled == len(pairs):
                    larger = np.empty((2 * filled, 2), np.int64)
                    larger[:filled] = pairs
                    pairs = larger
                pairs[filled, 0], pairs[filled, 1] = line, other
                filled += 1
    return pairs[:filled].copy()
