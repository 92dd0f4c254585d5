"""What a reader expects of a pair, by the definitions: least squares over rows, one pair at a time."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def partial_correlation(rows: npt.NDArray[np.float64], one: int, other: int) -> float:
    """The correlation of what all other columns leave unexplained of two."""
    rest = np.delete(rows, [one, other], axis=1)
    design = np.column_stack([np.ones(len(rows)), rest])
    left = [
        rows[:, column] - design @ np.linalg.lstsq(design, rows[:, column], rcond=None)[0]
        for column in (one, other)
    ]
    return float(np.corrcoef(*left)[0, 1])


def expected_with(rows: npt.NDArray[np.float64], cause: int, victim: int) -> float:
    """How many rows with the cause should hold the victim, learned from the rows without the cause."""
    held = rows[:, cause] > 0
    rest = np.delete(rows, [cause, victim], axis=1)
    design = np.column_stack([np.ones(len(rows)), rest])
    weights = np.linalg.lstsq(design[~held], rows[~held, victim], rcond=None)[0]
    return float((design[held] @ weights).sum())
