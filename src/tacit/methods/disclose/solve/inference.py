"""What a reader infers: the maximum-entropy posterior of everybody, with its certificate.

Of all posteriors that agree with what is known, the one of the largest entropy adds nothing [1].
The number comes with its proof: how far any constraint is violated, how far the multipliers are
from satisfying the conditions of optimality, and the gap between the entropy and its dual bound.

[1] Z. Zhu, G. Wang, W. Du. Deriving Private Information from Association Rule Mining Results.
    ICDE 2009, section IV.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacit.arrays.compiled import Flag
from tacit.errors import ResourceError
from tacit.methods.disclose.solve.constraints import Constraints, Reduced, cells_of_lines, joined, presolve
from tacit.methods.disclose.solve.knowledge import Knowledge
from tacit.methods.disclose.solve.linear import always_zero, contradiction, zero_cells
from tacit.methods.disclose.solve.population import Population
from tacit.methods.disclose.solve.solve import Solution, line_sums, solve, spread
from tacit.typing import Bools, Floats

ACCEPTED = 1e-6
"""A posterior whose certificate is worse than this is an error, never a number."""
ACCURATE = 1e-8
"""A solution that is worse than this is solved once more, without cells that must be zero."""
SMALL = 1_500
"""Up to so many open cells all that must be zero are found before optimizing."""
_SUSPECT = 1e-6
"""A posterior this small may be one that must be zero: a linear program decides."""


@dataclass(frozen=True)
class Certificate:
    """How far a solution is from perfect; all are shares of all people, or of entropy in nats."""

    violation: float
    """The largest violation of any constraint."""
    kkt: float
    """The largest difference between the posterior and the one its multipliers give."""
    gap: float
    """Between the entropy and its upper bound from the dual."""

    @property
    def residual(self) -> float:
        return max(self.violation, self.kkt, self.gap)


@dataclass(frozen=True, eq=False)
class Inference:
    """The posterior of every unit under what a reader knows."""

    population: Population
    sources: tuple[Knowledge, ...]
    constraints: Constraints
    reduced: Reduced
    posterior: Floats  # (units, values)
    multipliers: Floats  # (constraints,)
    certificate: Certificate
    steps: int
    line_multipliers: Floats  # of the reduced problem

    @cached_property
    def by_combination(self) -> Floats:
        """P*(x|q): per combination, the posterior of its people."""
        population = self.population
        if population.n_units == len(population):
            return self.posterior
        totals = np.zeros((len(population), population.n_values))
        np.add.at(totals, population.combination_of, self.posterior * population.counts[:, None])
        return np.asarray(totals / population.people[:, None])

    @cached_property
    def entropy(self) -> float:
        """H(X|Q) of the posterior, in nats: what the reader is left not knowing."""
        shares = np.where(self.posterior > 0, self.posterior, 1.0)
        weights = self.population.counts / self.population.n_rows
        return float(-(weights @ (shares * np.log(shares)).sum(axis=1)))

    @property
    def closed(self) -> Bools:
        """Per unit and value, whether the reader knows that nobody there holds it."""
        return self.reduced.settled

    @cached_property
    def held(self) -> Floats:
        """Of each constraint, the people it is about who hold its value, as the reader expects."""
        known = self.constraints
        shares = self.posterior[known.units, known.values[known.owners]]
        people = self.population.counts[known.units]
        return np.bincount(known.owners, people * shares, len(known)).astype(np.float64)

    @property
    def tight(self) -> Bools:
        """The constraints that are met exactly; no other takes part in a proof of certainty."""
        lower, upper = self.constraints.lower, self.constraints.upper
        near = np.minimum(np.abs(self.held - lower), np.abs(upper - self.held))
        return np.asarray(near <= 1e-6 * self.population.n_rows)

    def text(self, constraint: int) -> str:
        """The statement behind a constraint."""
        source = self.sources[int(self.constraints.source[constraint])]
        return source.text(self.population, int(self.constraints.place[constraint]))


def infer(
    population: Population,
    sources: Sequence[Knowledge],
    *,
    flag: Flag | None = None,
    settle: bool = True,
    less: Inference | None = None,
) -> Inference:
    """The maximum-entropy posterior under all sources together.

    ``less`` is what a reader infers who knows some of the sources only: what cannot be for that reader
    cannot be for this one.

    With ``settle``, posteriors that come near to zero are proven to be zero, or not, by a linear
    program; without, they stay as near as the solver came.

    Raises InputError, naming a small set of statements, where they contradict each other.
    """
    constraints = joined([source.constraints(population) for source in sources])
    problem = _Problem(population, constraints, flag)
    reduced = problem.reduced(None if less is None else less.closed)
    small = settle and not reduced.impossible and (~reduced.closed).sum() <= SMALL
    solution = problem.solved(problem.without_zeros(reduced) if small else reduced)
    if solution is not None and not small:
        if settle:
            solution = problem.settled(*solution)
            if solution is not None and solution[1].unsettled > ACCURATE:
                # What was closed may force more cells to zero, and they show now.
                solution = problem.settled(*solution)
        if solution is not None and solution[1].unsettled > ACCURATE:
            # A cell that must be zero and was not found keeps the multipliers growing.
            solution = problem.solved(problem.without_zeros(solution[0]))
    if solution is None or solution[1].residual > ACCEPTED:
        found = contradiction(population, sources, constraints)
        raise found if found is not None else _unsolved(np.inf if solution is None else solution[1].residual)
    return _inference(population, tuple(sources), constraints, *solution)


@dataclass(frozen=True, eq=False)
class _Problem:
    """Solving the same constraints with more and more cells known to be zero."""

    population: Population
    constraints: Constraints
    flag: Flag | None

    def reduced(self, closed: Bools | None) -> Reduced:
        return presolve(self.constraints, self.population.counts, self.population.n_values, closed=closed)

    def solved(self, reduced: Reduced | None) -> tuple[Reduced, Solution] | None:
        """A reduced problem with its solution; None where its constraints contradict each other."""
        if reduced is None or reduced.impossible:
            return None
        solution = solve(reduced, self.population.n_rows, flag=self.flag)
        return (reduced, solution) if solution.feasible else None

    def without_zeros(self, reduced: Reduced) -> Reduced | None:
        """The problem without any cell that must be zero; None where nothing meets the constraints."""
        zero = zero_cells(reduced)
        if zero is None:
            return None
        return self.closing(reduced, zero) if zero.any() else reduced

    def settled(self, reduced: Reduced, solution: Solution) -> tuple[Reduced, Solution] | None:
        """The solution with posteriors near zero proven to be zero, or not."""
        suspects = ~reduced.closed & (solution.shares < _SUSPECT)
        if not suspects.any() or solution.residual > ACCEPTED:
            return reduced, solution
        tight = reduced.equal | (np.abs(solution.slack) <= 1e-6 * self.population.n_rows)
        zero = always_zero(reduced, suspects, tight)
        return self.solved(self.closing(reduced, zero)) if zero.any() else (reduced, solution)

    def closing(self, reduced: Reduced, zero: Bools) -> Reduced:
        """The problem with some more cells closed."""
        closed = reduced.settled.copy()
        free = reduced.class_of >= 0
        closed[free] |= zero[reduced.class_of[free]]
        return self.reduced(closed)


def _inference(
    population: Population,
    sources: tuple[Knowledge, ...],
    constraints: Constraints,
    reduced: Reduced,
    solution: Solution,
) -> Inference:
    posterior = (~reduced.settled).astype(np.float64)
    free = reduced.class_of >= 0
    posterior[free] = solution.shares[reduced.class_of[free]]
    multipliers = np.zeros(len(constraints))
    at = np.where(solution.multipliers > 0, reduced.origin[:, 0], reduced.origin[:, 1])
    # Of two values, a line about the first may come from a constraint about the second.
    turned = constraints.values[at] != reduced.values
    np.add.at(multipliers, at, np.where(turned, -solution.multipliers, solution.multipliers))
    certificate = _certificate(population, constraints, reduced.settled, posterior, multipliers)
    if certificate.residual > ACCEPTED:
        raise _unsolved(certificate.residual)
    told = (posterior, multipliers, certificate, solution.steps, solution.multipliers)
    return Inference(population, sources, constraints, reduced, *told)


def _certificate(
    population: Population, constraints: Constraints, closed: Bools, posterior: Floats, multipliers: Floats
) -> Certificate:
    """Checked on all units and all constraints as they were given: presolve and collapse play no part."""
    weights = population.counts.astype(np.float64)
    n = population.n_rows
    about = constraints.offsets, constraints.units, constraints.values
    cells = cells_of_lines(*about, posterior.shape)
    sums = line_sums(cells, weights, posterior)
    violation = np.maximum(constraints.lower - sums, sums - constraints.upper).max(initial=0.0) / n
    _, again = spread(cells, weights, closed, multipliers)
    bound = np.where(multipliers > 0, constraints.lower, constraints.upper)
    active = multipliers != 0
    gap = abs(float(multipliers[active] @ (sums - bound)[active])) / n
    return Certificate(float(violation), float(np.abs(again - posterior).max(initial=0.0)), gap)


def _unsolved(residual: float) -> ResourceError:
    return ResourceError(
        f"The maximum-entropy problem was not solved: its residual is {residual:.1e}, not 1e-6.",
        code="not-solved",
        hint="Publish fewer rules or raise the thresholds; without an accurate solution there is no number.",
    )
