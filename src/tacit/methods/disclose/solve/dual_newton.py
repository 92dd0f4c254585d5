"""The dual of a maximum-entropy problem: its value, gradient and curvature.

A class c of weight w_c spreads it over values with probabilities p_c(x) ∝ exp(Σ_j λ_j [x = x_j]), j
running over the lines c is in; closed cells have probability 0. With Z_c the normalizing sum, the
dual is Σ_c w_c log Z_c minus a term linear in λ; its gradient is the lines' sums Σ w_c p_c(x_j), its
curvature the covariances of the lines' indicators.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.typing import Bools, Codes, Floats, Offsets


@kernel
def spread(
    offsets: Offsets, lines: Codes, values: Codes, weights: Floats, closed: Bools, multipliers: Floats,
    shares: Floats,
) -> float:  # fmt: skip
    """Write p_c(x) into ``shares``; return Σ_c w_c log Z_c."""
    n_values = closed.shape[1]
    total = 0.0
    for number in range(len(weights)):
        for value in range(n_values):
            shares[number, value] = 0.0
        for place in range(offsets[number], offsets[number + 1]):
            line = lines[place]
            shares[number, values[line]] += multipliers[line]
        highest = -np.inf
        for value in range(n_values):
            if not closed[number, value] and shares[number, value] > highest:
                highest = shares[number, value]
        mass = 0.0
        for value in range(n_values):
            if closed[number, value]:
                shares[number, value] = 0.0
            else:
                shares[number, value] = np.exp(shares[number, value] - highest)
                mass += shares[number, value]
        for value in range(n_values):
            shares[number, value] /= mass
        total += weights[number] * (highest + np.log(mass))
    return total


@kernel
def line_sums(
    offsets: Offsets, lines: Codes, values: Codes, weights: Floats, shares: Floats, sums: Floats
) -> None:
    """Write Σ_c w_c p_c(x_j) of each line into ``sums``."""
    sums[:] = 0.0
    for number in range(len(weights)):
        for place in range(offsets[number], offsets[number + 1]):
            line = lines[place]
            sums[line] += weights[number] * shares[number, values[line]]


@kernel
def curvature(
    offsets: Offsets, lines: Codes, values: Codes, weights: Floats, shares: Floats, free: Codes,
    matrix: Floats,
) -> None:  # fmt: skip
    """Write the lower triangle of the Hessian over the free lines into ``matrix``.

    ``free[j]`` is the row of line j, -1 where it is not free; rows keep the order of the lines.
    """
    matrix[:] = 0.0
    most = 0
    for number in range(len(weights)):
        most = max(most, offsets[number + 1] - offsets[number])
    rows = np.empty(most, np.int32)
    kinds = np.empty(most, np.int32)
    parts = np.empty(most, np.float64)
    for number in range(len(weights)):
        filled = 0
        for place in range(offsets[number], offsets[number + 1]):
            line = lines[place]
            if free[line] >= 0:
                rows[filled] = free[line]
                kinds[filled] = values[line]
                parts[filled] = shares[number, values[line]]
                filled += 1
        weight = weights[number]
        for own in range(filled):
            row, kind, part = rows[own], kinds[own], weight * parts[own]
            if part == 0.0:
                continue
            for other in range(own + 1):
                if kinds[other] == kind:
                    matrix[row, rows[other]] += part * (1.0 - parts[other])
                else:
                    matrix[row, rows[other]] -= part * parts[other]


@kernel
def curvature_times(
    offsets: Offsets, lines: Codes, values: Codes, weights: Floats, shares: Floats, free: Codes,
    vector: Floats, result: Floats,
) -> None:  # fmt: skip
    """Write the Hessian over the free lines, times ``vector``, into ``result``."""
    n_values = shares.shape[1]
    result[:] = 0.0
    scores = np.empty(n_values)
    for number in range(len(weights)):
        scores[:] = 0.0
        for place in range(offsets[number], offsets[number + 1]):
            line = lines[place]
            if free[line] >= 0:
                scores[values[line]] += vector[free[line]]
        mean = 0.0
        for value in range(n_values):
            mean += shares[number, value] * scores[value]
        for value in range(n_values):
            scores[value] = weights[number] * shares[number, value] * (scores[value] - mean)
        for place in range(offsets[number], offsets[number + 1]):
            line = lines[place]
            if free[line] >= 0:
                result[free[line]] += scores[values[line]]


@kernel
def curvature_diagonal(
    offsets: Offsets, lines: Codes, values: Codes, weights: Floats, shares: Floats, diagonal: Floats
) -> None:
    """Write the diagonal of the Hessian over all lines into ``diagonal``."""
    diagonal[:] = 0.0
    for number in range(len(weights)):
        for place in range(offsets[number], offsets[number + 1]):
            line = lines[place]
            part = shares[number, values[line]]
            diagonal[line] += weights[number] * part * (1.0 - part)
