"""The plan of a generalization: the cut, what it promises, what it costs, and what was seen on the way."""

from __future__ import annotations

from dataclasses import dataclass

from tacit.data.transactions import Transactions
from tacit.engine.base import HeldSets
from tacit.methods.generalize_sets.apply import generalized
from tacit.methods.generalize_sets.solve.auto import Attempt
from tacit.methods.generalize_sets.solve.cut import Cut
from tacit.typing import Bools


@dataclass(frozen=True, eq=False)
class Plan:
    """A cut under which the records are k^m-anonymous.

    Every set of one to ``m`` published items that occurs in a record occurs in at least ``k``. Empty
    records hold no item, so they constrain nothing; they are kept, and published empty.
    """

    cut: Cut
    k: int
    m: int
    algorithm: str
    ncp: float
    """The normalized certainty penalty; the items of suppressed records count as published as the root."""
    greedy_ncp: float | None
    """The penalty of the greedy cut before it was refined, where the algorithm makes a single one."""
    bound: float | None
    """A penalty that no valid cut is below, where the algorithm proved one."""
    restarts: int | None
    """How many starts with another order were made, where the algorithm makes any."""
    suppressed: HeldSets
    """The records that are not published, by what they hold; for the owner's eyes only."""
    attempts: tuple[Attempt, ...]
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
        return generalized(transactions, self.cut, self.suppressed).published

    def left_out(self, transactions: Transactions) -> Bools:
        """Which of the transactions that the plan was made from, or of a part of them, are not published."""
        return self.suppressed.rows(transactions)
