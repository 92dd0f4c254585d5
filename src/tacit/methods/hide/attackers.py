"""Readers who look for what was hidden in transactions: each scores every pair by how hidden it looks.

An attacker sees what any reader has: the published transactions and the published least support. It knows how
hiding works: an item was taken out of transactions that hold another one. A larger score is more suspicious.

- support: pairs just below the least support first;
- residual: rarer than the two items alone lead one to expect, in standard deviations of a count;
- partial correlation: rarer than all other items lead one to expect; the inverse covariance of the items;
- neighbours: one item is estimated from the ten most like it, where the other one is present;
- rows: the same from all items, learned from transactions without the other item, where nothing was taken
  out because of it;
- together: the mean of the logarithms of the last three places.

Whether hidden patterns betray themselves is the place of each in the lists of these readers. Every attacker
sorts the candidates, the most suspicious first; the truth is used for nothing but finding the hidden patterns
in those lists. The candidates for a pattern are the infrequent pairs of frequent items; a longer pattern is
found by any of its pairs that is infrequent. The candidates for a rule with one item on each side that is
hidden by its confidence are the rules of frequent pairs below the least confidence, and one more attacker
looks right below that. The owner is told the best place over all attackers. Nothing of this is published: it
points at the secret.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.arrays.csr import as_sets
from tacit.arrays.groups import take_rows
from tacit.data.transactions import Transactions
from tacit.engine.choice import engine_for
from tacit.typing import AnyArray, Bools, Codes, Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MOST_ITEMS = 2_000
"""Candidates are the pairs of at most so many frequent items, the most frequent ones."""

ROW_ITEMS = 200
"""The attacker that reads rows learns about at most so many items, the most frequent ones."""

ROW_WORK = 200_000_000
"""Of transactions that would take more steps than this, it reads every n-th."""

MOST_ROWS = 1_000_000
"""It is not tried on more transactions than this where they would have to be brought into this process."""

NEIGHBOURS = 10
RIDGE = 1e-3
TINY = 1e-12


@dataclass(frozen=True, eq=False)
class Reading:
    """What a reader counts in published transactions: items that are frequent, and all their pairs."""

    published: Transactions
    least: int
    items: Codes
    counts: Floats
    """How many transactions hold each pair of the items; each item's own support on the diagonal."""

    @property
    def n_rows(self) -> int:
        return max(1, len(self.published))

    @cached_property
    def shares(self) -> Floats:
        return np.asarray(np.diag(self.counts) / self.n_rows, dtype=np.float64)

    @cached_property
    def covariance(self) -> Floats:
        return np.asarray(self.counts / self.n_rows - np.outer(self.shares, self.shares), dtype=np.float64)


def read(published: Transactions, least: int) -> Reading:
    """Count the pairs of the frequent items of published transactions."""
    frequent = np.flatnonzero(published.supports >= least)
    frequent = np.sort(frequent[np.argsort(-published.supports[frequent], kind="stable")][:MOST_ITEMS])
    items = frequent.astype(np.int32)
    upper = np.triu(engine_for(published).pair_supports(published, items), 1).astype(np.float64)
    counts = upper + upper.T + np.diag(published.supports[frequent].astype(np.float64))
    return Reading(published, least, items, counts)


def by_support(reading: Reading) -> Floats:
    return reading.counts


def by_residual(reading: Reading) -> Floats:
    expected = np.outer(reading.shares, reading.shares) * reading.n_rows
    return _missing(expected, reading.counts)


def by_partial_correlation(reading: Reading) -> Floats:
    inverse, _ = _inverse_correlation(reading.covariance)
    scale = np.sqrt(np.diag(inverse))
    return np.asarray(inverse / np.outer(scale, scale), dtype=np.float64)


def by_neighbours(reading: Reading) -> Floats:
    covariance, counts, shares = reading.covariance, reading.counts, reading.shares
    deviation = np.sqrt(np.maximum(np.diag(covariance), TINY))
    likeness = np.abs(covariance / np.outer(deviation, deviation))
    np.fill_diagonal(likeness, -1)
    supports = np.diag(counts)
    expected = np.zeros_like(counts)

    def estimate(victim: int, near: AnyArray, causes: AnyArray | slice) -> Floats:
        inner = covariance[np.ix_(near, near)] + RIDGE * np.diag(np.diag(covariance)[near])
        weights = np.linalg.solve(inner + TINY * np.eye(len(near)), covariance[near, victim])
        among = counts[causes][:, near] - np.outer(supports[causes], shares[near])
        return np.asarray(supports[causes] * shares[victim] + among @ weights, dtype=np.float64)

    for victim in range(len(counts)):
        nearest = np.argsort(-likeness[victim], kind="stable")[: min(NEIGHBOURS + 1, len(counts) - 1)]
        near = nearest[:NEIGHBOURS]
        expected[:, victim] = estimate(victim, near, slice(None))
        for cause in near:  # an item tells nothing about itself
            others = nearest[nearest != cause]
            if len(others):
                expected[cause, victim] = estimate(victim, others, np.array([cause]))[0]
    return _either_way(_missing(expected, counts))


