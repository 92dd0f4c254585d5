"""What readers know who also know which rules would have been listed: by trying every world.

A world gives everybody one value, the same in all releases. It is possible if it gives what every release
publishes and if mining it with the stated settings gives the rules that are listed, no more and no fewer.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tacit.data.table import Table
from tacit.mining.knowledge import NegativeRules

World = Mapping[str, str]
Items = frozenset[tuple[str, int]]
"""A conjunction: attributes, each with a node."""
Rule = tuple[Items, str]
"""Whom it is about, and what none of them has."""


@dataclass(frozen=True)
class Mined:
    """What a release says by the rules that it lists, mined from its people."""

    people: tuple[str, ...]
    circles: Mapping[Items, frozenset[str]]
    """Of every conjunction that could be the left side of a rule: whom it is about."""
    above: Mapping[tuple[str, int], frozenset[tuple[str, int]]]
    """Of every item, the items that follow from it, itself included."""
    listed: frozenset[Rule]
    least: Fraction
    """Of the expectation."""

    def allows(self, world: World) -> bool:
        """Whether mining a world gives exactly the listed rules."""
        held = Counter(world[person] for person in self.people)
        rules = set()
        for items, circle in self.circles.items():
            for value in held.keys() - {world[person] for person in circle}:
                chance = Fraction(len(self.people) - held[value], len(self.people)) ** len(circle)
                if 1 - chance >= self.least:
                    rules.add((items, value))
        return self.listed == {
            (items, value)
            for items, value in rules
            if not any(
                other != items and some == value and other <= self.following(items) for other, some in rules
            )
        }

    def following(self, items: Items) -> Items:
        return frozenset().union(*(self.above[item] for item in items))


def mined(table: Table, names: Sequence[str], rules: NegativeRules) -> Mined:
    """What the rules of a table say that has a row for each of these people."""
    inside, above = {}, {}
    for attribute in rules.attributes:
        tree, leaves = attribute.hierarchy, attribute.leaves[table.column(attribute.name).codes]
        for node in range(tree.n_nodes - 1):  # the root is never an item
            low, high = tree.leaf_ranges[node]
            item = attribute.name, node
            inside[item] = frozenset(
                name for name, leaf in zip(names, leaves, strict=True) if low <= leaf < high
            )
            above[item] = frozenset((attribute.name, int(one)) for one in (node, *tree.ancestors(node)))
    circles = {
        frozenset(chosen): frozenset.intersection(*(inside[item] for item in chosen))
        for length in range(1, rules.settings["max_length"] + 1)
        for chosen in itertools.combinations(inside, length)
        if len({name for name, _ in chosen}) == length
    }
    (texts,) = rules.sensitive.values()
    listed = {
        (
            frozenset(
                (one.name, int(node)) for one, node in zip(rules.attributes, nodes, strict=True) if node >= 0
            ),
            str(texts[value]),
        )
        for nodes, value in zip(rules.nodes, rules.values, strict=True)
    }
    there = {items: circle for items, circle in circles.items() if circle}
    least = Fraction(str(rules.settings["min_expectation"]))
    return Mined(tuple(names), there, above, frozenset(listed), least)


def fewest_values(worlds: Iterable[World]) -> int:
    """The fewest values that anybody has in some worlds."""
    found: dict[str, set[str]] = {}
    for world in worlds:
        for person, value in world.items():
            found.setdefault(person, set()).add(value)
    return min(map(len, found.values()))


def classed(chain: Sequence[Mapping[str, tuple[object, str]]]) -> Iterator[dict[str, str]]:
    """All worlds of tables: of each release, the class and the value of everybody in it."""
    people = sorted({person for release in chain for person in release})
    left = [Counter(release.values()) for release in chain]
    homes = {
        person: [(at, release[person][0]) for at, release in enumerate(chain) if person in release]
        for person in people
    }
    values = sorted({value for release in chain for _, value in release.values()})

    def assigned(place: int, world: dict[str, str]) -> Iterator[dict[str, str]]:
        if place == len(people):
            yield dict(world)
            return
        for value in values:
            needed = [(at, (look, value)) for at, look in homes[people[place]]]
            if all(left[at][cell] for at, cell in needed):
                for at, cell in needed:
                    left[at][cell] -= 1
                yield from assigned(place + 1, world | {people[place]: value})
                for at, cell in needed:
                    left[at][cell] += 1

    return assigned(0, {})
