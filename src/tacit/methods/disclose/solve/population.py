"""The people a reader knows by their quasi-identifiers, and when a pattern about them is published as a rule.

A *combination* is a distinct choice of quasi-identifiers; a *unit* is a combination, or a
combination inside one bucket where a bucketized table is published as well. How many people a
unit holds is known to the reader; how many of them hold each sensitive value is not, and is what
the owner measures the reader's guesses against.

With minimum support s and minimum confidence c, a pattern Q ⇒ x is a rule exactly when

    count(Q, x) ≥ max(s·n, c·count(Q)),

so a reader who does not find it among the rules knows count(Q, x) ≤ ⌈max(s·n, c·count(Q))⌉ − 1 [1, Eq. 6].

Patterns are grown depth first over the attributes and their levels. With Theorem 3 [1, section V-C] a branch
is cut where the silence about it would follow from the silence about a shorter pattern; without it every
pattern that occurs is generated.

[1] Z. Zhu, G. Wang, W. Du. Deriving Private Information from Association Rule Mining Results. ICDE 2009.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from tacit.arrays.groups import group_rows, inverted, keys_of, numbered, sums_over, take_rows
from tacit.data.table import Table
from tacit.engine.base import Engine
from tacit.engine.choice import engine_for
from tacit.errors import ResourceError, UsageError, option
from tacit.mining.conjunctions import Attribute, attributes_of
from tacit.mining.rules import canonical
from tacit.ranges import exactly
from tacit.typing import AnyArray, Bools, Codes, Counts, Floats, Offsets, Threshold


@dataclass(frozen=True, eq=False)
class Population:
    """Combinations of quasi-identifiers with their people, and the units they fall into."""

    attributes: tuple[Attribute, ...]
    texts: tuple[tuple[str | None, ...], ...]
    codes: Codes  # (combinations, attributes)
    truth: Counts  # (combinations, sensitive values): the owner's knowledge
    sensitive: str
    values: tuple[str | None, ...]
    combination_of: Codes  # (units,)
    counts: Counts  # (units,): people per unit
    buckets: Codes  # (units,): the bucket of each unit, -1 outside any

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def n_units(self) -> int:
        return len(self.counts)

    @property
    def n_values(self) -> int:
        return len(self.values)

    @cached_property
    def people(self) -> Counts:
        """How many people share each combination."""
        return np.asarray(self.truth.sum(axis=1))

    @cached_property
    def true_shares(self) -> Floats:
        """P(x|q): of the people of each combination, the share that holds each value."""
        return np.asarray(self.truth / self.people[:, None])

    @cached_property
    def n_rows(self) -> int:
        return int(self.truth.sum())

    @cached_property
    def unit_codes(self) -> Codes:
        """The codes of each unit's combination."""
        return np.ascontiguousarray(self.codes[self.combination_of])

    @cached_property
    def levels(self) -> tuple[tuple[int, Codes], ...]:
        """Every level of every attribute: its number, and the node of each code (-1 for none)."""
        found = []
        for number, attribute in enumerate(self.attributes):
            for offsets, nodes, _ in attribute.levels:
                node_of = np.full(len(offsets) - 1, -1, dtype=np.int32)
                inside = np.diff(offsets) > 0
                node_of[inside] = nodes[offsets[:-1][inside]]
                found.append((number, node_of))
        return tuple(found)

    def after(self, place: int) -> int:
        """The next level to grow a conjunction by, of another attribute: there is one item per attribute."""
        number, end = self.levels[place][0], len(self.levels)
        return next((at for at in range(place + 1, end) if self.levels[at][0] != number), end)

    @cached_property
    def of_combination(self) -> tuple[Offsets, Codes]:
        """In CSR form, the units of each combination."""
        order = np.argsort(self.combination_of, kind="stable").astype(np.int32)
        ends = np.cumsum(np.bincount(self.combination_of, minlength=len(self)))
        return np.concatenate([[0], ends]).astype(np.int64), order


