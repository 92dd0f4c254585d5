"""The largest posterior of a bucket, so that a bound can be shown to hold.

Every assignment that respects the rows' forbidden sets counts alike, and the posterior of a value is
the share of assignments in which a row has it. They are counted component by component
(:mod:`tacit.knowledge.assignments`): in whole numbers, or, where these would not fit, in floating point,
and then the answer is raised by more than rounding can take away. Where there are too many states there is
no answer.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from tacit.knowledge.assignments import EXACT_MEMBERS, STATE_LIMIT, count_ways
from tacit.knowledge.reachability import valid_marks
from tacit.methods.bucketize.solve.classes import Classes
from tacit.typing import AnyArray, Bools, Codes, Counts

MOST_MEMBERS = 64
"""The most rows that exchange values for whom a bound is shown; a verifier has to count them again."""
ROUNDING = Fraction(1, 10**9)
"""Ways are sums of products of positive numbers: each of some thousand steps is off by 2⁻⁵³ at most."""


def largest_posterior(classes: Classes, bucket: Codes) -> Fraction | None:
    """The largest chance of a value, of one sensitive attribute, for a row; None where it cannot be counted.

    Of more than 20 rows that exchange values it is an upper bound, by a part in 10⁹. The bucket is given
    as the classes of its rows.
    """
    valid = valid_marks(bucket, classes.values, classes.forbidden, classes.n_values)
    held = classes.values[bucket]
    largest = Fraction(0)
    for rows in _components(valid, held):
        found = _of_component(classes, valid[rows], held[rows])
        if found is None:
            return None
        largest = max(largest, found)
    return largest


def fewest_valid(classes: Classes, bucket: Codes) -> int:
    """The fewest valid values of any row, on the sensitive attribute that has the fewest."""
    valid = valid_marks(bucket, classes.values, classes.forbidden, classes.n_values)
    return min(
        len(np.unique(classes.parts[row, place])) for row in valid for place in range(len(classes.attributes))
    )


def _components(valid: Bools, held: Codes) -> list[AnyArray]:
    """The rows that exchange values among themselves: those whose values are linked by valid ones."""
    label = np.arange(valid.shape[1])
    for row, value in zip(valid, held, strict=True):
        linked = np.unique(label[np.append(np.flatnonzero(row), value)])
        label[np.isin(label, linked)] = linked[0]
    of_row = label[held]
    return [np.flatnonzero(of_row == component) for component in np.unique(of_row)]


def _of_component(classes: Classes, valid: Bools, held: Codes) -> Fraction | None:
    nodes, tokens = np.unique(held, return_counts=True)
    may, waiting = np.unique(valid[:, nodes], axis=0, return_counts=True)
    if len(may) == 1:
        return max(
            Fraction(int(tokens[classes.parts[nodes, place] == code].sum()), len(held))
            for place in range(len(classes.attributes))
            for code in np.unique(classes.parts[nodes, place])
        )
    states = int(np.prod((waiting + 1).astype(np.float64)))
    if len(held) > MOST_MEMBERS or states > STATE_LIMIT:
        return None
    whole = len(held) <= EXACT_MEMBERS
    ways = np.zeros(may.shape, dtype=np.int64 if whole else np.float64)
    cells = np.zeros((2, states), dtype=ways.dtype)
    every = count_ways(cells[0], cells[1], waiting, np.ascontiguousarray(may), tokens, ways)
    largest = max(
        Fraction(_favourable(ways[kind], tokens, classes.parts[nodes, place] == code))
        / (Fraction(every) * int(count))
        for kind, count in enumerate(waiting)
        for place in range(len(classes.attributes))
        for code in np.unique(classes.parts[nodes, place])
    )
    return largest if whole else largest * (1 + ROUNDING)


def _favourable(ways: AnyArray, tokens: Counts, wanted: Bools) -> Any:
    """Ways times tokens in Python's whole numbers, because the product may not fit 64 bits."""
    return sum(way * token for way, token in zip(ways[wanted].tolist(), tokens[wanted].tolist(), strict=True))
