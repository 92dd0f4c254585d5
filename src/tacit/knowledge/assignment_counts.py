"""How likely members of classes are to have each value, over all ways to hand out the values.

Values are handed out one after the other, and a state is how many members of each class still wait. How many
wait in all follows from how many values are left, so that the largest class needs no place in the state: in
a group of a hundred of whom eighty are unrestricted, hundreds of states do where there would be tens of
thousands. Classes and values may change parts: what counts is the one with fewer states. Weights of states
are scaled at every step, so that any number of members can be counted in floating point; all terms are
positive, so that little is lost by rounding.

Where the ways are too many to count, sequential importance sampling [1] estimates: members are served one by
one, those with the fewest choices first, each by a token drawn from those it may take, about as likely as it
should have it (the table of who may take what, scaled); a way found with probability q weighs 1/q. A swap
chain would not do, because swaps do not reach every way. Estimates are ratios of weighted sums, and so are
their standard errors. The draws follow from a fixed number and from what the members may take, so that a
judge's figures do not change from run to run, nor with who holds what.

Scaling the table of who may have what [2] until each member has one value, and each value as many members as
hold it, is quick, gives nearly the same, and follows from what is published. In five groupings of Adult and
of the hospital sample the largest posterior of a group was off by .016 on average at most, and by .07 in the
worst group.

[1] Y. Chen, P. Diaconis, S. P. Holmes, J. S. Liu. Sequential Monte Carlo Methods for Statistical
    Analysis of Tables. JASA 100(469), 2005.
[2] R. Sinkhorn. A Relationship Between Arbitrary Positive Matrices and Doubly Stochastic Matrices. Annals of
    Mathematical Statistics 35(2), 1964.
"""

from __future__ import annotations

import math

import numpy as np

from tacit.arrays.bitmaps import has
from tacit.arrays.compiled import Flag, kernel
from tacit.typing import Bools, Codes, Counts, Floats, Offsets, Words

ROUNDS = 8
"""Enough to tell whether a bucket is good; the kernel runs on every bucket of every deal."""
MANY_ROUNDS = 50
_POLL = 255


def scaled(waiting: Counts, may: Bools, tokens: Counts) -> Floats:
    """Nearly the share of ways in which a member of class c gets value v: members once, values as held."""
    chances = np.where(may, tokens, 0.0)
    for _ in range(MANY_ROUNDS):
        chances *= tokens / (waiting @ chances)
        chances /= chances.sum(axis=1, keepdims=True)
    return chances


@kernel
def scaled_posteriors(
    offsets: Offsets, members: Codes, values: Codes, forbidden: Words, parts: Codes, flag: Flag
) -> Floats:
    """Per group, the largest chance of a value of one attribute for a member, by scaling.

    Group g has the members ``members[offsets[g] : offsets[g + 1]]``, given as their classes.
    """
    found = np.zeros(len(offsets) - 1)
    place = np.empty(len(parts), dtype=np.int64)
    for code in range(len(place)):
        place[code] = -1
    for group in range(len(found)):
        if group & _POLL == 0 and flag[0]:
            break
        inside = members[offsets[group] : offsets[group + 1]]
        own = np.zeros(len(inside), dtype=np.int64)
        held = np.zeros(len(inside))
        n_own = 0
        for kind in inside:
            value = values[kind]
            if place[value] < 0:
                place[value], own[n_own] = n_own, value
                n_own += 1
            held[place[value]] += 1.0
        own, held = own[:n_own], held[:n_own]
        for value in own:
            place[value] = -1
        found[group] = _largest(_scaled(inside, own, held, forbidden), parts, own)
    return found


@kernel
def _scaled(inside: Codes, own: Counts, held: Floats, forbidden: Words) -> Floats:
    """How likely each member has each of the group's own values."""
    chances = np.zeros((len(inside), len(own)))
    for member in range(len(inside)):
        for number in range(len(own)):
            if not has(forbidden, inside[member], own[number]):
                chances[member, number] = held[number]
    for _ in range(ROUNDS):
        # Loops rather than expressions of arrays, which take seconds to compile.
        for number in range(len(own)):
            total = 0.0
            for member in range(len(inside)):
                total += chances[member, number]
            for member in range(len(inside)):
                chances[member, number] *= held[number] / total
        for member in range(len(inside)):
            total = 0.0
            for number in range(len(own)):
                total += chances[member, number]
            for number in range(len(own)):
                chances[member, number] /= total
    return chances


