"""What classes tell of sensitive values: ℓ-diversity [1], t-closeness [2] and β-likeness [3] as they stand.

[1] A. Machanavajjhala et al. ℓ-diversity: privacy beyond k-anonymity. ICDE 2006.
[2] N. Li, T. Li, S. Venkatasubramanian. t-closeness. ICDE 2007.
[3] J. Cao, P. Karras. Publishing microdata with a robust privacy guarantee. PVLDB 5(11), 2012.
"""

from __future__ import annotations

import numpy as np

from tacit.judging.risk.classes import Held
from tacit.typing import Counts, Floats


def distinct(held: Held, sizes: Counts) -> Counts:
    """How many different values each class holds."""
    return np.bincount(held.classes, minlength=len(sizes)).astype(np.int64)


def entropy(held: Held, sizes: Counts) -> Floats:
    """The number of equally likely values that would leave as much doubt: e to the entropy of each class."""
    share = held.counts / sizes[held.classes]
    return np.exp(np.bincount(held.classes, weights=-share * np.log(share), minlength=len(sizes)))


def recursive(held: Held, sizes: Counts) -> Floats:
    """How much commoner the commonest value is than all others together: c of recursive (c, 2)-diversity."""
    commonest = np.zeros(len(sizes), dtype=np.int64)
    np.maximum.at(commonest, held.classes, held.counts)
    with np.errstate(divide="ignore"):
        return commonest / (sizes - commonest)


def distance(held: Held, sizes: Counts) -> Floats:
    """How far the values of each class are from the whole table's, all values equally far apart."""
    share = held.counts / sizes[held.classes]
    more = np.maximum(share - _overall(held)[held.values], 0.0)  # half the L1 distance is the excess alone
    return np.bincount(held.classes, weights=more, minlength=len(sizes)).astype(np.float64)


def ordered_distance(held: Held, sizes: Counts) -> Floats:
    """The same where values lie on a line: neighbours are 1 / (m − 1) apart (Eq. 2 of [2])."""
    steps = len(held.whole) - 1
    if steps < 1:
        return np.zeros(len(sizes))
    overall = np.concatenate([[0.0], np.cumsum(_overall(held))])
    # Between two values that a class holds, its own sum stands still while the whole table's grows.
    still = np.concatenate([[0.0], np.cumsum(overall[1:])])
    starts = np.flatnonzero(np.diff(held.classes, prepend=-1))
    share = held.counts / sizes[held.classes]
    sums = np.cumsum(share)
    reached = sums - np.repeat(sums[starts] - share[starts], np.diff(np.append(starts, len(share))))
    last = np.append(starts[1:], len(share)) - 1
    until = np.append(held.values[1:], 0)
    until[last] = len(held.whole) - 1
    found = _area(overall, still, held.values, until, reached)
    before = still[held.values[starts]]  # before its first value a class has nothing
    distances: Floats = (np.bincount(held.classes, weights=found, minlength=len(sizes)) + before) / steps
    return distances


def _area(overall: Floats, still: Floats, begin: Counts, end: Counts, level: Floats) -> Floats:
    """Σ |level − overall[v + 1]| over the values v from ``begin`` up to, not including, ``end``."""
    cross = np.clip(np.searchsorted(overall[1:], level, side="right"), begin, end)
    below = level * (cross - begin) - (still[cross] - still[begin])
    above = (still[end] - still[cross]) - level * (end - cross)
    return np.maximum(below, 0.0) + np.maximum(above, 0.0)


def likeness(held: Held, sizes: Counts) -> Floats:
    """By how much a value is likelier in a class than in the table, relatively, at most: β."""
    share, overall = held.counts / sizes[held.classes], _overall(held)[held.values]
    most = np.zeros(len(sizes))
    np.maximum.at(most, held.classes, (share - overall) / overall)
    return most


def _overall(held: Held) -> Floats:
    shares: Floats = held.whole / held.whole.sum()
    return shares
