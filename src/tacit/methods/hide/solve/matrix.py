"""The sanitization matrix, sparse: which item goes, because of which, and what speaks for keeping it.

S is the identity, with a -1 at S_ij for every marked pair {i, j} whose victim is j, and a 1 at S_kj for
every frequent pair {k, j} that is not marked, in a column j that has a -1 ([1], section 3). Only the
columns with a -1 change anything, so only they are kept. For an item j that is sensitive by itself
S_jj is 0: every transaction that holds it is hit, and no pair speaks for it.

How likely a hit item stays. With x the largest support that is not frequent, a pair that could stay in N
transactions, in each with probability ρ, is hidden with confidence c where P[Bin(N, ρ) ≤ x] ≥ c and N·ρ lies
below the least support ([1], Lemma 1). A larger c means a smaller ρ. Lemma 2 takes the transactions of
{i, k, j}, one k at a time, for the N of a column with several ones. But the transactions in which {i, j}
survives are the union over all k, and so the pair may stay frequent for certain. ``certified`` counts them
instead: the transactions that hold i and j and whose sum is positive. What is left of x is spent on the
others, so that no pair vanishes. The confidence is shared out evenly over the marked pairs (Bonferroni), so
that all of them are hidden with confidence c.

The Marked-Set: victim pairs that together break every sensitive pattern, and which item of each goes. A
pattern is not minable, and cannot be inferred from what is, when one of its pairs is not frequent ([1],
section 3.1). The text leaves open which pairs are taken and which of the two items is the victim. Here it is
a weighted set cover, greedily: sensitive pairs must be marked; of the others, that pair is taken next that
harms the patterns to keep least for each sensitive pattern it breaks. Then, from the most frequent pair to
the least, the item goes whose loss adds the least harm to what is lost already, so that pairs with an item in
common tend to lose that item (see :mod:`tacit.methods.hide.kernels`).

[1] E. T. Wang, G. Lee, Y. T. Lin. A Novel Method for Protecting Sensitive Knowledge in Association Rules
    Mining. COMPSAC 2005.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from tacit.engine.kernels.keeping import Marks
from tacit.engine.kernels.sanitizing import ALWAYS, Columns
from tacit.engine.sanitizing import HitCounts
from tacit.methods.hide.kernels import Patterns, harm, index_patterns
from tacit.methods.hide.solve.patterns import Frequent, Pair, Pattern
from tacit.methods.hide.solve.targets import Targets
from tacit.typing import AnyArray, Counts, Floats, Words


@dataclass(frozen=True, order=True)
class Mark:
    """A marked pair: ``victim`` is taken out of transactions that hold ``cause`` too.

    For an item that is sensitive by itself both are that item.
    """

    cause: int
    victim: int

    @property
    def items(self) -> tuple[int, ...]:
        """The pair, or the item, that is to be infrequent."""
        return tuple(sorted({self.cause, self.victim}))


@dataclass(frozen=True, eq=False)
class SanitizationMatrix:
    """The columns of S with a -1. ``keepers[v]`` are the items k with S_kv = 1 beside the victim v itself."""

    vocabulary: tuple[str, ...]
    marks: tuple[Mark, ...]
    keepers: dict[int, tuple[int, ...]]

    def names(self, items: Iterable[int]) -> list[str]:
        return [self.vocabulary[item] for item in items]

    @property
    def victims(self) -> tuple[int, ...]:
        """The items that have a column."""
        return tuple(sorted({mark.victim for mark in self.marks}))

    @cached_property
    def columns(self) -> Columns:
        """The matrix as the kernels take it."""
        victims = self.victims
        columns = np.full(len(self.vocabulary), -1, dtype=np.int32)
        columns[list(victims)] = np.arange(len(victims))
        involved = sorted({mark.cause for mark in self.marks}.union(*self.keepers.values(), set()))
        places = np.full(len(self.vocabulary), -1, dtype=np.int32)
        places[involved] = np.arange(len(involved))
        table = np.zeros((max(1, len(involved)), max(1, len(victims))), dtype=np.int32)
        for victim, kept_by in self.keepers.items():
            table[places[list(kept_by)], columns[victim]] = 1
        for number, mark in enumerate(self.marks):
            table[places[mark.cause], columns[mark.victim]] = -(number + 1)
        return Columns(columns, places, table)

    @cached_property
    def pairs(self) -> Marks:
        """The marks, and those that concern each item."""
        causes = np.array([mark.cause for mark in self.marks], dtype=np.int32)
        victims = np.array([mark.victim for mark in self.marks], dtype=np.int32)
        two = causes != victims
        ends = np.concatenate([victims, causes[two]])
        numbers = np.concatenate([np.arange(len(causes)), np.flatnonzero(two)]).astype(np.int32)
        bounds = np.zeros(len(self.vocabulary) + 1, dtype=np.int64)
        np.cumsum(np.bincount(ends, minlength=len(self.vocabulary)), out=bounds[1:])
        return Marks(causes, victims, bounds, numbers[np.argsort(ends, kind="stable")])

    def to_dict(self) -> list[dict[str, Any]]:
        """One entry per column: the item that goes, because of which, kept by which."""
        return [
            {
                "item": self.vocabulary[victim],
                "because_of": self.names(mark.cause for mark in self.marks if mark.victim == victim),
                "kept_by": self.names(self.keepers.get(victim, ())),
            }
            for victim in self.victims
        ]

    def __str__(self) -> str:
        lines = []
        for column in self.to_dict():
            causes, keepers = ", ".join(column["because_of"]), ", ".join(column["kept_by"])
            lines.append(
                f"{column['item']} goes because of {causes}" + (f"; kept by {keepers}" if keepers else "")
            )
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class Probabilities:
    """Per mark, how likely the victim stays where the sum is positive, and where it is not."""

    high: Floats
    low: Floats

    @property
    def words(self) -> tuple[Words, Words]:
        """Both as limits for uniform 64-bit words."""
        return _words(self.high), _words(self.low)


def largest_probability(
    trials: AnyArray, allowed: AnyArray | int, confidence: float, *, mean_below: Fraction | None = None
) -> Floats:
    """The largest ρ with P[Bin(trials, ρ) ≤ allowed] ≥ confidence and trials · ρ < mean_below.

    It is 1 where no more trials are made than successes allowed.
    """
    from scipy.special import bdtr, betaincinv

    trials, allowed = np.broadcast_arrays(np.asarray(trials, np.int64), np.asarray(allowed, np.int64))
    result = np.ones(trials.shape, dtype=np.float64)
    over = trials > allowed
    n, x = trials[over].astype(np.float64), allowed[over].astype(np.float64)
    # P[Bin(n, ρ) ≤ x] = I_(1-ρ)(n - x, x + 1); with nothing allowed only ρ = 0 would do for c = 1.
    found = np.where(x < 0, 0.0, 1.0 - betaincinv(n - x, np.maximum(x, 0) + 1, confidence))
    if mean_below is not None:
        found = np.minimum(found, np.nextafter(float(mean_below) / n, 0.0))
    step = np.full(found.shape, 1e-15)
    while True:  # the inverse is accurate to a few units in the last place: step down to the safe side
        short = (found > 0) & (bdtr(np.maximum(x, 0), trials[over], found) < confidence)
        if not short.any():
            break
        found = np.where(short, np.maximum(0.0, found * (1.0 - step)), found)
        step = np.where(short, step * 2, step)
    result[over] = found
    return result


def paper_probabilities(
    matrix: SanitizationMatrix, frequent: Frequent, hits: HitCounts, *, bound: Fraction, confidence: float
) -> Probabilities:
    """Lemmas 1 and 2 as published: one value per column, the smallest over its pairs.

    ``bound`` is σ·|D|. In a column with several ones, transactions whose sum is not positive lose the item.
    """
    limit = frequent.least - 1
    high, low = np.ones(len(matrix.marks)), np.zeros(len(matrix.marks))
    triples = _triples(matrix, frequent)
    for victim in matrix.victims:
        numbers = [number for number, mark in enumerate(matrix.marks) if mark.victim == victim]
        if not matrix.keepers.get(victim):
            found = largest_probability(hits.hits[numbers], limit, confidence, mean_below=bound)
            low[numbers] = found.min()
        elif triples.get(victim):
            found = largest_probability(np.array(triples[victim]), limit, confidence, mean_below=bound)
            high[numbers] = found.min()
    return Probabilities(high, low)


def certified_probabilities(
    hits: HitCounts, *, least: int, bound: Fraction, confidence: Fraction, targets: Counts | None = None
) -> Probabilities:
    """Probabilities that keep the promise jointly; with ``targets``, no larger than meets them on average."""
    each = shared_confidence(confidence, len(hits.hits))
    limit = least - 1
    sure = hits.positive <= limit
    high = largest_probability(hits.positive, limit, each, mean_below=bound)
    left = np.where(sure, limit - hits.positive, 0)
    low = largest_probability(hits.hits - hits.positive, left, each)
    low = np.where(sure, low, 0.0)
    if targets is not None:
        others = np.maximum(hits.hits - hits.positive, 1)
        high = np.minimum(high, targets / np.maximum(hits.positive, 1))
        low = np.minimum(low, np.maximum(targets - hits.positive, 0) / others)
    return Probabilities(high, low)


def shared_confidence(confidence: Fraction, n_marks: int) -> float:
    """The confidence each of so many pairs needs for all of them to reach ``confidence`` together."""
    exact = 1 - (1 - confidence) / max(1, n_marks)
    each = float(exact)
    return each if Fraction(each) >= exact else math.nextafter(each, 1.0)


def _triples(matrix: SanitizationMatrix, frequent: Frequent) -> dict[int, list[int]]:
    """Per victim j, the supports n_ikj of the frequent {i, k, j} with i a cause and k a keeper of j.

    Those that are not frequent allow a probability of 1 and need not be known.
    """
    causes: dict[int, set[int]] = {}
    for mark in matrix.marks:
        causes.setdefault(mark.victim, set()).add(mark.cause)
    keepers = {victim: set(kept_by) for victim, kept_by in matrix.keepers.items()}
    found: dict[int, list[int]] = {}
    triples, supports, _ = frequent.itemsets.of_length(3)
    wanted = np.isin(triples, list(matrix.victims)).any(axis=1)
    for items, support in zip(triples[wanted].tolist(), supports[wanted].tolist(), strict=True):
        for victim in items:
            if victim in causes:
                one, other = (item for item in items if item != victim)
                for i, k in ((one, other), (other, one)):
                    if i in causes[victim] and k in keepers[victim]:
                        found.setdefault(victim, []).append(support)
    return found


def _words(probabilities: Floats) -> Words:
    """floor(p · 2^64), and the largest word for p = 1."""
    exact = [int(Fraction(float(p)) * 2**64) for p in probabilities.tolist()]
    return np.array([min(word, int(ALWAYS)) for word in exact], dtype=np.uint64)


def make_matrix(seeds: Sequence[Pattern], frequent: Frequent, targets: Targets) -> SanitizationMatrix:
    """The sanitization matrix that breaks every one of these frequent patterns."""
    harms = _Harms(seeds, frequent, targets)
    singles = [seed[0] for seed in seeds if len(seed) == 1]
    rest = [seed for seed in seeds if not set(singles) & set(seed)]
    pairs = marked_pairs(rest, harms)
    marks = [Mark(item, item) for item in singles]
    marks += [harms.choose(pair) for pair in sorted(pairs, key=lambda pair: (-harms.pairs[pair], pair))]
    return SanitizationMatrix(
        frequent.itemsets.vocabulary, tuple(sorted(marks)), _keepers(marks, pairs, frequent)
    )


def marked_pairs(seeds: Iterable[Pattern], harms: _Harms) -> set[Pair]:
    """At least one pair of every seed: those of length two, then greedily the cheapest per seed broken."""
    waiting = set(seeds)
    marked = {(seed[0], seed[1]) for seed in waiting if len(seed) == 2}
    waiting = {seed for seed in waiting if not _pairs(seed) & marked}
    while waiting:
        gains: dict[Pair, int] = {}
        for seed in waiting:
            for pair in _pairs(seed):
                gains[pair] = gains.get(pair, 0) + 1
        chosen = min(gains, key=lambda pair: (harms.least_harm(pair) / gains[pair], pair))
        marked.add(chosen)
        waiting = {seed for seed in waiting if chosen not in _pairs(seed)}
    return marked


def _pairs(pattern: Pattern) -> set[Pair]:
    return set(combinations(pattern, 2))


def _keepers(marks: Sequence[Mark], marked: set[Pair], frequent: Frequent) -> dict[int, tuple[int, ...]]:
    """For each victim, its partners in frequent pairs that are neither marked nor sensitive."""
    keepers: dict[int, list[int]] = {mark.victim: [] for mark in marks}
    matrix, _, places = frequent.itemsets.of_length(2)
    free = matrix[~frequent.sensitive[places]]
    for one, other in free.tolist():
        if (one, other) not in marked:
            if other in keepers:
                keepers[other].append(one)
            if one in keepers:
                keepers[one].append(other)
    return {victim: tuple(sorted(items)) for victim, items in keepers.items()}


class _Harms:
    """What marking a pair would cost the patterns to keep, and what the marks so far have cost them."""

    def __init__(self, seeds: Sequence[Pattern], frequent: Frequent, targets: Targets) -> None:
        itemsets = frequent.itemsets
        victims = np.zeros(len(itemsets.vocabulary), dtype=np.bool_)
        victims[[item for seed in seeds for item in seed]] = True
        self.pairs = frequent.pairs
        self._least = frequent.least
        self._targets = targets
        self._shares: dict[Pair, float] = {}
        self._supports = frequent.item_supports
        self._patterns: Patterns = index_patterns(
            itemsets.offsets, itemsets.items, itemsets.supports, ~frequent.sensitive, victims
        )
        self._spent = np.zeros(len(itemsets), dtype=np.float64)
        self._known: dict[Pair, float] = {}

    def least_harm(self, pair: Pair) -> float:
        """The harm of marking a pair alone, by the better victim."""
        if pair not in self._known:
            nothing = np.zeros_like(self._spent)
            self._known[pair] = min(
                self._of(cause, victim, nothing)[0] for cause, victim in (pair, pair[::-1])
            )
        return self._known[pair]

    def choose(self, pair: Pair) -> Mark:
        """The mark of a pair whose victim adds the least harm to what is spent; it is spent afterwards."""
        options = [
            (*self._of(cause, victim, self._spent), cause, victim) for cause, victim in (pair, pair[::-1])
        ]
        _, after, cause, victim = min(options, key=lambda option: (option[0], option[3]))
        starts, holders = self._patterns.starts, self._patterns.holders
        self._spent[holders[starts[victim] : starts[victim + 1]]] = after
        return Mark(cause, victim)

    def _of(self, cause: int, victim: int, spent: np.ndarray) -> tuple[float, np.ndarray]:
        pair = min(cause, victim), max(cause, victim)
        if pair not in self._shares:
            self._shares[pair] = 1 - self._targets.of(pair) / self.pairs[pair]
        share = self._shares[pair]
        return harm(self._patterns, cause, victim, share, self._least, self._supports, spent)
