"""Classes joined until it names nobody that a table could be made at all.

Whoever knows how rules are mined leaves out originals whose own rules leave somebody fewer than ℓ values. So
every pair (X, s) that would be a rule if nobody in X had s (:mod:`tacit.mining.silence`) is to keep at least
ℓ candidates: rows in X that may have s, in classes that have it. Which classes are joined follows from what
readers know of rows and what classes hold. Joined classes keep what each kept. In a series they are cohorts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.engine.base import Combinations
from tacit.errors import option
from tacit.methods.generalize_tables.cohorts import grouped
from tacit.methods.generalize_tables.verb import NOTHING
from tacit.mining.exchanges import Exchanges, Groups, narrowing, pairs_among
from tacit.mining.knowledge import NegativeRules
from tacit.mining.silence import names_somebody, unlisted_pairs
from tacit.options import Asked
from tacit.recoding import CELLS, LOCAL
from tacit.recoding.clustering import class_nodes, class_rows
from tacit.recoding.problem import Problem, Recoded
from tacit.recoding.solve import Solution
from tacit.typing import AnyArray, Bools, Codes, Counts


@dataclass(frozen=True, eq=False)
class Counted:
    """``counts[e]`` rows of the combination ``whole[e]``; ``known[e]`` is the one that their solver has."""

    combinations: Combinations
    whole: AnyArray
    known: Codes
    counts: Counts


def silenced(
    solution: Solution, problem: Problem, counted: Counted, rules: NegativeRules, asked: Asked, *, alone: bool
) -> Solution:
    """The solution with classes joined until every unlisted pair has ℓ candidates, or all there can be.

    And, of a table ``alone``, until everybody keeps ℓ values; of a series that is looked at in all releases
    together. Of levels and subtrees no two classes are joined: they are refused where one row alone is left.
    """
    class_of = _with_candidates(solution.recoded.class_of.copy(), problem, counted, rules, asked)
    if alone:
        class_of = _with_values(class_of, solution.recoded.left_out, problem, counted, rules, asked)
    if (class_of == solution.recoded.class_of).all():
        return solution
    class_of = np.unique(class_of, return_inverse=True)[1].astype(np.int32)
    n_classes = int(class_of.max()) + 1
    nodes = class_nodes(problem.nodes, class_of, n_classes, problem.forest.trees)
    recoded = Recoded(class_of, nodes, np.zeros(n_classes, dtype=np.bool_))
    return Solution(recoded, recoded.loss(problem))


def joined_rows(before: Recoded, after: Recoded, counts: Counts) -> int:
    """The rows in classes that were several before."""
    parts = np.unique(np.column_stack([after.class_of, before.class_of]), axis=0)
    several = np.bincount(parts[:, 0]) > 1
    return int(counts[several[after.class_of]].sum())


def _with_candidates(
    class_of: Codes, problem: Problem, counted: Counted, rules: NegativeRules, asked: Asked
) -> Codes:
    """Classes in which every unlisted pair has ℓ candidates, or all there can be."""
    combinations, local = counted.combinations, asked.recoding in (LOCAL, CELLS)
    matching = rules.matching(combinations)
    for pairs in unlisted_pairs(combinations, rules, fewer_than=asked.l):
        values = combinations.codes[counted.whole, combinations.place(pairs.sensitive)]
        barred, of = rules.barred(combinations, pairs.sensitive)
        for number, value in enumerate(pairs.values.tolist()):
            able = (matching(pairs.nodes[number]) & ~barred[:, value][of])[counted.whole]
            most = min(asked.l, int(counted.counts[able].sum()))
            while True:
                classes = class_of[counted.known]
                now = able & np.isin(classes, classes[values == value])
                found = int(counted.counts[now].sum())
                if found >= most or not local:
                    break
                nearest = _nearest(problem, class_of, classes[now], classes[able & ~now])
                if nearest is None:
                    break
                class_of[class_of == nearest[1]] = nearest[0]
            if found == 1:
                other = option("recoding", LOCAL) if asked.after is None else f"a larger {option('k')}"
                way_out = "" if local else f", or use {other}"
                raise names_somebody(rules, pairs, number, way_out)
    return class_of


def _with_values(
    class_of: Codes, left_out: Bools, problem: Problem, counted: Counted, rules: NegativeRules, asked: Asked
) -> Codes:
    """Classes in which everybody keeps ℓ values while every unlisted pair has somebody."""
    exchanges = _exchanges(class_of, left_out, counted, rules, asked.table.roles.sensitive)
    for here, wanted in exchanges.narrowed(asked.l):
        nearest = None
        if asked.recoding in (LOCAL, CELLS):
            nearest = _nearest(problem, class_of, np.full(1, here), exchanges.class_of[wanted])
        if nearest is None:
            raise narrowing(
                f"that the table does not state would leave somebody fewer than {asked.l} values: too few"
                " people who share their class",
                f"A larger {option('k')} makes the table coarser. Or mine fewer rules:",
                option("readers", NOTHING),
            )
        class_of[class_of == nearest[1]] = nearest[0]
        exchanges.join(*nearest)
    return class_of


def _exchanges(
    class_of: Codes, left_out: Bools, counted: Counted, rules: NegativeRules, sensitive: Sequence[str]
) -> Exchanges:
    """The combinations of a table, and its unlisted pairs; who is left out holds theirs in every world."""
    combinations = counted.combinations
    places = [combinations.place(name) for name in sensitive]
    barred, barred_of = rules.barred(combinations, *sensitive)
    kind_of, first = grouped([*(combinations.codes[:, place] for place in places), barred_of])
    values, barred = combinations.codes[first][:, places], barred[barred_of[first]]
    ends = np.cumsum([0, *(len(combinations.texts[place]) for place in places)])[:-1]
    classes = class_of[counted.known]
    of = np.flatnonzero(~left_out[classes])
    counts = combinations.counts[of]

    def may(kind: int, other: int) -> bool:
        return not barred[kind, values[other] + ends].any()

    groups = Groups(classes[of], kind_of[of], counts, values, may)
    return Exchanges(groups, list(pairs_among(combinations, rules, sensitive, of, counts)))


def _nearest(problem: Problem, class_of: Codes, these: AnyArray, others: AnyArray) -> tuple[int, int] | None:
    """The first of these classes, and of the others the one that loses least with it; None where none can.

    Kept columns belong to a class: those with others are not joined.
    """
    trees, n_classes = problem.forest.trees, int(class_of.max()) + 1
    shown = class_nodes(problem.nodes, class_of, n_classes, trees)
    rows, free = class_rows(problem.counts, class_of, n_classes), problem.n_columns
    for mine in np.unique(these):
        near = np.unique(others)
        near = near[(shown[near, free:] == shown[mine, free:]).all(axis=1)]
        if not len(near):
            continue
        both = np.vstack([np.repeat(shown[[mine]], len(near), axis=0), shown[near]])
        together = class_nodes(both, np.tile(np.arange(len(near), dtype=np.int32), 2), len(near), trees)
        lost = trees.units[together].sum(axis=1) - trees.units[shown[near]].sum(axis=1)
        grown = trees.units[together].sum(axis=1) - trees.units[shown[mine]].sum()
        return int(mine), int(near[np.argmin(lost * rows[near] + grown * rows[mine])])
    return None
