"""Decoys: what could as well have been secret is hidden exactly like the secret: it is one of several.

A hidden pattern shows: it is rarer than its neighbours lead one to expect. What can be kept from a reader
is which of the hidden patterns was the secret. All secrets of a release are taken together. Every set of
things that could have been secret in their place is like them: patterns of the same lengths, rules with sides
of the same lengths that would be hidden in the same way, and items in common where the secrets have them
and nowhere else. Such sets are divided into blocks of d + 1 and a few more, no pattern in two sets of a
block, and the whole block of the secrets is hidden. The blocks are made by the key and the data alone, never
by looking at the secrets, and everything later sees the block and not the secrets: every set of a block gives
the very same release, so a release says nothing about which of them was meant. Patterns chosen because they
are *like* the secret would surround it and point at it.

Secrets that share items, also by way of others, are a *unit*. Units of one shape are a kind; they are divided
into strata of support, so that the members of a block are alike in what was taken out. With several units
there are too many sets to list. Then the units of each stratum stand on a circle, in the key's order, and the
maps x → ax + b of the circle lead from the secrets to other sets, the same ones from each of these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import count
from typing import NamedTuple

import numpy as np

from tacit.errors import InfeasibleError
from tacit.methods.hide.solve.patterns import Frequent, Pattern
from tacit.methods.hide.solve.rules import routed_rules
from tacit.random.key import Key
from tacit.typing import AnyArray, Counts

BLOCKS = 4
"""A stratum of support holds at least so many blocks for each secret, where there are as many."""

SHARING_BLOCKS = 16
"""The same for patterns that share items: of few, many have no place beside others."""

MOST_TRIED = 300_000
"""So many sets of patterns are looked at for one shape."""

MOST_ORDERS = 5_000
"""So many orders of the patterns of one shape are compared."""

MOST_MOVED = 20_000
"""About so many sets of units are reached from the secrets."""

PATTERN = "pattern"


class Thing(NamedTuple):
    """What is or could be secret: a pattern, which has one side, or a rule by the way it is hidden."""

    way: str
    sides: tuple[Pattern, ...]

    @property
    def items(self) -> Pattern:
        """All its items, ascending."""
        return tuple(sorted(sum(self.sides, ())))

    @property
    def sort(self) -> Sort:
        """Its way, and the lengths of its sides."""
        return self.way, tuple(map(len, self.sides))


Sort = tuple[str, tuple[int, ...]]
Unit = tuple[Thing, ...]
"""Things that share items, or several such units together."""

Listed = Callable[[Sort], tuple[list[AnyArray], Counts]]
"""All things of a sort: a matrix of items for each side, and how frequent each thing is."""


@dataclass(frozen=True, eq=False)
class Kind:
    """All units of one kind: what each is, where it is, and how frequent its patterns are together."""

    what: str
    unit: Callable[[int], Unit]
    place: Callable[[Unit], int | None]
    supports: Counts

    def __len__(self) -> int:
        return len(self.supports)


class Stratum(NamedTuple):
    """Units of one kind and about one support in the key's order, and which places the secrets have."""

    units: list[Unit]
    places: list[int]


