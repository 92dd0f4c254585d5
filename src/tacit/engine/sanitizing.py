"""Taking items out of transactions: what an engine does before and after a solver of hiding has spoken.

A sanitizer belongs to some transactions and a key. It counts what the solver asks for, and it carries
the plan out: every verb that takes items out returns a mask over the cells, the (transaction, item) pairs
of the data in their order. Random choices follow a transaction's content, never its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol

from tacit.data.transactions import Transactions
from tacit.engine.base import ItemsetCounting
from tacit.kernels.key import Key
from tacit.typing import Bools, Codes, Counts, Offsets, Words

if TYPE_CHECKING:
    from tacit.kernels.keeping import Marks, Walks
    from tacit.kernels.sanitizing import Columns


@dataclass(frozen=True, eq=False)
class HitCounts:
    """Per mark, the transactions that hold both its items, and those whose sum is positive."""

    hits: Counts
    positive: Counts


@dataclass(frozen=True, eq=False)
class Valued:
    """Patterns that should stay frequent, laid out for the walk of each column, and how much they may lose.

    ``slack[p]`` is the number of transactions pattern p has above the least support.
    """

    walks: Walks
    slack: Counts


Itemlist = Sequence[Sequence[int]]
"""Sets of item numbers."""


class Sanitizer(Protocol):
    """What a solver of hiding may ask of some transactions."""

    n_rows: int

    @property
    def digest(self) -> str:
        """A keyed digest of the transactions, whatever their order."""
        ...

    def supports(self, sets: Itemlist, removed: Bools | None = None) -> Counts:
        """The support of each set, in the data or in what is left of them."""
        ...

    def pair_supports(self, items: Codes) -> Counts:
        """The support of every pair a < b of these items, as the upper half of a matrix."""
        ...

    def hits(self, matrix: Columns, n_marks: int) -> HitCounts:
        """How many cells each mark of a matrix hits."""
        ...

    def drawn(self, matrix: Columns, high: Words, low: Words, *, label: int) -> Bools:
        """The cells a draw takes out; another label is an independent draw."""
        ...

    def kept_within(self, matrix: Columns, marks: Marks, limits: Counts, valued: Valued) -> Bools:
        """The cells to take out so that no mark is left with more transactions than its limit."""
        ...

    def slid(self, sets: Itemlist, *, disclosure: Fraction, window: int) -> Bools:
        """The cells that sliding windows take out."""
        ...

    def thinned(self, removed: Bools, held: Sequence[int], victim: int, *, keep: int) -> Bools:
        """The mask with the victim out of all but ``keep`` of the transactions left that hold a set."""
        ...

    def refilled(self, removed: Bools, barred: Bools) -> Bools:
        """The mask with one item given back to every transaction that would be empty, never a barred one."""
        ...

    def rows(self, removed: Bools) -> tuple[Offsets, Codes]:
        """What is left of the transactions, in their order."""
        ...


class Sanitizing(ItemsetCounting, Protocol):
    """The engine verbs of hiding."""

    def sanitizer(self, transactions: Transactions, key: Key) -> Sanitizer:
        """The sanitizer of these transactions under a key."""
        ...
