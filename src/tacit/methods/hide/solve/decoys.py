"""Decoys: other frequent patterns that are hidden exactly like the secret, so that it is one of several.

A hidden pattern shows: it is rarer than its neighbours lead one to expect. What can be kept from a reader
is which of the hidden patterns was the secret. All frequent patterns of the secret's kind are divided into
blocks of d + 1 and a few more, and the whole block of the secret is hidden. The blocks are made by the key
and the data alone, never by looking at the secret, and everything later sees the block and not the secret:
every member of a block gives the very same release, so a release says nothing about which of them was meant.
Patterns chosen because they are *like* the secret would surround it and point at it.

A kind is a length and a stratum of support, so that members are alike in what was taken out. Secrets that
share items are one thing: decoys of {a, b} and {a, c} are two pairs that share an item, as often as needed,
each with patterns of its own. Where several secrets are of one kind, that many blocks are hidden, so that
each of the patterns hidden is a secret with a chance of 1 in d + 1 also where two fell into one block.

How frequent a hidden pair should look: a pair that is brought just below the least support stands out, and
so does one that is far rarer than its items lead one to expect. The target of each marked pair is therefore
the support of an infrequent pair of the data whose items are about as frequent, drawn by the key from the
middle of those. A pair whose items are so frequent that such pairs are hardly ever infrequent stays close
below the least support: being rare is what would give it away.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tacit.errors import InfeasibleError
from tacit.methods.hide.solve.patterns import Pattern
from tacit.mining.itemsets import Itemsets
from tacit.random.key import Key
from tacit.typing import AnyArray, Codes, Counts, Floats

BLOCKS = 4
"""A stratum of support holds at least so many blocks where there are as many: readers know the strata."""

SHARING_BLOCKS = 16
"""The same for patterns that share items: of few, many have no place beside others."""

MOST_TRIED = 300_000
"""So many sets of patterns are looked at for one shape."""

Unit = tuple[Pattern, ...]
"""Patterns that are hidden together because they share items."""


@dataclass(frozen=True, eq=False)
class Kind:
    """All units of one kind: what each is, and how frequent its patterns are together."""

    what: str
    unit: Callable[[int], Unit]
    supports: Counts
    holds: Callable[[Unit], bool]

    def __len__(self) -> int:
        return len(self.supports)


def decoy_patterns(
    secret: Sequence[Pattern], itemsets: Itemsets, item_supports: Counts, *, least: int, decoys: int, key: Key
) -> set[Pattern]:
    """The patterns that are hidden beside these frequent ones, ``decoys`` and more for each."""
    waiting = sharing_items(secret)
    hidden: set[Pattern] = set()
    while waiting:
        kind = _kind(waiting[0], itemsets, item_supports, least)
        units = [unit for unit in waiting if kind.holds(unit)]
        waiting = [unit for unit in waiting if not kind.holds(unit)]
        for unit in blocks_of(units, kind, decoys=decoys, key=key, names=itemsets.vocabulary):
            hidden.update(unit)
    return hidden - set(secret)


def sharing_items(patterns: Sequence[Pattern]) -> list[Unit]:
    """The patterns gathered so that those which share items, also by way of others, are together.

    >>> sharing_items([(0, 1), (2, 3), (1, 5)])
    [((0, 1), (1, 5)), ((2, 3),)]
    """
    units: list[tuple[set[int], set[Pattern]]] = []
    for pattern in patterns:
        items, members = set(pattern), {pattern}
        for other in [unit for unit in units if unit[0] & items]:
            items |= other[0]
            members |= other[1]
            units.remove(other)
        units.append((items, members))
    return sorted(tuple(sorted(members, key=lambda one: (len(one), one))) for _, members in units)


def blocks_of(
    units: Sequence[Unit], kind: Kind, *, decoys: int, key: Key, names: Sequence[str]
) -> Iterator[Unit]:
    """All members of the blocks that these units of a kind are in; of as many blocks as there are units."""
    n_blocks = len(kind) // (decoys + 1)
    if n_blocks < len(units):
        raise _too_few(kind, units, decoys)
    order = np.argsort(-kind.supports, kind="stable")
    least_blocks = max(BLOCKS if len(units[0]) == 1 else SHARING_BLOCKS, len(units))
    for places in np.array_split(order, max(1, n_blocks // least_blocks)):
        members = [kind.unit(place) for place in places.tolist()]
        own = set(units) & set(members)
        if not own:
            continue
        blocks = _divided(members, decoys=decoys, key=key, names=names)
        holding = [number for number, block in enumerate(blocks) if own & set(block)]
        if sum(len(own & set(blocks[number])) for number in holding) < len(own) or len(blocks) < len(own):
            raise _too_few(kind, units, decoys)
        # The next ones in the order of the key, which knows nothing of secrets.
        others = [number for number in range(len(blocks)) if number not in holding]
        others = sorted(others, key=lambda number: (number - holding[0]) % len(blocks))
        for number in [*holding, *others[: len(own) - len(holding)]]:
            yield from blocks[number]


def _divided(members: Sequence[Unit], *, decoys: int, key: Key, names: Sequence[str]) -> list[list[Unit]]:
    """The members in blocks of at least one more than the decoys, no pattern twice in a block."""

    def word(unit: Unit) -> tuple[int, int]:
        named = "\1".join("\0".join(names[item] for item in pattern) for pattern in unit)
        return key.subkey("hide: block " + named).words

    blocks: list[list[Unit]] = [[] for _ in range(len(members) // (decoys + 1))]
    waiting = sorted(members, key=word)
    while waiting:
        for unit in waiting:
            free = [block for block in blocks if not any(set(unit) & set(other) for other in block)]
            if free:
                min(free, key=len).append(unit)
        # A block in which too few found a place is given up, and its members are placed among the others.
        smallest = min(blocks, key=len, default=[])
        waiting = smallest if len(smallest) <= decoys else []
        blocks = [block for block in blocks if block is not smallest] if waiting else blocks
    return blocks


def _kind(unit: Unit, itemsets: Itemsets, item_supports: Counts, least: int) -> Kind:
    """All units of frequent patterns that have the shape of this one."""
    if len(unit) == 1:
        matrix, supports = _of_length(len(unit[0]), itemsets, item_supports, least)
        length = len(unit[0])
        return Kind(
            f"patterns of length {length}",
            lambda place: (tuple(matrix[place].tolist()),),
            supports,
            lambda one: len(one) == 1 and len(one[0]) == length,
        )
    alike = _alike(unit, itemsets, item_supports, least)
    found = sorted(alike.items())
    supports = np.array([support for _, support in found], dtype=np.int64)
    what = f"sets of {len(unit)} patterns that share items so"
    return Kind(what, lambda place: found[place][0], supports, alike.__contains__)


def _of_length(length: int, itemsets: Itemsets, item_supports: Counts, least: int) -> tuple[Counts, Counts]:
    if length == 1:
        items = np.flatnonzero(item_supports >= least)
        return items[:, None], item_supports[items]
    matrix, supports, _ = itemsets.of_length(length)
    order = np.lexsort(matrix.T[::-1])
    return matrix[order].astype(np.int64), supports[order]


def _alike(unit: Unit, itemsets: Itemsets, item_supports: Counts, least: int) -> dict[Unit, int]:
    """Every set of frequent patterns with the same pattern of sharing, and the sum of their supports."""
    # Each next pattern shares an item with one before it, so that few have to be tried.
    ordered = [unit[0]]
    while len(ordered) < len(unit):
        reached = {item for pattern in ordered for item in pattern}
        ordered.append(next(one for one in unit if one not in ordered and reached & set(one)))
    wanted = [_memberships(ordered[: size + 1]) for size in range(len(ordered))]
    supports: dict[Pattern, int] = {}
    holding: dict[tuple[int, int], list[Pattern]] = {}
    for length in {len(pattern) for pattern in unit}:
        matrix, counts = _of_length(length, itemsets, item_supports, least)
        for row, count in zip(matrix.tolist(), counts.tolist(), strict=True):
            supports[tuple(row)] = count
            for item in row:
                holding.setdefault((length, item), []).append(tuple(row))
    found: dict[Unit, int] = {}
    tried = 0
    waiting: list[list[Pattern]] = [[one] for one in supports if len(one) == len(ordered[0])]
    while waiting:
        chosen = waiting.pop()
        if len(chosen) == len(ordered):
            done = tuple(sorted(chosen, key=lambda one: (len(one), one)))
            found[done] = sum(supports[pattern] for pattern in chosen)
            continue
        length = len(ordered[len(chosen)])
        near = {one for item in {*sum(chosen, ())} for one in holding.get((length, item), ())}
        tried += len(near)
        if tried > MOST_TRIED:
            raise _too_many(unit)
        waiting += [[*chosen, one] for one in near if _memberships([*chosen, one]) == wanted[len(chosen)]]
    return found


def _memberships(patterns: Sequence[Pattern]) -> Counter[tuple[int, ...]]:
    """How many items lie in exactly which of the patterns: equal for two lists that are alike."""
    places: dict[int, tuple[int, ...]] = {}
    for place, pattern in enumerate(patterns):
        for item in pattern:
            places[item] = (*places.get(item, ()), place)
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


def _too_many(unit: Unit) -> InfeasibleError:
    return InfeasibleError(
        f"{len(unit)} of the secrets share items, and too many sets of frequent patterns do so as they do.",
        code="decoys-shape",
        hint="Hide fewer patterns that share items, raise the support, or ask for 0 decoys, which disguises "
        "nothing.",
    )


BAND = (Fraction(2, 5), Fraction(4, 5))
"""Ranks among the pairs alike, from the most frequent down, that targets are drawn from."""

ALIKE = 100
"""At least so many pairs count as alike, and at least one in fifty."""

MOST_ITEMS = 2_000
"""Examples are the pairs of at most so many frequent items."""


@dataclass(frozen=True, eq=False)
class Examples:
    """Infrequent pairs of frequent items: what one expects by their items, ascending, and their supports."""

    expected: Floats
    supports: Counts
    rare_items: Counts
    """The supports of the infrequent items, descending."""

    def like(self, expected: float) -> Counts:
        """The supports of the pairs whose expectation is nearest, descending."""
        size = min(len(self.supports), max(ALIKE, len(self.supports) // 50))
        middle = int(np.searchsorted(self.expected, expected))
        first = min(max(0, middle - size // 2), len(self.supports) - size)
        return -np.sort(-self.supports[first : first + size])


def example_items(item_supports: Counts, least: int) -> Codes:
    """The frequent items whose infrequent pairs serve as examples: evenly chosen by support if many."""
    frequent = np.flatnonzero(item_supports >= least).astype(np.int32)
    if len(frequent) <= MOST_ITEMS:
        return frequent
    by_support = frequent[np.argsort(-item_supports[frequent], kind="stable")]
    return np.sort(by_support[np.linspace(0, len(by_support) - 1, MOST_ITEMS).astype(np.int64)])


def make_examples(
    items: Codes, pair_supports: Counts, item_supports: Counts, n_rows: int, least: int
) -> Examples:
    """The examples among the pairs of these items, whose supports are the upper half of a matrix."""
    one, other = np.triu_indices(len(items), 1)
    supports = pair_supports[one, other]
    below = supports < least
    alone = item_supports[items].astype(np.float64)
    expected = (alone[one] * alone[other])[below] / max(1, n_rows)
    order = np.lexsort((supports[below], expected))
    rare = item_supports[item_supports < least]
    return Examples(expected[order], supports[below][order], -np.sort(-rare))


def drawn_rank(key: Key, purpose: str) -> Fraction:
    """A rank in the middle of examples, drawn by the key."""
    drawn = Fraction(key.subkey(purpose).words[0], 2**64)
    return BAND[0] + drawn * (BAND[1] - BAND[0])


@dataclass(frozen=True, eq=False)
class Targets:
    """How frequent each marked pair or item may stay: drawn like the examples, or as much as is allowed."""

    least: int
    n_rows: int
    names: Sequence[str]
    item_supports: Counts
    examples: Examples | None = None
    key: Key | None = None

    def of(self, items: Sequence[int]) -> int:
        """The target of a pair or an item: at most ``least - 1``, and at least 1 where that is possible."""
        if self.examples is None or self.key is None:
            return self.least - 1
        if len(items) == 1:
            alike: AnyArray = self.examples.rare_items
        else:
            one, other = (float(self.item_supports[item]) for item in items)
            alike = self.examples.like(one * other / self.n_rows)
        purpose = "hide: target " + "\0".join(sorted(self.names[item] for item in items))
        rank = drawn_rank(self.key, purpose)
        target = int(alike[int(rank * len(alike))]) if len(alike) else int((1 - rank) * self.least)
        return min(self.least - 1, max(1, target))