def population_of(table: Table, *, hierarchies: bool = False, engine: Engine | None = None) -> Population:
    """The combinations of a table's quasi-identifiers; each is a unit of its own."""
    if not table.roles.quasi or len(table.roles.sensitive) != 1:
        raise UsageError(
            "Disclosure is measured for quasi-identifiers and one sensitive attribute.",
            code="roles-missing",
            hint=f"Name them with {option('quasi')} and {option('sensitive')}.",
        )
    sensitive = table.roles.sensitive[0]
    cells = (engine or engine_for(table)).combinations(table, [*table.roles.quasi, sensitive])
    values = cells.texts[-1]
    columns = [np.ascontiguousarray(cells.codes[:, place]) for place in range(len(table.roles.quasi))]
    groups, first = group_rows(columns, [len(texts) for texts in cells.texts[:-1]])
    truth = np.zeros((len(first), len(values)), dtype=np.int64)
    np.add.at(truth, (groups, cells.codes[:, -1]), cells.counts)
    return Population(
        attributes=attributes_of(table, table.roles.quasi, hierarchies=hierarchies),
        texts=cells.texts[:-1],
        codes=np.ascontiguousarray(cells.codes[first, :-1]),
        truth=truth,
        sensitive=sensitive,
        values=values,
        combination_of=np.arange(len(first), dtype=np.int32),
        counts=np.asarray(truth.sum(axis=1)),
        buckets=np.full(len(first), -1, dtype=np.int32),
    )


