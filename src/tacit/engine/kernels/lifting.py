"""The cheapest way up a tree that makes a rare set of nodes common enough.

A set of nodes is contained in a row when the row has an item below each of them (see
``item_ranges``). Nodes further up are contained in more rows, and cost more.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.arrays.sorting import sort_by, sort_codes
from tacit.engine.kernels.item_ranges import IndexedRows, weight_in_ranges
from tacit.typing import Codes, Counts


@kernel
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
    heights = np.empty(len(nodes), dtype=np.int64)
    choices = 1
    for i in range(len(nodes)):
        heights[i] = 1
        node = nodes[i]
        while parents[node] >= 0:
            node = parents[node]
            heights[i] += 1
        choices = min(choices * heights[i], most + 1)
    chosen = nodes.copy()
    if choices > most:
        return _step_by_step(data, parents, ranges, prices, chosen, least)
    price = np.empty(choices, dtype=np.int64)
    for choice in range(choices):
        _choose(parents, nodes, heights, choice, chosen)
        price[choice] = 0
        for node in uncovered(ranges, chosen):
            price[choice] += prices[node]
    cheapest_first = np.empty(choices, dtype=np.int64)
    for number in range(choices):
        cheapest_first[number] = number
    sort_by(price, cheapest_first)
    for number in range(choices):
        _choose(parents, nodes, heights, cheapest_first[number], chosen)
        kept = uncovered(ranges, chosen)
        if weight_in_ranges(data, ranges, kept, least) >= least:
            return kept
    return np.full(1, len(parents) - 1, dtype=np.int32)


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


@kernel
def _step_by_step(
    data: IndexedRows, parents: Codes, ranges: Codes, prices: Counts, nodes: Codes, least: int
) -> Codes:
    while True:
        kept = uncovered(ranges, nodes)
        if weight_in_ranges(data, ranges, kept, least) >= least or parents[kept[0]] < 0:
            return kept
        climber = 0
        for i in range(len(kept)):
            if prices[parents[kept[i]]] < prices[parents[kept[climber]]]:
                climber = i
        nodes = kept.copy()
        nodes[climber] = parents[kept[climber]]


@kernel
def _choose(parents: Codes, nodes: Codes, heights: Counts, choice: int, chosen: Codes) -> None:
    """The choice-th way to take one ancestor-or-self of each node, written to ``chosen``."""
    for i in range(len(nodes)):
        node = nodes[i]
        for _ in range(choice % heights[i]):
            node = parents[node]
        choice //= heights[i]
        chosen[i] = node
