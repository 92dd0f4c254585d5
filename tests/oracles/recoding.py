"""Recoded tables by their definitions: every state of a lattice, every partition of a few rows."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product

from tests.oracles import trees

Row = tuple[str, ...]
Tree = Mapping[str, str]
Keeps = Callable[[Sequence[int]], bool]
"""Whether the rows of these numbers may be a class."""


def root(tree: Tree) -> str:
    return next(parent for parent in tree.values() if parent not in tree)


def loss(tree: Tree, node: str) -> Fraction:
    """What a cell loses that is published as this node."""
    everything = len(trees.leaves(tree, root(tree)))
    return Fraction(len(trees.leaves(tree, node)) - 1, max(1, everything - 1))


def at_level(tree: Tree, leaf: str, level: int) -> str:
    """The highest ancestor of a leaf that is no higher than the level."""
    way = [leaf, *trees.ancestors(tree, leaf)]
    return [node for node in way if trees.height(tree, node) <= level][-1]


def lattice(rows: Sequence[Row], forest: Sequence[Tree], keeps: Keeps, most_out: int) -> Fraction | None:
    """The least loss with one level per column; None where no state keeps the promise."""
    best = None
    heights = [trees.height(tree, root(tree)) for tree in forest]
    for state in product(*(range(height + 1) for height in heights)):
        shown = [
            tuple(at_level(tree, cell, level) for tree, cell, level in zip(forest, row, state, strict=True))
            for row in rows
        ]
        classes: dict[Row, list[int]] = {}
        for number, cells in enumerate(shown):
            classes.setdefault(cells, []).append(number)
        out = {number for members in classes.values() if not keeps(members) for number in members}
        if len(out) > most_out:
            continue
        lost = sum(
            Fraction(len(forest))
            if number in out
            else sum((loss(tree, node) for tree, node in zip(forest, cells, strict=True)), Fraction())
            for number, cells in enumerate(shown)
        )
        best = lost if best is None else min(best, lost)
    return None if best is None else best / (len(rows) * len(forest))


def common(tree: Tree, leaves: Sequence[str]) -> str:
    """The lowest node above all these leaves."""
    ways = [[leaf, *trees.ancestors(tree, leaf)] for leaf in leaves]
    return next(node for node in ways[0] if all(node in way for way in ways))


def partitions(numbers: list[int]) -> Iterator[list[list[int]]]:
    """Every way to divide the numbers into classes."""
    if not numbers:
        yield []
        return
    first, *rest = numbers
    for division in partitions(rest):
        yield [[first], *division]
        for place, members in enumerate(division):
            yield [*division[:place], [first, *members], *division[place + 1 :]]


def local(rows: Sequence[Row], forest: Sequence[Tree], keeps: Keeps) -> Fraction | None:
    """The least loss over all partitions into classes that keep the promise."""
    costs: dict[tuple[int, ...], Fraction | None] = {}

    def cost(members: Sequence[int]) -> Fraction | None:
        key = tuple(sorted(members))
        if key not in costs:
            lost = sum(
                (
                    loss(tree, common(tree, [rows[number][column] for number in key]))
                    for column, tree in enumerate(forest)
                ),
                Fraction(),
            )
            costs[key] = lost * len(key) if keeps(key) else None
        return costs[key]

    best = None
    for division in partitions(list(range(len(rows)))):
        found = [cost(members) for members in division]
        known = [one for one in found if one is not None]
        if len(known) == len(found):
            total = sum(known, Fraction())
            best = total if best is None else min(best, total)
    return None if best is None else best / (len(rows) * len(forest))


def entropy_diverse(values: Sequence[str], l: int) -> bool:
    counts, n = Counter(values), len(values)
    return n**n >= l**n * math.prod(count**count for count in counts.values())


def recursive_diverse(values: Sequence[str], c: Fraction, l: int) -> bool:
    counts = sorted(Counter(values).values(), reverse=True)
    return counts[0] < c * sum(counts[l - 1 :])


def equal_distance(values: Sequence[str], everybody: Sequence[str]) -> Fraction:
    here, there = Counter(values), Counter(everybody)
    gaps = [Fraction(here[v], len(values)) - Fraction(there[v], len(everybody)) for v in there]
    return sum(map(abs, gaps), Fraction()) / 2


def ordered_distance(values: Sequence[str], everybody: Sequence[str]) -> Fraction:
    here, there = Counter(values), Counter(everybody)
    total, upto = Fraction(), Fraction()
    for value in sorted(there):
        upto += Fraction(here[value], len(values)) - Fraction(there[value], len(everybody))
        total += abs(upto)
    return total / max(1, len(there) - 1)


def hierarchical_distance(values: Sequence[str], everybody: Sequence[str], tree: Tree) -> Fraction:
    """Over inner nodes, their height times the surplus or deficit of their children that cancels out.

    Nodes with one child are left out beforehand: they tell nothing apart.
    """
    tree = trees.branching(tree)
    here, there = Counter(values), Counter(everybody)
    top = root(tree)

    def extra(node: str) -> Fraction:
        below = trees.leaves(tree, node)
        return sum(
            (Fraction(here[leaf], len(values)) - Fraction(there[leaf], len(everybody)) for leaf in below),
            Fraction(),
        )

    total = Fraction()
    for node in {*tree.values()}:
        extras = [extra(child) for child in trees.children(tree, node)]
        surplus = sum((one for one in extras if one > 0), Fraction())
        deficit = -sum((one for one in extras if one < 0), Fraction())
        total += Fraction(trees.height(tree, node), trees.height(tree, top)) * min(surplus, deficit)
    return total
