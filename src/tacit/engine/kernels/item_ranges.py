"""How many rows hold an item out of each of several ranges of items.

Where items are numbered along the leaves of a tree, a node of the tree is a range of items, and a
row contains a set of nodes when it has an item in each of their ranges. Only one index of the rows
by item is kept, whatever the depth of the tree: the entries of a range of items lie side by side
in it, so the rarest range is walked and the others are looked up in the rows that are met.
"""

from __future__ import annotations

from math import prod
from typing import NamedTuple

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.arrays.csr import sort_codes
from tacit.arrays.groups import stable_order
from tacit.typing import Bools, Codes, Counts, Offsets


class IndexedRows(NamedTuple):
    """Weighted rows in compressed sparse row form, and where each item is found in them."""

    indptr: Offsets
    items: Codes
    weights: Counts
    starts: Offsets
    """The entries of item ``i`` are ``[starts[i], starts[i + 1])``."""
    rows: Codes
    """The row of each entry."""
    places: Offsets
    """The place of each entry among ``items``."""


def indexed(indptr: Offsets, items: Codes, weights: Counts, n_items: int) -> IndexedRows:
    """The rows, whose items are ascending and distinct, with their index by item."""
    places = stable_order(items)
    starts = np.concatenate(([0], np.cumsum(np.bincount(items, minlength=n_items))))
    rows = np.repeat(np.arange(len(indptr) - 1, dtype=np.int32), np.diff(indptr))[places]
    return IndexedRows(indptr, items, weights, starts, rows, places)


def rows_in_ranges(data: IndexedRows, lows: Codes, highs: Codes) -> Codes:
    """The rows with an item in at least one range ``[lows[i], highs[i])``, each once, ascending."""
    inside = np.zeros(len(data.weights), dtype=np.bool_)
    for first, end in zip(data.starts[lows].tolist(), data.starts[highs].tolist(), strict=True):
        inside[data.rows[first:end]] = True
    return np.flatnonzero(inside).astype(np.int32)


@kernel
def weight_in_ranges(data: IndexedRows, ranges: Codes, members: Codes, cap: int) -> int:
    """The weight of the rows with an item in the range of every member, but ``cap`` at most.

    The range of member ``u`` is ``[ranges[u, 0], ranges[u, 1])``; members may be filled up with -1.
    """
    walked, fewest = -1, 0
    for member in members:
        if member < 0:
            break
        entries = data.starts[ranges[member, 1]] - data.starts[ranges[member, 0]]
        if walked < 0 or entries < fewest:
            walked, fewest = member, entries
    low = ranges[walked, 0]
    weight = 0
    for entry in range(data.starts[low], data.starts[low] + fewest):
        row, place = data.rows[entry], data.places[entry]
        if place != data.indptr[row] and data.items[place - 1] >= low:
            continue
        inside = True
        for member in members:
            if member < 0:
                break
            if member != walked and not _holds(data, row, ranges[member, 0], ranges[member, 1]):
                inside = False
                break
        if inside:
            weight += data.weights[row]
            if weight >= cap:
                return cap
    return weight


def below_rarest(items: Codes, ranges: Codes, sets: Codes) -> Bools:
    """Which of the items lie in the range of that member of a set which has the fewest of them."""
    n_items = int(ranges.max())
    ends = np.concatenate(([0], np.cumsum(np.bincount(items, minlength=n_items))))
    entries = np.append(ends[ranges[:, 1]] - ends[ranges[:, 0]], len(items) + 1)  # the last is for -1
    lows, highs = ranges[sets[np.arange(len(sets)), entries[sets].argmin(axis=1)]].T
    begun, ended = (np.bincount(borders, minlength=n_items + 1) for borders in (lows, highs))
    inside: Bools = (np.cumsum(begun - ended) > 0)[items]
    return inside


def rows_with_sets(data: IndexedRows, ranges: Codes, sets: Codes, most: int | None = None) -> Codes:
    """The rows, ascending, that hold one of the sets: an item in the range of each of its members.

    ``ranges[u]`` is the range of member ``u``; the sets are lines filled up with -1. Of rows that weigh more
    than ``most`` together only some are found, which weigh more.
    """
    inside = np.zeros(len(data.weights), dtype=np.bool_)
    _mark_rows(data, ranges, sets, inside, np.iinfo(np.int64).max if most is None else most)
    return np.flatnonzero(inside).astype(np.int32)


@kernel
def _mark_rows(data: IndexedRows, ranges: Codes, sets: Codes, inside: Bools, most: int) -> None:
    weight = 0
    for line in range(len(sets)):
        if weight > most:
            break
        walked = sets[line, 0]
        for member in sets[line]:
            if member < 0:
                break
            entries = data.starts[ranges[member, 1]] - data.starts[ranges[member, 0]]
            if entries < data.starts[ranges[walked, 1]] - data.starts[ranges[walked, 0]]:
                walked = member
        for entry in range(data.starts[ranges[walked, 0]], data.starts[ranges[walked, 1]]):
            row = data.rows[entry]
            holds = not inside[row]
            for member in sets[line]:
                if member < 0 or not holds:
                    break
                holds = _holds(data, row, ranges[member, 0], ranges[member, 1])
            if holds:
                inside[row] = True
                weight += data.weights[row]


