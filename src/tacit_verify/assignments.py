"""Handing a group's values to its rows: which values a row could get, and how often it does.

Rows that may take the same values are of one kind. An assignment hands out all values, one to each
row, and gives no row what it may not take. By Hall's theorem [1] there is one exactly when no set of
values is crowded: has more rows that may take nothing else than values to give them.

[1] P. Hall. On Representatives of Subsets. Journal of the London Mathematical Society, 1935.
"""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb, prod
from operator import sub
from typing import NamedTuple


class Kinds(NamedTuple):
    """A group: its kinds of rows, how often it holds each value, and the parts of the values.

    A kind is the set of values that its rows may take, and has a number of rows. Of several
    sensitive attributes, ``parts[attribute][value]`` tells which values agree in it.
    """

    rows: tuple[tuple[frozenset[int], int], ...]
    values: tuple[int, ...]
    parts: tuple[tuple[int, ...], ...]


def valid_values(kinds: Kinds) -> list[set[int]] | None:
    """The values that each kind of row gets in some assignment; None where there is no assignment."""
    unions = {frozenset[int]()}  # the sets of values to which some kinds are confined
    for may, _ in kinds.rows:
        unions |= {union | may for union in unions}
    full = []
    for union in unions:
        confined = sum(count for may, count in kinds.rows if may <= union)
        room = sum(kinds.values[value] for value in union)
        if confined > room:
            return None
        if confined == room:
            full.append(union)
    # With a row and a value set aside the others still have an assignment, unless the value is taken
    # from a full set and the row was not among those confined to it.
    return [
        {value for value in may if all(value not in union or may <= union for union in full)}
        for may, _ in kinds.rows
    ]


def largest_share(kinds: Kinds) -> Fraction:
    """The largest share of assignments in which a row gets one value of one attribute."""
    rows = tuple(count for _, count in kinds.rows)
    shares: Counter[tuple[int, int, int]] = Counter()
    for kind, (may, _) in enumerate(kinds.rows):
        for value in may:
            # With one such row and the value set aside, the others' assignments are those that give it to it.
            values = [count - (place == value) for place, count in enumerate(kinds.values)]
            ways = _ways(kinds, values, tuple(count - (place == kind) for place, count in enumerate(rows)))
            for attribute, part in enumerate(kinds.parts):
                shares[kind, attribute, part[value]] += ways
    return Fraction(max(shares.values()), _ways(kinds, kinds.values, rows))


def _ways(kinds: Kinds, values: Sequence[int], rows: tuple[int, ...]) -> int:
    """The number of assignments of so many of each value to so many rows of each kind, value by value."""
    states = Counter({rows: 1})  # the rows that wait, and the ways to come there
    for value, amount in enumerate(values):
        able = [kind for kind, (may, _) in enumerate(kinds.rows) if value in may]
        following: Counter[tuple[int, ...]] = Counter()
        for waiting, ways in states.items():
            for chosen in combinations_with_replacement(able, amount):
                taken = [chosen.count(kind) for kind in range(len(rows))]
                choices = prod(map(comb, waiting, taken))
                if choices:
                    following[tuple(map(sub, waiting, taken))] += ways * choices
        states = following
    return states.total()
