"""Handing a group's values to its rows: which values a row could get, and how often it does.

Rows that may take the same values are of one kind. An assignment hands out all values, one to each
row, and gives no row what it may not take. One is found by augmenting paths. Any other differs from it
by cycles along which rows pass values on, so a row gets a value in some assignment exactly when it has
it in this one, or when kind and value lie on such a cycle: in one strongly connected component of the
graph "may take, is held by" [1]. Sets of values are the bits of a number, so that one step looks at many.

[1] J.-C. Régin. A Filtering Algorithm for Constraints of Difference in CSPs. AAAI 1994.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from math import comb, prod
from typing import NamedTuple

MOST_ROWS, MOST_STATES = 64, 1 << 15  # so many rows, and numbers of waiting rows, can be counted with
Waiting = tuple[int, ...]  # how many rows of each kind have no value yet


class Kinds(NamedTuple):
    """A group: its kinds of rows, how often it holds each value, and the parts of the values.

    A kind is the set of values that its rows may take, as bits, and has a number of rows. Of several
    sensitive attributes, ``parts[attribute][value]`` tells which values agree in it.
    """

    rows: tuple[tuple[int, int], ...]
    values: tuple[int, ...]
    parts: tuple[tuple[int, ...], ...]


def valid_values(kinds: Kinds) -> list[int] | None:
    """The values, as bits, that each kind of row gets in some assignment; None where there is none."""
    held = _an_assignment(kinds)
    if held is None:
        return None
    may = [mine for mine, _ in kinds.rows]
    holders = [sum(1 << kind for kind in mine) for mine in held]
    every_kind, every_value = (1 << len(may)) - 1, (1 << len(held)) - 1
    # Kosaraju: search along "may take, is held by", then against it, beginning with what was left last.
    left, order = [every_kind, every_value], list[int]()
    for start in range(len(may)):
        order += _search(start, left, (may, holders))
    left, valid = [every_kind, every_value], [0] * len(may)
    against = (_turned(holders, len(may)), _turned(may, len(held)))
    for start in reversed(order):
        values = left[1]
        component = list(_search(start, left, against))
        for kind in component:
            # A kind may take what it holds, so what it holds lies in its component.
            valid[kind] = may[kind] & values & ~left[1]
    return valid


def _an_assignment(kinds: Kinds) -> list[dict[int, int]] | None:
    """Of each value, how many rows of each kind hold it in one assignment; None where there is none."""
    waiting, room = [count for _, count in kinds.rows], list(kinds.values)
    if sum(waiting) != sum(room):
        return None
    held: list[dict[int, int]] = [{} for _ in room]
    free = (1 << len(room)) - 1
    moved = True
    while moved:
        moved, unseen = False, (1 << len(room)) - 1  # a value is looked at once in a round
        for start in range(len(waiting)):
            while waiting[start]:
                path, unseen = _augmenting_path(start, kinds, held, unseen, free)
                if not path:
                    break
                # kind, value, kind, value, ...: each kind takes the value behind it and gives the one before
                gives = [held[value][kind] for value, kind in zip(path[1::2], path[2::2], strict=False)]
                amount = min(waiting[start], room[path[-1]], *gives)
                for kind, value in zip(path[::2], path[1::2], strict=True):
                    held[value][kind] = held[value].get(kind, 0) + amount
                for value, kind in zip(path[1::2], path[2::2], strict=False):
                    held[value][kind] -= amount
                    if not held[value][kind]:
                        del held[value][kind]
                waiting[start] -= amount
                room[path[-1]] -= amount
                if not room[path[-1]]:
                    free &= ~(1 << path[-1])
                moved = True
    return None if any(waiting) else held


def _augmenting_path(
    start: int, kinds: Kinds, held: list[dict[int, int]], unseen: int, free: int
) -> tuple[list[int], int]:
    """A way from a kind to a value with room over values not seen yet, and those still unseen after it."""
    from_value: dict[int, int] = {}  # the kind that came to a value
    from_kind: dict[int, int] = {}  # the value over which a kind was come to
    queue = [start]
    for kind in queue:
        may = kinds.rows[kind][0]
        if may & free:
            value = (may & free).bit_length() - 1
            path = [value, kind]
            while path[-1] != start:
                path.append(from_kind[path[-1]])
                path.append(from_value[path[-1]])
            return path[::-1], unseen
        for value in bits(may & unseen):
            from_value[value] = kind
            for other in held[value]:
                if other != start and other not in from_kind:
                    from_kind[other] = value
                    queue.append(other)
        unseen &= ~may
    return [], unseen


def _search(start: int, left: list[int], steps: tuple[Sequence[int], Sequence[int]]) -> Iterator[int]:
    """The kinds that a depth-first search comes to from one, in the order in which it leaves them.

    Steps lead from kinds to values and from values to kinds; ``left`` says which were not come to yet.
    """
    if not left[0] >> start & 1:
        return
    left[0] &= ~(1 << start)
    stack = [(0, start)]
    while stack:
        side, node = stack[-1]
        following = steps[side][node] & left[1 - side]
        if following:
            following &= -following
            left[1 - side] &= ~following
            stack.append((1 - side, following.bit_length() - 1))
        else:
            stack.pop()
            if side == 0:
                yield node


def _turned(rows: Sequence[int], width: int) -> list[int]:
    """A table of bits with its columns as rows."""
    columns = zip(*(f"{row:0{width}b}" for row in reversed(rows)), strict=True)
    return [int("".join(column), 2) for column in columns][::-1]


def bits(mask: int) -> Iterator[int]:
    """The places of the bits that are set."""
    text = f"{mask:b}"[::-1]
    place = text.find("1")
    while place >= 0:
        yield place
        place = text.find("1", place + 1)


def likeliest(kinds: Kinds, valid: Sequence[int]) -> Fraction | None:
    """The largest share of assignments in which a row gets one value of one attribute.

    ``valid`` are the values that each kind gets. None where there are too many assignments to count.
    """
    rows: Counter[int] = Counter()
    for mask, (_, count) in zip(valid, kinds.rows, strict=True):
        rows[mask] += count
    parts: list[int] = []  # the values that are exchanged among the same rows: each part is counted by itself
    for mask in rows:
        joined = [part for part in parts if part & mask]
        parts = [part for part in parts if not part & mask] + [sum(joined) | mask]
    found = [_likeliest_of(kinds, {mask: n for mask, n in rows.items() if mask & part}) for part in parts]
    return max((share for share in found if share is not None), default=None) if None not in found else None


def _likeliest_of(kinds: Kinds, rows: dict[int, int]) -> Fraction | None:
    """The largest share among rows that exchange values with each other alone."""
    numbers = tuple(rows.values())
    values = [value for value in range(len(kinds.values)) if any(mask >> value & 1 for mask in rows)]
    shares: Counter[tuple[int, int, int]] = Counter()  # by kind, attribute and value of it
    if len(rows) == 1:  # every row may get every value: a value is as likely as it is frequent
        for value in values:
            for place, part in enumerate(kinds.parts):
                shares[0, place, part[value]] += kinds.values[value]
        return Fraction(max(shares.values()), numbers[0])
    if prod(n + 1 for n in numbers) > MOST_STATES or sum(numbers) > MOST_ROWS:
        return None

    @cache
    def onwards(place: int, waiting: Waiting) -> int:
        """The ways to hand the values from a place on to the rows of each kind that wait."""
        if place == len(values):
            return 1
        return sum(n * onwards(place + 1, left) for left, n in steps(place, waiting))

    def steps(place: int, waiting: Waiting) -> Iterator[tuple[Waiting, int]]:
        """Who waits once a value was handed out, and in how many ways it comes to that."""
        amount, taken = kinds.values[values[place]], list[Waiting]([()])
        for mask, n in zip(rows, waiting, strict=True):
            most = n if mask >> values[place] & 1 else 0
            taken = [(*t, some) for t in taken for some in range(min(most, amount - sum(t)) + 1)]
        for those in taken:
            if sum(those) == amount:
                yield tuple(map(int.__sub__, waiting, those)), prod(map(comb, waiting, those))

    states = Counter({numbers: 1})
    for place, value in enumerate(values):
        following: Counter[Waiting] = Counter()
        for waiting, ways in states.items():
            for left, n in steps(place, waiting):
                following[left] += ways * n
                every = ways * n * onwards(place + 1, left)
                for kind, some in enumerate(map(int.__sub__, waiting, left)):
                    for attribute, part in enumerate(kinds.parts):
                        shares[kind, attribute, part[value]] += every * some
        states = following
    return max(Fraction(share, onwards(0, numbers) * numbers[kind]) for (kind, _, _), share in shares.items())
