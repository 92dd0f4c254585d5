"""What readers know of tables that say how rules were looked for, and not which were found: by every world.

A world gives everybody one value, the same in all releases. It is possible if it gives what every release
publishes and if each release could have been made in it: with the rules that mining gives there, known to
readers, everybody has ℓ values, by handing values around among those who share all classes so far.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np
import numpy.typing as npt

from tests.oracles.assignments import valid_by_matching
from tests.oracles.unlisted import Mined, World

Marks = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Made:
    """A release: whom its rules could be about, and the class of everybody in it."""

    says: Mined
    classes: Mapping[str, object]


class Worlds:
    """Worlds that give what some releases publish, and what mining finds in each of them."""

    def __init__(self, chain: Sequence[Made], worlds: Sequence[World]) -> None:
        self.chain, self.people = chain, sorted(worlds[0])
        self.values = sorted({value for world in worlds for value in world.values()})
        code = {value: place for place, value in enumerate(self.values)}
        self.held = np.array([[code[world[person]] for person in self.people] for world in worlds])
        # Shape (worlds, people, values): what rules of that release exclude there.
        self.barred = [self._mined(release.says) for release in chain]

    def _mined(self, says: Mined) -> Marks:
        circles = np.array(
            [[person in circle for person in self.people] for circle in says.circles.values()], dtype=np.int64
        )
        there = np.array([person in says.people for person in self.people])
        found = np.zeros((*self.held.shape, len(self.values)), dtype=np.bool_)
        for value in range(len(self.values)):
            holds = (self.held == value) & there
            number = int(holds[0].sum())  # the same in every world: it is published
            if not 0 < number < there.sum():
                continue
            chance = Fraction(int(there.sum()) - number, int(there.sum()))
            common = np.array([1 - chance ** int(size) >= says.least for size in circles.sum(axis=1)])
            rules = (holds.astype(np.int64) @ circles.T == 0) & common
            found[:, :, value] = rules.astype(np.int64) @ circles > 0
        return found

    def possible(self, l: int) -> Marks:
        """Which of them are possible."""
        found = np.ones(len(self.held), dtype=np.bool_)
        for upto in range(1, len(self.chain) + 1):
            barred = np.logical_or.reduce(self.barred[:upto])
            for members in self._cohorts(upto):
                for world in np.flatnonzero(found):
                    held, excluded = sorted(self.held[world, members].tolist()), barred[world, members]
                    found[world] = _fewest(tuple(held), tuple(sorted(map(tuple, excluded.tolist())))) >= l
        return found

    def _cohorts(self, upto: int) -> Iterator[list[int]]:
        """Those who are in the same of the first releases, and share their class in each."""
        looks = [tuple(one.classes.get(person) for one in self.chain[:upto]) for person in self.people]
        for look in set(looks):
            if any(part is not None for part in look):
                yield [place for place, one in enumerate(looks) if one == look]

    def agreeing(self, truth: World) -> Marks:
        """Those in which the rules of the truth hold, of every release."""
        (true,) = np.flatnonzero(
            (self.held == [self.values.index(truth[one]) for one in self.people]).all(axis=1)
        )
        places = np.arange(len(self.people))
        return np.logical_and.reduce([~barred[true][places, self.held].any(axis=1) for barred in self.barred])

    def fewest(self, possible: Marks) -> int:
        """The fewest values that anybody has in some of them."""
        return min(len(set(column.tolist())) for column in self.held[possible].T)


@cache
def _fewest(values: tuple[int, ...], excluded: tuple[tuple[bool, ...], ...]) -> int:
    """The fewest values that one of a cohort could have."""
    barred = [{value for value, mark in enumerate(marks) if mark} for marks in excluded]
    return min(map(len, valid_by_matching(values, barred)))
