"""Learn a naive Bayes model from groups whose members and values are known, but not who has which.

Expectation–maximization: given the model, each member of a group gets a share of each of the
group's values, scaled so that members add up to one and values to how often the group holds them;
given the shares, the model is counted again.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.arrays.interrupt import Flag
from tacit.typing import Codes, Counts, Floats, Offsets

ROUNDS = 20
"""The most rounds of expectation–maximization; many more make the model surer and the guesses worse."""
ENOUGH = 3e-3
"""Stop once the shares change by no more than this on average."""
SCALINGS = 5
"""How often members and values are scaled in turn inside a round."""
MOST_CHANCES = 50_000_000
"""The model has a chance for each value beside each code; the most that are worth their memory."""


@kernel
def learn_shares(
    codes: Codes,
    code_ends: Offsets,
    offsets: Offsets,
    value_offsets: Offsets,
    group_values: Codes,
    group_counts: Counts,
    starts: Offsets,
    n_values: int,
    flag: Flag,
) -> Floats:
    """The learned share of each value of its group for each member, laid out from ``starts[member]`` on.

    Member r of group g, ``offsets[g] <= r < offsets[g + 1]``, has the codes ``codes[:, r]``, numbered
    from ``code_ends[attribute]``; the group holds ``group_values`` with ``group_counts`` (CSR).
    """
    n_attributes, n_members = codes.shape
    shares = np.empty(starts[-1])
    totals = np.zeros(n_values)
    for group in range(len(offsets) - 1):
        first, end = value_offsets[group], value_offsets[group + 1]
        size = offsets[group + 1] - offsets[group]
        for at in range(first, end):
            totals[group_values[at]] += group_counts[at]
            for member in range(offsets[group], offsets[group + 1]):
                shares[starts[member] + at - first] = group_counts[at] / size
    chance = np.empty((code_ends[-1], n_values))
    for _ in range(ROUNDS):
        if flag[0]:
            break
        # Given the shares, count the model again, with one pseudo-count spread over each attribute.
        for attribute in range(n_attributes):
            n_codes = code_ends[attribute + 1] - code_ends[attribute]
            for row in range(code_ends[attribute], code_ends[attribute + 1]):
                for value in range(n_values):
                    chance[row, value] = 1.0 / n_codes
        for group in range(len(offsets) - 1):
            first, end = value_offsets[group], value_offsets[group + 1]
            for member in range(offsets[group], offsets[group + 1]):
                for attribute in range(n_attributes):
                    row = code_ends[attribute] + codes[attribute, member]
                    for at in range(first, end):
                        chance[row, group_values[at]] += shares[starts[member] + at - first]
        for row in range(len(chance)):
            for value in range(n_values):
                chance[row, value] = np.log(chance[row, value] / (totals[value] + 1.0))
        change = 0.0
        for group in range(len(offsets) - 1):
            change += _share_out(
                group,
                codes,
                code_ends,
                offsets,
                value_offsets,
                group_values,
                group_counts,
                starts,
                chance,
                shares,
            )
        if change <= ENOUGH * n_members:
            break
    return shares


@kernel
def _share_out(
    group: int,
    codes: Codes,
    code_ends: Offsets,
    offsets: Offsets,
    value_offsets: Offsets,
    group_values: Codes,
    group_counts: Counts,
    starts: Offsets,
    chance: Floats,
    shares: Floats,
) -> float:
    """The shares of one group given the model; how much they changed."""
    first, n_own = value_offsets[group], value_offsets[group + 1] - value_offsets[group]
    low, high = offsets[group], offsets[group + 1]
    table = np.empty((high - low, n_own))
    for member in range(low, high):
        largest = -np.inf
        for at in range(n_own):
            score = np.log(group_counts[first + at])
            for attribute in range(codes.shape[0]):
                score += chance[code_ends[attribute] + codes[attribute, member], group_values[first + at]]
            table[member - low, at] = score
            largest = max(largest, score)
        for at in range(n_own):
            table[member - low, at] = np.exp(table[member - low, at] - largest)
    for _ in range(SCALINGS):
        for at in range(n_own):
            column = 0.0
            for member in range(high - low):
                column += table[member, at]
            if column > 0.0:
                for member in range(high - low):
                    table[member, at] *= group_counts[first + at] / column
        for member in range(high - low):
            row = 0.0
            for at in range(n_own):
                row += table[member, at]
            for at in range(n_own):
                table[member, at] /= row
    change = 0.0
    for member in range(low, high):
        for at in range(n_own):
            change += abs(table[member - low, at] - shares[starts[member] + at])
            shares[starts[member] + at] = table[member - low, at]
    return change
