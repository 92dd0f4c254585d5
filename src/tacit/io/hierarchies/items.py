"""A hierarchy over items: by the parts of their names, then by which of them are held together.

Names come first, because they say nothing about anybody. What they leave apart is gathered, in groups of a
few, by how close the caller has found items to be; what that leaves apart is grouped with its neighbours by
name. Items that too few hold are under "other", so that they do not make common ones coarser.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tacit.data.hierarchy import Hierarchy
from tacit.data.transactions import sorted_names
from tacit.io.hierarchies.build import Namer, assembled, distinct_texts

FANOUT = 5
"""The most groups that are gathered into one."""
MOST_PARTS = 8
"""Parts of a name beyond this many are not looked at."""
_PART = re.compile(r"[^\W_]+")

Spans = list[tuple[int, int]]
Closeness = Mapping[tuple[str, str], int]


@dataclass(frozen=True, slots=True)
class _Unit:
    """A node without a parent yet: its label, its items, and what a group that it joins is called after."""

    label: str
    items: tuple[str, ...]
    names: tuple[str, ...]


def build_items(
    items: Iterable[object],
    *,
    close: Closeness | None = None,
    rare: Collection[str] = (),
    name: str | None = None,
) -> Hierarchy:
    """Items under the parts that their names share, and these groups by what is held together.

    ``close`` says of pairs of items how close they are, 0 the closest; ``rare`` names the items that too few
    hold. Names are compared from the side on which they share more: ``rye bread`` and ``white bread``, or
    ``milk oat`` and ``milk whole``.

    >>> tree = build_items(["rye bread", "white bread", "oat milk", "whole milk", "beer"])
    >>> [tree.labels[node] for node in tree.children[tree.root]]
    ['beer', 'bread', 'milk']
    """
    texts, _ = distinct_texts(items)
    builder = _Builder(sorted_names(texts))
    units = builder.by_name()
    if len(units) > FANOUT:  # else names say enough
        units = builder.held_together(units, close or {})
    few = [unit for unit in units if unit.items == (unit.label,) and unit.label in rare]
    if 1 < len(few) < len(units) > FANOUT:
        other = builder.namer.label("other", "other", " (group)")
        builder.put(builder.neighbours(few), other)
        gone = {unit.label for unit in few}
        units = [unit for unit in units if unit.label not in gone]
        units.append(_Unit(other, tuple(unit.label for unit in few), (other,)))
    order = {label: place for place, label in enumerate(sorted_names(unit.label for unit in units))}
    units.sort(key=lambda unit: order[unit.label])
    builder.put(builder.neighbours(units), builder.namer.root())
    return assembled(builder.parents, builder.namer, null=False, name=name)


def with_few_on_top(tree: Hierarchy) -> Hierarchy:
    """The hierarchy with neighbours together below the root, where the root has more than a few children.

    What is rare would else have nothing above it but everything.
    """
    parents = {tree.labels[node]: tree.labels[above] for node, above in enumerate(tree.parents.tolist()[:-1])}
    builder = _Builder(tree.labels[:-1])
    top = [tree.labels[node] for node in tree.children[tree.root]]
    units = builder.neighbours([_Unit(label, (label,), (label,)) for label in top])
    builder.put(units, builder.namer.root())
    below = {label: above for label, above in parents.items() if label not in builder.parents}
    return assembled(below | builder.parents, builder.namer, null=False, name=tree.name)


class _Builder:
    """The tree as it grows from its leaves."""

    def __init__(self, items: Sequence[str]) -> None:
        self.items = items
        self.namer = Namer(items)
        self.parents: dict[str, str] = {}
        self._plus = " + " if any(" " in item for item in items) else "+"

    def put(self, units: Iterable[_Unit], parent: str) -> None:
        self.parents.update((unit.label, parent) for unit in units)

    def by_name(self) -> list[_Unit]:
        """Items under the parts that their names share, in the order of their first items."""
        parts = {item: [found.span() for found in _PART.finditer(item)][:MOST_PARTS] for item in self.items}
        if all(item.isdecimal() for item in self.items):
            parts = {item: [] for item in self.items}  # a running number tells nothing of its item
        # From the end, a size such as that of "milk 1l" says nothing of what it is the size of.
        ends = {
            item: [span for span in reversed(spans) if not re.search(r"\d", item[slice(*span)])]
            for item, spans in parts.items()
        }
        return self._sharing(self.items, max((parts, ends), key=_shared), 0)

    def _sharing(self, items: Sequence[str], parts: Mapping[str, Spans], depth: int) -> list[_Unit]:
        """Units of items that share what comes after their first ``depth`` parts."""
        together: dict[object, list[str]] = {}
        for item in items:
            key = _word(item, parts, depth) if depth < len(parts[item]) else (item,)
            together.setdefault(key, []).append(item)
        units: list[_Unit] = []
        for members in together.values():
            if len(members) == 1:
                units.append(_Unit(members[0], (members[0],), (members[0],)))
                continue
            common = _common(members, parts, depth)
            inner = self._sharing(members, parts, common)
            if len(together) == 1:  # what all of them share groups nothing
                return inner
            spans = parts[members[0]][:common]
            said = members[0][min(low for low, _ in spans) : max(high for _, high in spans)]
            label = self.namer.label((depth, *members), said, " (group)")
            self.put(inner, label)
            units.append(_Unit(label, tuple(members), (label,)))
        return units

    def held_together(self, units: Sequence[_Unit], close: Closeness) -> list[_Unit]:
        """Units in groups of a few, the closest first; two are as close as the closest of their items."""
        place = {item: number for number, unit in enumerate(units) for item in unit.items}
        between: dict[tuple[int, int], int] = {}
        for (first, second), closeness in close.items():
            low, high = sorted((place[first], place[second]))
            if low != high:
                between[low, high] = min(closeness, between.get((low, high), closeness))
        groups = [[number] for number in range(len(units))]
        for low, high in sorted(between, key=lambda pair: (between[pair], pair)):
            one, other = groups[low], groups[high]
            if one is not other and len(one) + len(other) <= FANOUT:
                one.extend(other)
                for number in other:
                    groups[number] = one
        return [
            self._joined([units[number] for number in sorted(group)], near=False)
            for number, group in enumerate(groups)
            if group[0] == number
        ]

    def neighbours(self, units: list[_Unit]) -> list[_Unit]:
        """Units in groups of a few neighbours, all about equally large, those again, until few are left."""
        while len(units) > FANOUT:
            count = -(-len(units) // FANOUT)
            ends = [len(units) * number // count for number in range(count + 1)]
            units = [self._joined(units[low:high], near=True) for low, high in pairwise(ends)]
        return units

    def _joined(self, group: Sequence[_Unit], *, near: bool) -> _Unit:
        """A group of some units, called after the first and the last where they are neighbours."""
        if len(group) == 1:
            return group[0]
        names = tuple(name for unit in group for name in unit.names)
        more = [] if len(names) == 2 else [str(len(names) - 2)]
        said = f"{names[0]}..{names[-1]}" if near else self._plus.join([*names[:2], *more])
        label = self.namer.label(("group", *names), said, "^")
        self.put(group, label)
        return _Unit(label, tuple(item for unit in group for item in unit.items), names)


def _word(item: str, parts: Mapping[str, Spans], place: int) -> str:
    low, high = parts[item][place]
    return item[low:high].casefold()


def _common(items: Sequence[str], parts: Mapping[str, Spans], depth: int) -> int:
    """How many parts these items share from the side on which they are compared."""
    shortest = min(len(parts[item]) for item in items)
    while depth < shortest and len({_word(item, parts, depth) for item in items}) == 1:
        depth += 1
    return depth


def _shared(parts: Mapping[str, Spans]) -> int:
    """How many items share their first part with another, though not with all."""
    first = Counter(_word(item, parts, 0) for item, spans in parts.items() if spans)
    return sum(times for times in first.values() if 1 < times < len(parts))
