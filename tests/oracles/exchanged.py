"""What a few people could have who share classes, where some pairs keep a holder: by every world."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

Values = tuple[int, ...]
"""What somebody has of every column; less than 0 where they were not in the table."""


@dataclass(frozen=True)
class Few:
    """Some people: in which class, what they have, what they cannot have; and pairs that keep a holder."""

    class_of: list[int]
    has: list[Values]
    barred: list[frozenset[tuple[int, int]]]
    pairs: list[tuple[int, int, frozenset[int]]]

    def worlds(self, class_of: Sequence[int]) -> Iterator[list[Values]]:
        """Everybody has what somebody of their class has, and every pair has a holder."""
        n = len(self.has)
        order = {one: [who for who in range(n) if class_of[who] == one] for one in sorted({*class_of})}
        ways = [list(self._ways(who, Counter(self.has[one] for one in who))) for who in order.values()]
        for chosen in product(*ways):
            world: list[Values] = [()] * n
            for who, values in zip(order.values(), chosen, strict=True):
                for one, mine in zip(who, values, strict=True):
                    world[one] = mine
            if all(any(world[one][c] == value for one in able) for c, value, able in self.pairs):
                yield world

    def _ways(self, who: Sequence[int], left: Counter[Values]) -> Iterator[list[Values]]:
        if not who:
            yield []
            return
        for values in [one for one in left if left[one] and self.barred[who[0]].isdisjoint(enumerate(one))]:
            left[values] -= 1
            for others in self._ways(who[1:], left):
                yield [values, *others]
            left[values] += 1


def fewest(few: Few, class_of: Sequence[int]) -> int:
    """The fewest values that somebody has of a column in all worlds."""
    found: dict[tuple[int, int], set[int]] = {}
    for world in few.worlds(class_of):
        for one, values in enumerate(world):
            for column, value in enumerate(values):
                if value >= 0:
                    found.setdefault((one, column), set()).add(value)
    return min(map(len, found.values()))
