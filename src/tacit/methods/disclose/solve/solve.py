"""Maximum entropy by Newton's method on the dual, with an active set for the inequalities.

With P(x|c) ∝ exp(Σ_j λ_j [c in j, x = x_j]) the multipliers minimize

    D(λ) = Σ_c w_c log Z_c(λ) − Σ_j λ_j b_j,      b_j = lower_j where λ_j > 0, upper_j where λ_j < 0.

A multiplier of an inequality keeps its sign or becomes 0; one that is 0 joins only when its line is
violated, and only once what has joined is nearly solved, so that the thousands of lines that never
bind cost one sum each. The dual bounds the entropy from above, and no entropy is negative: a
negative D proves that the constraints contradict each other.

A class c of weight w_c spreads it over values with probabilities p_c(x), j running over the lines it is in;
closed cells have probability 0. With Z_c the normalizing sum, the gradient of Σ_c w_c log Z_c is the lines'
sums Σ w_c p_c(x_j), its curvature the covariances of the lines' indicators.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.arrays.compiled import Flag, kernel
from tacit.errors import Cancelled
from tacit.methods.disclose.solve.constraints import Reduced
from tacit.typing import Bools, Codes, Counts, Floats, Offsets

TOLERANCE = 1e-11
"""The largest violation, as a share of all people, at which a solution is final."""
DENSE_LINES = 5_000
"""Beyond so many free lines the Newton step is found by conjugate gradients."""
_JOIN = 1e-4
_LEAST_DAMPING = 1e-12
_MOST_DAMPING = 1e6
_FEW_LINES = 64
"""Below so many lines no library uses more than one thread anyway."""
_LONGEST = 12.0
"""No multiplier moves further in one step: a posterior that is off by e^12 is no model to trust."""
_MOST_STEPS = 400


@dataclass(frozen=True, eq=False)
class Solution:
    """Multipliers and posteriors of a reduced problem."""

    multipliers: Floats  # (lines,)
    shares: Floats  # (classes, values)
    slack: Floats  # (lines,)
    """How far each line's sum is from the nearer of its bounds."""
    residual: float
    """The largest violation left in the reduced problem, as a share of all people."""
    steps: int
    feasible: bool
    """False once the dual proved that no counts meet the constraints."""

    @property
    def unsettled(self) -> float:
        """The residual, weighed by the largest multiplier: what it may be worth in entropy."""
        return self.residual * max(1.0, float(np.abs(self.multipliers).max(initial=0.0)))


DENSE = 1_500
"""About so many lines are solved together at most; for the estimate of what a solve costs."""


def expected_seconds(reduced: Reduced) -> float:
    """What a solve takes: measured, passes over the entries and products of them with the equations."""
    entries = len(reduced.lines)
    return 3e-6 * entries + 1.5e-8 * entries * min(int(reduced.equal.sum()), DENSE)


def solve(
    reduced: Reduced, n_rows: int, *, start: Floats | None = None, flag: Flag | None = None
) -> Solution:
    """The maximum-entropy posterior of a problem; ``start`` are multipliers of one that differs little."""
    if len(reduced.values) < _FEW_LINES:
        return _solve(reduced, n_rows, start, flag)
    from threadpoolctl import threadpool_limits

    # Factoring a thousand lines takes milliseconds: a second thread costs more than it brings.
    with threadpool_limits(limits=1, user_api="blas"):
        return _solve(reduced, n_rows, start, flag)


def _solve(reduced: Reduced, n_rows: int, start: Floats | None, flag: Flag | None) -> Solution:
    dual = _Dual(reduced)
    considered = dual.independent()
    multipliers = np.zeros(len(reduced.values))
    if start is not None:
        multipliers[~dual.dependent] = start[~dual.dependent]
        considered |= multipliers != 0
    value, shares, gradient = dual.at(multipliers)
    best = np.inf
    for step in range(_MOST_STEPS):
        if flag is not None and flag[0]:
            raise Cancelled()
        inside = np.abs(gradient[considered]).max(initial=0.0) / n_rows
        outside = np.abs(np.where(considered | dual.dependent, 0.0, gradient)).max(initial=0.0) / n_rows
        worst = max(inside, outside)
        # Rounding has taken over where it is nearly solved, and no longer gets better.
        if worst <= TOLERANCE or (step > 3 and worst <= 1e-9 and worst >= 0.5 * best):
            break
        if value < -1e-9 * n_rows:
            return Solution(multipliers, shares, dual.slack(shares), worst, step, False)
        best = min(best, worst)
        # Lines join once those that have joined are nearly solved, or are no longer the worst.
        if inside <= max(_JOIN * outside, TOLERANCE) or inside <= min(_JOIN, outside):
            considered |= ~dual.dependent & (np.abs(gradient) > 0.05 * outside * n_rows)
        moved = _advance(dual, multipliers, gradient, value, shares, considered)
        if moved is None:
            break
        multipliers, value, shares, gradient = moved
    residual = float(np.abs(gradient).max(initial=0.0) / n_rows)
    feasible = value >= -1e-9 * n_rows
    return Solution(multipliers, shares, dual.slack(shares), residual, step, feasible)


