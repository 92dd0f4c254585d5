"""The people a reader knows by their quasi-identifiers, and when a pattern about them is published as a rule.

A *combination* is a distinct choice of quasi-identifiers; a *unit* is a combination, or a
combination inside one bucket where a bucketized table is published as well. How many people a
unit holds is known to the reader; how many of them hold each sensitive value is not, and is what
the owner measures the reader's guesses against.

With minimum support s and minimum confidence c, a pattern Q ⇒ x is a rule exactly when

    count(Q, x) ≥ max(s·n, c·count(Q)),

so a reader who does not find it among the rules knows count(Q, x) ≤ ⌈max(s·n, c·count(Q))⌉ − 1 [1, Eq. 6].

[1] Z. Zhu, G. Wang, W. Du. Deriving Private Information from Association Rule Mining Results. ICDE 2009.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from tacit.arrays.groups import group_rows
from tacit.data.table import Table
from tacit.engine.base import TableCounting
from tacit.engine.choice import engine_for
from tacit.errors import UsageError, option
from tacit.mining.conjunctions import Attribute, attributes_of
from tacit.ranges import as_fraction
from tacit.typing import AnyArray, Bools, Codes, Counts, Offsets, Threshold


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

    @cached_property
    def of_combination(self) -> tuple[Offsets, Codes]:
        """In CSR form, the units of each combination."""
        order = np.argsort(self.combination_of, kind="stable").astype(np.int32)
        ends = np.cumsum(np.bincount(self.combination_of, minlength=len(self)))
        return np.concatenate([[0], ends]).astype(np.int64), order


def population_of(
    table: Table, *, hierarchies: bool = False, engine: TableCounting | None = None
) -> Population:
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
    share = as_fraction(min_support)
    confidence = as_fraction(min_confidence)
    assert share is not None and confidence is not None
    support = Fraction(min_support) if isinstance(min_support, int) else share * n_rows
    return Thresholds(max(Fraction(1), support), confidence, max_length)


MOST_STEPS = 200_000_000
"""Above so many (set of attributes, combination) pairs the patterns are not counted."""


def count_patterns(population: Population) -> int | None:
    """The conjunctions over some attributes that occur, times the sensitive values; None for too many."""
    levels = population.levels
    if (len(population) << len(levels)) > MOST_STEPS:
        return None
    total = 0
    stack = [(np.zeros(len(population), dtype=np.int64), np.arange(len(population)), 0)]
    while stack:
        groups, rows, begin = stack.pop()
        for place in range(begin, len(levels)):
            number, node_of = levels[place]
            nodes = node_of[population.codes[rows, number]]
            inside = nodes >= 0
            n_nodes = population.attributes[number].n_nodes
            keys = groups[inside] * n_nodes + nodes[inside]
            distinct, numbers = np.unique(keys, return_inverse=True)
            total += len(distinct)
            after = place + 1
            while after < len(levels) and levels[after][0] == number:
                after += 1
            if after < len(levels):
                stack.append((numbers, rows[inside], after))
    return total * population.n_values
