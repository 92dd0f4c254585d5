"""The Marked-Set: victim pairs that together break every sensitive pattern, and which item of each goes.

A sensitive pattern is not minable, and cannot be inferred from what is, when one of its pairs is not
frequent ([1], section 3.1). The text leaves open which pairs are taken and which of the two items is the
victim. Here it is a weighted set cover, greedily: sensitive pairs must be marked; of the others, that pair
is taken next that harms the patterns to keep least for each sensitive pattern it breaks. Then, from the
most frequent pair to the least, the item goes whose loss adds the least harm to what is lost already, so
that pairs with an item in common tend to lose that item (see :mod:`tacit.methods.hide.kernels`).

[1] E. T. Wang, G. Lee, Y. T. Lin. A Novel Method for Protecting Sensitive Knowledge in Association Rules
    Mining. COMPSAC 2005.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np

from tacit.methods.hide.kernels import Patterns, harm, index_patterns
from tacit.methods.hide.solve.matrix import Mark, SanitizationMatrix
from tacit.methods.hide.solve.patterns import Frequent, Pair, Pattern
from tacit.methods.hide.solve.targets import Targets


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
