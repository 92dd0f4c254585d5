"""Anatomy: buckets of ℓ distinct sensitive values, without regard to what a reader knows [1].

Repeatedly one row of each of the ℓ values that have the most rows left; the few rows left over, of
different values, go each to a bucket that does not hold its value.

[1] X. Xiao, Y. Tao. Anatomy: Simple and Effective Privacy Preservation. VLDB 2006, figure 3.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.interrupt import interruptible
from tacit.methods.bucketize.kernels.largest_first import largest_first
from tacit.methods.bucketize.solve.classes import Classes
from tacit.methods.bucketize.solve.injector import injector_plan
from tacit.methods.bucketize.solve.plan import Plan, make_plan
from tacit.random.key import Key
from tacit.random.keyed import draws, uniform_below
from tacit.typing import Counts


def anatomy_plan(classes: Classes, l: int, key: Key, *, suppressed: Counts | None = None) -> Plan:
    """Buckets with at least ℓ distinct values; the classes must be eligible and forbid nothing.

    With several sensitive attributes the rows of a bucket must differ in each of them, which is what
    Injector's buckets do where nothing is forbidden.
    """
    if len(classes.attributes) > 1:
        return injector_plan(classes, l, key, suppressed=suppressed)
    low, high = key.subkey("bucketize: anatomy").words
    groups, left = interruptible(largest_first, classes.counts, l, np.uint64(low), np.uint64(high))
    buckets = np.repeat(np.arange(len(groups) // l, dtype=np.int32), l)
    residue = np.repeat(np.arange(len(left), dtype=np.int32), left)  # at most one row of a value
    homes = _homes(groups.reshape(-1, l), residue, key)
    none = np.zeros(len(classes), dtype=np.int64)
    return make_plan(
        classes,
        np.concatenate([groups, residue]),
        np.concatenate([buckets, homes]),
        none if suppressed is None else suppressed,
    )


def _homes(groups: np.ndarray, residue: np.ndarray, key: Key) -> np.ndarray:
    """For each left-over class a bucket drawn from those that do not hold it."""
    places = np.arange(len(residue), dtype=np.uint64)
    words = draws(
        key.subkey("bucketize: residue"), np.column_stack([places, places]), np.zeros(len(residue), np.int64)
    )
    homes = np.empty(len(residue), dtype=np.int32)
    for place, kind in enumerate(residue):
        without = np.flatnonzero((groups != kind).all(axis=1))
        homes[place] = without[uniform_below(words[place : place + 1], len(without))[0]]
    return homes
