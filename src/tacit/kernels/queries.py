"""Answer counting queries from members that have each value only by a share."""

from __future__ import annotations

import numpy as np

from tacit.kernels.compiled import kernel
from tacit.kernels.interrupt import Flag
from tacit.typing import Bools, Codes, Floats, Offsets


@kernel
def answer_queries(
    codes: Codes,
    code_ends: Offsets,
    asked: Bools,
    wanted: Bools,
    wanted_values: Bools,
    starts: Offsets,
    values: Codes,
    shares: Floats,
    flag: Flag,
) -> Floats:
    """The expected number of members that match each query.

    Member m has ``codes[:, m]`` and the value ``values[c]`` by ``shares[c]``, for the cells c from
    ``starts[m]`` to ``starts[m + 1]``. Query q asks about the attributes ``asked[q]``; it wants the
    codes ``wanted[q]``, numbered from ``code_ends[attribute]``, and the values ``wanted_values[q]``.
    """
    n_attributes, n_members = codes.shape
    answers = np.zeros(len(asked))
    for query in range(len(asked)):
        if flag[0]:
            break
        total = 0.0
        for member in range(n_members):
            matches = True
            for attribute in range(n_attributes):
                if asked[query, attribute]:
                    matches &= wanted[query, code_ends[attribute] + codes[attribute, member]]
                    if not matches:
                        break
            if matches:
                for cell in range(starts[member], starts[member + 1]):
                    if wanted_values[query, values[cell]]:
                        total += shares[cell]
        answers[query] = total
    return answers