@kernel
def _largest(chances: Floats, parts: Codes, own: Counts) -> float:
    """The largest chance of a value of one attribute, whatever the other attributes are."""
    largest = 0.0
    for attribute in range(parts.shape[1]):
        for number in range(len(own)):
            code = parts[own[number], attribute]
            for member in range(len(chances)):
                alike = 0.0
                for other in range(len(own)):
                    if parts[own[other], attribute] == code:
                        alike += chances[member, other]
                largest = alike if alike > largest else largest
    return largest


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


STEPS = 20_000_000
"""The most draws spent on all groups together, within the limits on samples below."""
FEWEST_SAMPLES, MOST_SAMPLES = 64, 4096

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX1, _MIX2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_27, _30, _31, _11 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(11)


def sampled_shares(waiting: Counts, may: Bools, tokens: Counts, groups: int = 1) -> tuple[Floats, Floats]:
    """The share of ways in which a member of class c gets value v, and its standard error.

    It is one of so many groups, which share the draws. Where no sample came through, nothing is known:
    every share is 1 and its error 1.
    """
    samples = STEPS // (groups * int(waiting.sum()) * len(tokens))
    samples = min(MOST_SAMPLES, max(FEWEST_SAMPLES, samples))
    order = np.argsort(may @ tokens, kind="stable")  # those with the fewest choices first
    sums, cross, squares, got = np.zeros((4, *may.shape))  # Σ w x, Σ w² x, Σ w² x², and x of one sample
    left, pull = tokens.copy(), scaled(waiting, may, tokens) / tokens
    weight_sum, square_sum = _sample(
        samples, order, waiting, may, pull, tokens, left, got, sums, cross, squares
    )
    if weight_sum == 0.0:
        return may.astype(np.float64), may.astype(np.float64)
    mean = sums / weight_sum
    variance = squares - 2 * mean * cross + mean * mean * square_sum
    return mean, np.sqrt(np.maximum(0.0, variance)) / weight_sum


@kernel
def _sample(
    samples: int,
    order: Counts,
    waiting: Counts,
    may: Bools,
    pull: Floats,
    tokens: Counts,
    left: Counts,
    got: Floats,
    sums: Floats,
    cross: Floats,
    squares: Floats,
) -> tuple[float, float]:
    """Draw samples and add them up; Σ w and Σ w²."""
    n_kinds, n_values = may.shape
    state = _GOLDEN
    weight_sum, square_sum, top = 0.0, 0.0, -np.inf
    for _ in range(samples):
        for value in range(n_values):
            left[value] = tokens[value]
            for kind in range(n_kinds):
                got[kind, value] = 0.0
        log_weight = 0.0
        for kind in order:
            for _ in range(waiting[kind]):
                pulling = 0.0
                for value in range(n_values):
                    pulling += left[value] * pull[kind, value]
                if pulling == 0.0:
                    log_weight = -np.inf
                    break
                state += _GOLDEN
                draw = _uniform(state) * pulling
                taken = -1
                for value in range(n_values):
                    if left[value] > 0 and may[kind, value]:
                        taken = value
                        draw -= left[value] * pull[kind, value]
                        if draw < 0.0:
                            break
                left[taken] -= 1
                got[kind, taken] += 1.0
                log_weight += math.log(pulling / pull[kind, taken])
            if log_weight == -np.inf:
                break
        if log_weight == -np.inf:
            continue
        scale = 1.0
        if log_weight > top:  # weights are kept relative to the largest so far
            scale = math.exp(top - log_weight)
            top = log_weight
        weight = math.exp(log_weight - top)
        weight_sum = weight_sum * scale + weight
        square_sum = square_sum * (scale * scale) + weight * weight
        for kind in range(n_kinds):
            for value in range(n_values):
                one = got[kind, value] / waiting[kind]
                sums[kind, value] = sums[kind, value] * scale + weight * one
                cross[kind, value] = cross[kind, value] * (scale * scale) + weight * weight * one
                squares[kind, value] = squares[kind, value] * (scale * scale) + weight * weight * one * one
    return weight_sum, square_sum


@kernel
def _uniform(state: np.uint64) -> float:
    """A number in [0, 1) from a counter (the finalizer of SplitMix64)."""
    mixed = (state ^ (state >> _30)) * _MIX1
    mixed = (mixed ^ (mixed >> _27)) * _MIX2
    return np.float64((mixed ^ (mixed >> _31)) >> _11) * 2.0**-53
