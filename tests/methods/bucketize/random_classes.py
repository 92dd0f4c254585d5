"""Random small tables as classes, for the laws of bucketizing."""

from __future__ import annotations

import numpy as np

from tacit.arrays.bitmaps import pack, unpack
from tacit.knowledge.reachability import valid_marks
from tacit.methods.bucketize.solve.plan import Classes
from tacit.typing import Codes


def random_classes(generator: np.random.Generator, *, most_rows: int = 12, attributes: int = 1) -> Classes:
    """A table of a few rows: values, forbidden sets that respect the truth, all drawn."""
    n_rows = int(generator.integers(2, most_rows + 1))
    codes = int(generator.integers(2, 6))
    drawn = generator.integers(0, codes, size=(n_rows, attributes))
    parts, held = np.unique(drawn, axis=0, return_inverse=True)
    held = held.ravel()
    share = generator.choice([0.0, 0.15, 0.3, 0.5])
    # A rule is about a value of one attribute, so it bars every combination with that value.
    barred = np.zeros((n_rows, len(parts)), dtype=bool)
    for place in range(attributes):
        marks = generator.random((n_rows, codes)) < share
        marks[np.arange(n_rows), drawn[:, place]] = False
        barred |= marks[:, parts[:, place]]
    rows, counts = np.unique(np.column_stack([held, barred]), axis=0, return_counts=True)
    order = generator.permutation(len(rows))
    return Classes(
        attributes=tuple(f"attribute{place}" for place in range(attributes)),
        texts=tuple(tuple(map(str, range(codes))) for _ in range(attributes)),
        parts=parts.astype(np.int32),
        values=rows[order, 0].astype(np.int32),
        forbidden=pack(rows[order, 1:].astype(bool)),
        counts=counts[order].astype(np.int64),
    )


def rows_of(classes: Classes, bucket: np.ndarray) -> tuple[list[int], list[set[int]]]:
    """The values and forbidden sets of a bucket's rows, as the oracles take them."""
    barred = unpack(classes.forbidden, classes.n_values)
    return (
        [int(classes.values[kind]) for kind in bucket],
        [set(np.flatnonzero(barred[kind]).tolist()) for kind in bucket],
    )


def valid_values(classes: Classes, bucket: Codes) -> list[frozenset[int]]:
    """The valid values of each row of a bucket, given as the classes of its rows.

    >>> import numpy as np
    >>> from tacit.arrays.bitmaps import pack
    >>> OVARIAN, FLU = 0, 1
    >>> classes = Classes(
    ...     attributes=("disease",), texts=(("ovarian cancer", "flu"),), parts=np.array([[0], [1]], np.int32),
    ...     values=np.array([FLU, OVARIAN], np.int32),
    ...     forbidden=pack(np.array([[True, False], [False, False]])), counts=np.array([2, 1]))
    >>> valid_values(classes, np.array([0, 0, 1], np.int32))  # two men, one woman: only she can hold it
    [frozenset({1}), frozenset({1}), frozenset({0})]
    """
    marks = valid_marks(bucket, classes.values, classes.forbidden, classes.n_values)
    return [frozenset(np.flatnonzero(row).tolist()) for row in marks]
