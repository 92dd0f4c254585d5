"""Which solver makes the plan: by how cells are recoded."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.options import EPSILON
from tacit.recoding import CELLS, GLOBAL, LOCAL, NORMAL, Effort
from tacit.recoding.lattice import MOST_STATES, Lattice, Optimum, level_shape, optimum
from tacit.recoding.local import WORK, local_recoding
from tacit.recoding.problem import Fails, Problem, Recoded
from tacit.recoding.subtree import descended, subtree_recoding


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
