"""Buckets drawn anew until what a list of rules leaves out (:mod:`tacit.mining.silence`) names nobody.

Every pair that could have been listed is to keep at least ℓ candidates, or all rows of the table that could
have its value at all where those are fewer. Then all pairs together are to leave everybody ℓ values
(:mod:`tacit.mining.exchanges`). A draw of the whole table that falls short is thrown away, and the next one
follows. Whether it does is asked of the buckets alone: of every original that a release speaks of, rows that
have each other's values can be drawn in each other's place, so each could have given it.

Where no draw will do, the last one's buckets are merged. Which ones tells something of what they held, so
with areas these rows are not among those for whom ε is said to hold.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from tacit.arrays.bitmaps import unpack
from tacit.engine.base import Combinations
from tacit.errors import InfeasibleError, option
from tacit.methods.bucketize.solve.plan import Plan, make_plan
from tacit.methods.bucketize.verb import ANATOMY
from tacit.mining.exchanges import Exchanges, Groups, narrowing
from tacit.mining.knowledge import NegativeRules
from tacit.mining.silence import names_somebody, unlisted_pairs
from tacit.typing import AnyArray, Bools, Counts

LEAST_DRAWS, MOST_DRAWS, ROWS_DRAWN = 4, 1_000, 100_000
"""So many draws are tried at least; and up to so many, as long as they draw no more rows than this."""


def silent(
    draw: Callable[[int], Plan],
    combinations: Combinations,
    knowledge: NegativeRules,
    l: int,
    *,
    bounded: bool,
) -> Plan:
    """The first draw in which nothing has to be merged; where there is none, the last one merged."""
    draws = min(MOST_DRAWS, max(LEAST_DRAWS, ROWS_DRAWN // combinations.n_rows))
    for number in range(draws - 1):
        plan = draw(number)
        try:
            if silenced(plan, combinations, knowledge, l, bounded=bounded) is plan:
                return replace(plan, thrown=number)
        except InfeasibleError:
            if not bounded:  # not even one bucket of all would do
                raise
    merged = silenced(draw(draws - 1), combinations, knowledge, l, bounded=bounded)
    return replace(merged, thrown=draws - 1)


def silenced(
    plan: Plan, combinations: Combinations, knowledge: NegativeRules, l: int, *, bounded: bool
) -> Plan:
    """The plan with buckets merged until every unlisted pair has ℓ candidates, or all there can be.

    The plan must say which combination each of its rows has. Where it is ``bounded``, only buckets in
    which all rows can have all values are merged, because then no value gets likelier.
    """
    assert plan.combinations is not None
    merging, matching = _Merging(plan, combinations, bounded=bounded), knowledge.matching(combinations)
    for pairs in unlisted_pairs(combinations, knowledge, fewer_than=l):
        place = plan.classes.attributes.index(pairs.sensitive)
        for number in range(len(pairs)):
            inside = matching(pairs.nodes[number])
            if merging.add_candidates(inside, place, int(pairs.values[number]), l) == 1:
                raise names_somebody(knowledge, pairs, number, UNBOUNDED * bounded)
    merging.leave_values(combinations, knowledge, l)
    if not merging.merged:
        return plan
    left = None if plan.bound_rows is None else max(0, plan.bound_rows - merging.n_merged)
    buckets = merging.bucket.astype(np.int32)
    merged = make_plan(plan.classes, plan.members, buckets, plan.suppressed, combinations=plan.combinations)
    return replace(merged, bound_rows=left, acceptance=plan.acceptance)


UNBOUNDED = f", or leave out {option('max_posterior')}"


class _Merging:
    """The rows of a plan with their buckets, which grow together."""

    def __init__(self, plan: Plan, combinations: Combinations, *, bounded: bool) -> None:
        assert plan.combinations is not None
        self._classes = classes = plan.classes
        self._members, self.combination = plan.members, plan.combinations
        self.bucket: AnyArray = np.repeat(np.arange(len(plan)), np.diff(plan.offsets))
        self._first = self.bucket.copy()
        self.merged = False
        self._bounded = bounded
        self._parts = classes.parts
        self._held = classes.values[plan.members]
        self._barred = unpack(classes.forbidden, classes.n_values)
        self._class_of = np.zeros(len(combinations), dtype=np.int64)
        self._class_of[plan.combinations] = plan.members

    @property
    def n_merged(self) -> int:
        """The rows in buckets that have grown together: which they were tells something of their own."""
        grown = np.unique(self.bucket[self.bucket != self._first])
        return int(np.isin(self.bucket, grown).sum())

    def add_candidates(self, inside: Bools, place: int, code: int, l: int) -> int:
        """Merge until ℓ rows inside could hold a value, or all that may have it; how many then could."""
        wanted = self._parts[:, place] == code
        barred = np.asarray(self._barred[:, wanted].all(axis=1))[self._class_of]
        able = np.flatnonzero((inside & ~barred)[self.combination])
        having = np.unique(self.bucket[wanted[self._held]])
        while True:
            now = np.isin(self.bucket[able], having)
            if now.sum() >= min(l, len(able)) or not now.any():
                return int(now.sum())
            grown = int(self.bucket[able[now]].min())
            others, counts = np.unique(self.bucket[able[~now]], return_counts=True)
            best = self._best(grown, others, counts)
            if best is None:
                return int(now.sum())
            self._join(grown, best)

    def _best(self, one: int, others: AnyArray, counts: Counts) -> int | None:
        """The bucket to merge with: of those that get along best the one that adds the most for its size."""
        refusals = self._refusals(one)[others]
        if not len(others) or (self._bounded and refusals.min() > 0):
            return None
        sizes = np.bincount(self.bucket)[others]
        return int(others[np.lexsort((others, sizes, -counts, refusals))[0]])  # numbers are keyed

    def leave_values(self, combinations: Combinations, knowledge: NegativeRules, l: int) -> None:
        """Merge until everybody keeps ℓ values while every unlisted pair has somebody."""
        exchanges = self._exchanges(combinations, knowledge)
        for one in exchanges.narrowed(l):
            here = int(exchanges.class_of[one])
            others, counts = np.unique(self.bucket[exchanges.others(one)], return_counts=True)
            best = self._best(here, others, counts)
            if best is None:
                raise narrowing(
                    f"that are not listed would leave somebody fewer than {l} values: too few people of a"
                    " bucket",
                    f"Mine fewer rules{UNBOUNDED * self._bounded}:",
                    option("algorithm", ANATOMY),
                )
            self._join(here, best)
            exchanges.join(here, best)

    def _exchanges(self, combinations: Combinations, knowledge: NegativeRules) -> Exchanges:
        classes, barred = self._classes, self._barred

        def may(kind: int, other: int) -> bool:
            return not barred[kind, classes.values[other]]

        counts = np.ones(len(self.bucket), dtype=np.int64)
        values = classes.parts[classes.values]
        groups = Groups(self.bucket.astype(np.int32), self._members, counts, values, may)
        return Exchanges.among(groups, combinations, knowledge, classes.attributes, self.combination)

    def _join(self, one: int, other: int) -> None:
        self.bucket[self.bucket == other] = one
        self.merged = True

    def _refusals(self, one: int) -> Counts:
        """Per bucket, how many pairs of a row of it and a value of the one, or the reverse, rules forbid."""
        kinds, rows = self._class_of[self.combination], np.flatnonzero(self.bucket == one)
        of_kind = self._barred[:, self._held[rows]].sum(axis=1)
        of_value = self._barred[kinds[rows]].sum(axis=0)
        return np.bincount(self.bucket, weights=of_kind[kinds] + of_value[self._held]).astype(np.int64)
