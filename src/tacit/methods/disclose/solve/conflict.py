"""Statements that contradict each other: a small set that no table of people can meet together.

The constraints are relaxed at a price; those with a price at the cheapest relaxation already
contradict each other (Farkas), and of these, one after the other is left out as long as the rest
still do. What remains is irreducible: without any one of its statements the rest is possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tacit.errors import InputError
from tacit.methods.disclose.solve.constraints import Constraints
from tacit.methods.disclose.solve.linear import Program, program_of
from tacit.methods.disclose.solve.population import Population
from tacit.methods.disclose.solve.presolve import presolve
from tacit.typing import Counts

if TYPE_CHECKING:
    from tacit.methods.disclose.solve.knowledge import Knowledge

_TOLERANCE = 1e-6
SHOWN = 8


def contradiction(
    population: Population, sources: Sequence[Knowledge], constraints: Constraints
) -> InputError | None:
    """The error that names a contradiction; None where the constraints can all be met."""
    found = conflicting(population, constraints)
    if not len(found):
        return None
    texts = [
        sources[int(constraints.source[place])].text(population, int(constraints.place[place]))
        for place in found.tolist()
    ]
    more = f"; and {len(texts) - SHOWN} more" if len(texts) > SHOWN else ""
    return InputError(
        f"No table can agree with what is known; these {len(texts)} statements contradict each other: "
        f"{'; '.join(texts[:SHOWN])}{more}.",
        code="knowledge-inconsistent",
        hint="Scores may be rounded too far, a rule may be missing from the list, or a fact may be wrong.",
    )


def conflicting(population: Population, constraints: Constraints) -> Counts:
    """The places of an irreducible set of constraints that contradict each other; empty for none."""
    reduced = presolve(constraints, population.counts, population.n_values, propagate=False)
    program = program_of(reduced)
    sides = np.flatnonzero(np.isfinite(np.column_stack([reduced.lower, reduced.upper]).ravel()))
    kept = _relaxed(program, sides)
    for side in kept.tolist():
        rest = kept[kept != side]
        if len(_relaxed(program, rest)):
            kept = rest
    return np.unique(reduced.origin[kept // 2, kept % 2])


def _relaxed(program: Program, sides: Counts) -> Counts:
    """Of some bounds, those that pay for the cheapest relaxation; empty where none is needed.

    Bound 2j is the lower one of line j, bound 2j + 1 the upper one.
    """
    from scipy import sparse
    from scipy.optimize import linprog

    if not len(sides):
        return sides
    lines, upper = sides // 2, sides % 2 == 1
    sign = np.where(upper, 1.0, -1.0)
    bounds = sign * np.where(upper, program.upper[lines], program.lower[lines])
    tight = sparse.diags(sign) @ program.rows[lines]
    n_cells, n_slacks = tight.shape[1], len(sides)
    found = linprog(
        np.concatenate([np.zeros(n_cells), np.ones(n_slacks)]),
        A_eq=sparse.hstack([program.sums, sparse.csr_matrix((len(program.weights), n_slacks))]),
        b_eq=program.weights,
        A_ub=sparse.hstack([tight, -sparse.eye(n_slacks)]),
        b_ub=bounds,
        method="highs-ds",
    )
    if found.x is None or found.x[n_cells:].sum() <= _TOLERANCE:
        return sides[:0]
    return np.asarray(sides[np.abs(found.ineqlin.marginals) > 1e-9])
