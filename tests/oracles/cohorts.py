"""What readers of several generalized releases face, from the definitions and by trying everything.

Of tables, a release is a class and values of everybody in it, and what rules exclude for them. Of sets, it is
a set of everybody in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations, product


@dataclass(frozen=True)
class Row:
    """Somebody in a release of a table."""

    looks: object
    values: tuple[str, ...]
    barred: frozenset[tuple[int, str]] = frozenset()


Tables = Sequence[Mapping[str, Row]]
Sets = Sequence[Mapping[str, frozenset[str]]]


def everybody(chain: Sequence[Mapping[str, object]]) -> list[str]:
    return sorted({person for release in chain for person in release})


def sharing(chain: Tables, person: str) -> list[str]:
    """Those who share somebody's class in every release that holds either of them."""
    return [
        other
        for other in everybody(chain)
        if all(
            person in release and other in release and release[person].looks == release[other].looks
            for release in chain
            if person in release or other in release
        )
    ]


def fewest_sharing(chain: Tables) -> int:
    return min(len(sharing(chain, person)) for person in everybody(chain))


def fewest_values(chain: Tables) -> int:
    """The fewest values of any column that anybody could have in any release.

    Those who share somebody's classes hand their histories around in every way that no rule excludes.
    """
    fewest = 1_000
    for person in everybody(chain):
        cohort = sharing(chain, person)
        there = [release for release in chain if person in release]
        for number, release in enumerate(there):
            for column in range(len(release[person].values)):
                found = set()
                for handed in permutations(cohort):
                    if all(_may(there, one, from_) for one, from_ in zip(cohort, handed, strict=True)):
                        found.add(there[number][handed[cohort.index(person)]].values[column])
                fewest = min(fewest, len(found))
    return fewest


def _may(releases: Tables, person: str, history_of: str) -> bool:
    return all(
        release[person].barred.isdisjoint(enumerate(release[history_of].values)) for release in releases
    )


def fewest_faced(chain: Sets, m: int) -> int:
    """The fewest people faced by whoever knows up to m items of somebody, wherever they have them."""
    items = sorted({item for release in chain for held in release.values() for item in held})
    fewest = len(everybody(chain))
    for person in everybody(chain):
        for size in range(m + 1):
            for known in combinations(items, size):
                faced = [
                    other
                    for other in everybody(chain)
                    if all(
                        person in release
                        and other in release
                        and release[person] & set(known) <= release[other]
                        for release in chain
                        if person in release or other in release
                    )
                ]
                fewest = min(fewest, len(faced))
    return fewest


Outcome = object
World = tuple[str, ...]


def excesses(
    outcome_of: Callable[[World], tuple[Outcome, Tables] | None],
    worlds: Iterable[World],
    kept: Callable[[Tables, World], bool] = lambda chain, world: True,
) -> Iterator[float]:
    """By how much a reader who knows the method is surer than one who does not, for every outcome and person.

    All worlds count alike. A reader who does not know the method takes every world for possible in which each
    class of each release has the values that it has, and in which the promise is ``kept``; one who does, only
    those that give this very outcome.
    """
    possible = list(worlds)
    made: dict[Outcome, list[World]] = {}
    shown: dict[Outcome, Tables] = {}
    for world in possible:
        found = outcome_of(world)
        if found is not None:
            made.setdefault(found[0], []).append(world)
            shown[found[0]] = found[1]
    for outcome, those in made.items():
        chain = shown[outcome]
        here = _multisets(chain, those[0])
        naive = [world for world in possible if _multisets(chain, world) == here and kept(chain, world)]
        for person in range(len(possible[0])):
            yield _surest(those, person) - _surest(naive, person)


def _surest(worlds: list[World], person: int) -> float:
    return max(Counter(world[person] for world in worlds).values()) / len(worlds)


def _multisets(chain: Tables, world: World) -> list[Counter[object]]:
    return [Counter((row.looks, world[int(person)]) for person, row in release.items()) for release in chain]


def all_worlds(people: int, values: str) -> Iterator[World]:
    return product(values, repeat=people)
