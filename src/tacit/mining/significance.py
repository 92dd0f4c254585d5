"""When the absence of a value is news: expectation, and its correction for many tests.

With n rows, c(X) of them matching X and a share P(s) of them holding s, the chance that a value s
unrelated to X is absent from the c(X) rows is (1 − P(s))^c(X); one minus that is the *expectation*
of the rule X ⇒ ¬s [1]. The chance bounds the hypergeometric p-value of the absence from above, so it
serves as a p-value, and the usual corrections for testing many pairs (X, s) are sound.

[1] T. Li, N. Li. Injector: Mining Background Knowledge for Data Anonymization. ICDE 2008, section IV-A.
[2] Y. Benjamini, Y. Hochberg. Controlling the false discovery rate. JRSS B 57(1), 1995.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from tacit.typing import AnyArray, Counts, Floats

_NEAR = 1e-7


def log_chance(value_counts: Counts, n_rows: int) -> Floats:
    """ln(1 − P(s)) for each value; −inf for a value that every row holds."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log1p(-value_counts / n_rows))


def required_counts(value_counts: Counts, n_rows: int, level: Fraction) -> Counts:
    """The smallest c(X) at which the absence of each value reaches its level of chance.

    That is the smallest c with (1 − P(s))^c ≤ ``level``; a value that every row holds has none, and
    gets n + 1. Logarithms decide, and whole numbers where logarithms are too close to tell.
    """
    needed = np.empty(len(value_counts), dtype=np.int64)
    for place, held in enumerate(value_counts.tolist()):
        needed[place] = _required_count(held, n_rows, level)
    return needed


def _required_count(held: int, n_rows: int, level: Fraction) -> int:
    if held >= n_rows:
        return n_rows + 1
    ratio = (math.log(level.numerator) - math.log(level.denominator)) / math.log1p(-held / n_rows)
    if ratio > n_rows + 1:
        return n_rows + 1
    nearest = round(ratio)
    if abs(ratio - nearest) > _NEAR * max(1.0, ratio):
        return math.ceil(ratio)
    reached = (n_rows - held) ** nearest * level.denominator <= n_rows**nearest * level.numerator
    return nearest if reached else nearest + 1


def benjamini_hochberg(log_p: Floats, n_tests: int, level: float) -> Floats:
    """The largest ln p that is rejected among ``n_tests`` tests at this false discovery rate.

    Tests that are not in ``log_p`` have p = 1. Returns −inf where none is rejected.
    """
    ordered = np.sort(log_p)
    bounds = np.log(level) + np.log(np.arange(1, len(ordered) + 1)) - np.log(n_tests)
    passed = np.flatnonzero(ordered <= bounds)
    return np.asarray(ordered[passed[-1]] if len(passed) else -np.inf)


def expectations(counts: AnyArray, log_chances: Floats) -> Floats:
    """The expectation of each rule from c(X) and ln(1 − P(s))."""
    return np.asarray(-np.expm1(counts * log_chances))
