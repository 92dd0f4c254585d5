"""Sources of knowledge: each is a small class that gives linear constraints.

All compose: what a reader knows is a list of them. A new source needs ``constraints`` over a
population and ``text`` for each of its statements.

A bucketized table of the same people shows who is in which group and how often each sensitive value occurs
there, not who holds it. Its units are combinations inside a group, and each group's counts are equations
beside those of the rules, so that the risk of publishing both is one number. Maximum entropy weighs the
people of a group by what the rules say of them; it is not the matching posterior, which takes every
one-to-one assignment as equally likely.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Protocol

import numpy as np
import polars as pl

from tacit.arrays.groups import group_rows, sums_over, take_rows
from tacit.data.hierarchy import NULL_LABEL
from tacit.errors import InputError, Place, listed
from tacit.methods.disclose.solve.constraints import Constraints, constraints_of
from tacit.methods.disclose.solve.population import Patterns, Population, Thresholds, needed, patterns_of
from tacit.methods.disclose.solve.published import (
    Items,
    PublishedRules,
    coded,
    extents_of,
    pattern_text,
    value_text,
)
from tacit.release import read_manifest
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


def joint_population(
    population: Population, folder: Path
) -> tuple[Population, BucketCounts, tuple[str, ...]]:
    """The population split by the groups of a bucketized release, and what the groups tell."""
    manifest = read_manifest(folder)
    if manifest.kind != "bucketized" or "qit.csv" not in manifest.files:
        raise InputError(
            f"The release is not a bucketized table with groups; its kind is {manifest.kind!r}.",
            code="not-bucketized",
            where=Place(file=str(folder)),
            hint="Publish it with: tacit bucketize --form qit",
        )
    quasi = [attribute.name for attribute in population.attributes]
    people = pl.read_csv(folder / "qit.csv", infer_schema=False)
    values = pl.read_csv(folder / "st.csv", infer_schema=False)
    missing = [name for name in (*quasi, "group") if name not in people.columns]
    if missing or population.sensitive not in values.columns:
        raise InputError(
            f"The release has not the columns {', '.join(missing) or population.sensitive}.",
            code="release-columns",
            where=Place(file=str(folder)),
            hint="It must be of the same table, with the same quasi-identifiers and sensitive attribute.",
        )
    combinations = _combinations(population, people, quasi, folder)
    groups = people["group"].cast(pl.Int64).to_numpy()
    names, buckets = np.unique(groups, return_inverse=True)
    units, counts = np.unique(np.column_stack([combinations, buckets]), axis=0, return_counts=True)
    left = population.people - np.bincount(units[:, 0], weights=counts, minlength=len(population)).astype(int)
    if (left < 0).any():
        raise _other_table(folder)
    outside = np.flatnonzero(left)
    notes = [f"{int(left.sum()):,} people are in no group of the table."] if len(outside) else []
    matching = manifest.risks.get("posterior")
    if isinstance(matching, dict) and "largest" in matching:
        notes.append(
            f"The table by itself states a largest matching posterior of {matching['largest']:.4f}; maximum "
            "entropy weighs the people of a group by what the rules say of them, and is another figure."
        )
    split = replace(
        population,
        combination_of=np.concatenate([units[:, 0], outside]).astype(np.int32),
        counts=np.concatenate([counts, left[outside]]).astype(np.int64),
        buckets=np.concatenate([units[:, 1], np.full(len(outside), -1)]).astype(np.int32),
    )
    return split, _bucket_counts(population, values, names, folder), tuple(notes)


def _combinations(population: Population, people: pl.DataFrame, quasi: list[str], folder: Path) -> Codes:
    """The combination of each published row."""
    codes = np.empty((len(people), len(quasi)), dtype=np.int64)
    for place, name in enumerate(quasi):
        codes[:, place] = _codes(people[name], population.texts[place])
    if (codes < 0).any():
        raise _other_table(folder)
    sizes = [len(texts) for texts in population.texts]
    both = np.concatenate([population.codes.astype(np.int64), codes]).astype(np.int32)
    groups, first = group_rows([np.ascontiguousarray(column) for column in both.T], sizes)
    # Combinations come in the order of their codes, so that a known one has the group of its place.
    if (first >= len(population)).any():
        raise _other_table(folder)
    return groups[len(population) :].astype(np.int32)


def _codes(column: pl.Series, texts: Sequence[str | None]) -> Counts:
    """The code of each text; -1 for one that is not known."""
    index = {NULL_LABEL if text is None else text: code for code, text in enumerate(texts)}
    found = column.fill_null(NULL_LABEL).replace_strict(index, default=-1, return_dtype=pl.Int64)
    return np.asarray(found.to_numpy(), dtype=np.int64)


def _bucket_counts(
    population: Population, values: pl.DataFrame, names: np.ndarray, folder: Path
) -> BucketCounts:
    held = _codes(values[population.sensitive], population.values)
    groups = np.searchsorted(names, values["group"].cast(pl.Int64).to_numpy())
    if (held < 0).any() or (groups >= len(names)).any():
        raise _other_table(folder)
    table = np.zeros((len(names), population.n_values), dtype=np.int64)
    np.add.at(table, (groups, held), values["count"].cast(pl.Int64).to_numpy())
    buckets, codes = np.indices(table.shape)
    return BucketCounts(buckets.ravel().astype(np.int32), codes.ravel().astype(np.int32), table.ravel())


def _other_table(folder: Path) -> InputError:
    return InputError(
        "The bucketized release is not of this table: some of its rows are not there.",
        code="release-of-other-data",
        where=Place(file=str(folder)),
        hint="Give the release that was made from the same data.",
    )
