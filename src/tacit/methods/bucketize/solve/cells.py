"""Cells of nearby rows: the quasi-identifiers split in two again and again.

Rows alike in their quasi-identifiers make better partners than any rows. A count over quasi-identifiers
is then hardly distorted, and a reader who has learned which value goes with which quasi-identifiers
cannot tell the rows of a bucket apart by them. Cells are made from the quasi-identifiers alone, so that
they say nothing about a sensitive value that the published table does not say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.engine.base import Combinations
from tacit.typing import AnyArray, Codes, Counts

ROWS_PER_VALUE = 20
"""The fewest rows of a cell are so many for each of the ℓ values of a bucket: fewer leave too many over."""
MOST_CELLS = 256
"""About the most cells of a table, so that their number does not grow with the rows."""


@dataclass(frozen=True, eq=False)
class Cells:
    """A tree of cells; cell 0 is the whole table, and a cell has a smaller number than those inside it."""

    parents: Codes
    """Per cell, the cell around it; -1 for the whole table."""
    of: Codes
    """Per combination, the smallest cell it is in."""

    def __len__(self) -> int:
        return len(self.parents)


def cells_of(combinations: Combinations, quasi: Sequence[str], l: int) -> Cells:
    """Split near the middle, by the attribute with the fewest values that still leaves cells large enough."""
    ranks = [value_ranks(combinations, name) for name in quasi]
    sizes = [int(rank.max(initial=0)) + 1 for rank in ranks]
    by_values = sorted(range(len(ranks)), key=lambda place: (sizes[place], place))
    counts = combinations.counts
    least = max(ROWS_PER_VALUE * l, -(-combinations.n_rows // MOST_CELLS))
    parents: list[int] = []
    smallest = np.zeros(len(combinations), dtype=np.int32)
    waiting: list[tuple[AnyArray, int]] = [(np.arange(len(combinations)), -1)]
    while waiting:
        inside, parent = waiting.pop()
        number = len(parents)
        parents.append(parent)
        smallest[inside] = number
        for place in by_values:
            rank = ranks[place][inside]
            cut = middle(rank, counts[inside], sizes[place], least)
            if cut is not None:
                below = rank <= cut
                waiting += [(inside[~below], number), (inside[below], number)]
                break
    return Cells(np.array(parents, dtype=np.int32), smallest)


def middle(rank: Codes, counts: Counts, size: int, least: int) -> int | None:
    """The rank up to which about half the rows are; None where a side would have fewer than ``least``."""
    upto = np.cumsum(np.bincount(rank, weights=counts, minlength=size)).astype(np.int64)
    total = int(upto[-1])
    cut = int(np.argmin(np.abs(2 * upto - total)))
    return cut if min(int(upto[cut]), total - int(upto[cut])) >= least else None


def value_ranks(combinations: Combinations, name: str) -> Codes:
    """The rank of each combination's value: by number where all are numbers, else by text; missing first."""
    place = combinations.place(name)
    texts = combinations.texts[place]
    order = sorted(range(len(texts)), key=_sort_keys(texts).__getitem__)
    ranks = np.empty(len(texts), dtype=np.int32)
    ranks[order] = np.arange(len(texts), dtype=np.int32)
    return ranks[combinations.codes[:, place]]


def _sort_keys(texts: Sequence[str | None]) -> list[tuple[float, bytes]]:
    """What values are ordered by; numbers that read differently and are equal are ordered by their text."""
    try:
        numbers = [float("-inf") if text is None else float(text) for text in texts]
    except ValueError:
        numbers = [float(text is not None) for text in texts]
    if np.isnan(numbers).any():
        numbers = [float(text is not None) for text in texts]
    return [(number, (text or "").encode()) for number, text in zip(numbers, texts, strict=True)]