class _Dual:
    """D(λ) of a reduced problem, with what its evaluation needs again and again."""

    def __init__(self, reduced: Reduced) -> None:
        self.reduced = reduced
        self.cells = reduced.cells
        self.lower, self.upper, self.equal = reduced.lower, reduced.upper, reduced.equal
        self.dependent: Bools = np.zeros(len(self.lower), dtype=np.bool_)
        self.damping = _LEAST_DAMPING
        """Added to the scaled Hessian's diagonal: lines that depend on each other make it singular."""

    def at(self, multipliers: Floats) -> tuple[float, Floats, Floats]:
        """D(λ), the posteriors, and its gradient: how far each line is from the bound that counts.

        That is the bound its multiplier stands for; with a multiplier of 0, the bound it violates.
        """
        reduced = self.reduced
        value, shares = spread(self.cells, reduced.weights, reduced.closed, multipliers)
        up, down = multipliers > 0, multipliers < 0
        value -= float(multipliers[up] @ self.lower[up] + multipliers[down] @ self.upper[down])
        sums = line_sums(self.cells, reduced.weights, shares)
        bound = np.where(up, self.lower, np.where(down, self.upper, np.clip(sums, self.lower, self.upper)))
        return value, shares, np.asarray(sums - bound)

    def _diagonal(self, shares: Floats) -> Floats:
        """The diagonal of the Hessian."""
        return line_sums(self.cells, self.reduced.weights, shares * (1.0 - shares))

    def slack(self, shares: Floats) -> Floats:
        """How far each line's sum is from the nearer of its bounds."""
        sums = line_sums(self.cells, self.reduced.weights, shares)
        return np.asarray(np.minimum(np.abs(sums - self.lower), np.abs(self.upper - sums)))

    def independent(self) -> Bools:
        """The equations, without those that follow from the others."""
        equations = np.flatnonzero(self.equal)
        if not len(equations) or len(equations) > DENSE_LINES:
            return self.equal.copy()
        from scipy.linalg.lapack import dpstrf

        _, shares, _ = self.at(np.zeros(len(self.lower)))
        matrix, _ = self._scaled(shares, equations)
        _, pivots, rank, _ = dpstrf(matrix.T, lower=0, tol=1e-11, overwrite_a=1)
        self.dependent[equations[pivots[rank:] - 1]] = True
        return np.asarray(self.equal & ~self.dependent)

    def newton_step(self, multipliers: Floats, gradient: Floats, shares: Floats, considered: Bools) -> Floats:
        """−H⁻¹ g over the free lines, and −g/H_jj for those about to become inactive."""
        leaving = ~self.equal & (np.abs(multipliers) < 1e-3) & (multipliers * gradient > 0)
        free = considered & ~leaving & (self.equal | (multipliers != 0) | (gradient != 0))
        move = np.zeros(len(multipliers))
        if leaving.any():
            move[leaving] = -gradient[leaving] / np.maximum(self._diagonal(shares)[leaving], 1e-300)
        places = np.flatnonzero(free)
        if len(places) <= DENSE_LINES:
            move[places] = self._dense_step(gradient, shares, places)
        else:
            move[places] = self._conjugate_step(gradient, shares, places)
        return _bounded(move, gradient)

    def _scaled(self, shares: Floats, places: Counts) -> tuple[Floats, Floats]:
        """The Hessian over some lines, scaled to a diagonal of ones, and the scale."""
        matrix, reduced = np.zeros((len(places), len(places))), self.reduced
        rows = np.full(len(self.lower), -1, dtype=np.int32)
        rows[places] = np.arange(len(places), dtype=np.int32)
        classes = reduced.offsets, reduced.lines, reduced.values, reduced.weights
        curvature(*classes, shares, rows, matrix)
        scale = _inverse_root(np.diag(matrix))
        matrix *= scale[:, None]
        matrix *= scale[None, :]
        return matrix, scale

    def _dense_step(self, gradient: Floats, shares: Floats, places: Counts) -> Floats:
        from scipy.linalg.lapack import dpotrf, dpotrs

        matrix, scale = self._scaled(shares, places)
        factor = matrix.T  # our lower triangle is the upper one in LAPACK's order
        ones = np.diag(factor).copy()
        while True:
            np.fill_diagonal(factor, ones + self.damping)
            done, fault = dpotrf(factor, lower=0, clean=0)
            if fault == 0:
                break
            self.damping *= 100
        solved, _ = dpotrs(done, -gradient[places] * scale, lower=0)
        return np.asarray(solved * scale)

    def _conjugate_step(self, gradient: Floats, shares: Floats, places: Counts) -> Floats:
        from scipy.sparse.linalg import LinearOperator, cg

        cells, weights = self.cells[places], self.reduced.weights
        scale = _inverse_root(self._diagonal(shares)[places])

        def times(vector: Floats) -> Floats:
            scores = (cells.T @ (vector * scale)).reshape(shares.shape)
            around = scores - (shares * scores).sum(axis=1)[:, None]
            return np.asarray(line_sums(cells, weights, shares * around) * scale + self.damping * vector)

        operator = LinearOperator((len(places), len(places)), matvec=times, dtype=np.float64)
        solved, _ = cg(operator, -gradient[places] * scale, rtol=1e-3, maxiter=500)
        return np.asarray(solved * scale)


