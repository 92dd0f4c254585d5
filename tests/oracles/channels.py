"""The small groups that published counts give away, by linear algebra over all people that could be.

A published count is a sum over cells, a cell being one choice of a value for every column. A group, a choice
of a set of values for every column, follows from the published counts exactly if its own sum is a linear
combination of theirs: if it is orthogonal to everything that is orthogonal to all of these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import lcm

import numpy as np

Row = tuple[str, ...]
Group = tuple[frozenset[str], ...]
"""A set of values for each column."""
Counts = Mapping[frozenset[tuple[str, str]], int]


class Reader:
    """One who has the counts and knows which values each column has."""

    def __init__(self, counts: Counts, columns: Sequence[str], domains: Sequence[Sequence[str]]) -> None:
        self.domains = domains
        self.cells = list(product(*domains))
        sums = [
            [int(all(cell[columns.index(name)] == label for name, label in pattern)) for cell in self.cells]
            for pattern in counts
        ]
        self.unknown = _orthogonal(sums, len(self.cells))

    def derives(self, group: Group) -> bool:
        return not self.unknown[:, self._inside(group)].sum(axis=1).any()

    def small_groups(self, rows: Iterable[Row], k: int) -> Iterator[tuple[Group, int]]:
        """Every group of 1 to k − 1 of these rows that follows."""
        count = Counter(rows)
        people = np.array([count[cell] for cell in self.cells])
        choices = [
            [frozenset(part) for n in range(1, len(values) + 1) for part in combinations(values, n)]
            for values in self.domains
        ]
        for group in product(*choices):
            size = int(people[self._inside(group)].sum())
            if 0 < size < k and self.derives(group):
                yield group, size

    def _inside(self, group: Group) -> np.ndarray:
        inside = np.ones(1, dtype=bool)
        for values, chosen in zip(self.domains, group, strict=True):
            inside = np.outer(inside, [value in chosen for value in values]).ravel()
        return inside


def _orthogonal(sums: list[list[int]], width: int) -> np.ndarray:
    """A basis, in whole numbers, of all that is orthogonal to these rows: Gauss and Jordan."""
    pivots: dict[int, list[Fraction]] = {}
    for numbers in sums:
        row = [Fraction(number) for number in numbers]
        for column, other in pivots.items():
            row = _less(row, row[column], other)
        first = next((column for column, number in enumerate(row) if number), None)
        if first is not None:
            row = [number / row[first] for number in row]
            pivots = {column: _less(other, other[first], row) for column, other in pivots.items()}
            pivots[first] = row
    basis = []
    for free in set(range(width)) - pivots.keys():
        vector = [-pivots[at][free] if at in pivots else Fraction(at == free) for at in range(width)]
        whole = lcm(*(number.denominator for number in vector))
        basis.append([int(number * whole) for number in vector])
    return np.array(basis, dtype=np.int64).reshape(-1, width)


def _less(row: list[Fraction], times: Fraction, other: list[Fraction]) -> list[Fraction]:
    return [a - times * b if b else a for a, b in zip(row, other, strict=True)] if times else row
