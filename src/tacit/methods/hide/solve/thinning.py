"""Which items go so that rules are no longer confident: those whose loss costs what is kept least.

A rule is hidden when few enough transactions hold both sides. While that many may reach the least support,
the item that goes is one of the right side, and the left side stays as frequent as it was. Where they must
be fewer, the rule is hidden by its support, and in each transaction any item of both sides may go.

A pattern to keep is lost once more transactions lose it than it has above the least support. So is a rule
to keep, which is also lost with its confidence: this falls by a whole transaction where the item of its right
side goes, and by less where one of its left side goes and leaves that rarer too. An item costs, in a
transaction, what the patterns and rules that need it there have left: the fewer transactions one can spare,
the dearer, and nothing once it is lost. The cheapest go first, and costs are counted anew in between. The
same is tried with each of the items alone: where very much must go, all that holds one item is then lost
and all that holds the others is kept. The try that loses fewest patterns and rules counts.

Costs steer what is kept. They start from supports before anything was taken out, and leave out that a
rule gains where its left side alone is lost. What is hidden is counted. Patterns to keep are laid out so that
each item that may go walks those that hold it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor

import numpy as np

from tacit.arrays.compiled import interruptible
from tacit.arrays.groups import read_only, row_order, rows_holding, take_rows
from tacit.engine.kernels.keeping import SCALE, Valued, Walks
from tacit.engine.sanitizing import Removal, Sanitizer
from tacit.methods.hide.kernels import walk_cells
from tacit.methods.hide.solve.patterns import Frequent, SecretRule
from tacit.methods.hide.solve.rules import allowed_support
from tacit.mining.itemsets import Itemsets, supports_among
from tacit.typing import Bools, Codes, Counts, Offsets

STEPS = 32
"""Costs are counted anew about so often while a rule is hidden."""
FINEST = 10_000
"""What a rule can spare is counted with a confidence of at most such a denominator."""


def thin_rules(
    rules: Sequence[SecretRule],
    removed: Removal,
    sanitizer: Sanitizer[Removal],
    *,
    frequent: Frequent,
    min_confidence: Fraction,
    confidences: Mapping[SecretRule, Fraction],
) -> Removal:
    """The removal with these rules hidden by their confidence in what is left of the transactions.

    Hiding one rule may take items from the left side of another and so raise that one's confidence: the
    rules are gone through until all are hidden. Every round takes items out, so there is a last one.
    ``confidences`` are what rules should be left with, below the threshold; the others keep all they may.
    """
    lefts = sanitizer.supports([rule.antecedent for rule in rules], removed).tolist()
    at_first = _spared(rules, frequent, min_confidence)

    def choose(indptr: Offsets, items: Codes) -> Bools:
        rows = _Rows(indptr, items.copy(), replace(at_first))
        # A left side is also held by transactions that hold no rule; those stay as they are.
        elsewhere = [
            left - len(rows.that_hold(rule.antecedent)) for rule, left in zip(rules, lefts, strict=True)
        ]
        waiting = True
        while waiting:
            waiting = False
            for rule, outside in zip(rules, elsewhere, strict=True):
                left, holders = outside + len(rows.that_hold(rule.antecedent)), rows.that_hold(rule.items)
                allowed = allowed_support(left, min_confidence, frequent.least)
                if len(holders) > allowed:
                    drawn = floor(confidences[rule] * left) if rule in confidences else allowed
                    keep = max(min(1, allowed), min(allowed, drawn))
                    victims = rule.items if keep < frequent.least else rule.consequent
                    alone = [(item,) for item in victims] if len(victims) > 1 else []
                    tries = [rows.thinned(holders, some, len(holders) - keep) for some in (victims, *alone)]
                    rows = min(tries, key=lambda one: one.lost)
                    waiting = True
        return rows.gone

    return sanitizer.taken_from([rule.items for rule in rules], shown(at_first.walks), choose, removed)


class _Rows:
    """Some transactions while items are taken out of them."""

    def __init__(self, indptr: Offsets, items: Codes, spared: _Spared) -> None:
        self._indptr, self._items, self._spared = indptr, items, spared
        self._nothing = len(spared.walks.columns)  # the code of a cell that is gone
        self._owners = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))

    @property
    def gone(self) -> Bools:
        """The cells that were taken out."""
        return np.asarray(self._items == self._nothing)

    def that_hold(self, items: Sequence[int]) -> Counts:
        """The rows that hold all of these items, ascending."""
        return rows_holding(self._indptr, self._items, np.array(items))

    @property
    def lost(self) -> int:
        """How many of the patterns and rules to keep are lost."""
        rare = self._spared.slack < 0
        return int(rare.sum() + (rare[self._spared.patterns] | (self._spared.room < 0)).sum())

    def thinned(self, rows: Counts, victims: Sequence[int], going: int) -> _Rows:
        """So many of these rows, the cheapest first, lose one of the victims, all of which they hold."""
        after = _Rows(self._indptr, self._items.copy(), replace(self._spared))
        after._thin(rows, victims, going)
        return after

    def _thin(self, rows: Counts, victims: Sequence[int], going: int) -> None:
        chosen = np.zeros(len(self._indptr) - 1, dtype=np.bool_)
        chosen[rows] = True
        cells = np.flatnonzero(chosen[self._owners] & np.isin(self._items, victims)).reshape(len(rows), -1)
        batch = -(-going // STEPS)
        while going > 0:
            costs = self._spared.costs()
            totals = self._walked(rows, cells, costs)[0]
            order = np.argsort(totals.min(axis=1), kind="stable")[: min(batch, going)]
            losing = cells[order, totals[order].argmin(axis=1)]
            self._spared.spend(self._walked(rows[order], losing[:, None], costs)[1])
            self._items[losing] = self._nothing
            rows, cells = np.delete(rows, order), np.delete(cells, order, axis=0)
            going -= len(order)

    def _walked(self, rows: Counts, cells: Counts, costs: Counts) -> tuple[Counts, Counts]:
        present = np.full(self._nothing + 1, -1, dtype=np.int64)
        seen = [read_only(array) for array in (self._indptr, self._items, rows, cells, costs)]
        return interruptible(walk_cells, *seen, self._spared.walks, present)


@dataclass(eq=False)
class _Spared:
    """What the patterns and rules to keep can spare.

    ``slack`` is that of the patterns, in transactions above the least support. Rule r is one of the pattern
    ``patterns[r]``, which node ``nodes[r]`` walks for the item of the rule's right side. ``room[r]`` is
    what its confidence can spare: a transaction that loses the right side takes ``whole`` of it, and
    one that loses an item of the left side ``part``.
    """

    walks: Walks
    slack: Counts
    patterns: Counts
    nodes: Counts
    room: Counts
    whole: int
    part: int

    def costs(self) -> Counts:
        """The cost of every node, of each item by itself, and a last one that stands for no node."""
        slack = self.slack[self.patterns]
        left = self.room // self.part if self.part else np.where(self.room < 0, -1, slack)
        by_left = _dear(np.minimum(slack, left))
        by_right = _dear(np.minimum(slack, self.room // self.whole))
        of_patterns = _dear(self.slack)
        np.add.at(of_patterns, self.patterns, by_left)
        costs = np.append(of_patterns[self._walked], 0)
        np.add.at(costs, self.nodes, by_right - by_left)
        return costs

    def spend(self, visits: Counts) -> None:
        """Enter how many transactions lost an item, by the nodes that its walks came to."""
        lost = np.zeros_like(self.slack)
        np.add.at(lost, self._walked, visits[:-1])
        self.slack = self.slack - lost
        right = (self.whole - self.part) * visits[self.nodes]
        self.room = self.room - self.part * lost[self.patterns] - right

    @property
    def _walked(self) -> Codes:
        """The pattern at each node, and then each item by itself."""
        return np.concatenate([self.walks.patterns, self.walks.alone])


def _dear(spared: Counts) -> Counts:
    """What losing one transaction costs where so many can be spared."""
    return np.where(spared < 0, 0, SCALE // np.maximum(1, spared + 1) ** 2)


def _spared(rules: Sequence[SecretRule], frequent: Frequent, min_confidence: Fraction) -> _Spared:
    """What can be spared by all that holds an item of these rules, which are not to be kept themselves."""
    itemsets, n_items = frequent.itemsets, len(frequent.item_supports)
    concerned = np.unique([item for rule in rules for item in rule.items]).astype(np.int32)
    near = np.zeros(len(itemsets), dtype=np.bool_)
    near[np.repeat(np.arange(len(itemsets)), itemsets.lengths)[np.isin(itemsets.items, concerned)]] = True
    kept = itemsets.select(near & ~frequent.sensitive)
    walks, slack = valued_patterns(kept, concerned, frequent)

    share = min_confidence.limit_denominator(FINEST)
    patterns, rights, rooms = ([np.zeros(0, dtype=np.int64)] for _ in range(3))
    for length in np.unique(kept.lengths).tolist():
        matrix, both, places = kept.of_length(length)
        known = itemsets.of_length(length - 1)[:2]
        for column in range(length):
            left, right = np.delete(matrix, column, axis=1), matrix[:, column].astype(np.int64)
            before = frequent.item_supports[left[:, 0]] if length == 2 else supports_among(left, *known)
            room = both * share.denominator - before * share.numerator
            mined = room >= 0
            for rule in rules:
                if len(rule.antecedent) == length - 1 and len(rule.consequent) == 1:
                    mined &= (right != rule.consequent[0]) | (left != rule.antecedent).any(axis=1)
            patterns.append(places[mined])
            rights.append(right[mined])
            rooms.append(room[mined])
    of, right = np.concatenate(patterns), np.concatenate(rights)
    walked = walks.patterns.astype(np.int64) * n_items + np.repeat(concerned, np.diff(walks.starts))
    order = np.argsort(walked)
    nodes = order[np.searchsorted(walked, of * n_items + right, sorter=order) % max(1, len(order))]
    nodes[walks.columns[right] < 0] = len(walked) + len(concerned)  # no node: this item does not go
    part = share.denominator - share.numerator
    return _Spared(walks, slack, of, nodes, np.concatenate(rooms), share.denominator, part)


def valued_patterns(kept: Itemsets, concerned: Codes, frequent: Frequent) -> Valued:
    """These patterns and the items concerned, which may go; walks are for those items."""
    owners = np.repeat(np.arange(len(kept), dtype=np.int32), kept.lengths)
    starts, codes, patterns, skips = [0], [], [], []
    for item in concerned:
        numbers = owners[kept.items == item]
        offsets, items = take_rows(kept.offsets, kept.items, numbers)
        others = items != item
        lengths = np.diff(offsets) - 1
        ends = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        # Sorted by their other items, a pattern comes right before those that extend it.
        order = row_order(ends, items[others])
        _, ordered = take_rows(ends, items[others], order)
        depths = lengths[order]
        codes.append(ordered[np.cumsum(depths) - 1])
        patterns.append(numbers[order])
        skips.append(starts[-1] + _next_not_deeper(depths))
        starts.append(starts[-1] + len(numbers))
    empty = np.zeros(0, dtype=np.int32)
    columns = np.full(len(kept.vocabulary), -1, dtype=np.int32)
    columns[concerned] = np.arange(len(concerned))
    walks = Walks(
        columns,
        np.array(starts, dtype=np.int64),
        np.concatenate([empty, *codes]).astype(np.int32),
        np.concatenate([empty, *patterns]).astype(np.int32),
        np.concatenate([empty, *skips]).astype(np.int64),
        np.arange(len(kept), len(kept) + len(concerned), dtype=np.int32),
    )
    supports = np.concatenate([kept.supports, frequent.item_supports[concerned]])
    return Valued(walks, supports.astype(np.int64) - frequent.least)


def shown(walks: Walks) -> Bools:
    """The items that walks look at, and those that they are of."""
    looked_at = walks.columns >= 0
    looked_at[walks.codes] = True
    return looked_at


def _next_not_deeper(depths: Counts) -> Counts:
    """For each node of a preorder the next that does not lie below it."""
    result = np.full(len(depths), len(depths), dtype=np.int64)
    waiting: list[int] = []
    for place, depth in enumerate(depths.tolist()):
        while waiting and depths[waiting[-1]] >= depth:
            result[waiting.pop()] = place
        waiting.append(place)
    return result
