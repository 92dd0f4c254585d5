"""Estimate how likely members are to have each value where the ways to hand them out are too many to count.

Sequential importance sampling [1]: members are served one by one, those with the fewest choices
first, each by a token drawn from those it may take, about as likely as it should have it (the table of who
may take what, scaled); a way found with probability q weighs 1/q. A swap chain would not do, because
swaps do not reach every way. Estimates are ratios of weighted sums, and so are their standard errors. The
draws follow from a fixed number and from what the members may take, so that a judge's figures do not change
from run to run, nor with who holds what.

[1] Y. Chen, P. Diaconis, S. P. Holmes, J. S. Liu. Sequential Monte Carlo Methods for Statistical
    Analysis of Tables. JASA 100(469), 2005.
"""

from __future__ import annotations

import math

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.knowledge.scaling import scaled
from tacit.typing import Bools, Counts, Floats

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
