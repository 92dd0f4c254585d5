"""Which solver makes the plan: by how cells are recoded.

Each class is made as fine as it can be by clustering and exchange, and joining or dividing where values
count.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays.compiled import Flag, each, interruptible
from tacit.options import EPSILON
from tacit.recoding import CELLS, GLOBAL, LOCAL, NORMAL, QUICK, THOROUGH, Effort
from tacit.recoding.clustering import can_be_emptied, class_nodes, class_rows, clusters, emptied
from tacit.recoding.dividing import LARGEST, blocks, divided
from tacit.recoding.exchange import dissolved, exchanged
from tacit.recoding.forest import Trees
from tacit.recoding.joining import joined
from tacit.recoding.lattice import MOST_STATES, Lattice, Optimum, level_shape, optimum
from tacit.recoding.problem import Fails, Problem, Recoded
from tacit.recoding.subtree import descended, subtree_recoding
from tacit.typing import AnyArray, Codes, Counts


@dataclass(frozen=True, eq=False)
class Solution:
    """A plan, and how good it is known to be."""

    recoded: Recoded
    loss: float
    bound: float | None = None
    """No plan of this kind loses less, where that is known."""
    levels: tuple[int, ...] | None = None
    """With one level per column: which."""
    lattice: Lattice | None = None

    @property
    def proven(self) -> bool:
        return self.bound is not None and self.bound >= self.loss


def solve(
    problem: Problem,
    recoding: str,
    *,
    most_suppressed: int = 0,
    epsilon: float = EPSILON,
    fails: Fails | None = None,
    effort: Effort = NORMAL,
) -> Solution | None:
    """A plan that keeps the promise; None where there is none.

    ``fails`` decides the tests of local classes where something is promised of values. For ``cells`` the
    problem's hierarchies are flat: a cell is kept, or it is empty.
    """
    if recoding in (LOCAL, CELLS):
        recoded = local_recoding(problem, epsilon=epsilon, fails=fails, work=WORK[effort])
        return None if recoded is None else Solution(recoded, recoded.loss(problem))
    few = np.prod(level_shape(problem), dtype=np.float64) <= MOST_STATES
    best: Optimum | None = None
    if recoding == GLOBAL or few:
        best = (optimum if few else descended)(problem, most_suppressed=most_suppressed)
    if recoding == GLOBAL:
        if best is None:
            return None
        return Solution(best.recoded, best.loss, best.bound, best.state, best.lattice)
    recoded = subtree_recoding(problem, None if best is None else best.cut, most_suppressed=most_suppressed)
    return None if recoded is None else Solution(recoded, recoded.loss(problem))


@dataclass(frozen=True, slots=True)
class Work:
    """How much is tried: nothing here follows the clock, so that the same data give the same classes."""

    largest_block: int = LARGEST
    sweeps: int = 1
    """So many sweeps of exchange, before classes are dissolved and again after."""
    more_sweeps: int = 4
    """So many where classes are joined afterwards: many small ones are then better than fewer good ones."""
    many: int = 100_000
    """Of more combinations none after, so that a million rows take about a minute on two cores."""


WORK = {
    QUICK: Work(sweeps=0, more_sweeps=0),
    NORMAL: Work(),
    THOROUGH: Work(largest_block=20_000, sweeps=4, more_sweeps=8, many=1 << 62),
}
TRIES = (1, 4)
"""Classes are grown with so many seconds tried, and the better of both ways is taken, block by block."""


def local_recoding(
    problem: Problem, *, epsilon: float, fails: Fails | None = None, work: Work = WORK[NORMAL]
) -> Recoded | None:
    """Classes of at least k rows that lose little; None where the whole table breaks the promise.

    Tests are needed where sensitive values play a part.
    """
    if problem.kept:
        return _each_apart(problem, epsilon, fails, work)
    if problem.n_rows < problem.promise.k:
        return None
    class_of = _classes(problem, work, epsilon, fails)
    if class_of is None:
        return None
    n_classes = int(class_of.max()) + 1
    nodes = class_nodes(problem.nodes, class_of, n_classes, problem.forest.trees)
    return Recoded(class_of, nodes, np.zeros(n_classes, dtype=np.bool_))


def _classes(problem: Problem, work: Work, epsilon: float, fails: Fails | None) -> Codes | None:
    """The class of each combination; None where the whole table breaks the promise."""
    if problem.promise.of_the_whole:
        assert fails is not None
        return divided(problem, epsilon, fails)
    if problem.promise.of_rows_alone:
        return _of_rows_alone(problem, work)
    class_of, groups = interruptible(_clustered, problem, work, flag=problem.promise.flag)
    assert fails is not None
    return joined(problem, class_of, groups, epsilon, fails)


FEW, MORE = 1_000, 2
"""Of so few combinations, classes of up to so many more rows than k are tried too."""


def _of_rows_alone(problem: Problem, work: Work) -> Codes:
    """Classes of at least k rows; what is found for a larger k is an answer too, and may be a better one."""
    promise, found = problem.promise, []
    for more in range(MORE + 1 if len(problem.counts) <= FEW else 1):
        if more and problem.n_rows < promise.k + more:
            break
        own = replace(problem, promise=replace(promise, k=promise.k + more))
        if can_be_emptied(own):
            found.append(interruptible(emptied, own, flag=promise.flag))
        else:
            found.append(interruptible(_clustered, own, work, flag=promise.flag)[0])
    return min(found, key=lambda way: _spent(problem.nodes, problem.counts, way, problem.forest.trees))


def _each_apart(problem: Problem, epsilon: float, fails: Fails | None, work: Work) -> Recoded | None:
    """Each combination of kept columns by itself."""
    class_of = np.empty(len(problem.counts), dtype=np.int32)
    shown, n_classes = [], 0
    for chosen, part in problem.apart():
        own = None if fails is None else _inside(chosen, fails)
        found = local_recoding(part, epsilon=epsilon, fails=own, work=work)
        if found is None:
            return None
        class_of[chosen] = found.class_of + n_classes
        kept = problem.nodes[chosen[:1], problem.n_columns :]
        shown.append(np.hstack([found.nodes, np.repeat(kept, len(found.nodes), axis=0)]))
        n_classes += len(found.nodes)
    return Recoded(class_of, np.concatenate(shown).astype(np.int32), np.zeros(n_classes, dtype=np.bool_))


def _inside(chosen: AnyArray, fails: Fails) -> Fails:
    """The tests of a part that has these combinations."""
    return lambda halves, chance: fails([chosen[half] for half in halves], chance)


def _clustered(problem: Problem, work: Work, flag: Flag) -> tuple[Codes, Codes]:
    """The class of each combination, and the block of each class."""
    parts = blocks(problem, work.largest_block)
    trees, k = problem.forest.trees, problem.promise.k

    def clustered(number: int) -> Codes:
        nodes, counts = problem.nodes[parts[number]], problem.counts[parts[number]]
        ways = [clusters(nodes, counts, k, tries, trees, flag) for tries in TRIES]
        found = min(ways, key=lambda classes: _spent(nodes, counts, classes, trees))
        if not problem.promise.of_rows_alone:
            return exchanged(nodes, counts, found, k, work.more_sweeps, trees, flag)
        found = exchanged(nodes, counts, found, k, work.sweeps, trees, flag)
        found = dissolved(nodes, counts, found, trees, flag)
        if len(problem.counts) > work.many:
            return found
        return exchanged(nodes, counts, found, k, work.sweeps, trees, flag)

    threads = min(len(parts), os.cpu_count() or 1)
    class_of = np.empty(len(problem.counts), dtype=np.int32)
    groups = []
    n_classes = 0
    for number, own in enumerate(each(clustered, range(len(parts)), threads=threads)):
        class_of[parts[number]] = own + n_classes
        size = int(own.max()) + 1
        groups.append(np.full(size, number, dtype=np.int32))
        n_classes += size
    return class_of, np.concatenate(groups)


def _spent(nodes: Codes, counts: Counts, class_of: Codes, trees: Trees) -> int:
    """What the classes of some combinations cost."""
    n_classes = int(class_of.max()) + 1
    shown = class_nodes(nodes, class_of, n_classes, trees)
    return int(trees.units[shown].sum(axis=1) @ class_rows(counts, class_of, n_classes))
