"""How likely a hit item stays: Distortion and Conformity probabilities, as published and as certified.

With x the largest support that is not frequent, a pair that could stay in N transactions, in each with
probability ρ, is hidden with confidence c where P[Bin(N, ρ) ≤ x] ≥ c and N·ρ lies below the least support
([1], Lemma 1). A larger c means a smaller ρ.

Lemma 2 takes the transactions of {i, k, j}, one k at a time, for the N of a column with several ones. But
the transactions in which {i, j} survives are the union over all k, and so the pair may stay frequent for
certain. ``certified`` counts them instead: the transactions that hold i and j and whose sum is positive.
What is left of x is spent on the others, so that no pair vanishes. The confidence is shared out evenly
over the marked pairs (Bonferroni), so that all of them are hidden with confidence c.

[1] E. T. Wang, G. Lee, Y. T. Lin. A Novel Method for Protecting Sensitive Knowledge in Association Rules
    Mining. COMPSAC 2005.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tacit.engine.kernels.sanitizing import ALWAYS
from tacit.engine.sanitizing import HitCounts
from tacit.methods.hide.solve.marking import Frequent
from tacit.methods.hide.solve.matrix import SanitizationMatrix
from tacit.typing import AnyArray, Counts, Floats, Words


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