@kernel
def _holds(data: IndexedRows, row: int, low: int, high: int) -> bool:
    """Whether a row has an item in ``[low, high)``."""
    first, last = data.indptr[row], data.indptr[row + 1]
    end = last
    while first < last:
        middle = (first + last) // 2
        if data.items[middle] < low:
            first = middle + 1
        else:
            last = middle
    return bool(first < end and data.items[first] < high)


def cheapest_lift(
    data: IndexedRows, parents: Codes, ranges: Codes, prices: Counts, nodes: Codes, least: int, most: int
) -> Codes:
    """The cheapest ancestors-or-selves of some nodes that together reach the weight ``least``.

    ``ranges[u]`` are the items below node ``u`` and ``prices[u]`` what it costs to climb to it.
    Every choice of one ancestor-or-self per node is weighed, cheapest first; where there are more
    than ``most`` such choices, the node whose next step is cheapest climbs until the weight is
    reached. Returns the chosen nodes, without those that lie below another of them; the root alone
    when nothing below it reaches the weight.
    """
    paths = [_path(parents, node) for node in nodes.tolist()]
    heights = [len(path) for path in paths]
    choices = prod(heights)
    if choices > most:
        return _step_by_step(data, parents, ranges, prices, nodes, least)
    sets = np.empty((choices, len(nodes)), dtype=np.int32)
    ways = np.unravel_index(np.arange(choices), heights, order="F")  # the first node climbs first
    for place, (path, way) in enumerate(zip(paths, ways, strict=True)):
        sets[:, place] = np.array(path)[way]
    if len(nodes) > 1:
        sets[_covered(ranges, sets)] = -1
    price = np.where(sets < 0, 0, prices[sets]).sum(axis=1)
    sets = -np.sort(-sets, axis=1)  # what is left out goes to the end
    chosen = first_heavy(data, ranges, sets, np.argsort(price, kind="stable"), least)
    return sets[chosen][sets[chosen] >= 0] if chosen >= 0 else np.array([len(parents) - 1], dtype=np.int32)


def _path(parents: Codes, node: int) -> list[int]:
    """A node and what is above it."""
    path = [node]
    while (node := int(parents[node])) >= 0:
        path.append(node)
    return path


def _covered(ranges: Codes, sets: Codes) -> Bools:
    """Which members of each set lie below another one of it, or repeat an earlier one."""
    low, high = ranges[sets, 0], ranges[sets, 1]
    covered = np.zeros(sets.shape, dtype=np.bool_)
    for one in range(sets.shape[1]):
        for other in range(sets.shape[1]):
            if one != other:
                inside = (low[:, other] <= low[:, one]) & (high[:, one] <= high[:, other])
                covered[:, one] |= inside if other < one else inside & (sets[:, one] != sets[:, other])
    return covered


@kernel
def first_heavy(data: IndexedRows, ranges: Codes, sets: Codes, order: Counts, least: int) -> int:
    """The first of the sets, in this order, that has the weight ``least``; -1 where none has."""
    for number in order:
        if weight_in_ranges(data, ranges, sets[number], least) >= least:
            return int(number)
    return -1


@kernel
def highest_rare(
    data: IndexedRows, parents: Codes, ranges: Codes, nodes: Codes, least: int, start: int
) -> Codes:
    """Ancestors-or-selves of some nodes, as high as they can be while their weight stays below ``least``.

    The nodes climb in turn, beginning with the ``start``-th: each as far as it can before the next
    one moves. A node that comes to cover another takes its place. Ascending.
    """
    chosen = nodes.copy()
    member = start % len(nodes)
    for _ in range(len(nodes)):
        if member < len(chosen):
            node = chosen[member]
            while parents[node] >= 0:
                tried = chosen.copy()
                tried[member] = parents[node]
                kept = uncovered(ranges, tried)
                if weight_in_ranges(data, ranges, kept, least) >= least:
                    break
                node = parents[node]
                chosen = kept
                member = 0
                while chosen[member] != node:
                    member += 1
        member = (member + 1) % len(chosen)
    sort_codes(chosen, 0, len(chosen))
    return chosen


@kernel
def uncovered(ranges: Codes, nodes: Codes) -> Codes:
    """The nodes without repeats and without those below another of them."""
    kept = np.empty(len(nodes), dtype=np.int32)
    n_kept = 0
    for i in range(len(nodes)):
        covered = False
        for j in range(len(nodes)):
            inside = ranges[nodes[j], 0] <= ranges[nodes[i], 0] and ranges[nodes[i], 1] <= ranges[nodes[j], 1]
            if i != j and inside and (nodes[i] != nodes[j] or j < i):
                covered = True
        if not covered:
            kept[n_kept] = nodes[i]
            n_kept += 1
    return kept[:n_kept]


def _step_by_step(
    data: IndexedRows, parents: Codes, ranges: Codes, prices: Counts, nodes: Codes, least: int
) -> Codes:
    alone = np.zeros(1, dtype=np.int64)
    while True:
        kept: Codes = nodes[~_covered(ranges, nodes[None])[0]]
        if parents[kept[0]] < 0 or first_heavy(data, ranges, kept[None], alone, least) == 0:
            return kept
        climber = int(np.argmin(prices[parents[kept]]))
        nodes = kept.copy()
        nodes[climber] = parents[kept[climber]]
