"""What a solver is given: the distinct combinations of a table with counts, their trees, the promise."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacit.methods.generalize_tables.solve.promises import Promise
from tacit.recoding.forest import Forest
from tacit.typing import Bools, Codes, Counts, Floats


@dataclass(frozen=True, eq=False)
class Problem:
    """Combination i has ``counts[i]`` rows, and in column c the value ``codes[i, c]``."""

    forest: Forest
    codes: Codes  # (combinations, columns)
    leaves: tuple[Codes, ...]
    """Per column, the node of each value."""
    counts: Counts
    promise: Promise

    @property
    def n_columns(self) -> int:
        return int(self.codes.shape[1])

    @cached_property
    def n_rows(self) -> int:
        return int(self.counts.sum())

    @cached_property
    def nodes(self) -> Codes:
        """Shape (combinations, columns): the leaf of every cell."""
        found = [leaves[codes] for leaves, codes in zip(self.leaves, self.codes.T, strict=True)]
        return np.ascontiguousarray(np.column_stack(found), dtype=np.int32)


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
        """The mean loss of the cells of each column."""
        rows = np.bincount(self.class_of, weights=problem.counts, minlength=len(self.nodes))
        costs = np.where(self.left_out[:, None], 1.0, problem.forest.costs[self.nodes])
        return np.asarray(rows @ costs / max(1, problem.n_rows))
