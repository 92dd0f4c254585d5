"""Answer counting queries from groups of members that have each value only by a share."""

from __future__ import annotations

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.arrays.interrupt import Flag
from tacit.typing import AnyArray, Bools, Codes, Floats, Offsets


@kernel
def answer_queries(
    codes: Codes,
    code_ends: Offsets,
    asked: Bools,
    wanted: AnyArray,
    wanted_values: Bools,
    starts: Offsets,
    values: Codes,
    shares: Floats,
    flag: Flag,
) -> Floats:
    """Shape (estimates, queries): how many members match each query, by each of several estimates.

    Combination c has ``codes[:, c]``; by estimate e, ``shares[e, i]`` of its members have the value
    ``values[i]``, for the cells i from ``starts[c]`` to ``starts[c + 1]``. Query q asks about the
    attributes ``asked[q]``; of a member with a code it wants the share ``wanted[q]``, 0 or 1 where codes are
    exact, numbered from ``code_ends[attribute]``; and the values ``wanted_values[q]``.
    """
    n_attributes, n_combinations = codes.shape
    answers = np.zeros((len(shares), len(asked)))
    for query in range(len(asked)):
        if flag[0]:
            break
        for combination in range(n_combinations):
            matching = 1.0
            for attribute in range(n_attributes):
                if asked[query, attribute]:
                    matching *= wanted[query, code_ends[attribute] + codes[attribute, combination]]
                    if matching == 0.0:
                        break
            if matching > 0.0:
                for cell in range(starts[combination], starts[combination + 1]):
                    if wanted_values[query, values[cell]]:
                        for estimate in range(len(shares)):
                            answers[estimate, query] += matching * shares[estimate, cell]
    return answers
