"""What can be learned about people without knowing how a release was made: the control of an attack.

A model of the sensitive value given what readers know is trained on the true values of one half of the people
and asked about the other half, so that its chances are right on average. They are then put into the buckets:
every way to hand a bucket's values out counts by the chances of its rows. Whoever names people from the way
they were grouped must be right more often than this to have learned anything from the grouping.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tacit.arrays.bitmaps import unpack
from tacit.data.table import Table
from tacit.judging.learning import Guesses
from tacit.methods.bucketize.judge.buckets import Buckets
from tacit.mining.knowledge import NegativeRules

STEPS, SETTLING = 4000, 1000
"""Exchanges tried in each bucket, and how many of them come before counting begins."""

Chances = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Control:
    """What can be learned about the people of a table with one sensitive column."""

    table: Table

    @cached_property
    def chances(self) -> Chances:
        """The chance of each value for each row, from the true values of the other half of the rows."""
        from sklearn.ensemble import HistGradientBoostingClassifier

        known = np.column_stack([column.codes for column in self.table.known])
        values = self.table.column(self.table.roles.sensitive[0])
        half = np.random.default_rng(5).integers(0, 2, len(known))
        chances = np.full((len(known), len(values.values)), 1e-6)
        for side in (0, 1):
            model = HistGradientBoostingClassifier(
                max_iter=200, max_leaf_nodes=8, min_samples_leaf=60, l2_regularization=5.0,
                early_stopping=True, validation_fraction=0.15, n_iter_no_change=5, random_state=0,
            )  # fmt: skip
            model.fit(known[half == side], values.codes[half == side])
            chances[np.ix_(half != side, model.classes_)] += model.predict_proba(known[half != side])
        return chances

    def expected_right(self, buckets: Buckets, rules: NegativeRules | None, guesses: Guesses) -> float:
        """How often these guesses should be right, each way to hand values out counting by its chances."""
        entries = buckets.entries(rules)
        of_row = entries.members[entries.entry_of]
        code = entries.classes.parts[:, 0]  # the column's code of each value
        forbidden = unpack(np.ascontiguousarray(entries.classes.forbidden), entries.classes.n_values)
        chances = self.chances[buckets.rows].copy()
        barred = np.zeros(chances.shape, dtype=bool)
        barred[:, code] = forbidden[of_row]
        chances[barred] = 0.0
        held = code[entries.classes.values[of_row]]
        inside = shares_inside(buckets.groups, held, chances, np.random.default_rng(0))
        return float(inside[guesses.rows, code[guesses.values]].mean())


def shares_inside(
    groups: NDArray[np.int32],
    values: NDArray[np.int32],
    chances: Chances,
    generator: np.random.Generator,
    steps: int = STEPS,
) -> Chances:
    """How often each row has each value when values are exchanged inside groups, by Metropolis's rule."""
    with np.errstate(divide="ignore"):
        logs = np.log(chances)
    order = np.argsort(groups, kind="stable")
    sizes = np.bincount(groups)
    starts = np.cumsum(sizes) - sizes
    held = values.copy()
    seen = np.zeros(chances.shape)
    since = np.full(len(groups), SETTLING)
    for step in range(steps):
        one, other = (order[starts + (generator.random(len(sizes)) * sizes).astype(int)] for _ in range(2))
        mine, theirs = held[one], held[other]
        gain = logs[one, theirs] + logs[other, mine] - logs[one, mine] - logs[other, theirs]
        taken = (mine != theirs) & (np.log(generator.random(len(sizes))) < gain)
        if step >= SETTLING:
            for rows in (one[taken], other[taken]):
                seen[rows, held[rows]] += step - since[rows]
                since[rows] = step
        held[one[taken]], held[other[taken]] = theirs[taken], mine[taken]
    seen[np.arange(len(held)), held] += steps - since
    return seen / (steps - SETTLING)
