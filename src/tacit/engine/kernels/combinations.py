"""Which combinations of items occur in some rows, but in too few of them.

All sets of up to a given size that occur are counted by prefix projection, the last two items of
each together in a small square table where that is less work; pairs alone need nothing else. A
combination that is already too rare is not extended: its supersets are rare for the same reason.
Where rows hold much of all there is, the rows with an item are bits: a few words tell that a set is common.

How many rows hold each pair of some codes, in one pass over the rows.
"""

from __future__ import annotations

from math import comb, prod

import numpy as np

from tacit.arrays.compiled import Flag, kernel, popcount
from tacit.arrays.csr import sort_codes
from tacit.arrays.groups import read_only
from tacit.engine.kernels.overlaps import PLANES, planes_of, weight_of_bits
from tacit.engine.kernels.sets import (
    NEXT,
    POLLED,
    Stack,
    count_following,
    first_items,
    forget,
    grow,
    take_set,
)
from tacit.typing import AnyArray, Bools, Bytes, Codes, Counts, Offsets, Words

_AT_ONCE = 1 << 24
"""How many places of smallest items are laid out at a time: 200 MB."""

_CELLS = 1 << 22
"""The largest table of pairs, in cells of four bytes."""

_SURELY = 4
"""How many times less work bits must be expected to be: where items differ in how common they are, it is
more."""


def rare_combinations(
    indptr: Offsets,
    items: Codes,
    weights: Counts,
    first: range,
    least: int,
    size: int,
    limit: int,
    flag: Bytes,
) -> tuple[Codes, int]:
    """The sets of up to ``size`` items whose weight is positive but below ``least``.

    Rows are ascending sets of items, each of positive weight. Only sets whose smallest item lies in
    ``first`` are looked at, smallest item by smallest item; once ``limit`` sets are found no further
    one is begun. A set is left out where its first few items are already rare by themselves.
    Returns the sets, one per line, ascending and filled up with -1, in lexicographic order, and the
    first item of ``first`` that was not looked at.
    """
    n_items = int(items.max()) + 1 if len(items) else 0
    if told_by_bits(len(indptr) - 1, len(items), n_items, least, size):
        return _rare_in_bits(indptr, items, weights, first, n_items, least, size, limit, flag)
    if size <= 2 and len(first) * n_items <= _CELLS:
        return _rare_in_table(indptr, items, weights, first, n_items, least, size, limit, flag)
    entries = np.bincount(items, minlength=first.stop)[: first.stop]
    found: list[Codes] = [np.empty((0, size), dtype=np.int32)]
    start, n_found = first.start, 0
    while start < first.stop and n_found < limit and not flag[0]:
        at_once = int(np.searchsorted(np.cumsum(entries[start:]), _AT_ONCE, side="right"))
        end = min(first.stop, start + max(1, at_once))
        stack, weight, levels = first_items(indptr, items, weights, start, end, size)
        room, prefix = np.empty((256, size), dtype=np.int32), np.empty(size, dtype=np.int32)
        sets, n_sets = _rare_combinations(
            indptr, items, weights, stack, weight, levels, prefix, room, least, limit - n_found, flag
        )
        found.append(sets[:n_sets])
        n_found += n_sets
        start += int(levels[NEXT, 0])
    sets = np.concatenate(found)
    return sets[np.lexsort(sets.T[::-1])], start


def told_by_bits(n_rows: int, n_entries: int, n_items: int, least: int, size: int) -> bool:
    """Whether all sets that there could be are fewer words than the sets of all rows, by far."""
    width = (n_rows + 63) // 64
    if size < 2 or not n_entries or n_items * width > PLANES:
        return False
    length = n_entries / n_rows
    of_rows = n_rows * prod(max(0.0, length - place) / (place + 1) for place in range(size))
    words = min(width, 1 + least / (64 * (length / n_items) ** size))  # until a set is seen to be common
    return _SURELY * (comb(n_items, size) * words + comb(n_items, size - 1) * width) < of_rows


def _rare_in_bits(
    indptr: Offsets, items: Codes, weights: Counts, first: range, n_items: int, least: int, size: int,
    limit: int, flag: Bytes,
) -> tuple[Codes, int]:  # fmt: skip
    """As :func:`rare_combinations`, with the rows of each item as bits."""
    width = (len(indptr) + 62) // 64
    planes, held = planes_of(indptr, items, n_items), np.full(size * width, ~np.uint64(0))
    prefix, room = np.empty(size, dtype=np.int32), np.empty((256, size), dtype=np.int32)
    prefix[0] = first.start - 1
    stop = min(first.stop, n_items)  # no row holds a later item
    found, n_found = _walk_bits(weights, width, stop, n_items, least, limit, planes, held, prefix, room, flag)
    sets = found[:n_found]
    done = first.stop if prefix[0] >= stop else int(prefix[0])
    return sets[np.lexsort(sets.T[::-1])], done


