"""Count how members of classes come by their values, over all ways to hand the values out.

Values are handed out one after the other, and a state is how many members of each class still wait. How many
wait in all follows from how many values are left, so that the largest class needs no place in the state: in
a group of a hundred of whom eighty are unrestricted, hundreds of states do where there would be tens of
thousands. Classes and values may change parts: what counts is the one with fewer states. Weights of states
are scaled at every step, so that any number of members can be counted in floating point; all terms are
positive, so that little is lost by rounding.
"""

from __future__ import annotations

import math

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.typing import Bools, Codes, Counts, Floats, Offsets


class Ways:
    """The ways to hand ``tokens`` to ``waiting`` members of each class, who may take the values ``may``."""

    def __init__(self, waiting: Counts, may: Bools, tokens: Counts) -> None:
        self.parts = waiting, may, tokens
        # Values that the same classes may take are counted as one.
        self.columns, of_value = np.unique(may, axis=1, return_inverse=True)
        self.of_value = of_value.reshape(-1)
        self.held = np.bincount(self.of_value, weights=tokens).astype(np.int64)

    @property
    def steps(self) -> int:
        """How many steps it takes to count them."""
        waiting, _, _ = self.parts
        return min(_steps(waiting, self.held), _steps(self.held, waiting))

    def shares(self) -> Floats:
        """The share of them in which a member of class c gets value v."""
        waiting, _, tokens = self.parts
        if _steps(waiting, self.held) <= _steps(self.held, waiting):
            numbers = _expected(waiting, self.columns, self.held)
        else:
            numbers = _expected(self.held, self.columns.T, waiting).T
        numbers = numbers[:, self.of_value] * (tokens / self.held[self.of_value])
        return np.asarray(numbers / waiting[:, np.newaxis])


def _steps(waiting: Counts, tokens: Counts) -> int:
    """How many steps it takes to count with states of these classes."""
    states: int = math.prod((np.sort(waiting)[:-1] + 1).tolist())
    return states * int(tokens.sum()) * len(waiting)


def _expected(waiting: Counts, may: Bools, tokens: Counts) -> Floats:
    """Shape (classes, values): how many members of a class get a value, the mean over all ways."""
    order = np.argsort(waiting, kind="stable")
    radix = waiting[order[:-1]] + 1
    strides = np.cumprod(np.concatenate(([1], radix)))
    digits = np.arange(strides[-1])[:, np.newaxis] // strides[:-1] % radix
    found = np.zeros(may.shape)
    weights = np.zeros((2, strides[-1]))
    behind = np.zeros((len(tokens), strides[-1]))
    _count(digits.astype(np.int32), strides, waiting[order], may[order], tokens, weights, behind, found)
    numbers = np.empty(may.shape)
    numbers[order] = found * (tokens / found.sum(axis=0))
    return numbers


@kernel
def _count(
    digits: Codes,
    strides: Offsets,
    waiting: Counts,
    may: Bools,
    tokens: Counts,
    weights: Floats,
    behind: Floats,
    found: Floats,
) -> None:
    """Fill ``found`` with the weight of the ways in which the first token of each value goes to each class.

    The last class has no digit: it has the members that wait and are of no other.
    """
    n_values, last = len(tokens), len(waiting) - 1
    left, now, then = 0, 0, 1
    weights[0, 0] = 1.0
    for value in range(n_values - 1, -1, -1):  # from the end: the ways that remain from each state
        for token in range(tokens[value]):
            if token == tokens[value] - 1:
                for state in range(len(digits)):
                    behind[value, state] = weights[now, state]
            left += 1
            top = 0.0
            for state in range(len(digits)):
                others, weight = left, 0.0
                for kind in range(last):
                    count = digits[state, kind]
                    others -= count
                    if count > 0 and may[kind, value]:
                        weight += count * weights[now, state - strides[kind]]
                if others < 0 or others > waiting[last]:
                    weight = 0.0
                elif others > 0 and may[last, value]:
                    weight += others * weights[now, state]
                weights[then, state] = weight
                top = max(top, weight)
            for state in range(len(digits)):
                weights[then, state] /= top
            now, then = then, now
    for state in range(len(digits)):
        weights[now, state] = 0.0
    weights[now, len(digits) - 1] = 1.0
    for value in range(n_values):  # from the start: the ways that lead to each state
        for token in range(tokens[value]):
            for state in range(len(digits)):
                weights[then, state] = 0.0
            for state in range(len(digits)):
                weight = weights[now, state]
                if weight == 0.0:
                    continue
                others = left
                for kind in range(last):
                    count = digits[state, kind]
                    others -= count
                    if count > 0 and may[kind, value]:
                        to = state - strides[kind]
                        weights[then, to] += weight * count
                        if token == 0:  # tokens of one value are alike: the first stands for all
                            found[kind, value] += weight * count * behind[value, to]
                if others > 0 and may[last, value]:
                    weights[then, state] += weight * others
                    if token == 0:
                        found[last, value] += weight * others * behind[value, state]
            top = 0.0
            for state in range(len(digits)):
                top = max(top, weights[then, state])
            for state in range(len(digits)):
                weights[then, state] /= top
            now, then = then, now
            left -= 1
