"""Handing a group's values to its rows: which values a row could get, and how often it does.

Rows that may take the same values are of one kind. An assignment hands out all values, one to each
row, and gives no row what it may not take.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import comb
from typing import NamedTuple


class Kinds(NamedTuple):
    """A group: its kinds of rows, how often it holds each value, and the parts of the values.

    A kind says of each value whether its rows may take it, and has a number of rows. Of several
    sensitive attributes, ``parts[attribute][value]`` tells which values agree in it.
    """

    rows: tuple[tuple[tuple[bool, ...], int], ...]
    values: tuple[int, ...]
    parts: tuple[tuple[int, ...], ...]


def valid_values(kinds: Kinds) -> list[set[int]] | None:
    """The values that each kind of row gets in some assignment; None where there is no assignment."""
    flow = _assignment(kinds)
    if flow is None:
        return None
    n_values = len(kinds.values)
    valid = []
    for kind, (may, _) in enumerate(kinds.rows):
        # A pair that the flow does not use closes a cycle when the kind is reached from the value.
        valid.append(
            {
                value
                for value in range(n_values)
                if may[value] and (flow[kind][value] or kind in _reached(kinds, flow, value))
            }
        )
    return valid


def _assignment(kinds: Kinds) -> list[list[int]] | None:
    """How many rows of each kind get each value in one assignment, by augmenting paths; None without any."""
    flow = [[0] * len(kinds.values) for _ in kinds.rows]
    waiting = [count for _, count in kinds.rows]
    left = list(kinds.values)
    for kind in range(len(kinds.rows)):
        while waiting[kind]:
            path = _path(kinds, flow, left, kind)
            if path is None:
                return None
            # Along the path kinds take a value and give it up in turn; the last value was left.
            amount = min(waiting[kind], left[path[-1][1]])
            for (_, value), (other, _) in pairwise(path):
                amount = min(amount, flow[other][value])
            for place, (taker, value) in enumerate(path):
                flow[taker][value] += amount
                if place + 1 < len(path):
                    flow[path[place + 1][0]][value] -= amount
            waiting[kind] -= amount
            left[path[-1][1]] -= amount
    return flow


def _path(kinds: Kinds, flow: list[list[int]], left: list[int], start: int) -> list[tuple[int, int]] | None:
    """Pairs (kind, value it takes) from a kind to a value that is left, each taken from the next kind."""
    came: dict[int, tuple[int, int]] = {}
    seen_kinds, queue = {start}, [start]
    for kind in queue:
        for value in range(len(left)):
            if not kinds.rows[kind][0][value]:
                continue
            if left[value]:
                path = [(kind, value)]
                while path[0][0] != start:
                    path.insert(0, came[path[0][0]])
                return path
            for other in range(len(kinds.rows)):
                if flow[other][value] and other not in seen_kinds:
                    seen_kinds.add(other)
                    came[other] = (kind, value)
                    queue.append(other)
    return None


def _reached(kinds: Kinds, flow: list[list[int]], value: int) -> set[int]:
    """The kinds that could pass something on once this value is taken from whoever has it."""
    reached: set[int] = set()
    values, queue = {value}, [value]
    for taken in queue:
        for kind in range(len(kinds.rows)):
            if flow[kind][taken] and kind not in reached:
                reached.add(kind)
                for other in range(len(kinds.values)):
                    if kinds.rows[kind][0][other] and other not in values:
                        values.add(other)
                        queue.append(other)
    return reached


def largest_share(kinds: Kinds) -> Fraction:
    """The largest share of assignments in which a row gets one value of one attribute.

    Assignments are counted value by value: so many of each kind of row get it, in so many ways.
    """
    may = [row for row, _ in kinds.rows]
    start = tuple(count for _, count in kinds.rows)

    @cache
    def ways(value: int, waiting: tuple[int, ...]) -> int:
        """The ways to hand out this value and those after it to the rows that wait."""
        if value == len(kinds.values):
            return 1
        return sum(chosen * ways(value + 1, rest) for _, chosen, rest in handed(value, waiting))

    def handed(
        value: int, waiting: tuple[int, ...]
    ) -> Iterator[tuple[tuple[int, ...], int, tuple[int, ...]]]:
        """Each way to spread a value over the kinds: (rows of each kind, choices, who still waits)."""

        def spread(kind: int, amount: int) -> Iterator[tuple[tuple[int, ...], int]]:
            if kind == len(waiting):
                if amount == 0:
                    yield (), 1
                return
            most = min(amount, waiting[kind]) if may[kind][value] else 0
            for rows in range(most + 1):
                for others, choices in spread(kind + 1, amount - rows):
                    yield (rows, *others), comb(waiting[kind], rows) * choices

        for taken, choices in spread(0, kinds.values[value]):
            yield taken, choices, tuple(count - rows for count, rows in zip(waiting, taken, strict=True))

    total = ways(0, start)
    given = [[0] * len(kinds.values) for _ in kinds.rows]  # rows of a kind that get a value, over all ways
    arrived = {start: 1}
    for value in range(len(kinds.values)):
        following: dict[tuple[int, ...], int] = {}
        for waiting, before in arrived.items():
            for taken, choices, rest in handed(value, waiting):
                after = ways(value + 1, rest)
                if not after:
                    continue
                for kind, rows in enumerate(taken):
                    given[kind][value] += before * choices * after * rows
                following[rest] = following.get(rest, 0) + before * choices
        arrived = following
    return max(
        Fraction(sum(given[kind][value] for value in range(len(part)) if part[value] == code), total * count)
        for kind, (_, count) in enumerate(kinds.rows)
        for part in kinds.parts
        for code in set(part)
    )
