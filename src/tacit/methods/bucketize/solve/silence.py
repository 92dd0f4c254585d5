"""What a list of rules says by what it leaves out, and buckets merged until that names nobody.

Rules are mined for every pair (X, s) that is common enough. A pair that could have been listed and was
not does not hold, so somebody in X has s: a reader looks for the rows in X whose bucket has s and that
may have it. Where there is one such row, it is named; where there are few, each is likelier than the
release states. So every such pair is to keep at least ℓ candidates, or all rows of the table that could
have s at all where those are fewer. Buckets are merged until it does. Whether and which is decided by
what is published, never by who holds the value, so the merging itself tells nothing that the buckets
before it would not have told.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from tacit.arrays.bitmaps import unpack
from tacit.engine.base import Combinations
from tacit.errors import InfeasibleError, option
from tacit.methods.bucketize.solve.plan import Plan, make_plan
from tacit.mining.conjunctions import conjunctions
from tacit.mining.knowledge import NegativeRules
from tacit.mining.negative import log_chance, required_counts
from tacit.ranges import as_fraction
from tacit.typing import AnyArray, Bools, Codes, Counts


@dataclass(frozen=True, eq=False)
class Unlisted:
    """Pairs (X, s) that could have been listed as a rule and are not: somebody in X has s."""

    nodes: Codes  # (pairs, attributes), -1 where an attribute takes no part
    values: Codes  # the code of s
    sensitive: str

    def __len__(self) -> int:
        return len(self.values)


def unlisted_pairs(
    combinations: Combinations, knowledge: NegativeRules, *, fewer_than: int
) -> Iterator[Unlisted]:
    """The unlisted pairs of each sensitive attribute that fewer rows than so many hold.

    A pair that more hold has more candidates, whatever the buckets. Rules that were not mined by
    thresholds make no claim to be all there are.
    """
    settings = knowledge.settings
    if not settings:
        return
    for name in knowledge.sensitive:
        place = combinations.place(name)
        held = np.bincount(
            combinations.codes[:, place],
            weights=combinations.counts,
            minlength=len(combinations.texts[place]),
        ).astype(np.int64)
        needed = _needed(held, combinations, knowledge, name)
        nodes, values = [], []
        least = max(1.0, float(needed.min(initial=1)))
        for block in conjunctions(
            combinations, knowledge.attributes, name, min_count=least, max_length=settings["max_length"]
        ):
            common = block.counts.sum(axis=1)[:, None] >= needed
            rows, places = np.nonzero(common & (block.counts > 0) & (block.counts < fewer_than))
            nodes.append(block.nodes[rows])
            values.append(places.astype(np.int32))
        if nodes:
            yield Unlisted(np.concatenate(nodes), np.concatenate(values), name)


def _needed(held: Counts, combinations: Combinations, knowledge: NegativeRules, name: str) -> Counts:
    """How many rows an X must match for its silence about each value to say something."""
    settings, n_rows = knowledge.settings, combinations.n_rows
    level = 1 - (as_fraction(settings["min_expectation"]) or Fraction(0))
    if settings["correction"] in ("none", "alike"):  # of alike, more pairs than could have been listed
        there = held > 0
        needed = np.full(len(held), n_rows + 1, dtype=np.int64)
        needed[there] = required_counts(held[there], n_rows, level)
        return needed
    # A correction asks for more. How much can be told from the rules that are listed: as rare a pair as
    # the commonest chance among them would have been listed too.
    about = knowledge.about == list(knowledge.sensitive).index(name)
    chances = log_chance(held, n_rows)
    listed = np.flatnonzero(about & ~knowledge.given)
    if not len(listed):
        return np.full(len(held), n_rows + 1, dtype=np.int64)
    highest = float((knowledge.counts[listed] * chances[knowledge.values[listed]]).max())
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(chances < 0, np.ceil(highest / chances), n_rows + 1).astype(np.int64)


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
                raise _names_somebody(knowledge, pairs, number, bounded=bounded)
    if not merging.merged:
        return plan
    left = None if plan.bound_rows is None else max(0, plan.bound_rows - merging.n_merged)
    buckets = merging.bucket.astype(np.int32)
    merged = make_plan(plan.classes, plan.members, buckets, plan.suppressed, combinations=plan.combinations)
    return replace(merged, bound_rows=left, acceptance=plan.acceptance)


def _names_somebody(
    knowledge: NegativeRules, pairs: Unlisted, number: int, *, bounded: bool
) -> InfeasibleError:
    """The refusal where rules leave one row that could hold a value that somebody must hold."""
    rule = " & ".join(f"{name} = {label}" for name, label in knowledge.conditions(pairs.nodes[number]))
    value = knowledge.sensitive[pairs.sensitive][pairs.values[number]]
    return InfeasibleError(
        f"The rules name somebody{', whatever the buckets are' * (not bounded)}: of the rows with {rule} one"
        f" alone could have {value!r} as {pairs.sensitive!r}; if none had it, that would be a rule.",
        code="silence-names",
        hint=f"Mine shorter rules with {option('max_length')}, or with a larger {option('min_expectation')}"
        f" or a {option('correction')}: rules that go round one person are chance; or drop knowingly those"
        f" about this value with {option('drop_rules')}"
        + (f", or leave out {option('max_posterior')}." if bounded else "."),
    )


class _Merging:
    """The rows of a plan with their buckets, which grow together."""

    def __init__(self, plan: Plan, combinations: Combinations, *, bounded: bool) -> None:
        assert plan.combinations is not None
        classes = plan.classes
        self.combination = plan.combinations
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
            refusals = self._refusals(grown)[others]
            if self._bounded and refusals.min() > 0:
                return int(now.sum())
            sizes = np.bincount(self.bucket)[others]
            # Buckets that get along first, then the one that adds the most for its size; numbers are keyed.
            best = int(others[np.lexsort((others, sizes, -counts, refusals))[0]])
            self.bucket[self.bucket == best] = grown
            self.merged = True

    def _refusals(self, one: int) -> Counts:
        """Per bucket, how many pairs of a row of it and a value of the one, or the reverse, rules forbid."""
        kinds, rows = self._class_of[self.combination], np.flatnonzero(self.bucket == one)
        of_kind = self._barred[:, self._held[rows]].sum(axis=1)
        of_value = self._barred[kinds[rows]].sum(axis=0)
        return np.bincount(self.bucket, weights=of_kind[kinds] + of_value[self._held]).astype(np.int64)
