"""Naming people by the rules that are not listed: a pair (X, s) that does not hold has a holder in X.

A reader who knows up to which length and expectation rules were mined can tell which pairs would have
been listed. Of every other such pair somebody in X has s. Where one row of X alone could, it is
named; its bucket has one s less for the others, and so on until nothing more follows.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.bitmaps import unpack
from tacit.methods.bucketize.attacks.minimality import Named
from tacit.methods.bucketize.judge.buckets import Buckets
from tacit.methods.bucketize.solve.silence import in_box, unlisted_pairs
from tacit.mining.knowledge import NegativeRules

MOST_ROWS = 200_000
"""Larger releases are not attacked so; their pairs are held to enough candidates when they are made."""


def silence_attack(buckets: Buckets, rules: NegativeRules) -> Named | None:
    """How many people unlisted rules name; None where several attributes are sensitive or rows too many."""
    if len(buckets) > MOST_ROWS or len(buckets.table.roles.sensitive) > 1:
        return None
    combinations, held = buckets.combinations
    possible = _Possible(buckets, rules)
    pairs = []
    for found in unlisted_pairs(combinations, rules, fewer_than=2):
        for number in range(len(found)):
            inside = np.flatnonzero(in_box(combinations, rules, found.nodes[number])[held])
            pairs.append((inside.tolist(), possible.value_of_code[int(found.values[number])]))
    named: dict[int, int] = {}
    while True:
        before = len(named)
        for rows, value in pairs:
            able = [row for row in rows if value in possible.of[row]]
            if len(able) == 1:
                possible.settle(able[0], value)
        named |= {row: next(iter(values)) for row, values in enumerate(possible.of) if len(values) == 1}
        if len(named) == before:
            break
    right = sum(possible.truth[row] == value for row, value in named.items())
    return Named(len(named), right / len(named) if named else None)


class _Possible:
    """The values that each row could have, as far as the reader has got."""

    def __init__(self, buckets: Buckets, rules: NegativeRules) -> None:
        entries = buckets.entries(rules)
        classes = entries.classes
        barred = unpack(classes.forbidden, classes.n_values)
        kinds = entries.members[entries.entry_of]
        self.truth = classes.values[kinds].tolist()
        self.value_of_code = {int(code): value for value, code in enumerate(classes.parts[:, 0])}
        self.rows_of: list[list[int]] = [[] for _ in range(buckets.n_buckets)]
        self.left: list[dict[int, int]] = [{} for _ in range(buckets.n_buckets)]
        self.groups = buckets.groups.tolist()
        for row, (group, value) in enumerate(zip(self.groups, self.truth, strict=True)):
            self.rows_of[group].append(row)
            self.left[group][value] = self.left[group].get(value, 0) + 1
        self.of = [
            {value for value in self.left[group] if not barred[kind, value]}
            for group, kind in zip(self.groups, kinds.tolist(), strict=True)
        ]
        self.settled: set[int] = set()

    def settle(self, row: int, value: int) -> None:
        """A row has a value: the others of its bucket share what is left."""
        if row in self.settled:
            return
        self.settled.add(row)
        self.of[row] = {value}
        group = self.groups[row]
        self.left[group][value] -= 1
        if self.left[group][value] == 0:
            for other in self.rows_of[group]:
                if other not in self.settled:
                    self.of[other].discard(value)
