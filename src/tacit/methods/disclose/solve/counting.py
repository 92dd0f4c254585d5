"""The reader who counts tables: exact posteriors where all tables can be tried.

All tables that agree with what is known are equally likely, and a person's posterior is the share of
them in which she holds the value. Maximum entropy is the limit of this for many people; of few people it
can be smaller: "at least one of these two" is a half by entropy, and three of five by counting three
values. So where the tables are few enough they are counted, besides.
"""

from __future__ import annotations

from itertools import combinations
from math import comb, prod

import numpy as np
from scipy.special import gammaln

from tacit.methods.disclose.solve.constraints import Constraints
from tacit.methods.disclose.solve.population import Population
from tacit.typing import Counts, Floats

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
