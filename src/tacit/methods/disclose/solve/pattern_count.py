"""How many patterns Q ⇒ x a table has: what a reader would have to think of without pruning."""

from __future__ import annotations

import numpy as np

from tacit.methods.disclose.solve.population import Population

MOST_STEPS = 200_000_000
"""Above so many (set of attributes, combination) pairs the patterns are not counted."""


def count_patterns(population: Population) -> int | None:
    """The conjunctions over some attributes that occur, times the sensitive values; None for too many."""
    levels = population.levels
    if (len(population) << len(levels)) > MOST_STEPS:
        return None
    total = 0
    stack = [(np.zeros(len(population), dtype=np.int64), np.arange(len(population)), 0)]
    while stack:
        groups, rows, begin = stack.pop()
        for place in range(begin, len(levels)):
            number, node_of = levels[place]
            nodes = node_of[population.codes[rows, number]]
            inside = nodes >= 0
            n_nodes = population.attributes[number].n_nodes
            keys = groups[inside] * n_nodes + nodes[inside]
            distinct, numbers = np.unique(keys, return_inverse=True)
            total += len(distinct)
            after = place + 1
            while after < len(levels) and levels[after][0] == number:
                after += 1
            if after < len(levels):
                stack.append((numbers, rows[inside], after))
    return total * population.n_values
