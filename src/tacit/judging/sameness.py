"""Whether two sets of records are about the same people, or only about people who look alike.

Records are words here: equal content gives equal words. ``a`` and ``b`` are how many records of the first
and of the second set have one content, and t = a + b. Two guards say what chance alone gives, and a match
must be far beyond both.

*Exchange.* Were both sets drawn from one population and had nobody in common, it would be chance which of
the t alike records belong to which set. With ρ the share of the first set in all records,

    G = a b − (1−ρ)/ρ · a(a−1)/2 − ρ/(1−ρ) · b(b−1)/2

has mean 0 and variance t(t−1)/2 over such exchanges, for every content: records that are alike *within* a
set tell how many are alike across. Somebody who is in both adds 1 to the mean. So Σ G estimates how many
are in both; and Σ G/(t−1), divided by its deviation √(Σ t / 2(t−1)), is how far beyond chance that is (the
weights are the best ones where the share in both is the same for every content). Sets from two different
populations come out lower, never higher (Cauchy and Schwarz).

*Independence.* Where records never repeat within a set (row numbers, baskets without duplicates, a row for
each combination), exchange sees no chance at all. So the number found must also be far beyond what the
frequencies of the values, taken as independent, give.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import exp, inf, lgamma, log, sqrt

import numpy as np

from tacit.typing import AnyArray, Counts, Floats, Words

BEYOND = 4.4
"""A match is so many standard deviations beyond chance: twenty people found where no two look alike."""
FEW_BEYOND = 2.3
MOST = 0.75
NEVER = 1e-6
"""Very small sets match where most of the smaller one is found, hardly anybody is alike within a set, and
independent values would give it less than once in a million pairs; or where both are the same, record by
record, which an exchange gives less than once in a million."""


@dataclass(frozen=True, eq=False)
class Contents:
    """The different contents of a set of records: sorted words, how many records have each, and how likely
    each is if values were independent.

    What does not depend on the other set is added up once: a set is compared with many.
    """

    words: Words
    counts: Counts
    chances: Floats
    _expected: dict[int, tuple[float, float]] = field(default_factory=dict)

    @cached_property
    def records(self) -> int:
        return int(self.counts.sum())

    @cached_property
    def exchanged(self) -> Floats:
        """What :func:`_exchanged` gives for these records alone."""
        return _exchanged(np.zeros(len(self.counts)), self.counts, 0.0, 1.0)

    @cached_property
    def is_drawn(self) -> bool:
        """Whether many share every content and their numbers vary as draws do, not as in a plan."""
        usual = self.records * self.chances
        if float(usual.mean()) < 1:
            return False
        varied = (self.counts - usual) ** 2 / np.maximum(usual, 1e-300)
        return float(varied.sum()) >= len(usual) / 2

    @cached_property
    def alike_by_chance(self) -> float:
        """How many records are found here of each one that is drawn value by value."""
        return float((self.chances * self.counts).sum())

    def expected(self, records: int) -> tuple[float, float]:
        """What :func:`_independent` gives where none of so many records is found."""
        if records not in self._expected:
            none = np.zeros(len(self.counts))
            self._expected[records] = _independent(none, self.counts, records * self.chances)
        return self._expected[records]


@dataclass(frozen=True, slots=True)
class Sameness:
    """How many records of the first set are in the second as well, by estimate."""

    common: float
    error: float
    """Half the width of a 95 % interval around it."""
    beyond: float
    """How many standard deviations it lies beyond chance."""
    matches: bool
    identical: bool
    """Whether both sets are the same, record by record."""


def contents(words: Words, chances: Floats) -> Contents:
    """The different contents among some records."""
    distinct, first, counts = np.unique(words, return_index=True, return_counts=True)
    return Contents(distinct, counts, chances[first])


def sameness(first: Words, second: Contents, *, of: int) -> Sameness:
    """Whether records are those of a second set; ``first`` are all of them, or a sample ``of`` so many."""
    words, ours = np.unique(first, return_counts=True)
    places = np.minimum(np.searchsorted(second.words, words), len(second.words) - 1)
    hit = second.words[places] == words
    found, theirs = ours[hit], second.counts[places[hit]]
    records, smaller = len(first), min(len(first), second.records)
    # Both sets, less those contents of the second that are counted with the first's.
    ratio = second.records / records
    none = np.zeros(len(theirs))
    totals = (
        second.exchanged * np.array([1 / ratio, 1 / ratio, 1.0])
        - _exchanged(none, theirs, ratio, 1 / ratio)
        + _exchanged(
            np.concatenate([found, ours[~hit]]),
            np.concatenate([theirs, np.zeros((~hit).sum())]),
            ratio,
            1 / ratio,
        )
    )
    alike, difference, spread = totals.tolist()
    both = float((found * theirs).sum())
    difference = float((found * theirs / (found + theirs - 1)).sum()) - difference
    exchange = difference / max(sqrt(spread), 1.0)
    limit = float(np.minimum(found, theirs).sum())
    common = min(max(both - alike, 0.0), limit)
    independence = _beyond_independence(found, places[hit], second, records)
    rarely = _tail(limit, second.alike_by_chance * records) <= NEVER
    few = exchange >= FEW_BEYOND and alike <= 0.1 * limit and limit >= MOST * smaller and rarely
    identical = len(words) == len(second.words) and bool(hit.all()) and bool((found == theirs).all())
    same = identical and independence >= FEW_BEYOND and _all_in_pairs(found) <= NEVER
    beyond = min(exchange, independence)
    kept, least = common / records, common / smaller
    missed = records * kept * (1 - kept) * (1 - records / of)  # those a sample did not take
    error = 1.96 * sqrt(missed + 2 * alike * (1 - least**2))
    return Sameness(common, error, beyond, beyond >= BEYOND or few or same, identical and records == of)


def _exchanged(a: AnyArray, b: AnyArray, first: float, second: float) -> Floats:
    """Over contents with so many records: those alike within a set, the same weighted, the variance.

    ``first`` and ``second`` are (1−ρ)/ρ and ρ/(1−ρ): what a pair within the first, within the second weighs.
    """
    alike = first * a * (a - 1) / 2 + second * b * (b - 1) / 2
    together = (a + b).astype(np.float64)
    others = np.maximum(together - 1, 1.0)  # a content that only one record has counts for nothing
    variance = np.where(together > 1, together / (2 * others), 0.0)
    return np.array([alike.sum(), (alike / others).sum(), variance.sum()])


def _independent(found: AnyArray, counts: AnyArray, expected: Floats) -> tuple[float, float]:
    """How many more than expected are found, weighted by how sure the expectation is, and its variance."""
    weight = counts / (counts + expected)
    return float((weight * (found - expected)).sum()), float((weight**2 * expected).sum())


def _beyond_independence(found: Counts, places: Counts, second: Contents, records: int) -> float:
    """How far beyond what independent values give the number found is, in standard deviations."""
    if second.is_drawn:
        return inf
    number, chance = second.expected(records)
    counts, expected = second.counts[places], records * second.chances[places]
    number += _independent(found, counts, expected)[0] - _independent(found * 0, counts, expected)[0]
    return number / sqrt(chance + max(number, 1.0))


def _tail(number: float, expected: float) -> float:
    """About how likely at least so many events are of which so many are expected (Chernoff)."""
    if number <= expected:
        return 1.0
    if expected <= 0:
        return 0.0
    return exp(number - expected - number * log(number / expected))


def _all_in_pairs(counts: Counts) -> float:
    """How likely an exchange leaves as many records of every content in one set as in the other."""
    ways = [lgamma(2 * count + 1) - 2 * lgamma(count + 1) - 2 * count * log(2) for count in counts.tolist()]
    return exp(sum(ways))
