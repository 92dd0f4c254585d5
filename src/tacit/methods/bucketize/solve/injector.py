"""Injector: buckets that keep ℓ valid values against a reader who knows negative rules [1].

Rows of the same class are interchangeable, so the paper's Figure 2 runs on classes with counts. Its
three phases are here: count the classes (:mod:`tacit.methods.bucketize.solve.classes`), form buckets of
ℓ pairwise compatible rows, and place the rows left over, merging buckets where it must be.

Three choices of this project. The paper adds the row that leaves the fewest incompatible, which
uses up rare values first and leaves the frequent ones over (``way=FEWEST_LOST``). Here a bucket starts
with the value that can spare the fewest partners and goes on with the values that have the most
compatible rows, which leaves hardly a row over and distorts counts less. A row that is left over
joins the least incompatible bucket *in which it has ℓ valid values*; buckets are merged only where
there is none. And where no bucket is left to merge with, all remaining rows go into one, which is
valid because feasibility was decided before.

[1] T. Li, N. Li. Injector: Mining Background Knowledge for Data Anonymization. ICDE 2008, section V.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.bitmaps import lists
from tacit.arrays.interrupt import interruptible
from tacit.methods.bucketize.solve import placing
from tacit.methods.bucketize.solve.classes import Classes
from tacit.methods.bucketize.solve.compatible import BALANCED, Kinds, compatible_groups, make_kinds
from tacit.methods.bucketize.solve.plan import Plan, make_plan
from tacit.random.key import Key
from tacit.typing import Codes, Counts


def injector_plan(
    classes: Classes, l: int, key: Key, *, suppressed: Counts | None = None, way: int = BALANCED
) -> Plan:
    """Buckets in which every row has at least ℓ valid values; the classes must be feasible.

    ``classes.counts`` are the rows to be placed; ``suppressed`` are those left out before.
    """
    groups, left_over = compatible_buckets(classes, l, key, way=way)
    kinds, buckets = place_rest(classes, groups, left_over, l)
    none = np.zeros(len(classes), dtype=np.int64)
    return make_plan(classes, kinds, buckets, none if suppressed is None else suppressed)


def place_rest(classes: Classes, groups: Codes, left_over: Counts, l: int) -> tuple[Codes, Codes]:
    """(class, bucket) of every row: first those of the groups of ℓ, then the rows left over per class."""
    kinds = placing.Kinds(classes.values, classes.forbidden, classes.parts)
    return interruptible(placing.place_left_over, groups, l, left_over, kinds)


def compatible_buckets(classes: Classes, size: int, key: Key, *, way: int = BALANCED) -> tuple[Codes, Counts]:
    """Buckets of ``size`` pairwise compatible rows, as their classes in a row; the rows left per class.

    In such a bucket every row can have every value, and each with the same chance.
    """
    words = np.array(key.subkey("bucketize: injector").words, dtype=np.uint64)
    return interruptible(compatible_groups, size, way, classes.counts, kinds_of(classes), words)


def kinds_of(classes: Classes) -> Kinds:
    """The classes as groups are built from them."""
    conflicts = lists(classes.conflicts)
    return make_kinds(classes.values, conflicts, classes.forbidden_lists, classes.further_lists)