def by_rows(reading: Reading) -> Floats | None:
    """None where the transactions are too many to bring into this process."""
    here = reading.published.in_memory(MOST_ROWS)
    if here is None:
        return None
    chosen = np.sort(np.argsort(-np.diag(reading.counts), kind="stable")[:ROW_ITEMS])
    rows = _rows(here, reading.items[chosen])
    total = (rows.T @ rows).toarray()
    by_item: Any = rows.tocsc()
    scores = np.full(reading.counts.shape, -np.inf)
    for place in range(len(chosen)):
        held = by_item.indices[by_item.indptr[place] : by_item.indptr[place + 1]]
        n_without = rows.shape[0] - len(held)
        others = np.delete(np.arange(len(chosen)), place)
        if not len(held) or n_without < 2 or not len(others):
            continue
        with_it = rows[held]
        among = (with_it.T @ with_it).toarray()
        counts = (total - among)[np.ix_(others, others)]
        shares = np.diag(counts) / n_without
        inverse, deviation = _inverse_correlation(counts / n_without - np.outer(shares, shares))
        weights = -inverse / np.diag(inverse)[:, None]
        np.fill_diagonal(weights, 0)
        # How the transactions that hold the item differ from the others, in all items but the estimated one.
        differing = (total[place, others] - len(held) * shares) / deviation
        expected = len(held) * shares + deviation * (weights @ differing)
        scores[chosen[place], chosen[others]] = _missing(expected, total[place, others])
    return _either_way(scores)


ATTACKERS: dict[str, Callable[[Reading], Floats | None]] = {
    "support": by_support,
    "residual": by_residual,
    "partial correlation": by_partial_correlation,
    "neighbours": by_neighbours,
    "rows": by_rows,
}
TOGETHER = ("partial correlation", "neighbours", "rows")


def suspicions(reading: Reading, candidates: tuple[AnyArray, AnyArray]) -> dict[str, Floats]:
    """The scores every attacker gives some pairs of places among the items."""
    from threadpoolctl import threadpool_limits

    # Many small matrices: several threads at each take longer than one.
    with threadpool_limits(limits=1, user_api="blas"):
        scores = {name: attack(reading) for name, attack in ATTACKERS.items()}
    found = {name: score[candidates] for name, score in scores.items() if score is not None}
    places = [np.argsort(np.argsort(-found[name], kind="stable")) for name in TOGETHER if name in found]
    found["together"] = np.asarray(-np.log(np.array(places) + 1.0).mean(axis=0), dtype=np.float64)
    return found


def _rows(data: Transactions, items: Codes) -> csr_array:
    """Published transactions with some items alone, as a sparse table."""
    from scipy.sparse import csr_array

    places = np.full(data.n_items, -1, dtype=np.int32)
    places[items] = np.arange(len(items))
    indptr, codes, _ = as_sets(data.indptr, data.items, places)
    work = float((np.diff(indptr).astype(np.float64) ** 3).sum())
    indptr, codes = take_rows(indptr, codes, np.arange(0, len(data), max(1, int(np.ceil(work / ROW_WORK)))))
    return csr_array((np.ones(len(codes)), codes, indptr), shape=(len(indptr) - 1, len(items)))


def _inverse_correlation(covariance: Floats) -> tuple[Floats, Floats]:
    """The inverse of the correlations, a little of the identity added, and the standard deviations."""
    deviation = np.sqrt(np.maximum(np.diag(covariance), TINY))
    correlation = covariance / np.outer(deviation, deviation)
    return np.linalg.inv(correlation + RIDGE * np.eye(len(correlation))), deviation


def _missing(expected: Floats, counts: Floats) -> Floats:
    """How many standard deviations of a count are missing."""
    return np.asarray((expected - counts) / np.sqrt(np.maximum(expected, 1.0)), dtype=np.float64)


def _either_way(scores: Floats) -> Floats:
    """Which of the two items was taken out is not known: the more suspicious way counts."""
    return np.maximum(scores, scores.T)


Names = frozenset[str]
NamedRule = tuple[Names, Names]


