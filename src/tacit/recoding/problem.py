"""What a solver is given, the distinct combinations of a table with counts, their trees and the promise; and
what it gives: a plan, which is carried out on rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from tacit.arrays.groups import group_rows, group_sorted
from tacit.data.column import Column, frozen
from tacit.data.hierarchy import Hierarchy
from tacit.data.table import Table
from tacit.engine.base import Combinations
from tacit.knowledge.row_classes import row_classes as kinds_of_rows
from tacit.mining.knowledge import NegativeRules
from tacit.recoding.forest import Forest, forest_of, leaf_costs
from tacit.recoding.promises import Held, Promise
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


def quasi_combinations(combinations: Combinations, quasi: Sequence[str]) -> tuple[Codes, Codes, Counts]:
    """The combinations of the quasi-identifiers alone: that of each combination, their codes, their rows."""
    places = [combinations.place(name) for name in quasi]
    if places == [*range(len(combinations.names))]:  # they are these already
        return np.arange(len(combinations.counts), dtype=np.int32), combinations.codes, combinations.counts
    columns = [np.ascontiguousarray(combinations.codes[:, place]) for place in places]
    number, first = group_rows(columns, [len(combinations.texts[place]) for place in places])
    rows = np.bincount(number, weights=combinations.counts, minlength=len(first)).astype(np.int64)
    return number, np.ascontiguousarray(combinations.codes[first][:, places]), rows


def held_values(
    combinations: Combinations, number: Codes, sensitive: Sequence[str], rules: NegativeRules | None
) -> Held:
    """What the combinations of quasi-identifiers hold of the sensitive attributes."""
    kinds, kind_of = kinds_of_rows(combinations, sensitive, rules)
    return Held(number, kind_of, combinations.counts, kinds)


def problem_of(
    combinations: Combinations,
    quasi: Sequence[str],
    hierarchies: Mapping[str, Hierarchy],
    promise: Callable[[Held | None], Promise],
    *,
    costs: Mapping[str, Floats] | None = None,
    kept: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    rules: NegativeRules | None = None,
) -> Problem:
    """What a solver is given; ``costs`` of a column say what its nodes lose, where that is not by leaves.

    The ``kept`` columns are part of a class as they are; their hierarchies play no part but for their leaves.
    """
    known = (*quasi, *kept)
    number, codes, rows = quasi_combinations(combinations, known)
    trees = [hierarchies[name] for name in known]
    spent = [(costs or {}).get(name, leaf_costs(tree)) for name, tree in zip(known, trees, strict=True)]
    forest = forest_of(trees, spent)
    texts = [combinations.texts[combinations.place(name)] for name in known]
    leaves = tuple(
        numbers[tree.leaves_of(list(own))]
        for tree, numbers, own in zip(trees, forest.numbers, texts, strict=True)
    )
    held = held_values(combinations, number, sensitive, rules) if sensitive else None
    return Problem(forest, codes, leaves, rows, promise(held), len(kept))


def row_classes(recoded: Recoded, table: Table) -> Codes:
    """The class of each row; the plan is about the combinations of its known columns."""
    columns = table.known
    cells = [column.codes for column in columns]
    if table.times is not None and table.names[: len(columns)] == table.roles.known:
        combination, _ = group_sorted(cells)
    else:
        combination, _ = group_rows(cells, [len(column.values) for column in columns])
    return recoded.class_of[combination]


def node_columns(
    recoded: Recoded, problem: Problem, names: Sequence[str], class_of: AnyArray
) -> list[Column]:
    """The quasi-identifiers of rows of these classes, as they are published."""
    labels = np.array(problem.forest.labels, dtype=object)
    there = np.bincount(class_of, minlength=len(recoded.nodes)) > 0
    number = np.cumsum(there, dtype=np.int32) - np.int32(1)  # of the classes that occur
    return [
        _labelled(name, recoded.nodes[there, place], labels, number[class_of])
        for place, name in enumerate(names)
    ]


def _labelled(name: str, nodes: Codes, labels: np.ndarray, class_of: Codes) -> Column:
    """The labels of the nodes of classes, as a column of rows of these classes."""
    used, codes = np.unique(nodes, return_inverse=True)
    values, numbers = np.unique(labels[used].astype(str), return_inverse=True)
    shown = numbers.reshape(-1)[codes.reshape(-1)].astype(np.int32)
    return Column(name, frozen(shown[class_of]), pl.Series(name, values.tolist()))


def published_order(shown: Sequence[Column], others: Sequence[Column], class_of: AnyArray) -> Counts:
    """The rows of these classes by the text of what is published of them: ``shown``, then the others."""
    n_classes = int(class_of.max(initial=-1)) + 1
    member = np.zeros(n_classes, dtype=np.int64)
    member[class_of] = np.arange(len(class_of))
    # Classes are few and rows many: the rank of a class, the same for two that are published alike.
    cells = [column.text_ranks[column.codes[member]] for column in shown]
    order = np.lexsort(cells[::-1])
    new = np.zeros(n_classes, dtype=np.bool_)
    for own in cells:
        new[1:] |= own[order][1:] != own[order][:-1]
    rank = np.empty(n_classes, dtype=np.int32)
    rank[order] = np.cumsum(new, dtype=np.int32)
    behind = [column.text_ranks[column.codes] for column in reversed(others)]
    return np.lexsort([*behind, rank[class_of]])
