"""Which sensitive values each row could hold, and so whether a table can be bucketized at all.

A value is *valid* for a row when some one-to-one assignment of the bucket's values to its rows,
respecting what each row cannot have, gives it to that row (Injector [1], definition 1). The truth
is such an assignment, so a value is valid exactly when it lies on an alternating cycle: the row may
take it, and its own value is reachable from it (see :mod:`tacit.knowledge.reachability`). No
matching needs to be searched for.

Adding rows to a bucket never takes a valid value away (the rows that were there keep their
assignment), so a table can meet matching ℓ-diversity exactly when the one bucket of all its rows
does, and the fewest valid values there is the largest ℓ it can meet. Counting the values a row may
take is not enough: one woman and two men with ovarian cancer and two other diseases leave her with
three that she may take and one that she can have.

Anatomy [2] asks for more: no value may be held by more than one row in ℓ.

[1] T. Li, N. Li. Injector: Mining Background Knowledge for Data Anonymization. ICDE 2008.
[2] X. Xiao, Y. Tao. Anatomy: Simple and Effective Privacy Preservation. VLDB 2006.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from tacit.arrays.compiled import interruptible
from tacit.errors import InfeasibleError
from tacit.knowledge.reachability import MANY, valid_counts
from tacit.methods.bucketize.solve.plan import Classes, Plan
from tacit.typing import Codes, Counts

_SHOWN = 3


def largest_feasible(classes: Classes) -> int:
    """The largest ℓ that some bucketization of these rows meets."""
    present = np.flatnonzero(classes.counts)
    return int(diversity_in_one_bucket(classes, present).min()) if len(present) else 0


def check_feasible(classes: Classes, l: int) -> None:
    """Raise, naming the largest feasible ℓ and the classes in the way, unless ℓ can be met."""
    present = np.flatnonzero(classes.counts)
    valid = diversity_in_one_bucket(classes, present, enough=l)
    largest = int(valid.min()) if len(valid) else 0
    if largest >= l:
        return
    failing = present[valid < l]
    failing = failing[np.argsort(-classes.counts[failing], kind="stable")]
    rows = int(classes.counts[failing].sum())
    shown = "; ".join(classes.describe(int(place)) for place in failing[:_SHOWN])
    more = f"; and {len(failing) - _SHOWN} more kinds" if len(failing) > _SHOWN else ""
    raise _infeasible(
        f"No bucketization gives every row {l} valid sensitive values: {rows:,} rows can have fewer,"
        f" however they are grouped ({shown}{more}).",
        largest,
    )


def largest_feasible_subset(classes: Classes, l: int) -> Counts:
    """The rows of each class in the unique largest part of the table that can meet ℓ.

    A class that fails in the whole table fails in every part of it, so failing classes are taken
    out until none fails.
    """
    kept = classes.counts.copy()
    while True:
        present = np.flatnonzero(kept)
        failing = present[diversity_in_one_bucket(classes, present, enough=l) < l]
        if not len(failing):
            return kept
        kept[failing] = 0


def check_eligible(classes: Classes, l: int) -> None:
    """Raise unless no value is held by more than one row in ℓ: what Anatomy needs."""
    largest = largest_eligible(classes)
    if largest >= l:
        return
    top = int(classes.value_counts.argmax())
    raise _infeasible(
        f"Anatomy needs every sensitive value in at most one row of {l}:"
        f" {classes.value_text(top)} is in {int(classes.value_counts[top]):,} of {classes.n_rows:,} rows.",
        largest,
    )


def largest_eligible(classes: Classes) -> int:
    """The largest ℓ that Anatomy can meet."""
    return classes.n_rows // max(1, int(classes.value_counts.max(initial=0)))


def largest_share(held: Counts, l: int) -> int:
    """How often a value may be kept at most for no value to be above one row in ℓ of those kept."""
    low, high = 0, int(held.max(initial=0))
    while low < high:  # the largest cap m with ℓ·m ≤ Σ min(held, m); the sum per m falls as m grows
        middle = (low + high + 1) // 2
        if l * middle <= int(np.minimum(held, middle).sum()):
            low = middle
        else:
            high = middle - 1
    return low


def nothing_left(l: int) -> InfeasibleError:
    """The error where suppression would leave no row to publish."""
    return InfeasibleError(
        f"No part of the table can give every row {l} valid sensitive values.",
        code="infeasible-l",
    )


def _infeasible(message: str, largest: int) -> InfeasibleError:
    hint = f"The largest feasible ℓ is {largest}." if largest >= 2 else "No ℓ of 2 or more is feasible."
    return InfeasibleError(
        message, code="infeasible-l", option="l", hint=hint, cures=[{"l": largest}] if largest >= 2 else []
    )


def diversity(plan: Plan, *, enough: int = MANY) -> Codes:
    """How many valid values each row of each bucket has, in the order of ``plan.members``.

    With several sensitive attributes: distinct values of the attribute that has the fewest.
    """
    return interruptible(partial(valid_counts, enough=enough), *plan.groups)


def diversity_in_one_bucket(classes: Classes, present: Counts, *, enough: int = MANY) -> Codes:
    """The same for each of the present classes, if all rows were in one bucket: no bucket gives more."""
    whole = Plan(
        classes, np.array([0, len(present)]), present.astype(np.int32), np.zeros_like(classes.counts)
    )
    return diversity(whole, enough=enough)
