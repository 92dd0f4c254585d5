"""What a release leaves possible for a reader who knows which rules would have been listed, exactly.

A world hands the rows of every class their sensitive values in some order. It is possible if the same pairs
of a conjunction and a value have nobody as in truth, of all pairs whose absence would be a rule. Which values
somebody can have is asked of an integer program, so that tables may have some sixty rows.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import lil_matrix

Values = tuple[str, ...]
"""What a row holds: a value of every sensitive column."""
Circle = frozenset[int]
"""The rows that match a conjunction."""


def circles(nodes: Sequence[Iterable[Circle]], longest: int) -> Iterator[Circle]:
    """The rows of every conjunction of up to so many attributes: ``nodes`` are those of each, as rows."""
    for length in range(1, longest + 1):
        for chosen in combinations(nodes, length):
            for several in product(*chosen):
                if rows := frozenset.intersection(*several):
                    yield rows


def fewest_values(
    held: Sequence[Values], classes: Sequence[Hashable], about: Iterable[Circle], level: Fraction, l: int
) -> int:
    """The fewest values that somebody keeps in some column; no more than ℓ are looked for."""
    rows, cells = range(len(held)), dict[tuple[int, Values], int]()
    inside: dict[Hashable, list[int]] = {}
    for row in rows:
        inside.setdefault(classes[row], []).append(row)
    shares = {one: Counter(held[row] for row in members) for one, members in inside.items()}
    for row in rows:
        for values in shares[classes[row]]:
            cells[row, values] = len(cells)
    most = np.ones(len(cells))
    lines: list[tuple[Iterable[int], int, int]] = [
        ([cells[row, values] for values in shares[classes[row]]], 1, 1) for row in rows
    ]
    for one, members in inside.items():
        lines += [([cells[row, values] for row in members], n, n) for values, n in shares[one].items()]
    for column, circle in product(range(len(held[0])), set(about)):
        for value, n in Counter(values[column] for values in held).items():
            if Fraction(len(held) - n, len(held)) ** len(circle) > level:
                continue  # its absence would be no rule
            having = [at for (row, values), at in cells.items() if row in circle and values[column] == value]
            if any(held[row][column] == value for row in circle):
                lines.append((having, 1, len(held)))
            else:
                most[having] = 0
    return min(
        _values(row, column, l, held, cells, most, _constraint(lines, len(cells)))
        for row, column in product(rows, range(len(held[0])))
    )


def _constraint(lines: Sequence[tuple[Iterable[int], int, int]], n_cells: int) -> LinearConstraint:
    matrix = lil_matrix((len(lines), n_cells))
    for number, (some, _, _) in enumerate(lines):
        matrix[number, list(some)] = 1
    return LinearConstraint(matrix.tocsr(), [low for _, low, _ in lines], [high for _, _, high in lines])


def _values(
    row: int,
    column: int,
    l: int,
    held: Sequence[Values],
    cells: Mapping[tuple[int, Values], int],
    most: np.ndarray,
    constraint: LinearConstraint,
) -> int:
    found = {held[row][column]}
    for value in sorted({values[column] for one, values in cells if one == row} - found):
        least = np.zeros(len(cells))
        only = [at for (one, values), at in cells.items() if one == row and values[column] != value]
        bounds = most.copy()
        bounds[only] = 0
        found |= (
            {value}
            if milp(least, constraints=constraint, integrality=1, bounds=Bounds(0, bounds)).success
            else set()
        )
        if len(found) >= l:
            break
    return len(found)


def exchanged_worlds(
    held: Sequence[Values],
    classes: Sequence[Hashable],
    about: Iterable[Circle],
    level: Fraction,
    draw: random.Random,
    *,
    most: int,
) -> Iterator[list[Values]]:
    """Possible worlds: all with two rows of a class exchanged, then some of a random walk of exchanges."""
    circles = {
        (circle, column, value)
        for column, circle in product(range(len(held[0])), set(about))
        for value, n in Counter(values[column] for values in held).items()
        if Fraction(len(held) - n, len(held)) ** len(circle) <= level  # its absence would be a rule
    }

    def nobody(world: Sequence[Values]) -> list[bool]:
        return [all(world[row][column] != value for row in rows) for rows, column, value in circles]

    truth = nobody(held)
    pairs = [
        (one, other) for one, other in combinations(range(len(held)), 2) if classes[one] == classes[other]
    ]
    world, seen = list(held), {tuple(held)}
    for step in range(len(pairs) + most):
        one, other = pairs[step] if step < len(pairs) else draw.choice(pairs)
        found = list(held if step < len(pairs) else world)
        found[one], found[other] = found[other], found[one]
        if nobody(found) == truth:
            world = found
            if tuple(found) not in seen:
                seen.add(tuple(found))
                yield found
