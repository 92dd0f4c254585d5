"""Readers who know the tool, everybody's exact quasi-identifiers and a generalized table.

**Learning**: a class is a group whose rows the reader knows exactly, so that what is learned from all classes
tells them apart (:mod:`tacit.judging.learning`).

**Refinement** [1]: a class is as fine as its rows allow, so that of every coarse cell at least two values
below it occur; and a combination of k rows or more would have been a class of its own. So each part of a
class has at least the rows for which the other parts have no room. That is about quasi-identifiers: a reader
who does not know them learns them in part.

**Minimality** [2]: with one node per value for everybody, a node that is published would have been replaced
by its children, had every class then kept the promise. Where k rows are left in each, a class broke ℓ; where
just one of them can, by what the published classes hold, it is that one, whose rows have fewer than ℓ values.

[1] Combinatorial refinement of ARX's local recoding, arXiv 2509.03350; compare A. Cohen, Attacks on
Deidentification's Defenses (downcoding), USENIX Security 2022.
[2] R. Wong, A. Fu, K. Wang, J. Pei. Minimality Attack in Privacy Preserving Data Publishing. VLDB 2007.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays.groups import group_rows
from tacit.data.column import Column
from tacit.data.table import Table
from tacit.judging.learning import LearningAttack, attack_of, guessed_values, step_of
from tacit.judging.queries import code_ends
from tacit.recoding.lattice import Levels
from tacit.recoding.problem import Problem, Recoded
from tacit.recoding.subtree import Cuts
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


@dataclass(frozen=True, slots=True)
class Minimality:
    """Whose values a reader narrows down who knows why nothing finer was published, for the owner."""

    narrowed: int
    """Rows that are concluded to share fewer than ℓ values."""
    right: int
    """So many of them do: rules, which this reader leaves out, may have been the reason as well."""


def learn(table: Table, rows: AnyArray, classes: Codes) -> LearningAttack | None:
    """What software learns of a sensitive column, of several the one of which it learns most.

    None where there are none. To be right about all columns of a row at once would be harder than to be right
    about the one that matters.
    """
    if not len(rows):
        return None
    found = (_learn(table, rows, classes, column) for column in table.sensitive)
    return max((attack for attack in found if attack is not None), key=_gain, default=None)


def _gain(attack: LearningAttack) -> tuple[float, float]:
    """How much oftener it is right than without learning, where that is more than chance; how often it is."""
    without = max(attack.baseline, attack.majority)
    gain, error = attack.accuracy - without, (without * (1 - without) / attack.rows) ** 0.5
    return (gain if gain > 2 * error else 0.0), attack.accuracy


def _learn(table: Table, rows: AnyArray, classes: Codes, column: Column) -> LearningAttack | None:
    values, first = group_rows([column.codes[rows]], [len(column.values)])
    ends = code_ends(table.known)
    if table.times is None:
        known = np.array([one.codes[rows] for one in table.known], dtype=np.int32)
        guesses = guessed_values(known, ends, classes, values)
        return None if guesses is None else attack_of(guesses, values)
    # Where a row stands for several, only those of the classes are made that are looked at.
    times = table.times[rows]
    step = step_of(int(times.sum()))
    chosen = np.flatnonzero(classes % step == 0)
    some = np.repeat(chosen, times[chosen])
    known = np.array([one.codes[rows[some]] for one in table.known], dtype=np.int32)
    guesses = guessed_values(known, ends, classes[some], values[some], step=step, n_values=len(first))
    if guesses is None:
        return None
    held = np.bincount(values, weights=times)
    return replace(attack_of(guesses, values[some]), majority=float(held.max() / held.sum()))


def refine(recoded: Recoded, problem: Problem, k: int) -> Refinement:
    """What follows from the published classes alone, held against what is so."""
    forest, n_columns = problem.forest, problem.n_columns
    rows = np.bincount(recoded.class_of, weights=problem.counts, minlength=len(recoded.nodes))
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
            if len(children) > 2:  # nothing follows where any child could do without any other
                spare = leaves[children].sum() - leaves[children].max()
                here = here[rows[here] > others[here] * (k - 1) * spare]
            if not len(here):
                continue
            room = others[here, None] * leaves[children] * (k - 1)
            least = np.maximum(rows[here, None] - (room.sum(axis=1, keepdims=True) - room), 0)
            if len(children) == 2:  # both occur, or the class would have one of them
                least = np.maximum(least, 1)
            cells = problem.nodes[:, column]
            looked_at = np.zeros(len(nodes), dtype=np.bool_)
            looked_at[here] = True
            inside = looked_at[recoded.class_of]
            child = np.searchsorted(children, cells[inside], side="right") - 1
            place = np.searchsorted(here, recoded.class_of[inside])
            truth = np.zeros((len(here), len(children)))
            np.add.at(truth, (place, child), problem.counts[inside])
            placed += int(least.sum())
            right += int(np.minimum(least, truth).sum())
    return Refinement(coarse, placed, right)


def explain(
    recoded: Recoded, problem: Problem, levels: tuple[int, ...] | None, l: int | None
) -> Minimality | None:
    """What follows from each node, or with one level per column from each level, that is not finer.

    None where nothing does: no ℓ is promised, or the solver saw no values. In a series it sees only who came
    and left, and a release whose classes then have too few values is refused, not made coarser.
    """
    cuts, held = Cuts(problem, 0), problem.promise.held
    if held is None or l is None:
        return None
    attributes = range(len(held.kinds.texts))
    # Rows of one class with fewer than ℓ values are at most those of its ℓ - 1 commonest.
    room = np.zeros((len(attributes), len(recoded.nodes)), dtype=np.int64)
    for attribute in attributes:
        for first, counts in held.histograms(recoded.class_of, len(recoded.nodes), attribute):
            room[attribute, first : first + len(counts)] = np.sort(counts, axis=1)[:, -(l - 1) :].sum(axis=1)
    narrowed, right = (np.zeros(len(problem.counts), dtype=np.bool_) for _ in range(2))
    for finer in _finer(cuts, recoded, problem, levels):
        below = cuts.recoded(finer).class_of
        rows = np.bincount(below, weights=problem.counts)
        above = np.empty(len(rows), dtype=np.int32)
        above[below] = recoded.class_of
        suspects = np.flatnonzero((rows <= room[:, above]).any(axis=0))
        if rows.min() < problem.promise.k or len(suspects) != 1:
            continue
        inside = below == suspects[0]
        narrowed |= inside
        there = inside[held.combinations]
        if any(len(np.unique(held.values(attribute)[there])) < l for attribute in attributes):
            right |= inside
    return Minimality(int(problem.counts[narrowed].sum()), int(problem.counts[right].sum()))


def _finer(cuts: Cuts, recoded: Recoded, problem: Problem, levels: tuple[int, ...] | None) -> Iterator[Codes]:
    """The cuts one step below the published one that lose less."""
    nodes = np.empty(int(cuts.starts[-1]), dtype=np.int32)
    for column, start in enumerate(cuts.starts[:-1]):
        nodes[start + problem.codes[:, column]] = recoded.nodes[recoded.class_of, column]
    if levels is None:
        inner = np.unique(nodes[: cuts.starts[problem.n_columns]])
        found = (cuts.replaced(nodes, int(one)) for one in inner if problem.forest.ends[one] > one + 1)
    else:
        at = Levels(problem)
        found = (
            at.cut((*levels[:column], level - 1, *levels[column + 1 :]))
            for column, level in enumerate(levels)
            if level
        )
    yield from (finer for finer in found if cuts.saved(nodes, finer) > 0)


def _leaves_below(ends: Codes) -> Counts:
    """How many leaves each node of a forest has, itself where it is one."""
    places = np.arange(len(ends))
    upto = np.concatenate([[0], np.cumsum(ends == places + 1)]).astype(np.int64)
    return np.asarray(upto[ends] - upto[places])
