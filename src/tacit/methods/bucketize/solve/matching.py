"""Matching ℓ-diversity: which sensitive values each row of a bucket could hold.

A value is valid for a row when some one-to-one assignment of the bucket's values to its rows,
respecting what each row cannot have, gives it to that row (Injector [1], definition 1). The truth
is such an assignment, so a value is valid exactly when it lies on an alternating cycle: the row may
take it, and its own value is reachable from it (see :mod:`tacit.knowledge.reachability`). No
matching needs to be searched for.

[1] T. Li, N. Li. Injector: Mining Background Knowledge for Data Anonymization. ICDE 2008.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.interrupt import interruptible
from tacit.knowledge.reachability import valid_counts, valid_marks
from tacit.methods.bucketize.solve.classes import Classes
from tacit.methods.bucketize.solve.plan import Plan
from tacit.typing import Codes, Counts, Offsets


def valid_values(classes: Classes, bucket: Codes) -> list[frozenset[int]]:
    """The valid values of each row of a bucket, given as the classes of its rows.

    >>> import numpy as np
    >>> from tacit.arrays.bitmaps import pack
    >>> OVARIAN, FLU = 0, 1
    >>> classes = Classes(
    ...     attributes=("disease",), texts=(("ovarian cancer", "flu"),), parts=np.array([[0], [1]], np.int32),
    ...     values=np.array([FLU, OVARIAN], np.int32),
    ...     forbidden=pack(np.array([[True, False], [False, False]])), counts=np.array([2, 1]))
    >>> valid_values(classes, np.array([0, 0, 1], np.int32))  # two men, one woman: only she can hold it
    [frozenset({1}), frozenset({1}), frozenset({0})]
    """
    marks = valid_marks(bucket, classes.values, classes.forbidden, classes.n_values)
    return [frozenset(np.flatnonzero(row).tolist()) for row in marks]


def diversity(plan: Plan) -> Codes:
    """How many valid values each row of each bucket has, in the order of ``plan.members``.

    With several sensitive attributes: distinct values of the attribute that has the fewest.
    """
    return _counts(plan.classes, plan.offsets, plan.members)


def diversity_in_one_bucket(classes: Classes, present: Counts) -> Codes:
    """The same for each of the present classes, if all rows were in one bucket: no bucket gives more."""
    return _counts(classes, np.array([0, len(present)]), present.astype(np.int32))


def _counts(classes: Classes, offsets: Offsets, members: Codes) -> Codes:
    return interruptible(valid_counts, offsets, members, classes.values, classes.forbidden, classes.parts)
