"""Handing a group's values to its rows: which values a row could get, and how often it does.

Rows that may take the same values are of one kind. An assignment hands out all values, one to each
row, and gives no row what it may not take. One is found by augmenting paths. Any other differs from it
by cycles along which rows pass values on, so a row gets a value in some assignment exactly when it has
it in this one, or when kind and value lie on such a cycle of "may take, is held by" [1]. Sets of values
are the bits of a number, so that one step looks at many.

[1] J.-C. Régin. A Filtering Algorithm for Constraints of Difference in CSPs. AAAI 1994.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache, reduce
from itertools import pairwise
from math import comb, prod
from operator import or_
from typing import NamedTuple

from tacit_verify.nodes import Pairs
from tacit_verify.reading import Row
from tacit_verify.twins import looks

MOST_ROWS, MOST_STATES = 64, 1 << 15  # so many rows, and numbers of waiting rows, can be counted with
Held = list[dict[int, int]]  # of each value, how many rows of each kind hold it
Waiting = tuple[int, ...]  # how many rows of each kind have no value yet


class Kinds(NamedTuple):
    """A group: its kinds of rows, how often it holds each value, and the parts of the values.

    A kind is the set of values that its rows may take, as bits, and has a number of rows. Of several
    sensitive attributes, ``parts[attribute][value]`` tells which values agree in it.
    """

    rows: tuple[tuple[int, int], ...]
    values: tuple[int, ...]
    parts: tuple[tuple[int, ...], ...]


def kinds_of(forbidden: Iterable[Pairs], values: Iterable[tuple[Row, int]]) -> Kinds:
    """A group in a form that groups of the same shape share: kinds of rows, counts, parts of values.

    Values are numbered; what is left of them is which of their parts look alike.
    """
    pairs = [tuple(enumerate(map(looks, value))) for value, _ in values]
    kinds: Counter[int] = Counter()
    for mine, count in Counter(forbidden).items():
        kinds[sum(1 << at for at, pair in enumerate(pairs) if mine.isdisjoint(pair))] += count
    parts = (tuple(map(column.index, column)) for column in zip(*pairs, strict=True))
    return Kinds(tuple(sorted(kinds.items())), tuple(count for _, count in values), tuple(parts))


def diversity(kinds: Kinds, valid: Sequence[int]) -> int:
    """The fewest values that do not look alike, of any sensitive attribute, that a row could have."""
    return min(len({part[value] for value in bits(mask)}) for part in kinds.parts for mask in valid)


def fewest_valid(forbidden: Iterable[Pairs], values: Iterable[tuple[Row, int]]) -> int:
    """The fewest values of any sensitive attribute that a row of a group could have."""
    kinds = kinds_of(forbidden, values)
    return diversity(kinds, valid_values(kinds) or [0])


def valid_values(kinds: Kinds) -> list[int] | None:
    """The values, as bits, that each kind of row gets in some assignment; None where there is none."""
    assignment = _an_assignment(kinds)
    if assignment is None:
        return None
    held, sources = [0] * len(kinds.rows), [0] * len(kinds.values)
    for value, holders in enumerate(assignment):
        for kind in holders:
            held[kind] |= 1 << value
    # Of each value, the values whose holders may take it: first at once, then by passing on others between.
    for mine, (may, _) in zip(held, kinds.rows, strict=True):
        for value in bits(may):
            sources[value] |= mine
    for between in range(len(sources)):
        through = sources[between]
        sources = [mine | through if mine >> between & 1 else mine for mine in sources]
    # Who gives up a value that he holds may get each of those.
    gets = (reduce(or_, [sources[value] for value in bits(mine)], 0) for mine in held)
    return [may & mask for mask, (may, _) in zip(gets, kinds.rows, strict=True)]


def _an_assignment(kinds: Kinds) -> Held | None:
    """Of each value, how many rows of each kind hold it in one assignment; None where there is none."""
    room, held = list(kinds.values), [dict[int, int]() for _ in kinds.values]
    free = (1 << len(room)) - 1  # the values that have room
    if sum(room) != sum(count for _, count in kinds.rows):
        return None
    for start, (_, waiting) in enumerate(kinds.rows):
        while waiting:
            path = _augmenting_path(start, kinds, held, free)
            if not path:
                return None
            # Each kind takes the value beside it, and gives the one that the kind behind it takes.
            gives = [(kind, value) for (kind, _), (_, value) in pairwise(path)]
            amount = min(waiting, room[path[0][1]], *(held[value][kind] for kind, value in gives))
            for kind, value in path:
                held[value][kind] = held[value].get(kind, 0) + amount
            for kind, value in gives:
                held[value][kind] -= amount
                if not held[value][kind]:
                    del held[value][kind]
            waiting -= amount
            room[path[0][1]] -= amount
            free &= ~(0 if room[path[0][1]] else 1 << path[0][1])
    return held


def _augmenting_path(start: int, kinds: Kinds, held: Held, free: int) -> list[tuple[int, int]]:
    """Who takes which value, from one with room back to the kind that waits; empty if there is no way."""
    over: dict[int, tuple[int, int]] = {}  # of a kind: who came to it, and the value that it is to give
    seen, queue = 0, [start]
    for kind in queue:
        may = kinds.rows[kind][0]
        if may & free:
            path = [(kind, (may & free).bit_length() - 1)]
            while path[-1][0] != start:
                path.append(over[path[-1][0]])
            return path
        for value in bits(may & ~seen):
            for other in held[value].keys() - over.keys() - {start}:
                over[other] = (kind, value)
                queue.append(other)
        seen |= may
    return []


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
