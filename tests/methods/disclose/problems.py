"""Small random problems: true counts, and true statements about them."""

from __future__ import annotations

import numpy as np

from tacit.methods.disclose.solve.constraints import Constraints, constraints_of
from tacit.methods.disclose.solve.population import Population
from tests.oracles.entropy import Row


class Statements:
    """Rows as a source of knowledge."""

    def __init__(self, rows: list[Row]) -> None:
        self.rows = rows

    def constraints(self, population: Population) -> Constraints:
        offsets = np.cumsum([0, *(len(row.units) for row in self.rows)])
        units = [unit for row in self.rows for unit in row.units]
        return constraints_of(
            (offsets, np.array(units, dtype=np.int32)),
            np.array([row.value for row in self.rows], dtype=np.int32),
            lower=np.array([row.lower for row in self.rows]),
            upper=np.array([row.upper for row in self.rows]),
        )

    def text(self, population: Population, place: int) -> str:
        return f"statement {place}"


def population(truth: np.ndarray) -> Population:
    """People without named quasi-identifiers: every row of counts is a combination of its own."""
    n_units, n_values = truth.shape
    return Population(
        attributes=(),
        texts=(),
        codes=np.zeros((n_units, 0), dtype=np.int32),
        truth=truth,
        sensitive="x",
        values=tuple("abcdefgh"[:n_values]),
        combination_of=np.arange(n_units, dtype=np.int32),
        counts=truth.sum(axis=1),
        buckets=np.full(n_units, -1, dtype=np.int32),
    )


def problem(seed: int, *, equations: bool = False) -> tuple[np.ndarray, list[Row]]:
    """True counts of a few units and values, and some true statements, many of them tight."""
    rng = np.random.default_rng(seed)
    n_units, n_values = int(rng.integers(2, 6)), int(rng.integers(2, 4))
    truth = rng.integers(0, 4, (n_units, n_values))
    truth[truth.sum(axis=1) == 0, 0] = 1
    rows = []
    for _ in range(int(rng.integers(1, 6))):
        units = tuple(sorted(rng.choice(n_units, int(rng.integers(1, n_units + 1)), replace=False).tolist()))
        value = int(rng.integers(n_values))
        count = float(truth[list(units), value].sum())
        kind = 0 if equations else rng.integers(3)
        slack = float(rng.integers(0, 3))
        lower = count if kind == 0 else -np.inf if kind == 1 else count - slack
        upper = count if kind == 0 else count + slack if kind == 1 else np.inf
        rows.append(Row(units, value, lower, upper))
    return truth, rows
