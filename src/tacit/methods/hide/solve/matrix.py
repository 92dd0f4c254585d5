"""The sanitization matrix, sparse: which item goes, because of which, and what speaks for keeping it.

S is the identity, with a -1 at S_ij for every marked pair {i, j} whose victim is j, and a 1 at S_kj for
every frequent pair {k, j} that is not marked, in a column j that has a -1 ([1], section 3). Only the
columns with a -1 change anything, so only they are kept. For an item j that is sensitive by itself
S_jj is 0: every transaction that holds it is hit, and no pair speaks for it.

[1] E. T. Wang, G. Lee, Y. T. Lin. A Novel Method for Protecting Sensitive Knowledge in Association Rules
    Mining. COMPSAC 2005.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tacit.engine.kernels.keeping import Marks
from tacit.engine.kernels.sanitizing import ALWAYS, Columns, drawn_removals
from tacit.typing import AnyArray, Codes, Counts, Offsets


@dataclass(frozen=True, order=True)
class Mark:
    """A marked pair: ``victim`` is taken out of transactions that hold ``cause`` too.

    For an item that is sensitive by itself both are that item.
    """

    cause: int
    victim: int

    @property
    def items(self) -> tuple[int, ...]:
        """The pair, or the item, that is to be infrequent."""
        return tuple(sorted({self.cause, self.victim}))


@dataclass(frozen=True, eq=False)
class SanitizationMatrix:
    """The columns of S with a -1. ``keepers[v]`` are the items k with S_kv = 1 beside the victim v itself."""

    vocabulary: tuple[str, ...]
    marks: tuple[Mark, ...]
    keepers: dict[int, tuple[int, ...]]

    @property
    def victims(self) -> tuple[int, ...]:
        """The items that have a column."""
        return tuple(sorted({mark.victim for mark in self.marks}))

    @cached_property
    def columns(self) -> Columns:
        """The matrix as the kernels take it."""
        victims = self.victims
        columns = np.full(len(self.vocabulary), -1, dtype=np.int32)
        columns[list(victims)] = np.arange(len(victims))
        involved = sorted({mark.cause for mark in self.marks}.union(*self.keepers.values(), set()))
        places = np.full(len(self.vocabulary), -1, dtype=np.int32)
        places[involved] = np.arange(len(involved))
        table = np.zeros((max(1, len(involved)), max(1, len(victims))), dtype=np.int32)
        for victim, kept_by in self.keepers.items():
            table[places[list(kept_by)], columns[victim]] = 1
        for number, mark in enumerate(self.marks):
            table[places[mark.cause], columns[mark.victim]] = -(number + 1)
        return Columns(columns, places, table)

    @cached_property
    def pairs(self) -> Marks:
        """The marks, and those that concern each item."""
        causes = np.array([mark.cause for mark in self.marks], dtype=np.int32)
        victims = np.array([mark.victim for mark in self.marks], dtype=np.int32)
        two = causes != victims
        ends = np.concatenate([victims, causes[two]])
        numbers = np.concatenate([np.arange(len(causes)), np.flatnonzero(two)]).astype(np.int32)
        bounds = np.zeros(len(self.vocabulary) + 1, dtype=np.int64)
        np.cumsum(np.bincount(ends, minlength=len(self.vocabulary)), out=bounds[1:])
        return Marks(causes, victims, bounds, numbers[np.argsort(ends, kind="stable")])

    def dense(self) -> AnyArray:
        """S itself, for small vocabularies."""
        matrix = np.eye(len(self.vocabulary), dtype=np.int64)
        for victim, kept_by in self.keepers.items():
            matrix[list(kept_by), victim] = 1
        for mark in self.marks:
            matrix[mark.cause, mark.victim] = 0 if mark.cause == mark.victim else -1
        return matrix

    def product(self, indptr: Offsets, items: Codes) -> AnyArray:
        """D × S with the text's rules for 0/1 tables and no probabilities: which cells of D become 0."""
        from tacit.arrays.interrupt import new_flag
        from tacit.engine.kernels.sanitizing import Draws

        always = np.full(len(self.marks), ALWAYS, dtype=np.uint64)
        never = np.zeros(len(self.marks), dtype=np.uint64)
        nothing: Counts = np.zeros(0, dtype=np.int64)
        words = np.zeros(0, dtype=np.uint64)
        draws = Draws(np.uint64(0), np.uint64(0), words.reshape(0, 2), nothing, words)
        return drawn_removals(indptr, items, self.columns, always, never, draws, new_flag())

    def to_dict(self) -> list[dict[str, Any]]:
        """One entry per column: the item that goes, because of which, kept by which."""
        name = self.vocabulary.__getitem__
        return [
            {
                "item": name(victim),
                "because_of": [name(mark.cause) for mark in self.marks if mark.victim == victim],
                "kept_by": [name(keeper) for keeper in self.keepers.get(victim, ())],
            }
            for victim in self.victims
        ]

    def __str__(self) -> str:
        lines = []
        for column in self.to_dict():
            causes, keepers = ", ".join(column["because_of"]), ", ".join(column["kept_by"])
            lines.append(
                f"{column['item']} goes because of {causes}" + (f"; kept by {keepers}" if keepers else "")
            )
        return "\n".join(lines)
