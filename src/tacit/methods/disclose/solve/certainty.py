"""Why a reader is certain: a small set of statements that leaves no other possibility.

Suppose that not all of some people held the value. Whatever small set of statements contradicts that
supposition is a proof; one from which nothing can be left out is what a person can follow.
"""

from __future__ import annotations

import numpy as np

from tacit.methods.disclose.solve.conflict import conflicting
from tacit.methods.disclose.solve.constraints import constraints_of, joined
from tacit.methods.disclose.solve.inference import Inference
from tacit.typing import Counts


def reasons_for_certainty(inference: Inference, combination: int, value: int) -> Counts:
    """The constraints that together force everybody of a combination to hold a value."""
    population, constraints = inference.population, inference.constraints
    starts, members = population.of_combination
    units = np.sort(members[starts[combination] : starts[combination + 1]])
    tight = np.flatnonzero(_tight(inference))
    # Certainty leaves nobody over, so to suppose that half a person is over must contradict it.
    most = float(population.counts[units].sum()) - 0.5
    supposed = constraints_of(
        (np.array([0, len(units)]), units), np.array([value]), lower=-np.inf, upper=most
    )
    found = conflicting(population, joined([constraints.select(tight), supposed]))
    return np.asarray(tight[found[found < len(tight)]])


def _tight(inference: Inference) -> np.ndarray:
    """The constraints that are met exactly; no other takes part in a proof."""
    constraints = inference.constraints
    owners = np.repeat(np.arange(len(constraints)), np.diff(constraints.offsets))
    people = inference.population.counts[constraints.units]
    shares = inference.posterior[constraints.units, constraints.values[owners]]
    sums = np.bincount(owners, weights=people * shares, minlength=len(constraints))
    near = np.minimum(np.abs(sums - constraints.lower), np.abs(constraints.upper - sums))
    return np.asarray(near <= 1e-6 * inference.population.n_rows)
