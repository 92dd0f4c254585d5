"""The worst case beside the expected one: the smallest and the largest posterior consistent with the rules.

Maximum entropy is the expected reader. Linear programming gives the range of P(x|q) over *all*
counts that agree with what is known: people are disclosed for certain by a large lower bound. That
counts are whole numbers is not used, so certainty is understated.

The reader who counts tables: exact posteriors where all tables can be tried.

All tables that agree with what is known are equally likely, and a person's posterior is the share of
them in which she holds the value. Maximum entropy is the limit of this for many people; of few people it
can be smaller: "at least one of these two" is a half by entropy, and three of five by counting three
values. So where the tables are few enough they are counted, besides.

How disclosure spreads over people: whose posterior is how large, whose divergence how small. The
divergence curve sorts everybody by D_individual, the most disclosed first, and reads it off at even
steps. Where it starts near 0, a reader knows as much about those people as the data themselves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from math import comb, prod

import numpy as np
from scipy.special import gammaln

from tacit.arrays.groups import take_rows
from tacit.errors import ResourceError
from tacit.methods.disclose.solve.constraints import Constraints, Reduced
from tacit.methods.disclose.solve.inference import Inference
from tacit.methods.disclose.solve.linear import Program, program_of
from tacit.methods.disclose.solve.population import Population
from tacit.methods.disclose.solve.solve import solve
from tacit.typing import AnyArray, Codes, Counts, Floats

SURELY_MET = 1e-9
"""A violation of constraints, as a share of all people, that is rounding."""


def posterior_bounds(inference: Inference, combination: int, value: int) -> tuple[float, float]:
    """The smallest and the largest P(value | combination) that agree with every constraint."""
    population = inference.population
    starts, members = population.of_combination
    units = members[starts[combination] : starts[combination + 1]]
    reduced, own = separated(inference.reduced, units, population.counts.astype(np.float64))
    settled = own < 0
    certain = float(population.counts[units][settled & ~reduced.settled[units, value]].sum())
    total = float(population.people[combination])
    if settled.all():
        return certain / total, certain / total
    rest = float(population.counts[units][~settled].sum())
    most = rest if _possible(inference, reduced, units, own, value, everybody=True) else None
    least = 0.0 if _possible(inference, reduced, units, own, value, everybody=False) else None
    if most is None or least is None:
        program = program_of(reduced)
        cells = own[~settled].astype(np.int64) * population.n_values + value
        objective = np.isin(program.cells, cells).astype(np.float64)
        most = _largest(program, objective) if most is None else most
        least = -_largest(program, -objective) if least is None else least
    low, high = (certain + least) / total, (certain + most) / total
    return min(max(low, 0.0), 1.0), min(max(high, 0.0), 1.0)


def _possible(
    inference: Inference, reduced: Reduced, units: Codes, own: Codes, value: int, *, everybody: bool
) -> bool:
    """Whether everybody (or nobody) of some units may hold a value: a solve, cheaper than a program."""
    if _by_exchange(inference, units, value, everybody=everybody):
        return True
    own = own[own >= 0]
    closed = reduced.closed.copy()
    barred = np.arange(closed.shape[1]) != value if everybody else np.arange(closed.shape[1]) == value
    closed[own] |= barred
    if closed[own].all(axis=1).any():
        return False
    # A few people less leave the multipliers of all others nearly what they were.
    start = inference.line_multipliers
    solution = solve(replace(reduced, closed=closed), int(reduced.weights.sum()), start=start)
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


def _largest(program: Program, objective: Floats) -> float:
    found = program.maximize(objective)
    if found is None:
        raise ResourceError(
            "The bounds of a posterior could not be computed: the linear program was not solved.",
            code="not-solved",
        )
    return found[0]


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
    ways = [_ways(int(people), n_values) for people in population.counts]  # per unit: (ways, values)
    chosen = np.unravel_index(np.arange(prod(sizes)), sizes)  # per unit: which way, by table
    held = [way[rows] for way, rows in zip(ways, chosen, strict=True)]
    possible = (np.sum(held, axis=0) > 0).all(axis=1)
    for line, value in enumerate(constraints.values.tolist()):
        units = constraints.units[constraints.offsets[line] : constraints.offsets[line + 1]]
        total = np.sum([held[unit][:, value] for unit in units.tolist()], axis=0)
        possible &= (total >= constraints.lower[line]) & (total <= constraints.upper[line])
    # A table of counts stands for as many tables of people as there are ways to deal its values.
    weights = np.exp(-np.sum([gammaln(one[possible] + 1.0).sum(axis=1) for one in held], axis=0))
    shares = [weights @ one[possible] / people for one, people in zip(held, population.counts, strict=True)]
    return np.asarray(shares / weights.sum())


def _ways(people: int, n_values: int) -> Counts:
    """All ways to give values to so many people, counted by value: bars between stars."""
    bars = np.array(list(combinations(range(people + n_values - 1), n_values - 1)), dtype=np.int64)
    edges = np.hstack([np.full((len(bars), 1), -1), bars, np.full((len(bars), 1), people + n_values - 1)])
    return np.asarray(np.diff(edges, axis=1) - 1)


BINS = 20
POINTS = 51
WITH_SILENCE, WITHOUT_SILENCE = "reasons from silence", "does not"
"""The readers whose curves are shown side by side."""


@dataclass(frozen=True, slots=True)
class DivergencePoint:
    """The ``share`` of people with the smallest D_individual have at most this one, in nats."""

    share: float
    d_individual: float


@dataclass(frozen=True, slots=True)
class PosteriorCount:
    """So many people have a likeliest value with a posterior of at least ``low`` and less than ``high``."""

    low: float
    high: float
    people: int


def divergence_curve(d_individual: Floats, people: AnyArray) -> tuple[DivergencePoint, ...]:
    """D_individual at even shares of the people, smallest first; infinite ones are left out at the end."""
    order = np.argsort(d_individual, kind="stable")
    reached = np.cumsum(people[order])
    total = int(reached[-1]) if len(reached) else 0
    points = []
    for step in range(POINTS if total else 0):
        share = step / (POINTS - 1)
        person = max(1, -(-step * total // (POINTS - 1)))  # the person at this share, counted from 1
        value = float(d_individual[order[np.searchsorted(reached, person)]])
        if np.isfinite(value):
            points.append(DivergencePoint(share, value))
    return tuple(points)


def posterior_counts(posterior: Floats, people: AnyArray) -> tuple[PosteriorCount, ...]:
    """The people by the posterior of their likeliest value, in equal steps."""
    top = posterior.max(axis=1, initial=0.0)
    place = np.minimum(np.floor(top * BINS + 1e-9).astype(np.int64), BINS - 1)
    counts = np.bincount(place, weights=people, minlength=BINS).astype(np.int64).tolist()
    return tuple(
        PosteriorCount(number / BINS, (number + 1) / BINS, count) for number, count in enumerate(counts)
    )