@dataclass(frozen=True)
class Thresholds:
    """A minimum support (in people, exactly) and a minimum confidence; the longest antecedent mined."""

    support: Fraction
    confidence: Fraction
    max_length: int | None = None

    def least(self, matching: AnyArray) -> Counts:
        """The smallest count(Q, x) of a rule, by count(Q)."""
        top, bottom = self.confidence.numerator, self.confidence.denominator
        by_support = -(-self.support.numerator // self.support.denominator)
        by_confidence = -(-(matching.astype(np.int64) * top) // bottom)
        return np.asarray(np.maximum(by_support, by_confidence))

    def settles_longer(self, matching: AnyArray, counts: AnyArray) -> Bools:
        """Where silence about Q ⇒ x implies silence about every longer pattern (Theorem 3).

        That is where c·count(Q) ≤ s·n, and Q ⇒ x is not a rule: longer patterns then face the same
        bound s·n, and their counts are no larger.
        """
        light = matching <= int(self.support / self.confidence)
        return np.asarray(light & (counts < self.least(np.zeros(1, dtype=np.int64))))


def thresholds_of(
    min_support: Threshold, min_confidence: Threshold, n_rows: int, *, max_length: int | None = None
) -> Thresholds:
    """Thresholds as a person gives them: a count is an int, a share a float or Decimal."""
    support = exactly(min_support) * (1 if isinstance(min_support, int) else n_rows)
    return Thresholds(max(Fraction(1), support), exactly(min_confidence), max_length)


_Grown = tuple[Codes, Counts, Counts, Codes]
"""Some conjunctions: their nodes, counts per value, how many combinations match, and which."""
MOST_STEPS = 200_000_000
"""Above so many (set of attributes, combination) pairs the patterns are not counted."""


def count_patterns(population: Population) -> int | None:
    """The conjunctions over some attributes that occur, times the sensitive values; None for too many."""
    if (len(population) << len(population.levels)) > MOST_STEPS:
        return None
    return sum(len(sizes) for _, _, sizes, _ in _grown(population)) * population.n_values


MOST_MEMBERSHIPS = 400_000_000
"""The largest number of (pattern, unit) pairs held at once: 1.6 GB."""


@dataclass(frozen=True, eq=False)
class Patterns:
    """Conjunctions Q in canonical order, with the units that match and counts per sensitive value."""

    nodes: Codes  # (conjunctions, attributes), -1 where an attribute takes no part
    counts: Counts  # (conjunctions, sensitive values)
    offsets: Offsets
    units: Codes

    def __len__(self) -> int:
        return len(self.nodes)

    @cached_property
    def matching(self) -> Counts:
        """How many people match each conjunction."""
        return np.asarray(self.counts.sum(axis=1))

    def extents(self, places: AnyArray) -> tuple[Offsets, Codes]:
        """In CSR form, the units that match the conjunctions at these places."""
        return take_rows(self.offsets, self.units, places)

    def find(self, nodes: Codes) -> Counts:
        """The places of these conjunctions; -1 for one that is not here."""
        keys, order = self._keys
        wanted = keys_of(nodes)
        at = np.searchsorted(keys, wanted)
        at[at == len(keys)] = 0
        if not len(keys):
            return np.full(len(nodes), -1, dtype=np.int64)
        return np.where(keys[at] == wanted, order[at], -1)

    @cached_property
    def _keys(self) -> tuple[AnyArray, Counts]:
        keys = keys_of(self.nodes)
        order = np.argsort(keys, kind="stable")
        return keys[order], order


def patterns_of(population: Population, thresholds: Thresholds, *, pruned: bool = True) -> Patterns:
    """The patterns a reader must think of; with ``pruned``, only branches that Theorem 3 leaves."""
    found, n_memberships = [], 0
    for part in _grown(population, thresholds.max_length, thresholds if pruned else None):
        found.append(part)
        n_memberships += len(part[-1])
        if n_memberships > MOST_MEMBERSHIPS:
            raise ResourceError(
                f"The patterns of this table have more than {MOST_MEMBERSHIPS:,} variables in all.",
                code="too-many-patterns",
                hint="Raise the minimum support, bound the length of the rules, or leave the silence out "
                "(--no-nar).",
            )
    return _ordered(population, found)


def _grown(
    population: Population, max_length: int | None = None, pruned: Thresholds | None = None
) -> Iterator[_Grown]:
    """Conjunctions that differ in the nodes alone, of one choice of levels at a time."""
    start = np.full((1, len(population.attributes)), -1, dtype=np.int32)
    rows = np.arange(len(population), dtype=np.int32)
    stack = [(rows, np.zeros(len(rows), dtype=np.int32), start, 0, 1)]
    while stack:
        rows, groups, nodes, begin, length = stack.pop()
        for place in range(begin, len(population.levels)):
            number, node_of = population.levels[place]
            n_nodes = population.attributes[number].n_nodes
            chosen = node_of[population.codes[rows, number]]
            inside = np.flatnonzero(chosen >= 0)  # of the others no node is so deep
            keys = groups[inside] * np.int64(n_nodes) + chosen[inside]
            numbers, keys = numbered(keys, len(nodes) * n_nodes)
            ends, order = inverted(np.arange(len(numbers) + 1), numbers, len(keys))
            matching, sizes = rows[inside[order]], np.diff(ends)
            counts = sums_over(ends, matching, population.truth)
            grown = nodes[keys // n_nodes]
            grown[:, number] = keys % n_nodes
            yield grown, counts, sizes, matching
            after = population.after(place)
            if length == max_length or after == len(population.levels):
                continue
            alive: Bools = np.ones(len(counts), dtype=bool)
            if pruned is not None:
                settled = pruned.settles_longer(counts.sum(axis=1)[:, None], counts)
                alive = ~np.asarray(settled.all(axis=1))
            if alive.any():
                kept = np.repeat(alive, sizes)
                numbers = np.repeat(np.cumsum(alive) - 1, sizes)[kept].astype(np.int32)
                stack.append((matching[kept], numbers, grown[alive], after, length + 1))


def needed(patterns: Patterns, thresholds: Thresholds) -> Bools:
    """Per conjunction and value, whether no shorter pattern settles it (Theorem 3)."""
    settled = thresholds.settles_longer(patterns.matching[:, None], patterns.counts)
    keep = np.ones(patterns.counts.shape, dtype=bool)
    lengths = (patterns.nodes >= 0).sum(axis=1)
    for number in range(patterns.nodes.shape[1]):
        longer = np.flatnonzero((patterns.nodes[:, number] >= 0) & (lengths > 1))
        shorter = patterns.nodes[longer].copy()
        shorter[:, number] = -1
        at = patterns.find(shorter)
        # A branch that was cut is settled for every value, and so is whatever is longer.
        keep[longer] &= np.where((at >= 0)[:, None], ~settled[at], False)
    return keep


def _ordered(population: Population, found: list[_Grown]) -> Patterns:
    nodes, counts, sizes, combinations = map(np.concatenate, zip(*found, strict=True))
    order = canonical(nodes, np.zeros(len(nodes), dtype=np.int32))
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    offsets, combinations = take_rows(offsets, combinations, order)
    if population.n_units > len(population):  # a combination is several units: one per bucket
        starts, units = population.of_combination
        ends, members = take_rows(starts, units, combinations)
        offsets, combinations = ends[offsets], members
    return Patterns(nodes[order], counts[order], offsets, combinations)
