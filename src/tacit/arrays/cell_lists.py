"""A list of cells by the content of their rows: digest, rank among equal rows, code."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.typing import Bools, Codes, Counts, Words


class CellList(NamedTuple):
    """Cells, sorted by the digest's two words, then rank, then code."""

    digests: Words
    ranks: Counts
    codes: Codes


def cell_list(digests: Words, ranks: Counts, codes: Codes) -> CellList:
    """A list of these cells."""
    order = np.lexsort((codes, ranks, digests[:, 1], digests[:, 0]))
    return CellList(
        np.ascontiguousarray(digests[order]), ranks[order].astype(np.int64), codes[order].astype(np.int32)
    )


@kernel
def listed_cells(cells: CellList, digests: Words, ranks: Counts, codes: Codes) -> Bools:
    """Which of some cells are on the list."""
    found = np.zeros(len(codes), dtype=np.bool_)
    for number in range(len(codes)):
        low, high = 0, len(cells.codes)
        while low < high:
            middle = (low + high) >> 1
            if _before(cells, middle, digests[number], ranks[number], codes[number]):
                low = middle + 1
            else:
                high = middle
        found[number] = (
            low < len(cells.codes)
            and cells.digests[low, 0] == digests[number, 0]
            and cells.digests[low, 1] == digests[number, 1]
            and cells.ranks[low] == ranks[number]
            and cells.codes[low] == codes[number]
        )
    return found


@kernel
def _before(cells: CellList, place: int, digest: Words, rank: int, code: int) -> bool:
    """Whether the cell at a place of the list comes before another one."""
    if cells.digests[place, 0] != digest[0]:
        return bool(cells.digests[place, 0] < digest[0])
    if cells.digests[place, 1] != digest[1]:
        return bool(cells.digests[place, 1] < digest[1])
    if cells.ranks[place] != rank:
        return bool(cells.ranks[place] < rank)
    return bool(cells.codes[place] < code)
