"""Linear programs over what the constraints leave open, solved by HiGHS.

The variables are N(c, x) for the classes of a reduced problem; the cells of a class add up to its
weight. Whether a cell can be positive at all, what bounds a posterior, and which constraints
contradict each other are questions to such programs.

Statements that contradict each other are a small set that no table of people can meet together. The
constraints are relaxed at a price; those with a price at the cheapest relaxation already contradict each
other (Farkas), and of these, one after the other is left out as long as the rest still do. What remains
is irreducible: without any one of its statements the rest is possible. So is found why a reader is
certain: suppose that not all of some people held the value; whatever contradicts that supposition is a
proof.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.errors import InputError
from tacit.methods.disclose.solve.constraints import (
    Constraints,
    Reduced,
    constraints_of,
    joined,
    presolve,
)
from tacit.methods.disclose.solve.population import Population
from tacit.typing import AnyArray, Bools, Counts, Floats

if TYPE_CHECKING:
    from tacit.methods.disclose.solve.inference import Inference
    from tacit.methods.disclose.solve.knowledge import Knowledge


SIMPLEX_CELLS = 4_000
"""Beyond so many variables the interior-point method is the faster one."""
NEGLIGIBLE = 1e-6
"""A count of people that is nothing, beside HiGHS's tolerance of 1e-7."""


@dataclass(frozen=True, eq=False)
class Program:
    """The constraints of a reduced problem in matrix form; variable i is the open cell ``cells[i]``."""

    cells: AnyArray  # (variables,): class · values + value
    rows: Any  # sparse (lines, variables)
    sums: Any  # sparse (classes, variables)
    weights: Floats
    lower: Floats
    upper: Floats

    def only(self, lines: Bools) -> Program:
        """The program with some of its lines."""
        return replace(self, rows=self.rows[lines], lower=self.lower[lines], upper=self.upper[lines])

    @property
    def sides(self) -> tuple[Bools, Bools, Bools]:
        """The lines that are equations, those bounded below and those bounded above."""
        equal = self.lower == self.upper
        return equal, ~equal & np.isfinite(self.lower), ~equal & np.isfinite(self.upper)

    def maximize(self, objective: Floats) -> tuple[float, Floats] | None:
        """The largest value of ``objective · N`` and where it is reached; None if nothing is feasible."""
        from scipy import sparse
        from scipy.optimize import linprog

        equal, above, below = self.sides
        found = linprog(
            -objective,
            A_eq=sparse.vstack([self.sums, self.rows[equal]]),
            b_eq=np.concatenate([self.weights, self.lower[equal]]),
            A_ub=sparse.vstack([self.rows[below], -self.rows[above]]),
            b_ub=np.concatenate([self.upper[below], -self.lower[above]]),
            method="highs-ds" if len(objective) < SIMPLEX_CELLS else "highs-ipm",
        )
        return None if found.x is None else (float(objective @ found.x), np.asarray(found.x))


