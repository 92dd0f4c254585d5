"""Every pattern Q ⇒ x of a population, with its counts and the units that match Q.

Patterns are grown depth first over the attributes and their levels. With Theorem 3 [1] a branch is
cut where the silence about it would follow from the silence about a shorter pattern; without it
every pattern that occurs is generated.

[1] Z. Zhu, G. Wang, W. Du. Deriving Private Information from Association Rule Mining Results.
    ICDE 2009, section V-C and Figure 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacit.arrays.groups import take_rows
from tacit.errors import ResourceError
from tacit.methods.disclose.solve.extents import split
from tacit.methods.disclose.solve.population import Population, Thresholds
from tacit.mining.rules import canonical
from tacit.typing import AnyArray, Bools, Codes, Counts, Offsets

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
        wanted = _as_keys(nodes)
        at = np.searchsorted(keys, wanted)
        at[at == len(keys)] = 0
        if not len(keys):
            return np.full(len(nodes), -1, dtype=np.int64)
        return np.where(keys[at] == wanted, order[at], -1)

    @cached_property
    def _keys(self) -> tuple[AnyArray, Counts]:
        keys = _as_keys(self.nodes)
        order = np.argsort(keys, kind="stable")
        return keys[order], order


def patterns_of(population: Population, thresholds: Thresholds, *, pruned: bool = True) -> Patterns:
    """The patterns a reader must think of; with ``pruned``, only branches that Theorem 3 leaves."""
    found: list[tuple[Codes, Counts, Counts, Codes]] = []
    n_memberships = 0
    codes = population.codes
    start = np.full((1, len(population.attributes)), -1, dtype=np.int32)
    rows = np.arange(len(population), dtype=np.int32)
    stack = [(rows, np.zeros(len(rows), dtype=np.int32), start, 0, 0)]
    longest = len(population.attributes) if thresholds.max_length is None else thresholds.max_length
    while stack:
        rows, groups, nodes, begin, length = stack.pop()
        for place in range(begin, len(population.levels)):
            number, node_of = population.levels[place]
            order, ends, parents, chosen, counts = split(
                rows,
                groups,
                codes[:, number],
                node_of,
                population.attributes[number].n_nodes,
                population.truth,
            )
            grown = nodes[parents]
            grown[:, number] = chosen
            sizes = np.diff(ends)
            found.append((grown, counts, sizes, order))
            n_memberships += len(order)
            if n_memberships > MOST_MEMBERSHIPS:
                raise _too_many()
            # The next level to grow by belongs to another attribute: one item per attribute.
            after = next(
                (at for at in range(place + 1, len(population.levels)) if population.levels[at][0] != number),
                len(population.levels),
            )
            if length + 1 >= longest or after == len(population.levels):
                continue
            if pruned:
                matching = counts.sum(axis=1)
                alive = ~thresholds.settles_longer(matching[:, None], counts).all(axis=1)
            else:
                alive = np.ones(len(counts), dtype=bool)
            if alive.any():
                kept = np.repeat(alive, sizes)
                numbers = np.repeat(np.cumsum(alive) - 1, sizes)[kept].astype(np.int32)
                stack.append((order[kept], numbers, grown[alive], after, length + 1))
    return _ordered(population, found)


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


def _ordered(population: Population, found: list[tuple[Codes, Counts, Counts, Codes]]) -> Patterns:
    nodes = np.concatenate([part[0] for part in found])
    counts = np.concatenate([part[1] for part in found])
    offsets = np.concatenate([[0], np.cumsum(np.concatenate([part[2] for part in found]))]).astype(np.int64)
    combinations = np.concatenate([part[3] for part in found])
    order = canonical(nodes, np.zeros(len(nodes), dtype=np.int32))
    offsets, combinations = take_rows(offsets, combinations, order)
    if population.n_units > len(population):  # a combination is several units: one per bucket
        starts, units = population.of_combination
        ends, members = take_rows(starts, units, combinations)
        offsets, combinations = ends[offsets], members
    return Patterns(nodes[order], counts[order], offsets, combinations)


def _as_keys(nodes: Codes) -> AnyArray:
    """Each line as one sortable key."""
    lines = np.ascontiguousarray(nodes, dtype=np.int32)
    return lines.view(np.dtype((np.void, lines.shape[1] * 4))).ravel()


def _too_many() -> ResourceError:
    return ResourceError(
        f"The patterns of this table have more than {MOST_MEMBERSHIPS:,} variables in all.",
        code="too-many-patterns",
        hint="Raise the minimum support, bound the length of the rules, or leave the silence out (--no-nar).",
    )
