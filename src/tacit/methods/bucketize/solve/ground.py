"""The ground that areas are made of: combinations of a table, their classes, what is forbidden to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacit.arrays.bitmaps import unpack
from tacit.engine.base import Combinations
from tacit.methods.bucketize.solve.injector import value_ranks
from tacit.methods.bucketize.solve.plan import Classes
from tacit.random.key import Key
from tacit.random.keyed import digest_of_all, draws, keyed_order
from tacit.typing import AnyArray, Bools, Codes, Counts, Words


@dataclass(frozen=True, eq=False)
class Area:
    """Rows that are bucketized together: ``rows[i]`` rows of the combination ``combinations[i]``."""

    combinations: AnyArray
    rows: Counts
    closed: frozenset[int] = frozenset()
    """The columns in which a split failed here or in an area around this one."""
    path: str = ""
    """Which halves lead here; it names the area's draws."""

    @property
    def n_rows(self) -> int:
        return int(self.rows.sum())


Companions = Callable[[Area, Bools, float], Bools]
"""Of the combinations of an area, those that join the marked ones: others at this rate."""


@dataclass(frozen=True, eq=False)
class Ground:
    """The table as it is split: its combinations, each with a class and a place in every column."""

    classes: Classes
    class_of: Codes
    columns: tuple[Codes, ...]
    """Per quasi-identifier, the rank of each combination's value; few values first."""
    sets: Codes
    """Per combination, its forbidden set, numbered by size: 0 has the most rows."""
    masks: Bools
    """Per forbidden set, the values it forbids."""
    companions: Companions
    """Who joins those who may hold a value that few may hold."""
    alike: Codes | None = None
    """Where quasi-identifiers are published coarser: which combinations look alike, by number."""

    def with_alike(self, area: Area, marked: Bools) -> Bools:
        """The marked combinations of an area, with those that look like one of them."""
        if self.alike is None:
            return marked
        some = np.zeros(int(self.alike.max(initial=-1)) + 1, dtype=np.bool_)
        some[self.alike[area.combinations[marked]]] = True
        return np.asarray(some[self.alike[area.combinations]])

    def held(self, area: Area) -> Counts:
        """How many rows of an area hold each value."""
        values = self.classes.values[self.class_of[area.combinations]]
        return sums_at(values, area.rows, self.classes.n_values)

    def commonest(self, area: Area) -> int:
        """How many rows of an area hold the commonest value of any attribute."""
        held = self.held(area)
        return max(int(np.bincount(part, weights=held).max(initial=0)) for part in self.classes.parts.T)

    def sets_of(self, area: Area) -> AnyArray:
        """The forbidden sets of an area's rows."""
        return np.unique(self.sets[area.combinations])

    @cached_property
    def forbids(self) -> tuple[AnyArray, AnyArray]:
        """The masks as pairs of a forbidden set and a value: hardly any, where values are many."""
        sets, values = np.nonzero(self.masks)
        return sets, values

    @cached_property
    def forbids_parts(self) -> list[tuple[AnyArray, AnyArray]]:
        """Per attribute, pairs of a forbidden set and a code of which it forbids every value."""
        sets, values = self.forbids
        found = []
        for part in self.classes.parts.T:
            of_code = np.bincount(part)
            pairs, counts = np.unique(sets * len(of_code) + part[values], return_counts=True)
            pairs = pairs[counts == of_code[pairs % len(of_code)]]
            found.append((pairs // len(of_code), pairs % len(of_code)))
        return found

    def able(self, of_set: Counts) -> Counts:
        """How many rows may hold each value, if so many have each forbidden set."""
        sets, values = self.forbids
        return np.asarray(of_set.sum() - sums_at(values, of_set[sets], self.classes.n_values))

    def free(self, area: Area) -> bool:
        """Whether nobody in the area is forbidden a value that somebody in it holds."""
        present = self.held(area) > 0
        return bool((self.able(self.set_counts(area))[present] == area.n_rows).all())

    def set_counts(self, area: Area) -> Counts:
        """How many rows of each forbidden set an area has."""
        return sums_at(self.sets[area.combinations], area.rows, len(self.masks))

    def class_counts(self, area: Area) -> Counts:
        """How many rows of each class an area has."""
        return sums_at(self.class_of[area.combinations], area.rows, len(self.classes))


def sums_at(places: AnyArray, counts: Counts, size: int) -> Counts:
    """The sum of the counts at each of so many places."""
    return np.bincount(places, weights=counts, minlength=size).astype(np.int64)


def ground_of(
    combinations: Combinations,
    known: Sequence[str],
    classes: Classes,
    class_of: Codes,
    companions: Companions,
    alike: Codes | None = None,
) -> Ground:
    """What areas are made from; ``known`` are the columns that readers see.

    Combinations that look ``alike`` have the highest rank of any of them: no split comes between them.
    """
    ranked = [value_ranks(combinations, name) for name in known]
    if alike is not None:
        ranked = [_highest(ranks, alike) for ranks in ranked]
    order = sorted(range(len(ranked)), key=lambda place: (int(ranked[place].max(initial=0)), place))
    distinct, numbers = np.unique(classes.forbidden, axis=0, return_inverse=True)
    of_combination = numbers.reshape(-1)[class_of]
    rows = np.bincount(of_combination, weights=combinations.counts, minlength=len(distinct))
    by_size = np.argsort(-rows, kind="stable")
    rank = np.empty(len(distinct), dtype=np.int32)
    rank[by_size] = np.arange(len(distinct), dtype=np.int32)
    masks = unpack(np.ascontiguousarray(distinct[by_size]), classes.n_values)
    columns = tuple(ranked[place] for place in order)
    return Ground(classes, class_of, columns, rank[of_combination], masks, companions, alike)


def _highest(ranks: Codes, alike: Codes) -> Codes:
    highest = np.zeros(int(alike.max(initial=-1)) + 1, dtype=ranks.dtype)
    np.maximum.at(highest, alike, ranks)
    return np.asarray(highest[alike])


def keyed_companions(combinations: Combinations, known: Sequence[str], key: Key) -> Companions:
    """Companions that the key draws, whatever their values: rows that readers see alike go together."""

    def companions(area: Area, may: Bools, rate: float) -> Bools:
        own = np.ascontiguousarray(combination_digests(combinations, key, known)[area.combinations])
        subkey = key.subkey(f"bucketize: companions: {area.path}")
        return draws(subkey, own, np.zeros(len(own), dtype=np.int64)) < rate * 2.0**64

    return companions


def combination_digests(combinations: Combinations, key: Key, names: Sequence[str]) -> Words:
    """A keyed digest of what each combination holds in the named columns."""
    return combinations.digests(key.subkey("bucketize: content of combinations"), names)


def content(area: Area, digests: Words, key: Key) -> str:
    """A keyed digest of the rows of an area; ``digests`` are those of the ground's combinations."""
    own = np.ascontiguousarray(digests[area.combinations])
    return digest_of_all(key.subkey("bucketize: content of areas"), own, area.rows)


def drawn_rows(area: Area, digests: Words, key: Key, *, label: int = 0) -> AnyArray:
    """The combination of each row of an area, in an order that the key draws for this label."""
    rows = np.repeat(area.combinations, area.rows)
    ranks = np.arange(len(rows)) - np.repeat(np.cumsum(area.rows) - area.rows, area.rows)
    own = np.ascontiguousarray(digests[rows])
    words = draws(key.subkey("bucketize: rows of an area"), own, ranks, label=label)
    return rows[keyed_order(words, own, ranks)]