def program_of(reduced: Reduced) -> Program:
    """The linear constraints of a reduced problem."""
    from scipy import sparse

    n_classes, n_values = reduced.closed.shape
    open_cells = np.flatnonzero(~reduced.closed.ravel())
    rows = reduced.cells[:, open_cells]
    sums = sparse.csr_matrix(
        (np.ones(len(open_cells)), (open_cells // n_values, np.arange(len(open_cells)))),
        shape=(n_classes, len(open_cells)),
    )
    return Program(open_cells, rows, sums, reduced.weights, reduced.lower, reduced.upper)


def about_value(reduced: Reduced, value: int) -> Reduced:
    """The constraints about one value alone; all other values are one, of which nothing is known.

    Whatever meets all constraints meets these, so what they leave possible encloses what is.
    """
    if reduced.closed.shape[1] == 2:  # every line is about the first of two values
        return reduced
    inside = reduced.values[reduced.lines] == value
    lines = np.flatnonzero(reduced.values == value)
    return replace(
        reduced,
        closed=np.column_stack([reduced.closed[:, value], np.zeros(len(reduced.weights), dtype=np.bool_)]),
        offsets=np.concatenate([[0], np.cumsum(inside)])[reduced.offsets],
        lines=np.searchsorted(lines, reduced.lines[inside]).astype(np.int32),
        values=np.zeros(len(lines), dtype=np.int32),
        lower=reduced.lower[lines],
        upper=reduced.upper[lines],
        origin=reduced.origin[lines],
    )


def zero_cells(reduced: Reduced) -> Bools | None:
    """Every open cell (classes × values) that is zero whatever meets the constraints; None if nothing does.

    One program finds them all: the constraints are scaled by a free factor τ ≥ 1, so that every cell
    that can be positive can be at least 1 at the same time, and as many as possible are asked to be.
    """
    from scipy import sparse
    from scipy.optimize import linprog

    program = program_of(reduced)
    n = len(program.cells)
    equal, above, below = program.sides

    def scaled(parts: Sequence[tuple[Any, Floats]], asked: int) -> Any:
        # Made of its entries: to stack so small matrices takes longer than to solve the program.
        rows = sparse.vstack([part for part, _ in parts], format="coo")
        bounds = np.concatenate([of_part for _, of_part in parts])
        told, own = np.flatnonzero(bounds), np.arange(asked)
        values = [rows.data, -bounds[told], -np.ones(asked), np.ones(asked)]
        lines = [rows.row, told, len(bounds) + own, len(bounds) + own]
        columns = [rows.col, np.full(len(told), 2 * n), own, n + own]
        entries = np.concatenate(values), (np.concatenate(lines), np.concatenate(columns))
        return sparse.coo_matrix(entries, shape=(len(bounds) + asked, 2 * n + 1))

    equations = scaled([(program.sums, program.weights), (program.rows[equal], program.lower[equal])], 0)
    bounds = scaled(
        [
            (program.rows[below], program.upper[below]),
            (-program.rows[above], -program.lower[above]),
        ],
        n,
    )
    limits: Any = [(0.0, np.inf)] * n + [(0.0, 1.0)] * n + [(1.0, np.inf)]
    found = linprog(
        np.concatenate([np.zeros(n), -np.ones(n), [0.0]]),
        A_eq=equations,
        b_eq=np.zeros(equations.shape[0]),
        A_ub=bounds,
        b_ub=np.zeros(bounds.shape[0]),
        bounds=limits,
        method="highs-ds" if n < SIMPLEX_CELLS else "highs-ipm",
    )
    if found.x is None:
        return None
    zero = np.zeros(reduced.closed.size, dtype=np.bool_)
    zero[program.cells] = found.x[n : 2 * n] < 0.5
    return zero.reshape(reduced.closed.shape)


def always_zero(reduced: Reduced, suspects: Bools, tight: Bools) -> Bools:
    """Which of some cells (classes × values) are zero whatever meets the constraints.

    A line that can be met with slack takes no part in forcing a cell to zero (complementary
    slackness), so only those that are ``tight`` at a point of largest support need be looked at.
    """
    program = program_of(reduced).only(tight)
    left = suspects & ~reduced.closed
    while left.any():
        objective = left.ravel()[program.cells].astype(np.float64)
        found = program.maximize(objective)
        if found is None:
            return np.zeros_like(left)
        positive = np.zeros(left.size, dtype=bool)
        positive[program.cells] = found[1] > NEGLIGIBLE
        positive = positive.reshape(left.shape) & left
        if not positive.any():
            return left
        left &= ~positive
    return left


_TOLERANCE = 1e-6
SHOWN = 8
FIRST_TRIED = 64
"""A proof of certainty is sought among so many statements first, then among eight times as many."""


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
    found = np.unique(reduced.origin[kept // 2, kept % 2])
    if 0 < len(found) < len(constraints):
        # Fewer constraints tell fewer people apart: what is left of the program is small.
        return found[conflicting(population, constraints.select(found))]
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


def reasons_for_certainty(inference: Inference, combination: int, value: int) -> Counts:
    """The constraints that together force everybody of a combination to hold a value."""
    population, constraints = inference.population, inference.constraints
    starts, members = population.of_combination
    units = np.sort(members[starts[combination] : starts[combination + 1]])
    tight = np.flatnonzero(inference.tight)
    # A proof is mostly of a few narrow statements about these people: they are tried before all others.
    about = np.unique(constraints.owners[np.isin(constraints.units, units)])
    tight = tight[np.lexsort((np.diff(constraints.offsets)[tight], ~np.isin(tight, about)))]
    # Certainty leaves nobody over, so to suppose that half a person is over must contradict it.
    most = float(population.counts[units].sum()) - 0.5
    supposed = constraints_of(
        (np.array([0, len(units)]), units), np.array([value]), lower=-np.inf, upper=most
    )
    tried = FIRST_TRIED
    while True:
        chosen = np.sort(tight[:tried])
        found = conflicting(population, joined([constraints.select(chosen), supposed]))
        if len(found) or tried >= len(tight):
            return np.asarray(chosen[found[found < len(chosen)]])
        tried *= 8
