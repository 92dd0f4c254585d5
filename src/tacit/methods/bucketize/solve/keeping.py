"""Which rows of a table are bucketized: all of them, or those that stay when others are left out."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from tacit.errors import InfeasibleError
from tacit.methods.bucketize.solve.bounded import bounded_plan
from tacit.methods.bucketize.solve.classes import Classes
from tacit.methods.bucketize.solve.feasibility import (
    check_eligible,
    check_feasible,
    largest_feasible_subset,
    nothing_left,
)
from tacit.methods.bucketize.solve.left_out import (
    largest_share_left_out,
    left_out_eligible,
    left_out_feasible,
    topped_up,
)
from tacit.methods.bucketize.solve.plan import Plan
from tacit.random.key import Key
from tacit.ranges import as_fraction
from tacit.typing import Counts, Threshold

BOUNDS = tuple(Fraction(tenths, 10) for tenths in range(2, 10))
"""The bounds that are tried to tell how many rows each would take."""


def kept_rows(
    classes: Classes,
    l: int,
    method: str,
    bound: Fraction | None,
    key: Key,
    *,
    among_left_out: Fraction | None,
) -> tuple[Classes, Counts]:
    """The classes with the rows that are bucketized, and the rows left out of each."""
    least = least_values(l, bound)
    eligible = method == "anatomy" and len(classes.attributes) == 1
    if among_left_out is None:
        (check_eligible if eligible else check_feasible)(classes, least)
        return classes, np.zeros(len(classes), dtype=np.int64)
    out = _left_out(classes, least, among_left_out, key, eligible=eligible)
    if out is None:
        raise _refused(classes, least, among_left_out, eligible=eligible)
    return classes.keep(classes.counts - out), out


def least_values(l: int, bound: Fraction | None) -> int:
    """How many valid values a row needs: with fewer than 1/bound, one of them is likelier than the bound."""
    return l if bound is None else max(l, math.ceil(1 / bound))


def bounded_rows(
    classes: Classes, out: Counts, l: int, bound: Fraction, key: Key, among_left_out: Fraction | None
) -> Plan:
    """Buckets under a bound on the posterior; rows that fit nowhere are left out, with others beside them."""
    while True:
        kept = classes.keep(classes.counts - out)
        plan = bounded_plan(kept, l, bound, key, suppressed=out, suppress=among_left_out is not None)
        if among_left_out is None or (plan.suppressed == out).all():
            return plan
        more = topped_up(classes, plan.suppressed, among_left_out, key)
        if more is None:
            share = 100 * float(largest_share_left_out(classes, plan.suppressed))
            raise InfeasibleError(
                f"{plan.n_suppressed:,} rows found no bucket; of those of them that cannot have the same"
                f" values {share:.0f} % hold one value, and no further rows bring that down to"
                f" {float(among_left_out):g}.",
                code="infeasible-suppressed",
            )
        if (more == plan.suppressed).all():
            return plan
        out = more


def rows_left_out(
    classes: Classes,
    l: int,
    method: str,
    max_posterior: Threshold | None,
    key: Key,
    max_posterior_suppressed: Threshold | None,
) -> int | None:
    """How many rows are left out at least, before any bucket is made; None where none may be."""
    if max_posterior_suppressed is None:
        return None
    bound = None if max_posterior is None else as_fraction(max_posterior)
    among = as_fraction(max_posterior_suppressed)
    return int(kept_rows(classes, l, method, bound, key, among_left_out=among)[1].sum())


def rows_by_bound(classes: Classes, l: int, key: Key, *, eligible: bool) -> dict[Fraction, int]:
    """How many rows would be left out under each bound that can be kept, where a larger one takes fewer."""
    found: dict[Fraction, int] = {}
    for among in BOUNDS:
        out = _left_out(classes, l, among, key, eligible=eligible)
        if out is not None and int(out.sum()) not in found.values():
            found[among] = int(out.sum())
    return found


def _left_out(classes: Classes, l: int, among: Fraction, key: Key, *, eligible: bool) -> Counts | None:
    return left_out_eligible(classes, l, among, key) if eligible else left_out_feasible(classes, l, among)


def _refused(classes: Classes, l: int, among: Fraction, *, eligible: bool) -> InfeasibleError:
    """The error where those left out cannot keep their bound, or nobody else would stay."""
    if eligible:
        top = int(classes.value_counts.argmax())
        why = f"{classes.value_text(top)} is in {int(classes.value_counts[top]):,} of {classes.n_rows:,} rows"
    else:
        out = classes.counts - largest_feasible_subset(classes, l)
        if out.sum() == classes.n_rows:
            return nothing_left(l)
        why = (
            f"{int(out.sum()):,} rows have fewer than {l} valid values, and of those that cannot have the"
            f" same values {100 * float(largest_share_left_out(classes, out)):.0f} % hold one value"
        )
    return InfeasibleError(
        f"No choice of rows to leave out keeps every value below a share of {float(among):g} of them: {why}.",
        code="infeasible-suppressed",
    )
