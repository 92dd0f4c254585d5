"""The cheapest cut that resolves a list of conflicts, by integer programming.

A conflict is a set of nodes that is rare: at every cut that runs at or below all of them, some set
is rare as well, because whoever holds the larger nodes holds some smaller ones, and fewer do. A
valid cut therefore runs above at least one node of each conflict. With x(u) = 1 where the cut runs
at or above the inner node u, the cheapest cut above all conflicts is

    minimize    Σ step(u) · x(u)
    subject to  Σ x(parent(v)) ≥ 1      over the nodes v of each conflict,
                x(u) ≤ x(c)             for every inner child c of u,
                x(u) ∈ {0, 1},

where step(u) is what the step from its children up to u costs. HiGHS [1] solves it, through SciPy.

[1] Q. Huangfu, J. A. J. Hall. Parallelizing the dual revised simplex method. Mathematical
    Programming Computation 10, 2018.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.arrays.interrupt import Flag
from tacit.data.item_tree import ItemTree
from tacit.errors import Cancelled
from tacit.methods.generalize_sets.solve.draft import Draft

Conflict = tuple[int, ...]
"""A rare set of nodes of the tree, ascending."""


@dataclass(frozen=True, eq=False)
class Cheapest:
    """A cut above all conflicts and a bound that no such cut costs less than."""

    draft: Draft
    bound: int


def cheapest_above(
    tree: ItemTree, conflicts: Collection[Conflict], *, flag: Flag, seconds: float | None = None
) -> Cheapest | None:
    """The cheapest cut that runs above a node of every conflict; None where none is found in time."""
    from scipy.optimize import Bounds, LinearConstraint
    from scipy.sparse import csr_array

    first, n_inner = tree.n_items, tree.n_nodes - tree.n_items
    children = np.arange(first, tree.n_nodes - 1)
    owners, members = _clauses(tree, conflicts)
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


def _clauses(tree: ItemTree, conflicts: Collection[Conflict]) -> tuple[np.ndarray, np.ndarray]:
    """For every node of every conflict the conflict's number, and the node one step up."""
    lengths = np.array([len(conflict) for conflict in conflicts], dtype=np.int64)
    nodes = np.fromiter((node for conflict in conflicts for node in conflict), dtype=np.int64)
    return np.repeat(np.arange(len(lengths)), lengths), tree.parents[nodes].astype(np.int64)


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
