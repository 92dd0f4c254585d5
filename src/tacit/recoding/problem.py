"""What a solver is given: the distinct combinations of a table with counts, their trees, the promise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tacit.arrays.groups import group_rows
from tacit.recoding.forest import Forest
from tacit.recoding.promises import Promise
from tacit.typing import AnyArray, Bools, Codes, Counts, Floats


@dataclass(frozen=True, eq=False)
class Problem:
    """Combination i has ``counts[i]`` rows, and in column c the value ``codes[i, c]``."""

    forest: Forest
    codes: Codes  # (combinations, columns)
    leaves: tuple[Codes, ...]
    """Per column, the node of each value."""
    counts: Counts
    promise: Promise
    kept: int = 0
    """The last so many columns are published as they are: they belong to a class, and lose nothing."""

    @property
    def n_columns(self) -> int:
        """The columns that may be made coarser."""
        return int(self.codes.shape[1]) - self.kept

    @cached_property
    def n_rows(self) -> int:
        return int(self.counts.sum())

    @cached_property
    def nodes(self) -> Codes:
        """Shape (combinations, columns): the leaf of every cell."""
        found = [leaves[codes] for leaves, codes in zip(self.leaves, self.codes.T, strict=True)]
        return np.ascontiguousarray(np.column_stack(found), dtype=np.int32)

    @cached_property
    def columns(self) -> AnyArray:
        """The codes column by column, without a sign: where each is looked up often, that is much faster."""
        return np.ascontiguousarray(self.codes.T, dtype=np.uint32)

    def apart(self) -> Iterator[tuple[AnyArray, Problem]]:
        """For each combination of kept columns, the combinations with it and their problem without them."""
        free = self.n_columns
        kept = [np.ascontiguousarray(column) for column in self.codes.T[free:]]
        group, first = group_rows(kept, [len(leaves) for leaves in self.leaves[free:]])
        for number in range(len(first)):
            chosen = np.flatnonzero(group == number)
            yield (
                chosen,
                replace(
                    self,
                    codes=np.ascontiguousarray(self.codes[chosen, :free]),
                    leaves=self.leaves[:free],
                    counts=self.counts[chosen],
                    promise=self.promise.of(chosen, len(self.counts)),
                    kept=0,
                ),
            )


@dataclass(frozen=True, eq=False)
class Recoded:
    """A plan: combination i is published with the nodes ``nodes[class_of[i]]``, or its rows are left out."""

    class_of: Codes
    nodes: Codes  # (classes, columns)
    left_out: Bools
    """Of each class, whether its rows are left out."""

    def loss(self, problem: Problem) -> float:
        """The mean loss of all cells; those of rows left out lose everything."""
        return float(self.column_losses(problem).mean())

    def column_losses(self, problem: Problem) -> Floats:
        """The mean loss of the cells of each column that may be made coarser."""
        rows = np.bincount(self.class_of, weights=problem.counts, minlength=len(self.nodes))
        costs = np.where(
            self.left_out[:, None], 1.0, problem.forest.costs[self.nodes[:, : problem.n_columns]]
        )
        return np.asarray(rows @ costs / max(1, problem.n_rows))
