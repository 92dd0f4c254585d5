"""How many rows hold each pair of some codes, in one pass over the rows."""

from __future__ import annotations

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.arrays.interrupt import Flag
from tacit.engine.kernels.contained import POLLED
from tacit.typing import Codes, Counts, Offsets


@kernel
def pair_counts(indptr: Offsets, items: Codes, places: Codes, n_places: int, flag: Flag) -> Counts:
    """The counts of the pairs a < b among the codes that have a place, as the upper half of a matrix.

    ``places[code]`` is the code's place, -1 for codes that are left out.
    """
    counts = np.zeros((n_places, n_places), dtype=np.int64)
    inside = np.empty(len(places), dtype=np.int32)
    for row in range(len(indptr) - 1):
        if row % POLLED == 0 and flag[0]:
            break
        size = 0
        for at in range(indptr[row], indptr[row + 1]):
            place = places[items[at]]
            if place >= 0:
                inside[size] = place
                size += 1
        for left in range(size):
            for right in range(left + 1, size):
                one, other = inside[left], inside[right]
                if one < other:
                    counts[one, other] += 1
                else:
                    counts[other, one] += 1
    return counts