@kernel
def _walk_bits(
    weights: Counts, width: int, stop: int, n_items: int, least: int, limit: int, planes: Words, held: Words,
    prefix: Codes, found: Codes, flag: Bytes,
) -> tuple[Codes, int]:  # fmt: skip
    """The sets found, and how many they are; ``prefix[0]`` is the first item not looked at.

    ``planes`` has the rows of each item, ``held`` gets those of the first items of a set.
    """
    size = len(prefix)
    depth = n_found = 0
    while depth >= 0:
        prefix[depth] += 1
        item = prefix[depth]
        if item >= (stop if depth == 0 else n_items) or (depth == 0 and n_found >= limit):
            depth -= 1
            continue
        if flag[0]:
            break
        count = weight = 0
        above, own = depth * width, item * width
        for place in range(width):
            word = held[above + place] & planes[own + place]
            count += popcount(word)
            if depth + 1 < size:
                held[above + width + place] = word
            elif count >= least:
                break
        if count < least:
            for place in range(width):
                word = held[above + place] & planes[own + place]
                weight += weight_of_bits(word, weights, 64 * place, least)
            if 0 < weight < least:
                found, n_found = _report(found, n_found, prefix, depth + 1)
            if weight < least:
                continue
        if depth + 1 < size:
            depth += 1
            prefix[depth] = item
    return found, n_found


def _rare_in_table(
    indptr: Offsets, items: Codes, weights: Counts, first: range, n_items: int, least: int, size: int,
    limit: int, flag: Bytes,
) -> tuple[Codes, int]:  # fmt: skip
    """As :func:`rare_combinations`, of single items and pairs, all of which have a cell of their own."""
    cells = np.zeros((len(first), n_items), dtype=np.int32)
    given = read_only(indptr), read_only(items), read_only(weights)
    _pair_weights(*given, first.start, size == 2, cells, flag)
    rare = (cells > 0) & (cells < least)
    lines = np.arange(min(len(first), n_items - first.start))
    alone = lines[rare[lines, first.start + lines]]
    rare[alone] = False  # an item that is rare by itself is not extended
    rare[alone, first.start + alone] = True
    found_before = np.cumsum(np.concatenate(([0], rare.sum(axis=1))))[:-1]
    done = int(np.searchsorted(found_before, limit))
    one, other = np.nonzero(rare[:done])
    one += first.start
    sets = np.column_stack((one, np.where(one == other, -1, other)))[:, :size]
    return sets.astype(np.int32), first.start + done


@kernel
def _pair_weights(
    indptr: Offsets, items: Codes, weights: Counts, first: int, pairs: bool, cells: AnyArray, flag: Bytes
) -> None:
    """Add up the weights of the items from ``first`` on, line by line, and of their pairs with later ones."""
    for row in range(len(indptr) - 1):
        if flag[0]:
            break
        weight, end = weights[row], indptr[row + 1]
        for place in range(indptr[row], end):
            line = items[place] - first
            if line >= len(cells):
                break
            if line >= 0:
                for other in range(place, end if pairs else place + 1):
                    cells[line, items[other]] += weight


@kernel
def next_whole(sets: Codes, present: Bools, start: int) -> int:
    """The first line of ``sets`` from ``start`` on whose items are all present; ``len(sets)`` if none is."""
    for line in range(start, len(sets)):
        whole = True
        for item in sets[line]:
            if item >= 0 and not present[item]:
                whole = False
                break
        if whole:
            return line
    return len(sets)


