"""Readers who know the tool, everybody's exact quasi-identifiers and a generalized table.

**Learning**: a class is a group whose rows the reader knows exactly, so that what is learned from all classes
tells them apart (:mod:`tacit.judging.learning`).

**Refinement** [1]: a class is as fine as its rows allow, so that of every coarse cell at least two values
below it occur; and a combination of k rows or more would have been a class of its own. So each part of a
class has at least the rows for which the other parts have no room. That is about quasi-identifiers: a reader
who does not know them learns them in part.

[1] Combinatorial refinement of ARX's local recoding, arXiv 2509.03350; compare A. Cohen, Attacks on
Deidentification's Defenses (downcoding), USENIX Security 2022.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tacit.arrays.groups import group_rows
from tacit.data.table import Table
from tacit.judging.learning import LearningAttack, attack_of, guessed_values
from tacit.judging.queries import code_ends
from tacit.recoding.problem import Problem, Recoded
from tacit.typing import AnyArray, Codes, Counts


@dataclass(frozen=True, slots=True)
class Refinement:
    """What a reader concludes of coarse cells, for the owner."""

    coarse: int
    """Cells that are published as a node above their value."""
    placed: int
    """So many of them are known to be below a certain child of their node: not whose cells they are."""
    right: int
    """So many of the conclusions are right: combinations of k rows may be made coarser after all."""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def learn(table: Table, rows: AnyArray, classes: Codes) -> LearningAttack | None:
    """What software learns of sensitive values, all of a row at once; None where there are none."""
    if not table.roles.sensitive or not len(rows):
        return None
    known = np.array([column.codes[rows] for column in table.known], dtype=np.int32)
    values, _ = group_rows(
        [column.codes[rows] for column in table.sensitive], [len(column.values) for column in table.sensitive]
    )
    guesses = guessed_values(known, code_ends(table.known), classes, values)
    return None if guesses is None else attack_of(guesses, values)


def refine(recoded: Recoded, problem: Problem, k: int) -> Refinement:
    """What follows from the published classes alone, held against what is so."""
    forest, n_columns = problem.forest, problem.n_columns
    rows = np.bincount(recoded.class_of, weights=problem.counts, minlength=len(recoded.nodes))
    published = ~recoded.left_out[recoded.class_of]
    leaves = _leaves_below(forest.ends)
    coarse = placed = right = 0
    for column in range(n_columns):
        nodes = recoded.nodes[:, column]
        # The most rows of a class below a child: k - 1 for every combination of the child with the others.
        others = np.ones(len(nodes))
        for one in range(n_columns):
            if one != column:
                others *= leaves[recoded.nodes[:, one]]
        for node in np.unique(nodes[~recoded.left_out]):
            children = np.flatnonzero(forest.parents == node)
            here = np.flatnonzero((nodes == node) & ~recoded.left_out)
            if not len(children):
                continue
            coarse += int(rows[here].sum())
            room = others[here, None] * leaves[children] * (k - 1)
            least = np.maximum(rows[here, None] - (room.sum(axis=1, keepdims=True) - room), 0)
            if len(children) == 2:  # both occur, or the class would have one of them
                least = np.maximum(least, 1)
            cells = problem.nodes[:, column]
            inside = published & (nodes[recoded.class_of] == node)
            child = np.searchsorted(children, cells[inside], side="right") - 1
            place = np.searchsorted(here, recoded.class_of[inside])
            truth = np.zeros((len(here), len(children)))
            np.add.at(truth, (place, child), problem.counts[inside])
            placed += int(least.sum())
            right += int(np.minimum(least, truth).sum())
    return Refinement(coarse, placed, right)


def _leaves_below(ends: Codes) -> Counts:
    """How many leaves each node of a forest has, itself where it is one."""
    places = np.arange(len(ends))
    upto = np.concatenate([[0], np.cumsum(ends == places + 1)]).astype(np.int64)
    return np.asarray(upto[ends] - upto[places])
