"""Classes joined where sensitive values demand it, so that the joining tells next to nothing.

Classes that are grown by looking at sensitive values give them away to a reader who knows the tool. So
classes are made from quasi-identifiers alone, and then put together in pairs, pairs of pairs and so on,
again by likeness alone, until few are left; these are halved, so that no half has few rows: a tree over the
table. From the top down, a class is divided into its parts only if all pass a test
(:mod:`tacit.recoding.problem`). Two rows of a final class lie in the same part at every division above it;
only the one test that failed looked at them apart. Exchanging their values changes the slack by at most one,
so the probability of the release by a factor of at most e^ε.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.compiled import Flag, interruptible, kernel
from tacit.recoding.clustering import FAR, class_nodes, class_rows, fill
from tacit.recoding.forest import Trees
from tacit.recoding.problem import Fails, Problem, chances
from tacit.typing import AnyArray, Codes, Counts


def joined(problem: Problem, class_of: Codes, groups: Codes, epsilon: float, fails: Fails) -> Codes | None:
    """The final class of each combination; None where even the whole table breaks the promise.

    ``groups[c]`` is the block of class c, ascending: pairs are made within blocks as long as there are any.
    """
    steps = _tree(problem, class_of, groups)
    at = [class_of]  # the class of each combination after 0, 1, 2 … rounds of joining
    for step in steps:
        at.append(step[at[-1]])
    slack = problem.promise.slack
    if (slack(at[-1], 1) < 0).any():
        return None
    final = np.full(len(class_of), -1, dtype=np.int64)
    reached = np.ones(1, dtype=np.bool_)  # of each class: whether everything above it was divided
    for depth in range(len(steps) - 1, -1, -1):
        step = steps[depth]
        failing = np.zeros(len(reached))
        np.maximum.at(failing, step, chances(slack(at[depth], len(step)), epsilon))
        failed = np.zeros(len(reached), dtype=np.bool_)
        inside, halves = _members(at[depth], len(step)), _members(step, len(reached))
        for number in np.flatnonzero(reached & (np.bincount(step) > 1)):
            parts = [inside[half] for half in halves[number]]
            failed[number] = fails(parts, float(failing[number]))
        stays = failed[at[depth + 1]]
        # Numbers of their own: classes of no two depths have the same.
        final[stays] = (depth + 1) * len(class_of) + at[depth + 1][stays]
        reached = (reached & ~failed)[step]
    final = np.where(final < 0, class_of, final)
    return np.unique(final, return_inverse=True)[1].astype(np.int32)


def _members(numbers: Codes, n_parts: int) -> list[AnyArray]:
    """Which have each number."""
    ends = np.cumsum(np.bincount(numbers, minlength=n_parts))[:-1]
    return np.split(np.argsort(numbers, kind="stable"), ends)


def _tree(problem: Problem, class_of: Codes, groups: Codes) -> list[Codes]:
    """Rounds of joining until one class is left: of each class, its number after the round."""
    trees = problem.forest.trees
    shown = class_nodes(problem.nodes, class_of, len(groups), trees)
    rows = class_rows(problem.counts, class_of, len(groups))
    steps: list[Codes] = []
    while len(groups) > LAST:
        if (np.diff(groups) > 0).all():
            groups = np.zeros(len(groups), dtype=np.int32)
        step = interruptible(_pairs, shown, groups, trees, flag=problem.promise.flag)
        n_classes = int(step.max()) + 1
        shown = class_nodes(shown, step, n_classes, trees)
        merged = np.empty(n_classes, dtype=np.int32)
        merged[step] = groups
        groups = merged
        rows = class_rows(rows, step, n_classes)
        steps.append(step)
    return steps + _halves(shown, rows, trees)


LAST = 7
"""So many classes are left to be halved: all ways to do it are tried."""
SMALLER = 4
"""So many in ten rows are in the smaller half at least, where that can be."""


def _halves(shown: Codes, rows: Counts, trees: Trees) -> list[Codes]:
    """Rounds of joining a few classes, made from the top down: all, their halves, the halves of these.

    A half with few rows would be in the way: where it breaks the promise, or nearly does, nothing is divided.
    """
    parts: list[Codes] = [np.arange(len(rows), dtype=np.int32)]
    rounds = []  # of each class, its part
    while len(parts) < len(rows):
        number = np.empty(len(rows), dtype=np.int32)
        for place, part in enumerate(parts):
            number[part] = place
        rounds.append(number)
        parts = [half for part in parts for half in _halved(part, shown, rows, trees)]
    steps, before = [], np.arange(len(rows), dtype=np.int32)
    for number in reversed(rounds):
        step = np.empty(before.max() + 1, dtype=np.int32)
        step[before] = number
        steps.append(step)
        before = number
    return steps


def _halved(part: Codes, shown: Codes, rows: Counts, trees: Trees) -> list[Codes]:
    """Two halves of some classes that lose the least, of those with enough rows in each; or one class."""
    total = int(rows[part].sum())

    def found(mask: int) -> list[Codes]:
        inside = (mask >> np.arange(len(part))) % 2 > 0  # the last class is in the other half
        return [part[inside], part[~inside]]

    def worth(mask: int) -> tuple[int, int]:
        cost, smaller = 0, total
        for half in found(mask):
            held = int(rows[half].sum())
            node = class_nodes(shown[half], np.zeros(len(half), dtype=np.int32), 1, trees)
            cost += held * int(trees.units[node].sum())
            smaller = min(smaller, held)
        return -min(smaller, total * SMALLER // 10), cost

    return [part] if len(part) == 1 else found(min(range(1, 1 << (len(part) - 1)), key=worth))


@kernel
def _pairs(shown: Codes, groups: Codes, trees: Trees, flag: Flag) -> Codes:
    """Join every class with the nearest of its group that is alone; a last one with the nearest pair."""
    n_classes, n_columns = shown.shape
    step = np.full(n_classes, -1, dtype=np.int32)
    row = np.empty(len(trees.parents), dtype=np.int64)
    found, first = 0, 0
    for mine in range(n_classes):
        if groups[first] != groups[mine]:
            first = mine
        if step[mine] >= 0 or flag[0]:
            continue
        for column in range(n_columns):
            fill(row, shown[mine, column], trees)
        best, least = mine, FAR
        other = mine + 1
        while other < n_classes and groups[other] == groups[mine]:
            if step[other] < 0:
                cost = np.int64(0)
                for column in range(n_columns):
                    cost += row[shown[other, column]]
                if cost < least:
                    best, least = other, cost
            other += 1
        if best == mine:  # nobody else is alone
            for other in range(first, n_classes):
                cost = FAR
                if groups[other] == groups[mine] and step[other] >= 0:
                    cost = np.int64(0)
                    for column in range(n_columns):
                        cost += row[shown[other, column]]
                if cost < least:
                    best, least = other, cost
        if step[best] < 0:
            step[best] = found
            found += 1
        step[mine] = step[best]
    return step