def block_of(
    secret: Sequence[Thing], frequent: Frequent, min_confidence: Fraction | None, *, decoys: int, key: Key
) -> list[Unit]:
    """The block of these secrets, which can be mined: sets of things that are hidden, theirs among them."""
    if not secret:
        return []
    names = frequent.itemsets.vocabulary

    def word(unit: Unit, purpose: str = "block") -> tuple[int, int]:
        things = (
            "\0=>\0".join("\0".join(names[item] for item in side) for side in one.sides) for one in unit
        )
        return key.subkey(f"hide: {purpose} " + "\1".join(things)).words

    @cache
    def listed(sort: Sort) -> tuple[list[AnyArray], Counts]:
        return _listed(sort, frequent, min_confidence)

    strata: list[Stratum] = []
    waiting = sharing_items(secret)
    while waiting:
        kind = _kind(waiting[0], listed)
        units = [unit for unit in waiting if kind.place(unit) is not None]
        waiting = [unit for unit in waiting if unit not in units]
        strata += _strata(units, kind, decoys, lambda unit: word(unit, "place"))
    own = _together([tuple(secret)])
    sets = sorted(_moved(strata), key=word)
    for places in np.array_split(np.arange(len(sets)), len(sets) // (2 * SHARING_BLOCKS * (decoys + 1)) or 1):
        some = [sets[place] for place in places.tolist()]
        if own in some:
            for block in _divided(some, decoys):
                if own in block:
                    return block
    raise _none_alike(secret, decoys)


def sharing_items(things: Sequence[Thing]) -> list[Unit]:
    """The things gathered so that those which share items, also by way of others, are together.

    >>> pairs = [Thing(PATTERN, (pair,)) for pair in [(0, 1), (2, 3), (1, 5)]]
    >>> [[thing.items for thing in unit] for unit in sharing_items(pairs)]
    [[(0, 1), (1, 5)], [(2, 3)]]
    """
    units: list[tuple[set[int], list[Thing]]] = []
    for thing in things:
        items, members = set(thing.items), [thing]
        for other in [unit for unit in units if unit[0] & items]:
            items |= other[0]
            members += other[1]
            units.remove(other)
        units.append((items, members))
    return sorted(_together([tuple(members)]) for _, members in units)


def _together(units: Sequence[Unit]) -> Unit:
    """The things of all these units in one order."""
    return tuple(sorted((thing for unit in units for thing in unit), key=lambda one: (len(one.items), one)))


def _strata(
    units: Sequence[Unit], kind: Kind, decoys: int, word: Callable[[Unit], tuple[int, int]]
) -> Iterator[Stratum]:
    """The strata of a kind in which these units are."""
    n_blocks = len(kind) // (decoys + 1)
    if n_blocks < len(units):
        raise _too_few(kind, units, decoys)
    own = {kind.place(unit) for unit in units}
    least_blocks = (BLOCKS if len(units[0]) == 1 else SHARING_BLOCKS) * len(units)
    order = np.argsort(-kind.supports, kind="stable")
    for places in np.array_split(order, max(1, n_blocks // least_blocks)):
        inside = own.intersection(places.tolist())
        if inside:
            ordered = sorted(
                ((kind.unit(place), place in inside) for place in places.tolist()),
                key=lambda one: word(one[0]),
            )
            yield Stratum(
                [unit for unit, _ in ordered], [at for at, (_, is_own) in enumerate(ordered) if is_own]
            )


def _moved(strata: Sequence[Stratum]) -> set[Unit]:
    """The sets that maps of the circles make of the secrets, which are again units without a common item.

    The circle has a prime number of places, the last of them empty where a stratum has fewer units; the
    maps are a group, so that each of the sets leads to the same ones.
    """
    longest = max(len(stratum.units) for stratum in strata)
    prime = next(p for p in count(max(2, longest)) if all(p % q for q in range(2, int(p**0.5) + 1)))
    order = max(m for m in range(1, prime) if (prime - 1) % m == 0 and (m == 1 or m * prime <= MOST_MOVED))
    if sum(len(stratum.places) for stratum in strata) == 1:
        order = 1  # turning the circle leads everywhere
    items = [[{item for thing in unit for item in thing.items} for unit in units] for units, _ in strata]
    found = set()
    for factor in (a for a in range(1, prime) if pow(a, order, prime) == 1):
        for shift in range(prime):
            chosen = [
                (number, (factor * place + shift) % prime)
                for number, stratum in enumerate(strata)
                for place in stratum.places
            ]
            if all(place < len(items[number]) for number, place in chosen):
                held = [items[number][place] for number, place in chosen]
                if len(set().union(*held)) == sum(map(len, held)):
                    found.add(_together([strata[number].units[place] for number, place in chosen]))
    return found


def _divided(sets: Sequence[Unit], decoys: int) -> list[list[Unit]]:
    """The sets in blocks of at least one more than the decoys, no pattern twice in a block."""
    patterns = {one: {thing.items for thing in one} for one in sets}
    blocks: list[tuple[list[Unit], set[Pattern]]] = [([], set()) for _ in range(len(sets) // (decoys + 1))]
    waiting = list(sets)
    while waiting:
        for one in waiting:
            free = [block for block in blocks if block[1].isdisjoint(patterns[one])]
            if free:
                members, used = min(free, key=lambda block: len(block[0]))
                members.append(one)
                used |= patterns[one]
        # A block in which too few found a place is given up, and its members are placed among the others.
        smallest = min(blocks, key=lambda block: len(block[0]), default=([], set()))
        waiting = smallest[0] if len(smallest[0]) <= decoys else []
        blocks = [block for block in blocks if block is not smallest] if waiting else blocks
    return [members for members, _ in blocks]


def _kind(unit: Unit, listed: Listed) -> Kind:
    """All units of frequent patterns that have the shape of this one."""
    if len(unit) == 1:
        (way, lengths), (sides, supports) = unit[0].sort, listed(unit[0].sort)

        def single(place: int) -> Unit:
            return (Thing(unit[0].way, tuple(tuple(side[place].tolist()) for side in sides)),)

        def place(one: Unit) -> int | None:
            if len(one) > 1 or one[0].sort != unit[0].sort:
                return None
            same = [(side == wanted).all(axis=1) for side, wanted in zip(sides, one[0].sides, strict=True)]
            return int(np.flatnonzero(np.logical_and.reduce(same))[0])

        what = (
            f"patterns of length {lengths[0]}"
            if way == PATTERN
            else f"rules with {lengths[0]} and {lengths[1]} items on their sides, hidden by {way}"
        )
        return Kind(what, single, place, supports)
    alike = sorted(_alike(unit, listed).items())
    places = {one: place for place, (one, _) in enumerate(alike)}
    supports = np.array([support for _, support in alike], dtype=np.int64)
    what = f"sets of {len(unit)} patterns that share items so"
    return Kind(what, lambda place: alike[place][0], places.get, supports)


def _listed(sort: Sort, frequent: Frequent, min_confidence: Fraction | None) -> tuple[list[AnyArray], Counts]:
    way, lengths = sort
    if way != PATTERN:
        lefts, rights, supports = routed_rules(way, lengths, frequent, min_confidence)
        sides = [lefts, rights]
    elif lengths == (1,):
        items = np.flatnonzero(frequent.item_supports >= frequent.least)
        sides, supports = [items[:, None]], frequent.item_supports[items]
    else:
        matrix, supports, _ = frequent.itemsets.of_length(lengths[0])
        sides = [matrix]
    order = np.lexsort(np.concatenate(sides, axis=1).T[::-1])
    return [side[order].astype(np.int64) for side in sides], supports[order]


def _alike(unit: Unit, listed: Listed) -> dict[Unit, int]:
    """Every set of frequent patterns with the same pattern of sharing, and the sum of their supports."""
    ordered = _in_order(unit)
    wanted = [_memberships(ordered[: size + 1]) for size in range(len(ordered))]
    supports: dict[Thing, int] = {}
    holding: dict[tuple[Sort, int], list[Thing]] = {}
    for sort in {thing.sort for thing in unit}:
        sides, counts = listed(sort)
        for *rows, support in zip(*(side.tolist() for side in sides), counts.tolist(), strict=True):
            thing = Thing(sort[0], tuple(map(tuple, rows)))
            supports[thing] = support
            for item in thing.items:
                holding.setdefault((sort, item), []).append(thing)
    found: dict[Unit, int] = {}
    tried = 0
    waiting: list[list[Thing]] = [[one] for one in supports if one.sort == ordered[0].sort]
    while waiting:
        chosen = waiting.pop()
        if len(chosen) == len(ordered):
            found[_together([tuple(chosen)])] = sum(supports[thing] for thing in chosen)
            continue
        sort = ordered[len(chosen)].sort
        items = {item for thing in chosen for item in thing.items}
        near = {one for item in items for one in holding.get((sort, item), ())}
        tried += len(near)
        if tried > MOST_TRIED:
            raise _too_many(unit)
        waiting += [[*chosen, one] for one in near if _memberships([*chosen, one]) == wanted[len(chosen)]]
    return found


def _in_order(unit: Unit) -> Unit:
    """The things in an order that all units of the shape have alike, each with an item of one before it.

    How many sets are looked at depends on the order. Were it another for some members of a block, these
    might be refused, and could not have been the secret.
    """
    orders: list[Unit] = [()]
    while len(orders[0]) < len(unit):
        longer = [
            (*some, one)
            for some in orders
            for one in unit
            if one not in some
            and (not some or set(one.items) & {item for thing in some for item in thing.items})
        ]
        if len(longer) > MOST_ORDERS:
            raise _too_many(unit)
        described = [(some[-1].sort, sorted(_memberships(some).items())) for some in longer]
        first = min(described)
        orders = [some for some, words in zip(longer, described, strict=True) if words == first]
    return orders[0]


def _memberships(things: Sequence[Thing]) -> Counter[tuple[tuple[int, int], ...]]:
    """How many items lie on exactly which sides of which things: equal for two lists that are alike."""
    places: dict[int, tuple[tuple[int, int], ...]] = {}
    for place, thing in enumerate(things):
        for number, side in enumerate(thing.sides):
            for item in side:
                places[item] = (*places.get(item, ()), (place, number))
    return Counter(places.values())


def _too_few(kind: Kind, units: Sequence[Unit], decoys: int) -> InfeasibleError:
    most = len(kind) // len(units) - 1 if len(units[0]) == 1 else 0
    secrets = "one secret" if len(units) == 1 else f"each of {len(units)} secrets"
    return InfeasibleError(
        f"{decoys} decoys for {secrets} need {len(units) * (decoys + 1)} frequent {kind.what}, each with "
        f"patterns of its own; there are {len(kind)} in all.",
        code="decoys-few",
        hint=(f"Ask for at most {most} decoys" if 0 < most < decoys else "Ask for fewer decoys")
        + ", lower the support, or ask for 0 decoys, which disguises nothing.",
    )


def _none_alike(secret: Sequence[Thing], decoys: int) -> InfeasibleError:
    return InfeasibleError(
        f"Too few sets of {len(secret)} frequent patterns or rules are like the {len(secret)} secrets, with "
        f"items in common where these have them, for {decoys} decoys with patterns of their own.",
        code="decoys-few",
        hint="Ask for fewer decoys, hide fewer secrets, lower the support, or ask for 0 decoys, which "
        "disguises nothing.",
    )


def _too_many(unit: Unit) -> InfeasibleError:
    return InfeasibleError(
        f"{len(unit)} of the secrets share items, and too many sets of frequent patterns do so as they do.",
        code="decoys-shape",
        hint="Hide fewer patterns that share items, raise the support, or ask for 0 decoys, which disguises "
        "nothing.",
    )