@dataclass(frozen=True)
class Ranked:
    """The places of some hidden patterns or rules, 1 the most suspicious; None where one is no candidate."""

    candidates: int
    places: Mapping[str, tuple[int | None, ...]]
    """Per attacker, the place of each."""

    @property
    def best(self) -> tuple[int | None, ...]:
        """The smallest place of each over all attackers."""
        return tuple(
            min((place for place in found if place is not None), default=None)
            for found in zip(*self.places.values(), strict=True)
        )

    @property
    def first(self) -> int | None:
        """The place of the one that is found first."""
        return min((place for place in self.best if place is not None), default=None)

    @property
    def middle(self) -> float | None:
        """Half of them have this place or a smaller one."""
        found = [place for place in self.best if place is not None]
        return float(median(found)) if found else None

    @property
    def strongest(self) -> str | None:
        """The attacker who finds most of them first."""
        found = {
            name: float(np.mean([np.log(place) for place in places if place is not None]))
            for name, places in self.places.items()
            if any(place is not None for place in places)
        }
        return min(found, key=lambda name: found[name], default=None)

    def to_dict(self) -> dict[str, Any]:
        return {
            "candidates": self.candidates,
            "best_place": self.first,
            "median_best_place": self.middle,
            "strongest_attacker": self.strongest,
            "best_places": list(self.best),
            "places": {name: list(places) for name, places in self.places.items()},
        }


@dataclass(frozen=True)
class Disguise:
    """How suspicious the hidden patterns of two and more items, and the rules hidden by confidence, look."""

    hidden: int
    never: int
    """Hidden patterns of which a pair never occurs: nothing in the data does that by itself."""
    patterns: Ranked
    rules: Ranked

    def facts(self) -> Iterator[tuple[str, str]]:
        """What the owner should know of it, as sentences."""
        for what, ranked in (("patterns", self.patterns), ("rules", self.rules)):
            if ranked.first is not None and ranked.middle is not None:
                yield (
                    f"hidden {what} stand out",
                    f"the first is at place {ranked.first:,} of {ranked.candidates:,} candidates, half of "
                    f"them by place {ranked.middle:,.0f}; found best by {ranked.strongest}",
                )
        if self.never:
            yield "never occurring", f"{self.never:,} of the hidden patterns, which shows"

    def to_dict(self) -> dict[str, Any]:
        """The places; none of them names a pattern."""
        return {
            "never_occurring": self.never,
            **self.patterns.to_dict(),
            "rules": self.rules.to_dict(),
        }


def disguise(
    published: Transactions,
    hidden: Sequence[Names],
    *,
    least: int,
    rules: Sequence[NamedRule] = (),
    min_confidence: Fraction | None = None,
) -> Disguise:
    """Find the hidden patterns and rules in the lists of all attackers."""
    reading = read(published, least)
    place_of = {published.vocabulary[item]: place for place, item in enumerate(reading.items.tolist())}
    supports = np.diag(reading.counts)
    wanted = [
        list(combinations(sorted(place_of[name] for name in names if name in place_of), 2))
        for names in hidden
    ]
    below = np.triu(reading.counts < least, 1)
    rule_pairs = [
        [(place_of[one], place_of[other])]
        for one, other in ((min(left), min(right)) for left, right in rules if len(left) == len(right) == 1)
        if one in place_of and other in place_of
    ]
    loose = np.zeros_like(below)
    if min_confidence is not None and rule_pairs:
        loose = (reading.counts >= least) & (reading.counts < float(min_confidence) * supports[:, None])
        np.fill_diagonal(loose, False)
    confidence = reading.counts / np.maximum(supports[:, None], 1)
    return Disguise(
        hidden=len(hidden),
        never=sum(count == 0 for count in _rarest(published, hidden)),
        patterns=_ranked(reading, below, wanted, {}),
        rules=_ranked(reading, loose, rule_pairs, {"confidence": confidence}),
    )


def _ranked(
    reading: Reading, candidates: Bools, wanted: Sequence[Sequence[tuple[int, int]]], more: dict[str, Floats]
) -> Ranked:
    """The place of each wanted thing: of the first of its pairs that is a candidate."""
    one, other = np.nonzero(candidates)
    pairs = one, other
    if not len(pairs[0]) or not wanted:
        return Ranked(len(pairs[0]), {})
    number = {pair: place for place, pair in enumerate(zip(*(side.tolist() for side in pairs), strict=True))}
    scores = suspicions(reading, pairs) | {name: score[pairs] for name, score in more.items()}
    found = [[number[pair] for pair in any_pair if pair in number] for any_pair in wanted]
    places = {}
    for name, score in scores.items():
        ordered = np.sort(-score)
        best = [max((score[one] for one in ones), default=None) for ones in found]
        places[name] = tuple(
            None if value is None else 1 + int(np.searchsorted(ordered, -value)) for value in best
        )
    return Ranked(len(pairs[0]), places)


def _rarest(published: Transactions, hidden: Sequence[Names]) -> list[int]:
    """The support of the rarest pair of each hidden pattern."""
    known = {
        pair: tuple(sorted(published.index[name] for name in pair))
        for names in hidden
        for pair in map(frozenset, combinations(names, 2))
        if pair <= published.index.keys()
    }
    counts = engine_for(published).set_supports(published, list(known.values())) if known else ()
    supports = dict(zip(known, map(int, counts), strict=True))
    return [min(supports.get(frozenset(pair), 0) for pair in combinations(names, 2)) for names in hidden]
