"""Which few records keep the cut as coarse as it is, and what they cost everybody else."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

import numpy as np

from tacit.arrays.interrupt import Flag
from tacit.data.transactions import Transactions
from tacit.engine.choice import engine_for
from tacit.methods.generalize_sets.solve.draft import Draft
from tacit.methods.generalize_sets.solve.plan import Plan
from tacit.methods.generalize_sets.solve.suppress import suppressions
from tacit.typing import Counts

STEPS = 3
"""How many ever finer cuts are shown."""


@dataclass(frozen=True, eq=False)
class Blockers:
    """Records without which the cut could run below a node, and the penalty that would be left."""

    node: str
    """The label of the last node that could be split without them."""
    records: Counts
    """Their numbers in the original, ascending; for the owner's eyes only."""
    lengths: Counts
    """How many items each of them holds."""
    ncp: float
    """The penalty without them, their own items counted as lost."""

    def __str__(self) -> str:
        what = "1 record" if len(self.records) == 1 else f"{len(self.records)} records"
        return (
            f"Without {what} (the longest holds {self.lengths.max()} items) the NCP would be {self.ncp:.4f}."
        )


def blockers(
    transactions: Transactions, plan: Plan, *, most: int | None = None, flag: Flag | None = None
) -> tuple[Blockers, ...]:
    """The records that hold the cut of a plan up, a few more each time; empty where no few records do.

    At most ``most`` records, by default one in a thousand, are looked for beyond those suppressed.
    """
    left_out = plan.left_out(transactions)
    published = transactions.take(~left_out)
    if not len(published.items):
        return ()
    counts = engine_for(published).set_counts(published, flag=flag)
    draft = Draft.at(counts.tree, plan.cut)
    most = max(1, len(published) // 1000) if most is None else most
    size = min(plan.m, int(published.lengths.max()))
    numbers = np.flatnonzero(~left_out)
    found = []
    steps = suppressions(counts, draft, k=plan.k, m=size, most=most)
    # The cut of an earlier release may be coarser than these records need: then nobody holds it up.
    for step in islice((step for step in steps if step.counts.n_records < len(published)), STEPS):
        assert step.split is not None, "every step splits a node"
        records = numbers[step.counts.suppressed.rows(published)]
        label = counts.tree.hierarchy.labels[counts.tree.nodes[step.split]]
        found.append(Blockers(label, records, transactions.lengths[records], step.ncp))
    return tuple(found)
