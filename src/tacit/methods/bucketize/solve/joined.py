"""Injector without a tail that tells: all rows left over share one bucket with rows drawn at random.

Buckets of ℓ pairwise compatible rows say nothing of who has what in them. The rows that no such bucket
takes do: they hold what is too frequent, and a reader who knows how they are placed one by one can
tell which rows those are. So they are not placed one by one. They go into one bucket together with
whole buckets that the key draws, several for each of them, and more until every row has ℓ valid values
and none is commoner than one in ℓ. There is such a bucket also where nobody is left over, because its
absence would tell that. Measured by enumeration, this leaves next to nothing to tell
(docs/explanation/bucketize.md).
"""

from __future__ import annotations

import numpy as np

from tacit.methods.bucketize.solve.classes import Classes
from tacit.methods.bucketize.solve.injector import compatible_buckets
from tacit.methods.bucketize.solve.matching import diversity_in_one_bucket
from tacit.methods.bucketize.solve.plan import Plan, make_plan
from tacit.random.key import Key
from tacit.random.keyed import draws, keyed_order
from tacit.typing import Codes

FEWEST_JOINED = 8
"""At least so many buckets are drawn to share one with the rows left over."""


def joined_plan(classes: Classes, l: int, key: Key) -> Plan:
    """Buckets in which every row has at least ℓ valid values; the classes must be feasible."""
    groups, left = compatible_buckets(classes, l, key)
    rest = np.repeat(np.arange(len(classes), dtype=np.int32), left)
    n_groups = len(groups) // l
    buckets = np.repeat(np.arange(n_groups, dtype=np.int32), l)
    order = _drawn(n_groups, key)
    joined = order[: _enough(classes, groups.reshape(-1, l)[order], rest, l)]
    buckets[np.isin(buckets, joined)] = n_groups
    none = np.zeros(len(classes), dtype=np.int64)
    kinds = np.concatenate([groups, rest])
    return make_plan(
        classes, kinds, np.concatenate([buckets, np.full(len(rest), n_groups, dtype=np.int32)]), none
    )


def _enough(classes: Classes, groups: Codes, rest: Codes, l: int) -> int:
    """How many of the groups, in their order, must share a bucket with the rest."""
    low, high = min(len(groups), max(FEWEST_JOINED, len(rest))), len(groups)
    while low < high:  # more rows never take a valid value away, nor do groups of ℓ different values
        middle = (low + high) // 2
        if _good(classes, np.concatenate([groups[:middle].ravel(), rest]), l):
            high = middle
        else:
            low = middle + 1
    return low


def _good(classes: Classes, bucket: Codes, l: int) -> bool:
    """Whether every row of a bucket has ℓ valid values and none is commoner than one in ℓ."""
    for part in classes.parts.T:
        if l * int(np.bincount(part[classes.values[bucket]]).max()) > len(bucket):
            return False
    return int(diversity_in_one_bucket(classes, np.unique(bucket).astype(np.int64)).min()) >= l


def _drawn(n_groups: int, key: Key) -> Codes:
    """The groups in an order that the key draws."""
    numbers = np.arange(n_groups, dtype=np.uint64)
    names = np.column_stack([numbers, numbers])
    ranks = np.zeros(n_groups, dtype=np.int64)
    return keyed_order(draws(key.subkey("bucketize: joined"), names, ranks), names, ranks).astype(np.int32)
