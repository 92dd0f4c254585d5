"""Sources of knowledge: each is a small class that gives linear constraints.

All compose: what a reader knows is a list of them. A new source needs ``constraints`` over a
population and ``text`` for each of its statements.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from tacit.errors import InputError, listed
from tacit.methods.disclose.solve.constraints import Constraints, constraints_of
from tacit.methods.disclose.solve.extents import sums_over
from tacit.methods.disclose.solve.patterns import Patterns, needed, patterns_of
from tacit.methods.disclose.solve.population import Population, Thresholds
from tacit.methods.disclose.solve.published import (
    Items,
    PublishedRules,
    coded,
    extents_of,
    pattern_text,
    value_text,
)
from tacit.typing import Bools, Codes, Counts


class Knowledge(Protocol):
    """What a reader knows, as constraints."""

    def constraints(self, population: Population) -> Constraints:
        """One constraint per statement; ``place`` numbers the statements."""
        ...

    def text(self, population: Population, place: int) -> str:
        """A statement as a person reads it."""
        ...


@dataclass(frozen=True, eq=False)
class RuleScores:
    """Published rules, with what their scores or their thresholds say (AR-constraints)."""

    rules: PublishedRules

    def constraints(self, population: Population) -> Constraints:
        rules = self.rules
        return constraints_of(
            (rules.offsets, rules.units), rules.values, lower=rules.lowest, upper=rules.highest
        )

    def text(self, population: Population, place: int) -> str:
        low, high = int(self.rules.lowest[place]), int(self.rules.highest[place])
        if low == high:
            return f"{self.rules.text(place)} holds for {low:,} people"
        if high >= self.rules.matching[place]:
            return f"{self.rules.text(place)} holds for at least {low:,} people"
        return f"{self.rules.text(place)} holds for {low:,} to {high:,} people"


@dataclass(frozen=True, eq=False)
class Silence:
    """Patterns that are not among the rules, so that they missed a threshold (NAR-constraints).

    With ``believed`` the reader takes the list of rules to be complete whatever it is; without, a
    pattern that reached the thresholds and was withheld tells nothing. ``pruned`` leaves out what
    follows from shorter patterns (Theorem 3); the answer is the same.
    """

    population: Population
    rules: PublishedRules
    thresholds: Thresholds
    believed: bool = False
    pruned: bool = True

    @cached_property
    def patterns(self) -> Patterns:
        return patterns_of(self.population, self.thresholds, pruned=self.pruned)

    @cached_property
    def eligible(self) -> Bools:
        """Per conjunction and value, whether the pattern reaches both thresholds."""
        return np.asarray(self.patterns.counts >= self.thresholds.least(self.patterns.matching)[:, None])

    @cached_property
    def published(self) -> Bools:
        """Per conjunction and value, whether the pattern is among the rules."""
        found = np.zeros(self.eligible.shape, dtype=bool)
        at = self.patterns.find(self.rules.nodes)
        found[at[at >= 0], self.rules.values[at >= 0]] = True
        return found

    @property
    def n_withheld(self) -> int:
        """How many patterns reach the thresholds and are not published."""
        return int((self.eligible & ~self.published).sum())

    @cached_property
    def about(self) -> tuple[Counts, Counts]:
        """The conjunctions and values that the silence is about."""
        silent = ~self.published if self.believed else ~self.published & ~self.eligible
        if self.pruned:
            silent &= needed(self.patterns, self.thresholds)
        rows, values = np.nonzero(silent)
        return rows, values

    def constraints(self, population: Population) -> Constraints:
        rows, values = self.about
        most = self.thresholds.least(self.patterns.matching[rows]) - 1
        return constraints_of(self.patterns.extents(rows), values, lower=-np.inf, upper=most)

    def text(self, population: Population, place: int) -> str:
        rows, values = self.about
        row = int(rows[place])
        most = int(self.thresholds.least(self.patterns.matching[row : row + 1])[0]) - 1
        pattern = pattern_text(population, self.patterns.nodes[row], int(values[place]))
        return f"{pattern} is not a rule: at most {most:,} people"


@dataclass(frozen=True)
class Distribution:
    """The published distribution of the sensitive attribute (SA-constraints)."""

    def constraints(self, population: Population) -> Constraints:
        n, m = population.n_units, population.n_values
        everybody = np.tile(np.arange(n, dtype=np.int32), m)
        totals = population.truth.sum(axis=0)
        return constraints_of((np.arange(m + 1) * n, everybody), np.arange(m), lower=totals, upper=totals)

    def text(self, population: Population, place: int) -> str:
        total = int(population.truth[:, place].sum())
        return f"{population.sensitive} = {value_text(population.values[place])} holds for {total:,} people"


@dataclass(frozen=True, eq=False)
class BucketCounts:
    """The sensitive values of each bucket of a bucketized table of the same people."""

    buckets: Codes  # (statements,)
    values: Codes
    counts: Counts

    def constraints(self, population: Population) -> Constraints:
        order = np.argsort(population.buckets, kind="stable").astype(np.int32)
        inside = order[population.buckets[order] >= 0]
        n_buckets = int(self.buckets.max(initial=-1)) + 1
        sizes = np.bincount(population.buckets[inside], minlength=n_buckets)
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        from tacit.arrays.groups import take_rows

        extents = take_rows(offsets, inside, self.buckets)
        return constraints_of(extents, self.values, lower=self.counts, upper=self.counts)

    def text(self, population: Population, place: int) -> str:
        value = value_text(population.values[int(self.values[place])])
        people = int(self.counts[place])
        return f"group {int(self.buckets[place]) + 1} holds {population.sensitive} = {value} {people} times"


@dataclass(frozen=True)
class Fact:
    """Something the reader knows: between which shares of the people who match hold a value.

    ``Fact((("sex", "male"),), "ovarian cancer", high=0)`` says that no man has ovarian cancer.
    """

    where: Items
    value: str
    low: float = 0.0
    high: float = 1.0

    def __str__(self) -> str:
        people = " & ".join(f"{name} = {label}" for name, label in self.where) or "anybody"
        return f"between {self.low:g} and {self.high:g} of {people} hold {self.value}"


@dataclass(frozen=True)
class Facts:
    """Facts of the user's own, taken as true."""

    facts: Sequence[Fact]

    def constraints(self, population: Population) -> Constraints:
        def unknown(line: int, what: str, found: str, known: Iterable[str]) -> InputError:
            return InputError(
                f"The fact '{self.facts[line]}' names an unknown {what} {found!r}.",
                code="fact-unknown",
                hint=f"Known are {listed(known, limit=10)}.",
            )

        nodes, values = coded(population, [(fact.where, fact.value) for fact in self.facts], unknown)
        offsets, units = extents_of(population, nodes)
        people = sums_over(offsets, units, population.counts.astype(np.float64))
        low = np.array([fact.low for fact in self.facts], dtype=np.float64)
        high = np.array([fact.high for fact in self.facts], dtype=np.float64)
        return constraints_of((offsets, units), values, lower=low * people, upper=high * people)

    def text(self, population: Population, place: int) -> str:
        return str(self.facts[place])