def _bounded(move: Floats, gradient: Floats) -> Floats:
    """The step with no multiplier moving too far: each cut by itself, or all alike where that climbs.

    Where a posterior has come near 0 or 1 the curvature vanishes, and a Newton step leads nowhere near
    where the model holds.
    """
    cut = np.clip(move, -_LONGEST, _LONGEST)
    if float(gradient @ cut) < 0:
        return cut
    return np.asarray(move * min(1.0, _LONGEST / max(np.abs(move).max(initial=0.0), 1e-300)))


def _inverse_root(diagonal: Floats) -> Floats:
    """1/√ of each entry; 0 for a line without curvature, which no step can move."""
    curved = diagonal > 1e-250
    return np.where(curved, 1.0 / np.sqrt(np.where(curved, diagonal, 1.0)), 0.0)


_Point = tuple[Floats, float, Floats, Floats]
"""Multipliers, and there the dual's value, the posteriors and the gradient."""


def _advance(
    dual: _Dual, multipliers: Floats, gradient: Floats, value: float, shares: Floats, considered: Bools
) -> _Point | None:
    """The point a damped Newton step leads to; None where rounding hides any gain."""
    while dual.damping <= _MOST_DAMPING:
        move = dual.newton_step(multipliers, gradient, shares, considered)
        moved, length = _search(dual, multipliers, gradient, value, move, considered)
        if moved is not None:
            # A short step says that the model was trusted too far; a full one, that it may be trusted more.
            dual.damping = max(_LEAST_DAMPING, dual.damping * (1e-3 if length == 1.0 else 1.0))
            return moved
        dual.damping *= 1000
    return None


def _search(
    dual: _Dual, multipliers: Floats, gradient: Floats, value: float, move: Floats, considered: Bools
) -> tuple[_Point | None, float]:
    """The first of the steps 1, ½, ¼, … that lowers D enough, and its length."""
    length = 1.0
    worst = np.abs(gradient[considered]).max(initial=0.0)
    # A multiplier that is 0 may only leave in the direction that mends its line.
    sign = np.where(multipliers != 0, np.sign(multipliers), -np.sign(gradient))
    while length > 1e-4:
        moved = multipliers + length * move
        moved[~dual.equal & (moved * sign <= 0)] = 0.0
        new_value, shares, new_gradient = dual.at(moved)
        gain = float(gradient @ (moved - multipliers))
        flat = abs(new_value - value) <= 1e-13 * max(1.0, abs(value))
        better = np.abs(new_gradient[considered]).max(initial=0.0) < worst
        if better if flat else new_value <= value + 1e-4 * gain:
            return (moved, new_value, shares, new_gradient), length
        length *= 0.5
    return None, 0.0


def spread(cells: Any, weights: Floats, closed: Bools, multipliers: Floats) -> tuple[float, Floats]:
    """Σ_c w_c log Z_c, and the probabilities p_c(x); ``cells`` are those of the lines."""
    scores = np.where(closed, -np.inf, (cells.T @ multipliers).reshape(closed.shape))
    highest = scores.max(axis=1)
    shares = np.exp(scores - highest[:, None])
    mass = shares.sum(axis=1)
    return float(weights @ (highest + np.log(mass))), np.asarray(shares / mass[:, None])


def line_sums(cells: Any, weights: Floats, shares: Floats) -> Floats:
    """Σ_c w_c s_c(x_j) of each line."""
    return np.asarray(cells @ (weights[:, None] * shares).ravel())


@kernel
def curvature(
    offsets: Offsets, lines: Codes, values: Codes, weights: Floats, shares: Floats, free: Codes,
    matrix: Floats,
) -> None:  # fmt: skip
    """Add the lower triangle of the Hessian over the free lines, of which j has row ``free[j]``."""
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
