"""Optimal anonymization: the valid cut of least NCP, with a proof that none costs less.

The paper's OA [1, Alg. 2] walks up the lattice of cuts, breadth first, and marks what lies above a
valid cut; its authors could run it on up to 60 items. The search here looks at few cuts, because
each invalid one teaches what every valid cut has to do:

1. Count at a cut, and take sets that are rare there.
2. Climb from each as high as it stays rare: a conflict, of which every valid cut runs above a node.
3. Take the cheapest cut that runs above a node of every conflict so far. No valid cut costs less.
4. If no set is rare there it is the optimum, because it is valid and cheapest; else go on from 1.

The cost of step 3 is a lower bound at any time, and it rises; mending and refining the cuts tried
gives valid ones from above. The search ends when both meet, or with the best cut and the bound
when time is up. This is the implicit hitting set approach [2] applied to cuts.

[1] M. Terrovitis, N. Mamoulis, P. Kalnis. Privacy-preserving Anonymization of Set-valued Data.
    VLDB 2008.
[2] E. Moreno-Centeno, R. M. Karp. The implicit hitting set approach to solve combinatorial
    optimization problems. Operations Research 61, 2013.

The cheapest cut that resolves a list of conflicts, by integer programming.

A conflict is a set of nodes that is rare: at every cut that runs at or below all of them, some set
is rare as well, because whoever holds the larger nodes holds some smaller ones, and fewer do. A
valid cut therefore runs above at least one node of each conflict. With x(u) = 1 where the cut runs
at or above the inner node u, the cheapest cut above all conflicts is

    minimize    Σ step(u) · x(u)
    subject to  Σ x(parent(v)) ≥ 1      over the nodes v of each conflict,
                x(u) ≤ x(c)             for every inner child c of u,
                x(u) ∈ {0, 1},

where step(u) is what the step from its children up to u costs. HiGHS [3] solves it, through SciPy.

[3] Q. Huangfu, J. A. J. Hall. Parallelizing the dual revised simplex method. Mathematical
    Programming Computation 10, 2018.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Collection
from dataclasses import dataclass
from time import monotonic
from typing import Any

import numpy as np

from tacit.arrays.compiled import Flag
from tacit.data.hierarchy import ItemTree
from tacit.engine.sets import RareSets, SetCounts
from tacit.errors import Cancelled
from tacit.methods.generalize_sets.solve.apriori import apriori, repair
from tacit.methods.generalize_sets.solve.cut import Draft
from tacit.methods.generalize_sets.solve.refine import Refiner, spread
from tacit.options import Asked

AT_ONCE = 1 << 20
"""Rare sets asked for at a cut."""

LESSONS = 400
"""How many of them, spread over all, are made into conflicts."""


@dataclass(frozen=True, eq=False)
class Cheapest:
    """The cheapest cut found that is valid, or runs above all conflicts, and a cost that none is below."""

    draft: Draft
    bound: int


def optimal(counts: SetCounts, asked: Asked, m: int, deadline: float | None) -> Cheapest:
    """The valid cut of least NCP; by the ``deadline``, the best one found and how far off it can be."""
    k = asked.k
    refiner = Refiner(counts, k=k, m=m)
    best = refiner.refine(apriori(counts, k=k, m=m))
    tried, bound, rounds = Draft(counts.tree), 0, 0
    conflicts: dict[Conflict, None] = {}  # a set that keeps its order
    while bound < best.cost:
        rare = counts.rare_sets(tried.table, k=k, size=m, limit=AT_ONCE)
        if not len(rare):
            best = tried
            break
        known = len(conflicts)
        for conflict in _conflicts(counts, rare, k):
            conflicts.setdefault(conflict)
        if len(conflicts) == known:
            break  # the integer program left a conflict standing by rounding: there is nothing more to learn
        if rounds:
            repair(counts, tried, k=k, size=m)
            tried = refiner.refine(tried)
            best = tried if tried.cost < best.cost else best
        left = None if deadline is None else deadline - monotonic()
        if left is not None and left <= 0:
            break
        cheapest = cheapest_above(counts.tree, conflicts, flag=counts.flag, seconds=left)
        if cheapest is None:
            break
        tried, bound, rounds = cheapest.draft, max(bound, cheapest.bound), rounds + 1
        low, high = bound / counts.tree.total, best.cost / counts.tree.total
        asked.report(f"optimum between {low:.4f} and {high:.4f}")
    return Cheapest(best, min(bound, best.cost))


def _conflicts(counts: SetCounts, rare: RareSets, k: int) -> list[Conflict]:
    """Conflicts learned from some of the rare sets, spread over all of them; each node climbs first once."""
    found: list[Conflict] = []
    for nodes in rare.sets[spread(len(rare), LESSONS)]:
        nodes = nodes[nodes >= 0]
        climbs = (counts.highest_rare(nodes, k=k, start=start) for start in range(len(nodes)))
        found.extend(tuple(climb.tolist()) for climb in climbs)
    return found


Conflict = tuple[int, ...]
"""A rare set of nodes of the tree, ascending."""


def cheapest_above(
    tree: ItemTree, conflicts: Collection[Conflict], *, flag: Flag, seconds: float | None = None
) -> Cheapest | None:
    """The cheapest cut that runs above a node of every conflict; None where none is found in time."""
    from scipy.optimize import Bounds, LinearConstraint
    from scipy.sparse import csr_array

    first, n_inner = tree.n_items, tree.n_nodes - tree.n_items
    children = np.arange(first, tree.n_nodes - 1)
    # For every node of every conflict the conflict's number, and the node one step up.
    lengths = np.array([len(conflict) for conflict in conflicts], dtype=np.int64)
    owners = np.repeat(np.arange(len(conflicts)), lengths)
    nodes = np.fromiter((node for conflict in conflicts for node in conflict), dtype=np.int64)
    members = tree.parents[nodes].astype(np.int64)
    n_clauses, n_steps = len(conflicts), len(children)
    rows = np.concatenate([owners, n_clauses + np.arange(n_steps), n_clauses + np.arange(n_steps)])
    columns = np.concatenate([members, children, tree.parents[children]]) - first
    values = np.concatenate([np.ones(len(owners) + n_steps), -np.ones(n_steps)])
    places = rows.astype(np.int32), columns.astype(np.int32)  # scipy 1.13 hands no wider ones to the solver
    matrix = csr_array((values, places), shape=(n_clauses + n_steps, n_inner))
    matrix.sum_duplicates()  # two nodes of a conflict may share a parent
    matrix.data = np.minimum(matrix.data, 1.0)
    least = np.concatenate([np.ones(n_clauses), np.zeros(n_steps)])
    unit = math.gcd(*tree.steps[first:].tolist()) or 1
    result = _in_thread(
        {
            "c": tree.steps[first:] / unit,
            "integrality": np.ones(n_inner),
            "bounds": Bounds(0, 1),
            "constraints": LinearConstraint(matrix, least, np.inf),
            "options": {"mip_rel_gap": 0.0} | ({} if seconds is None else {"time_limit": max(0.01, seconds)}),
        },
        flag,
    )
    if result.x is None:
        return None
    draft = Draft(tree)
    chosen = np.flatnonzero(result.x > 0.5) + first
    for node in chosen.tolist():  # children come before parents
        draft.climb(node)
    # Costs are whole multiples of the unit, so a bound rises to the next one.
    proven = result.mip_dual_bound
    bound = math.ceil(proven - 1e-6) * unit if proven is not None and math.isfinite(proven) else 0
    return Cheapest(draft, min(bound, draft.cost))


def _in_thread(problem: dict[str, Any], flag: Flag) -> Any:
    """Solve in a thread that is left behind on request: the solver itself cannot be told to stop."""
    from scipy.optimize import milp

    outcome: list[Any] = []
    worker = threading.Thread(target=lambda: outcome.append(milp(**problem)), name="tacit-milp", daemon=True)
    worker.start()
    while worker.is_alive():
        worker.join(timeout=0.1)
        if flag[0]:
            raise Cancelled()
    return outcome[0]
