"""What a reader of several releases of the same people can know, by enumeration from the definition.

A release is a list of buckets, each with its members and its values. A world gives everybody one value that
never changes; it is possible if in every release every bucket has the values of its members. Values that are
left over are counterfeits, of which a bucket has as many as it has values more than members.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product

Bucket = tuple[frozenset[str], tuple[str, ...]]
Chain = Sequence[Sequence[Bucket]]
Barred = Mapping[str, Iterable[str]]


def worlds(chain: Chain, barred: Barred | None = None) -> Iterator[dict[str, str]]:
    """All possible worlds; nobody has a value that they are barred."""
    people = sorted({person for release in chain for members, _ in release for person in members})
    homes: dict[str, list[tuple[int, int]]] = {person: [] for person in people}
    left = {}
    for number, release in enumerate(chain):
        for place, (members, values) in enumerate(release):
            left[number, place] = Counter(values)
            for person in members:
                homes[person].append((number, place))

    def assigned(place: int, world: dict[str, str]) -> Iterator[dict[str, str]]:
        if place == len(people):
            yield dict(world)
            return
        person = people[place]
        for value in sorted(set.intersection(*(set(left[home]) for home in homes[person]))):
            if value in (barred or {}).get(person, ()) or any(
                left[home][value] < 1 for home in homes[person]
            ):
                continue
            for home in homes[person]:
                left[home][value] -= 1
            yield from assigned(place + 1, world | {person: value})
            for home in homes[person]:
                left[home][value] += 1

    return assigned(0, {})


def candidates(chain: Chain, barred: Barred | None = None) -> dict[str, Counter[str]]:
    """In how many worlds everybody has each value."""
    found: dict[str, Counter[str]] = {}
    for world in worlds(chain, barred):
        for person, value in world.items():
            found.setdefault(person, Counter())[value] += 1
    return found


Outcome = tuple[object, ...]


def aware_posteriors(
    outcome_of: Callable[[tuple[str, ...], int], Outcome],
    n_people: int,
    values: Sequence[str],
    keys: int,
) -> dict[Outcome, Counter[tuple[int, str]]]:
    """What a reader makes of every outcome who knows the method: in how many runs somebody has a value.

    All worlds count alike, and every run has a key of its own; ``outcome_of`` is what is published in a world
    under a key.
    """
    found: dict[Outcome, Counter[tuple[int, str]]] = {}
    for number, world in enumerate(product(values, repeat=n_people)):
        for key in range(number * keys, (number + 1) * keys):
            found.setdefault(outcome_of(world, key), Counter()).update(enumerate(world))
    return found
