"""A reader who knows the tool: what joining classes tells is bounded by e^ε, counted over all tables.

All ways to hand the sensitive values to the rows are equally likely beforehand. For each, the probability of
every set of final classes follows from the tests alone. A release shows its classes and the values of each;
the odds of two values of a row, over all tables that could have made it, are at most e^ε times those of
counting the values of the class.
"""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import permutations

import numpy as np
import pytest

from tacit.recoding.joining import _tree
from tacit.recoding.local import _clustered
from tests.methods.generalize_tables.random_tables import RandomTable, random_table

Classes = frozenset[frozenset[int]]


def halves(table: RandomTable, k: int) -> list[list[frozenset[int]]]:
    """The rows of each class after every round of joining, the first classes first."""
    problem = table.problem(k)
    class_of, groups = _clustered(problem, 4, 8_000, np.zeros(1, dtype=np.uint8))
    combinations = sorted(set(table.rows))
    of_row = np.array([class_of[combinations.index(row)] for row in table.rows])
    rounds = [of_row]
    for step in _tree(problem, class_of, groups):
        rounds.append(step[rounds[-1]])
    return [
        [frozenset(np.flatnonzero(one == number).tolist()) for number in range(one.max() + 1)]
        for one in rounds
    ]


def slack(values: Sequence[str], rows: frozenset[int], l: int) -> int:
    counts = sorted(Counter(values[row] for row in rows).values(), reverse=True)
    return len(rows) - sum(counts[: l - 1]) - 1


def ends(
    rounds: list[list[frozenset[int]]],
    depth: int,
    rows: frozenset[int],
    values: Sequence[str],
    l: int,
    e: float,
) -> Iterator[tuple[Classes, float]]:
    """Every way in which a class may end, with its probability."""
    if depth == 0:
        yield frozenset([rows]), 1.0
        return
    below = [one for one in rounds[depth - 1] if one <= rows]
    if len(below) == 1:
        yield from ends(rounds, depth - 1, rows, values, l, e)
        return
    worst = min(slack(values, one, l) for one in below)
    fails = 1.0 if worst < 0 else math.exp(-e * (worst + 1))
    yield frozenset([rows]), fails
    if fails < 1:
        for left, p in ends(rounds, depth - 1, below[0], values, l, e):
            for right, q in ends(rounds, depth - 1, below[1], values, l, e):
                yield left | right, (1 - fails) * p * q


@pytest.mark.parametrize("epsilon", [0.2, 0.4, 1.0])
def test_the_odds_of_a_reader_who_knows_the_tool_are_bounded(epsilon: float) -> None:
    tried = divided = 0
    for seed in range(60):
        draw = random.Random(seed)
        table, l = random_table(draw, most_rows=6, values=3), 2
        rounds = halves(table, 1)
        everybody = frozenset(range(len(table.rows)))
        if slack(table.values, everybody, l) < 0 or len(rounds) == 1:
            continue
        seen: dict[object, dict[tuple[int, str], float]] = defaultdict(lambda: defaultdict(float))
        for values in set(permutations(table.values)):
            for classes, chance in ends(rounds, len(rounds) - 1, everybody, values, l, epsilon):
                shown = frozenset((rows, tuple(sorted(values[row] for row in rows))) for rows in classes)
                divided += len(classes) > 1
                for row, value in enumerate(values):
                    seen[shown][row, value] += chance
        for shown, weights in seen.items():
            tried += 1
            for rows, held in shown:  # type: ignore[attr-defined]
                counts = Counter(held)
                for row in rows:
                    odds = [weights[row, value] / counts[value] for value in counts]
                    assert max(odds) <= math.exp(epsilon) * min(odds) + 1e-12
    assert tried > 100 and divided > 100
