"""The worst case beside the expected one: the smallest and the largest posterior consistent with the rules.

Maximum entropy is the expected reader. Linear programming gives the range of P(x|q) over *all*
counts that agree with what is known: people are disclosed for certain by a large lower bound. That
counts are whole numbers is not used, so certainty is understated.

The reader who counts tables: exact posteriors where all tables can be tried.

All tables that agree with what is known are equally likely, and a person's posterior is the share of
them in which she holds the value. Maximum entropy is the limit of this for many people; of few people it
can be smaller: "at least one of these two" is a half by entropy, and three of five by counting three
values. So where the tables are few enough they are counted, besides.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from math import comb, prod

import numpy as np

from tacit.arrays.groups import take_rows
from tacit.errors import ResourceError
from tacit.methods.disclose.solve.constraints import Constraints, Reduced
from tacit.methods.disclose.solve.inference import Inference
from tacit.methods.disclose.solve.linear import NEGLIGIBLE, Program, about_value, program_of
from tacit.methods.disclose.solve.population import Population
from tacit.methods.disclose.solve.solve import solve
from tacit.typing import Codes, Counts, Floats

SURELY_MET = 1e-9
"""A violation of constraints, as a share of all people, that is rounding."""
MOST_CELLS = 100_000
"""The program of all constraints is solved up to so many unknowns."""


def posterior_bounds(
    inference: Inference, combination: int, value: int
) -> tuple[float, float] | tuple[None, None]:
    """The smallest and the largest P(value | combination) that agree with every constraint.

    None where the program has more than MOST_CELLS unknowns and no cheaper way leads to them.
    """
    population = inference.population
    starts, members = population.of_combination
    units = members[starts[combination] : starts[combination + 1]]
    reduced, own = separated(inference.reduced, units, population.counts.astype(np.float64))
    settled = own < 0
    certain = float(population.counts[units][settled & ~reduced.settled[units, value]].sum())
    total = float(population.people[combination])
    if settled.all():
        return certain / total, certain / total
    least = _furthest(inference, reduced, units, own, value, everybody=False)
    most = _furthest(inference, reduced, units, own, value, everybody=True)
    if least is None or most is None:
        return None, None
    low, high = (certain + least) / total, (certain + most) / total
    return min(max(low, 0.0), 1.0), min(max(high, 0.0), 1.0)


def _furthest(
    inference: Inference, reduced: Reduced, units: Codes, own: Codes, value: int, *, everybody: bool
) -> float | None:
    """The most people of some units' classes who may hold a value, or (not ``everybody``) the fewest.

    Cheap answers first. The constraints about this value alone enclose the answer; it is exact where the
    values that they leave can be completed so that all others are met as well. The program of all
    constraints is solved only where that fails and it has at most MOST_CELLS unknowns.
    """
    mine, n_values = own[own >= 0], reduced.closed.shape[1]
    end = float(reduced.weights[mine].sum()) if everybody else 0.0
    if _by_exchange(inference, units, value, everybody=everybody):
        return end
    about = about_value(reduced, value)
    cells = mine.astype(np.int64) * 2 + (value if n_values == 2 else 0)
    enclosing, held = _extreme(program_of(about), cells, everybody)
    if n_values == 2:
        return enclosing
    reaches = abs(enclosing - end) <= NEGLIGIBLE
    if reaches and _possible(inference, reduced, mine, value, everybody=everybody):
        return end
    if _completed(inference, reduced, value, held):
        return enclosing
    if (~reduced.closed).sum() > MOST_CELLS:
        return None
    return _extreme(program_of(reduced), mine.astype(np.int64) * n_values + value, everybody)[0]


def _possible(inference: Inference, reduced: Reduced, own: Codes, value: int, *, everybody: bool) -> bool:
    """Whether everybody (or nobody) of some classes may hold a value: a solve, cheaper than a program."""
    closed = reduced.closed.copy()
    closed[own] |= (np.arange(closed.shape[1]) == value) != everybody
    if closed[own].all(axis=1).any():
        return False
    # A few people less leave the multipliers of all others nearly what they were.
    return _solved(replace(reduced, closed=closed), inference.line_multipliers)


def _completed(inference: Inference, reduced: Reduced, value: int, held: Floats) -> bool:
    """Whether the other values can be dealt to all who are left once so many of each class hold this one."""
    free = reduced.values == value
    closed = reduced.closed.copy()
    closed[:, value] = True
    rest = replace(
        reduced,
        closed=closed,
        weights=np.maximum(reduced.weights - held, 0.0),
        lower=np.where(free, -np.inf, reduced.lower),
        upper=np.where(free, np.inf, reduced.upper),
    )
    return _solved(rest, np.where(free, 0.0, inference.line_multipliers))


def _solved(reduced: Reduced, start: Floats) -> bool:
    solution = solve(reduced, max(1, int(reduced.weights.sum())), start=start)
    return solution.feasible and solution.residual <= SURELY_MET


def _by_exchange(inference: Inference, units: Codes, value: int, *, everybody: bool) -> bool:
    """Whether the others of their classes can take the values of these units off them, or give them theirs.

    What a class holds as a whole is the same afterwards, and no constraint tells its units apart.
    """
    if inference.certificate.violation > SURELY_MET:
        return False
    classes = inference.reduced.class_of
    free = units[classes[units] >= 0]
    people = inference.population.counts[free].astype(np.float64)
    share = inference.posterior[free, value] if everybody else 1.0 - inference.posterior[free, value]
    held = share * inference.reduced.weights[classes[free]]
    taken = np.bincount(classes[free], weights=people)[classes[free]]
    return bool((held >= taken + inference.population.n_rows * SURELY_MET).all())


def _extreme(program: Program, cells: Counts, most: bool) -> tuple[float, Floats]:
    """The most (or fewest) people in some cells, and then the people in the first cell of each class."""
    objective: Floats = np.isin(program.cells, cells).astype(np.float64) * (1.0 if most else -1.0)
    found = program.maximize(objective)
    if found is None:
        raise ResourceError(
            "The bounds of a posterior could not be computed: the linear program was not solved.",
            code="not-solved",
        )
    held = np.zeros(2 * len(program.weights))
    first = program.cells < len(held)
    held[program.cells[first]] = found[1][first]
    return abs(found[0]), held[::2]


def separated(reduced: Reduced, units: Codes, people: Floats) -> tuple[Reduced, Codes]:
    """The problem with some units in classes of their own, and those classes (-1 for settled units).

    Units of one class share a posterior when entropy is largest, but not in every feasible point.
    """
    own = np.full(len(units), -1, dtype=np.int32)
    free = np.flatnonzero(reduced.class_of[units] >= 0)
    old = reduced.class_of[units[free]]
    own[free] = len(reduced.weights) + np.arange(len(free), dtype=np.int32)
    weights = reduced.weights.copy()
    np.subtract.at(weights, old, people[units[free]])
    more, lines = take_rows(reduced.offsets, reduced.lines, old)
    class_of = reduced.class_of.copy()
    class_of[units[free]] = own[free]
    return (
        replace(
            reduced,
            class_of=class_of,
            weights=np.concatenate([weights, people[units[free]]]),
            closed=np.concatenate([reduced.closed, reduced.closed[old]]),
            offsets=np.concatenate([reduced.offsets, reduced.offsets[-1] + more[1:]]),
            lines=np.concatenate([reduced.lines, lines]),
        ),
        own,
    )


MOST_TABLES = 200_000
"""The largest number of tables of counts, people of a unit by value, that are tried."""


def counted_posterior(population: Population, constraints: Constraints) -> Floats | None:
    """Per unit and value the share of tables in which a person of the unit holds it; None for too many.

    The reader knows that every value occurs, as the published list of values says.
    """
    n_values = population.n_values
    sizes = [comb(int(people) + n_values - 1, n_values - 1) for people in population.counts]
    if prod(sizes) > MOST_TABLES:
        return None
    from scipy.special import gammaln

    ways = [_ways(int(people), n_values) for people in population.counts]  # per unit: (ways, values)
    chosen = np.unravel_index(np.arange(prod(sizes)), sizes)  # per unit: which way, by table
    possible = np.ones(prod(sizes), dtype=np.bool_)
    for value in range(n_values):
        held = [way[:, value][rows] for way, rows in zip(ways, chosen, strict=True)]
        possible &= sum(held) > 0
        for line in np.flatnonzero(constraints.values == value).tolist():
            units = constraints.units[constraints.offsets[line] : constraints.offsets[line + 1]]
            total = sum(held[unit] for unit in units.tolist())
            possible &= (total >= constraints.lower[line]) & (total <= constraints.upper[line])
    left = [rows[possible] for rows in chosen]
    # A table of counts stands for as many tables of people as there are ways to deal its values.
    dealt = [gammaln(way + 1.0).sum(axis=1)[rows] for way, rows in zip(ways, left, strict=True)]
    weights = np.exp(-np.sum(dealt, axis=0))
    tables = zip(ways, left, population.counts, strict=True)
    return np.asarray([weights @ way[rows] / people for way, rows, people in tables] / weights.sum())


def _ways(people: int, n_values: int) -> Counts:
    """All ways to give values to so many people, counted by value: bars between stars."""
    bars = np.array(list(combinations(range(people + n_values - 1), n_values - 1)), dtype=np.int64)
    edges = np.hstack([np.full((len(bars), 1), -1), bars, np.full((len(bars), 1), people + n_values - 1)])
    return np.asarray(np.diff(edges, axis=1) - 1)
