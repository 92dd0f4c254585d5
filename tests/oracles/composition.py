"""Releases read together, by trying everything: who is left with one candidate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product

Value = str | None
Row = Mapping[str, Value]


@dataclass
class Released:
    """A release: buckets of rows and values, rules (when, value), and what a value may be published as."""

    quasi: Sequence[str]
    buckets: Sequence[tuple[Sequence[Row], Sequence[Value]]]
    rules: Sequence[tuple[Mapping[str, set[Value]], Value]] = ()
    nodes: Mapping[str, Mapping[Value, Collection[Value]]] = field(default_factory=dict)

    def fits(self, person: Row, row: Row) -> bool:
        """Whether a row could be a person's."""
        return all(
            row[name] in self.nodes.get(name, {}).get(person[name], (person[name],)) for name in self.quasi
        )

    def bars(self, person: Row, value: Value) -> bool:
        """Whether a rule says that a person cannot have a value."""
        return any(
            barred == value and all(person[name] in wanted for name, wanted in when.items())
            for when, barred in self.rules
        )

    def holds(self, people: Sequence[tuple[Row, Value]]) -> bool:
        """Whether all these people can be in it, each in a row of their own, with these values."""
        if any(self.bars(person, value) for person, value in people):
            return False
        rows = [[*rows] for rows, _ in self.buckets]
        values = [Counter(values) for _, values in self.buckets]

        def placed(rest: Sequence[tuple[Row, Value]]) -> bool:
            if not rest:
                return True
            person, value = rest[0]
            for free, left in zip(rows, values, strict=True):
                for at in [at for at, row in enumerate(free) if self.fits(person, row) and left[value]]:
                    row = free.pop(at)
                    left[value] -= 1
                    if placed(rest[1:]):
                        return True
                    left[value] += 1
                    free.insert(at, row)
            return False

        return placed(people)


def possible_values(
    people: Sequence[Sequence[Row | None]], releases: Sequence[Released], values: Sequence[Value]
) -> list[set[Value]]:
    """What each person can have, by trying all values for all people.

    ``people[p][r]`` is what person p looks like in release r, None where the person is not in it.
    """
    found: list[set[Value]] = [set() for _ in people]
    for chosen in product(values, repeat=len(people)):
        if all(
            release.holds(
                [
                    (looks[r], value)
                    for looks, value in zip(people, chosen, strict=True)
                    if looks[r] is not None
                ]
            )
            for r, release in enumerate(releases)
        ):
            for mine, value in zip(found, chosen, strict=True):
                mine.add(value)
    return found


def narrowed_by_turns(
    people: Sequence[Sequence[Row | None]], releases: Sequence[Released]
) -> list[set[Value]]:
    """What everybody can have when buckets are looked at one by one, again and again, until nothing changes.

    Of people who are in one bucket of each release, whom a row of their own is in: a value stays where the
    other members of the bucket can be given the other values.
    """
    everything = {value for release in releases for _, values in release.buckets for value in values}
    found = [
        {
            value
            for value in everything
            if not any(release.bars(looks[r], value) for r, release in enumerate(releases) if looks[r])
        }
        for looks in people
    ]
    inside = []
    for r, release in enumerate(releases):
        for rows, values in release.buckets:
            members = [
                number
                for number, looks in enumerate(people)
                if looks[r] is not None and any(release.fits(looks[r], row) for row in rows)
            ]
            inside.append((members, Counter(values)))
    before = None
    while before != sum(map(len, found)):
        before = sum(map(len, found))
        for members, values in inside:
            for one in members:
                for value in sorted(found[one], key=str):
                    others = [found[other] for other in members if other != one]
                    if not values[value] or not _can_be_given(others, values - Counter([value])):
                        found[one].discard(value)
    return found


def intersected(people: Sequence[Sequence[Row | None]], releases: Sequence[Released]) -> list[set[Value]]:
    """What a reader is left with who solves no bucket: what the buckets of all releases have in common."""
    found = []
    for looks in people:
        each = [
            {
                value
                for rows, values in release.buckets
                if any(release.fits(look, row) for row in rows)
                for value in values
                if not release.bars(look, value)
            }
            for look, release in zip(looks, releases, strict=True)
            if look is not None
        ]
        found.append(set.intersection(*each) if each else set())
    return found


def _can_be_given(wanted: Sequence[set[Value]], values: Counter[Value]) -> bool:
    """Whether everybody can be given one of the values that they want (augmenting paths)."""
    slots = list(values.elements())
    holder: dict[int, int] = {}

    def give(one: int, tried: set[int]) -> bool:
        for slot, value in enumerate(slots):
            if value in wanted[one] and slot not in tried:
                tried.add(slot)
                if slot not in holder or give(holder[slot], tried):
                    holder[slot] = one
                    return True
        return False

    return all(give(one, set()) for one in range(len(wanted)))


def compatible(
    one: frozenset[str],
    other: frozenset[str],
    first: Mapping[str, str],
    second: Mapping[str, str],
    leaves: Sequence[str],
) -> bool:
    """Whether some set of leaves is published as ``one`` by the first mapping and ``other`` by the second."""
    return any(
        {first[leaf] for leaf in chosen} == set(one) and {second[leaf] for leaf in chosen} == set(other)
        for size in range(len(leaves) + 1)
        for chosen in combinations(leaves, size)
    )


def has_one_candidate(
    original: frozenset[str],
    published: Sequence[Sequence[frozenset[str]]],
    mappings: Sequence[Mapping[str, str]],
    leaves: Sequence[str],
) -> bool:
    """Whether what one release shows of a transaction is compatible with one record of the other."""
    shown = [frozenset(mapping[leaf] for leaf in original) for mapping in mappings]
    behind = sum(compatible(shown[0], record, *mappings, leaves) for record in published[1])
    before = sum(compatible(record, shown[1], *mappings, leaves) for record in published[0])
    return behind >= 1 and before >= 1 and min(behind, before) == 1
