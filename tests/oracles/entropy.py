"""Maximum entropy from the definition, for small problems: slow, primal, and independent of the dual.

Every cell and every inequality is asked by a linear program how large it (or its slack) can be; what
is always zero is taken out. Then, from the mean of all those answers, a point strictly inside, the
entropy is maximized in the null space of the equations by Newton's method with a vanishing barrier
on the inequalities.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import null_space
from scipy.optimize import linprog


@dataclass(frozen=True)
class Row:
    """``lower ≤ Σ_{u in units} N(u, value) ≤ upper``."""

    units: tuple[int, ...]
    value: int
    lower: float
    upper: float


def posterior(weights: list[int], n_values: int, rows: list[Row]) -> np.ndarray | None:
    """P*(x|u) of each unit; None where nothing meets the rows."""
    n_units = len(weights)
    sums = np.kron(np.eye(n_units), np.ones((1, n_values)))
    lines = np.array([_line(row, n_units, n_values) for row in rows]).reshape(len(rows), n_units * n_values)
    equal = np.array([row.lower == row.upper for row in rows], dtype=bool)
    a_eq = np.vstack([sums, lines[equal]])
    b_eq = np.concatenate([weights, [row.lower for row in rows if row.lower == row.upper]]).astype(float)
    g, h = [], []
    for row, line in zip(rows, lines, strict=True):
        if row.lower < row.upper:
            if np.isfinite(row.upper):
                g.append(line)
                h.append(row.upper)
            if np.isfinite(row.lower):
                g.append(-line)
                h.append(-row.lower)
    g_ub = np.array(g).reshape(len(g), n_units * n_values)
    h_ub = np.array(h, dtype=float)
    points, open_cells, loose = [], np.zeros(n_units * n_values, dtype=bool), np.zeros(len(g), dtype=bool)
    for direction in [*np.eye(n_units * n_values), *(-g_ub)]:
        found = linprog(
            -direction, A_ub=g_ub if len(g) else None, b_ub=h_ub if len(g) else None, A_eq=a_eq, b_eq=b_eq
        )
        if found.x is None:
            return None
        points.append(found.x)
        open_cells |= found.x > 1e-7
        loose |= h_ub - g_ub @ found.x > 1e-7
    inside = np.where(open_cells, np.mean(points, axis=0), 0.0)
    a_eq = np.vstack([a_eq, g_ub[~loose]])[:, open_cells]
    cells = _maximize(
        inside[open_cells], a_eq, g_ub[loose][:, open_cells], h_ub[loose], weights, open_cells, n_values
    )
    full = np.zeros(n_units * n_values)
    full[open_cells] = cells
    return full.reshape(n_units, n_values) / np.array(weights, dtype=float)[:, None]


def posterior_range(
    weights: list[int], n_values: int, rows: list[Row], unit: int, value: int
) -> tuple[float, float]:
    """The smallest and the largest P(value | unit) that meet the rows: one program over every cell."""
    n_units = len(weights)
    lines = np.array([_line(row, n_units, n_values) for row in rows]).reshape(len(rows), n_units * n_values)
    bounds = np.array([[row.upper for row in rows], [-row.lower for row in rows]])
    wanted = _line(Row((unit,), value, 0, 0), n_units, n_values)
    ends = [
        linprog(
            sign * wanted,
            A_ub=np.vstack([lines, -lines])[np.isfinite(bounds.ravel())],
            b_ub=bounds.ravel()[np.isfinite(bounds.ravel())],
            A_eq=np.kron(np.eye(n_units), np.ones((1, n_values))),
            b_eq=weights,
        ).fun
        for sign in (1.0, -1.0)
    ]
    return ends[0] / weights[unit], -ends[1] / weights[unit]


def _line(row: Row, n_units: int, n_values: int) -> np.ndarray:
    line = np.zeros((n_units, n_values))
    line[list(row.units), row.value] = 1.0
    return line.ravel()


def _maximize(
    start: np.ndarray, a_eq: np.ndarray, g: np.ndarray, h: np.ndarray, weights: list[int],
    open_cells: np.ndarray, n_values: int,
) -> np.ndarray:  # fmt: skip
    """min Σ N log N over start + null space of the equations, with G N ≤ h."""
    basis = null_space(a_eq, rcond=1e-10)
    cells = start.copy()
    if basis.shape[1] == 0:
        return cells

    def value(x: np.ndarray, barrier: float) -> float:
        slack = h - g @ x
        if (x <= 0).any() or (slack <= 0).any():
            return np.inf
        return float((x * np.log(x)).sum() - barrier * np.log(slack).sum())

    for barrier in 10.0 ** -np.arange(0, 14) if len(h) else [0.0]:
        for _ in range(200):
            slack = h - g @ cells
            gradient = basis.T @ (np.log(cells) + 1 + g.T @ (barrier / slack))
            hessian = basis.T @ (np.diag(1 / cells) + g.T @ np.diag(barrier / slack**2) @ g) @ basis
            step = basis @ np.linalg.lstsq(hessian, -gradient, rcond=1e-15)[0]
            if np.abs(step).max() <= 1e-13 * max(1.0, np.abs(cells).max()):
                break
            length, now = 1.0, value(cells, barrier)
            while length > 1e-12 and not value(cells + length * step, barrier) < now:
                length /= 2
            if length <= 1e-12:
                break
            cells = cells + length * step
    return cells
