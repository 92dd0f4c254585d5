"""The plan of a generalization: the cut, what it promises, what it costs, and what was seen on the way.

How much a reader may be assumed to know: the smallest m beyond which knowing more tells little.
"""

from __future__ import annotations

from dataclasses import dataclass

from tacit.data.transactions import Transactions
from tacit.engine.base import HeldSets
from tacit.engine.sets import SetCounts
from tacit.methods.generalize_sets.solve.apriori import repair
from tacit.methods.generalize_sets.solve.cut import Cut, Draft
from tacit.methods.generalize_sets.solve.refine import Refiner
from tacit.options import Asked
from tacit.ranges import exactly
from tacit.typing import Bools


@dataclass(frozen=True, eq=False, kw_only=True)
class Plan:
    """A cut under which the records are k^m-anonymous.

    Every set of one to ``m`` published items that occurs in a record occurs in at least ``k``. Empty
    records hold no item, so they constrain nothing; they are kept, and published empty.
    """

    cut: Cut
    k: int
    m: int
    algorithm: str
    suppressed: HeldSets
    """The records that are not published, by what they hold; for the owner's eyes only."""
    ncp: float
    """The normalized certainty penalty; the items of suppressed records count as published as the root."""
    greedy_ncp: float | None = None
    """The penalty of the greedy cut before it was refined, where the algorithm makes a single one."""
    bound: float | None = None
    """A penalty that no valid cut is below, where the algorithm proved one."""
    restarts: int | None = None
    """How many starts with another order were made, where the algorithm makes any."""
    attempts: tuple[Attempt, ...] = ()
    """The values of m that were tried, where it was left open."""

    @property
    def n_suppressed(self) -> int:
        return self.suppressed.count

    @property
    def proven(self) -> bool:
        """Whether it is proven that no valid cut has a lower penalty."""
        return self.bound is not None and self.bound >= self.ncp

    @property
    def notes(self) -> tuple[str, ...]:
        """What whoever publishes should be told loudly."""
        notes = []
        if self.cut.is_root:
            notes.append(
                "Every item is published as the root of the hierarchy: no detail is left. Another hierarchy, "
                "a smaller k or m, or suppressing a few records would leave some."
            )
        if self.n_suppressed:
            notes.append(f"{self.n_suppressed} of {self.suppressed.total} records are not published.")
        return tuple(notes)

    def apply(self, transactions: Transactions) -> Transactions:
        """The published form of the transactions that the plan was made from."""
        if len(transactions) != self.suppressed.total:
            raise ValueError("A plan belongs to the transactions it was made from.")
        return self.cut.carried_out(transactions, self.suppressed).published

    def left_out(self, transactions: Transactions) -> Bools:
        """Which of the transactions that the plan was made from, or of a part of them, are not published."""
        return self.suppressed.rows(transactions)


@dataclass(frozen=True, slots=True)
class Attempt:
    """A value of m, the NCP it costs, and what knowing one item more does to the release."""

    m: int
    ncp: float
    narrowed: int
    """Records that some m + 1 of their published items narrow below k."""
    records: int


def smallest_m(counts: SetCounts, asked: Asked) -> tuple[Attempt, ...]:
    """Values of m from 1 upwards, until knowing m + 1 items narrows few enough of the records below k.

    The last one is the answer. At the length of the longest record there is no item more to know.
    """
    k, most = asked.k, exactly(asked.max_narrowed) * counts.n_records
    draft, attempts = Draft(counts.tree), []
    for m in range(1, asked.transactions.longest + 1):
        asked.report(f"m = {m}")
        repair(counts, draft, k=k, size=m)
        refined = Refiner(counts, k=k, m=m).refine(draft)
        narrowed = counts.narrowed(refined.table, k=k, size=m + 1)
        attempts.append(Attempt(m, refined.cost / counts.tree.total, narrowed, counts.n_records))
        if narrowed <= most:
            break
    return tuple(attempts)
