"""What everybody of a series could have for a reader who knows which rules would have been listed.

The worlds of a series rename the values of a signature, or of a part of it, for all who have it
(:mod:`tacit.methods.bucketize.solve.signatures`). A pair (X, s) that could have been listed and is not has a
holder, in every world: somebody in X whose value is renamed to s. And because a rule is listed where s is
common enough for its absence to say something, renaming must not make a listed one too rare: that changes
counts where a signature has counterfeits. With all this everybody is still to have ℓ values. Whether that is
so is the same in all of these worlds.

Exact reasoning is as hard as satisfiability. Worlds are looked for by a few renamings: one that gives
somebody the value asked about, and others for what it breaks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tacit.methods.bucketize.solve.signatures import Home

MOST_WORLDS = 500
"""So many worlds are looked at for each value of a signature before it counts as excluded."""


@dataclass(frozen=True)
class Pair:
    """Somebody of X has ``value``, if it has ``least`` holders in all or more.

    ``held`` are parts of signatures, and the values of those in X who belong to them.
    """

    value: int
    least: int
    held: tuple[tuple[Home, frozenset[int]], ...]

    @property
    def harmless(self) -> bool:
        """Whether it has a holder however signatures are renamed."""
        return any(len(values) == len(signature) for (signature, _), values in self.held)


@dataclass(frozen=True)
class Unlisted:
    """What the rules of a series tell by being all there are."""

    pairs: tuple[Pair, ...] = ()
    counts: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    """Of values in the first release: how many have each, and how many must for the listed rules."""
    uneven: Mapping[Home, Mapping[int, int]] = field(default_factory=dict)
    """Of parts of signatures with counterfeits in the first release: how many have each value."""


def narrowed(told: Unlisted, l: int) -> list[Home]:
    """The parts of signatures some of whose people could have fewer than ℓ values."""
    return list(dict.fromkeys(home for home, values in _Worlds(told).possible() if values < l))


Names = Mapping[Home, Mapping[int, int]]
"""Of the parts that are renamed, the value that every value was before."""
Fixed = frozenset[tuple[Home, int]]
"""Values of parts that are renamed no more."""
Way = tuple[Home, int, int]
"""To rename a value of a part to another."""


class _Worlds:
    """Renamings that leave the list of rules as it is; to rename nothing, which is the truth, does."""

    def __init__(self, told: Unlisted) -> None:
        self.counts, self.uneven = told.counts, told.uneven
        self.about: dict[int, list[Pair]] = {}
        for pair in told.pairs:
            if not pair.harmless:
                self.about.setdefault(pair.value, []).append(pair)
        self.left = 0

    def possible(self) -> Iterator[tuple[Home, int]]:
        """How many values those could have who have a value of a part that matters."""
        held = (pair.held for pairs in self.about.values() for pair in pairs)
        for home in dict.fromkeys((*(one for some in held for one, _ in some), *self.uneven)):
            for value in home[0]:
                yield home, sum(self._possible(home, value, other) for other in home[0])

    def _possible(self, home: Home, value: int, other: int) -> bool:
        """Whether somebody of a part who has a value could have another one."""
        self.left = MOST_WORLDS
        return value == other or self._found(*_renamed({}, frozenset(), (home, value, other)))

    def _found(self, names: Names, fixed: Fixed) -> bool:
        """Whether a world is possible, or becomes so by renaming more."""
        touched = {value for signature, _ in names for value in signature}
        ways = next((ways for value in touched for ways in self._broken(value, names)), None)
        if ways is None:
            return True
        for home, value, to in ways:
            self.left -= 1
            if self.left < 0:
                return False
            called = next((new for new, old in names.get(home, {}).items() if old == value), value)
            if {(home, called), (home, to)}.isdisjoint(fixed) and self._found(
                *_renamed(names, fixed, (home, value, to))
            ):
                return True
        return False

    def _broken(self, value: int, names: Names) -> Iterator[list[Way]]:
        """Of everything about a value that a world breaks, the ways to mend it."""
        now, fewest = self.counts.get(value, (0, 0))
        now += sum(
            some[names[one].get(value, value)] - some[value]
            for one, some in self.uneven.items()
            if one in names and value in one[0]
        )
        if now < fewest:
            yield self._counted(value, names, 1)
        for pair in self.about.get(value, ()):
            if now >= pair.least and not _has(pair, names):
                ways = [(one, old, value) for one, some in pair.held for old in sorted(some)]
                yield ways + self._counted(value, names, -1) * (pair.least > 0)

    def _counted(self, value: int, names: Names, sign: int) -> list[Way]:
        """The ways to have more holders of a value, or fewer."""
        return [
            (one, old, value)
            for one, some in self.uneven.items()
            if value in one[0]
            for old, number in some.items()
            if sign * (number - some[names.get(one, {}).get(value, value)]) > 0
        ]


def _has(pair: Pair, names: Names) -> bool:
    """Whether somebody has the value of a pair in a world."""
    return any(names.get(home, {}).get(pair.value, pair.value) in values for home, values in pair.held)


def _renamed(names: Names, fixed: Fixed, way: Way) -> tuple[Names, Fixed]:
    """Those of a part who have a value in truth have another now, and those who had that have theirs."""
    home, value, to = way
    was = {one: one for one in home[0]} | dict(names.get(home, {}))
    called = next(new for new, old in was.items() if old == value)
    was[to], was[called] = value, was[to]
    return {**names, home: was}, fixed | {(home, to)}
