"""Which cells of a table must be zero, by propagating bounds through sums of cells.

Cell (u, x) holds between 0 and ``weights[u]``, and the cells of a unit add up to its weight. Line j
bounds the sum of the cells (u, values[j]) over its units. A cell is closed once it must be zero; a
unit with one open cell puts its whole weight there.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.typing import Bools, Codes, Counts, Floats, Offsets


@kernel
def close_cells(
    offsets: Offsets, units: Codes, values: Codes, lower: Floats, upper: Floats, weights: Floats,
    closed: Bools, slack: float,
) -> tuple[int, bool]:  # fmt: skip
    """Close, in place, what one pass over the lines closes.

    Returns the first line that cannot be met (-1 for none) and whether anything was closed.
    """
    n_values = closed.shape[1]
    n_open = np.empty(len(closed), np.int32)
    for unit in range(len(closed)):
        n_open[unit] = n_values
        for value in range(n_values):
            if closed[unit, value]:
                n_open[unit] -= 1
    changed = False
    for line in range(len(values)):
        value = values[line]
        most, least = 0.0, 0.0
        for place in range(offsets[line], offsets[line + 1]):
            unit = units[place]
            if not closed[unit, value]:
                most += weights[unit]
                if n_open[unit] == 1:
                    least += weights[unit]
        if most < lower[line] - slack or least > upper[line] + slack:
            return line, changed
        if most <= lower[line] and most > least:
            for place in range(offsets[line], offsets[line + 1]):
                unit = units[place]
                if not closed[unit, value] and n_open[unit] > 1:
                    for other in range(n_values):
                        if other != value and not closed[unit, other]:
                            closed[unit, other] = True
                            n_open[unit] -= 1
                    changed = True
        elif least >= upper[line] and most > least:
            for place in range(offsets[line], offsets[line + 1]):
                unit = units[place]
                if not closed[unit, value] and n_open[unit] > 1:
                    closed[unit, value] = True
                    n_open[unit] -= 1
                    changed = True
    return -1, changed


@kernel
def close_differences(
    offsets: Offsets, units: Codes, values: Codes, pairs: Counts, filled: bool, closed: Bools
) -> bool:
    """Close, in place, the cells of what lies in the outer but not the inner line of each pair.

    The difference holds nothing of the value; or, where ``filled``, nothing of any other value.
    """
    n_values = closed.shape[1]
    changed = False
    for pair in range(len(pairs)):
        inner, outer = pairs[pair, 0], pairs[pair, 1]
        value = values[outer]
        at = offsets[inner]
        for place in range(offsets[outer], offsets[outer + 1]):
            unit = units[place]
            while at < offsets[inner + 1] and units[at] < unit:
                at += 1
            if at < offsets[inner + 1] and units[at] == unit:
                continue
            for other in range(n_values):
                if (other == value) != filled and not closed[unit, other]:
                    closed[unit, other] = True
                    changed = True
    return changed
