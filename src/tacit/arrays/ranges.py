"""Which rows lie inside which boxes: the conjunction of one range per column."""

from __future__ import annotations

from tacit.arrays.compiled import kernel
from tacit.typing import Bools, Codes


@kernel
def mark_boxes(points: Codes, low: Codes, high: Codes, labels: Codes, marks: Bools) -> None:
    """Set ``marks[p, labels[b]]`` where point p lies in box b: ``low[b] <= points[p] < high[b]`` throughout.

    A column that does not matter has the widest range.
    """
    n_boxes, n_columns = low.shape
    for point in range(len(points)):
        for box in range(n_boxes):
            if marks[point, labels[box]]:
                continue
            inside = True
            for column in range(n_columns):
                code = points[point, column]
                if code < low[box, column] or code >= high[box, column]:
                    inside = False
                    break
            if inside:
                marks[point, labels[box]] = True