@kernel
def _rare_combinations(
    indptr: Offsets, items: Codes, weights: Counts, stack: Stack, first_weight: Counts, levels: Counts,
    prefix: Codes, found: Codes, least: int, limit: int, flag: Bytes,
) -> tuple[Codes, int]:  # fmt: skip
    """The sets found, and how many they are; ``levels[NEXT, 0]`` is the first item not looked at."""
    size = len(prefix)
    cells = np.zeros(1, dtype=np.int32)
    depth = n_found = 0
    while True:
        depth, number = take_set(levels, depth, flag)
        if depth < 0:
            break
        if depth == 0 and n_found >= limit:
            levels[NEXT, 0] = number
            break
        prefix[depth] = stack.items[number]
        if depth == 0 and first_weight[number] < least:
            if first_weight[number] > 0:
                found, n_found = _report(found, n_found, prefix, 1)
            continue
        if depth + 1 == size:
            continue
        start, end = stack.starts[number], stack.ends[number]
        n_touched, walked = count_following(indptr, items, weights, stack, start, end)
        for index in range(n_touched):
            if stack.weight[stack.touched[index]] < least:
                prefix[depth + 1] = stack.touched[index]
                found, n_found = _report(found, n_found, prefix, depth + 2)
        if depth + 2 == size:
            forget(stack, n_touched)
            continue
        n_cells = n_touched * n_touched
        if depth + 3 == size and n_cells <= _CELLS and n_cells <= 4 * walked * walked // (end - start):
            if n_cells > len(cells):
                cells = np.zeros(n_cells, dtype=np.int32)
            found, n_found = _rare_pairs(
                indptr, items, weights, stack, start, end, n_touched, least, prefix, depth + 1, found,
                n_found, cells,
            )  # fmt: skip
            continue
        stack = grow(indptr, items, stack, start, end, n_touched, levels, depth, least)
        depth += 1
    return found, n_found


@kernel
def _rare_pairs(
    indptr: Offsets, items: Codes, weights: Counts, stack: Stack, start: int, end: int, n_touched: int,
    least: int, prefix: Codes, length: int, found: Codes, n_found: int, cells: AnyArray,
) -> tuple[Codes, int]:  # fmt: skip
    """Report the prefix with every pair of following items that makes it rare, and clear the counts.

    Pairs whose first item is rare with the prefix already are left out.
    """
    touched = stack.touched[:n_touched].copy()
    sort_codes(touched, 0, n_touched)
    extends = np.empty(n_touched, dtype=np.bool_)
    for number in range(n_touched):
        item = touched[number]
        extends[number] = stack.weight[item] >= least
        stack.met[item] = number
        stack.weight[item] = 0
    here = np.empty(n_touched, dtype=np.int64)
    for entry in range(start, end):
        row = stack.rows[entry]
        n_here = indptr[row + 1] - stack.places[entry] - 1
        for place in range(n_here):
            here[place] = stack.met[items[stack.places[entry] + 1 + place]]
        for one in range(n_here):
            line = here[one] * n_touched
            if extends[here[one]]:
                for other in range(one + 1, n_here):
                    cells[line + here[other]] += weights[row]
    for one in range(n_touched):
        if extends[one]:
            for other in range(one + 1, n_touched):
                count = cells[one * n_touched + other]
                if 0 < count < least:
                    prefix[length] = touched[one]
                    prefix[length + 1] = touched[other]
                    found, n_found = _report(found, n_found, prefix, length + 2)
                cells[one * n_touched + other] = 0
        stack.met[touched[one]] = 0
    return found, n_found


@kernel
def _report(found: Codes, n_found: int, prefix: Codes, length: int) -> tuple[Codes, int]:
    """Append the first ``length`` items of the prefix; the array grows as it must."""
    if n_found == len(found):
        larger = np.empty((2 * n_found, found.shape[1]), dtype=np.int32)
        for line in range(n_found):
            for place in range(found.shape[1]):
                larger[line, place] = found[line, place]
        found = larger
    for place in range(found.shape[1]):
        found[n_found, place] = prefix[place] if place < length else -1
    return found, n_found + 1


@kernel
def pair_counts(indptr: Offsets, items: Codes, places: Codes, n_places: int, flag: Flag) -> Counts:
    """The counts of the pairs a < b among the codes that have a place, as the upper half of a matrix.

    ``places[code]`` is the code's place, -1 for codes that are left out.
    """
    counts = np.zeros((n_places, n_places), dtype=np.int64)
    inside = np.empty(len(places), dtype=np.int32)
    for row in range(len(indptr) - 1):
        if row % POLLED == 0 and flag[0]:
            break
        size = 0
        for at in range(indptr[row], indptr[row + 1]):
            place = places[items[at]]
            if place >= 0:
                inside[size] = place
                size += 1
        for left in range(size):
            for right in range(left + 1, size):
                one, other = inside[left], inside[right]
                if one < other:
                    counts[one, other] += 1
                else:
                    counts[other, one] += 1
    return counts
