"""Estimate how likely members are to have each value where the ways to hand them out are too many to count.

Sequential importance sampling [1]: members are served one by one, those with the fewest choices
first, each by a token drawn from those it may take; a way found with probability q weighs 1/q. A
swap chain would not do, because swaps do not reach every way. Estimates are ratios of weighted sums,
and so are their standard errors. The draws follow from a fixed number, so that a judge's figures
do not change from run to run.

[1] Y. Chen, P. Diaconis, S. P. Holmes, J. S. Liu. Sequential Monte Carlo Methods for Statistical
    Analysis of Tables. JASA 100(469), 2005.
"""

from __future__ import annotations

import math

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.typing import Bools, Counts, Floats

STEPS = 20_000_000
"""The most draws spent on one group, within the limits on samples below."""
FEWEST_SAMPLES, MOST_SAMPLES = 64, 4096

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX1, _MIX2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_27, _30, _31, _11 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(11)


@kernel
def sampled_shares(
    seed: int, waiting: Counts, may: Bools, tokens: Counts, table: Floats, errors: Floats
) -> None:
    """Fill in the share of ways in which a member of class c gets value v, and its standard error.

    Where no sample came through, nothing is known: every share is 1 and its error 1.
    """
    n_kinds, n_values = may.shape
    total = waiting.sum()
    samples = min(MOST_SAMPLES, max(FEWEST_SAMPLES, STEPS // (total * n_values)))
    choices = np.zeros(n_kinds, dtype=np.int64)
    for kind in range(n_kinds):
        for value in range(n_values):
            choices[kind] += tokens[value] * may[kind, value]
    order = np.argsort(choices, kind="mergesort")
    state = np.uint64(seed + 1) * _GOLDEN

    got = np.zeros((n_kinds, n_values))
    weight_sum, square_sum, top = 0.0, 0.0, -np.inf
    sums = np.zeros((n_kinds, n_values))  # Σ w x
    cross = np.zeros((n_kinds, n_values))  # Σ w² x
    squares = np.zeros((n_kinds, n_values))  # Σ w² x²
    for _ in range(samples):
        left = tokens.copy()
        got[:, :] = 0.0
        log_weight = 0.0
        for kind in order:
            for _ in range(waiting[kind]):
                open_tokens = 0
                for value in range(n_values):
                    open_tokens += left[value] * may[kind, value]
                if open_tokens == 0:
                    log_weight = -np.inf
                    break
                state += _GOLDEN
                draw = np.int64(_uniform(state) * open_tokens)
                for value in range(n_values):
                    draw -= left[value] * may[kind, value]
                    if draw < 0:
                        left[value] -= 1
                        got[kind, value] += 1.0
                        break
                log_weight += math.log(open_tokens)
            if log_weight == -np.inf:
                break
        if log_weight == -np.inf:
            continue
        if log_weight > top:  # weights are kept relative to the largest so far
            scale = math.exp(top - log_weight)
            weight_sum *= scale
            square_sum *= scale * scale
            sums *= scale
            cross *= scale * scale
            squares *= scale * scale
            top = log_weight
        weight = math.exp(log_weight - top)
        weight_sum += weight
        square_sum += weight * weight
        for kind in range(n_kinds):
            for value in range(n_values):
                one = got[kind, value] / waiting[kind]
                sums[kind, value] += weight * one
                cross[kind, value] += weight * weight * one
                squares[kind, value] += weight * weight * one * one
    for kind in range(n_kinds):
        for value in range(n_values):
            if weight_sum == 0.0:
                table[kind, value] = errors[kind, value] = 1.0 if may[kind, value] else 0.0
                continue
            mean = sums[kind, value] / weight_sum
            variance = squares[kind, value] - 2 * mean * cross[kind, value] + mean * mean * square_sum
            table[kind, value] = mean
            errors[kind, value] = math.sqrt(max(0.0, variance)) / weight_sum


@kernel
def _uniform(state: np.uint64) -> float:
    """A number in [0, 1) from a counter (the finalizer of SplitMix64)."""
    mixed = (state ^ (state >> _30)) * _MIX1
    mixed = (mixed ^ (mixed >> _27)) * _MIX2
    return np.float64((mixed ^ (mixed >> _31)) >> _11) * 2.0**-53
