"""Which rows of a table are bucketized: all of them, or those that stay when others are left out.

A reader who knows who is in the table knows who is missing, and rows are left out because of what
they hold: without further care they all hold the value that was too frequent. They cannot keep ℓ
themselves (a value with a share p > 1/ℓ exceeds 1/ℓ in one of the two parts), so they get a bound b of
their own: of the rows left out that cannot have the same values, no value is held by more than b.
Further rows join them until that holds, drawn by the key among the rows of a value and a forbidden
set, never by a quasi-identifier.

Where Anatomy needs them out, the fewest rows are found exactly; that is at least n(p − 1/ℓ)/(b − 1/ℓ).
Where rows have fewer than ℓ valid values there is no choice: rows with the same forbidden set have the
same valid values (each may take what the other holds), so a forbidden set stays or goes as a whole.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from tacit.errors import InfeasibleError
from tacit.methods.bucketize.asked import Asked
from tacit.methods.bucketize.solve.bounded import bounded_plan
from tacit.methods.bucketize.solve.feasibility import (
    check_eligible,
    check_feasible,
    largest_feasible_subset,
    nothing_left,
)
from tacit.methods.bucketize.solve.plan import Classes, Plan
from tacit.random.key import Key
from tacit.random.keyed import draws
from tacit.typing import Counts

BOUNDS = tuple(Fraction(tenths, 10) for tenths in range(2, 10))
"""The bounds that are tried to tell how many rows each would take."""


def kept_rows(classes: Classes, asked: Asked) -> tuple[Classes, Counts]:
    """The classes with the rows that are bucketized, and the rows left out of each."""
    eligible, among = asked.by_frequency(classes), asked.among_left_out
    if among is None:
        (check_eligible if eligible else check_feasible)(classes, asked.least)
        return classes, np.zeros(len(classes), dtype=np.int64)
    out = _left_out(classes, among, asked)
    if out is None:
        raise _refused(classes, asked.least, among, eligible=eligible)
    return classes.keep(classes.counts - out), out


def bounded_rows(classes: Classes, out: Counts, bound: Fraction, asked: Asked) -> Plan:
    """Buckets under a bound on the posterior; rows that fit nowhere are left out, with others beside them."""
    among = asked.among_left_out
    while True:
        kept = classes.keep(classes.counts - out)
        plan = bounded_plan(kept, asked.l, bound, asked.key, suppressed=out, suppress=among is not None)
        if among is None or (plan.suppressed == out).all():
            return plan
        more = topped_up(classes, plan.suppressed, among, asked.key)
        if more is None:
            share = 100 * float(largest_share_left_out(classes, plan.suppressed))
            raise InfeasibleError(
                f"{plan.n_suppressed:,} rows found no bucket; of those of them that cannot have the same"
                f" values {share:.0f} % hold one value, and no further rows bring that down to"
                f" {float(among):g}.",
                code="infeasible-suppressed",
            )
        if (more == plan.suppressed).all():
            return plan
        out = more


def rows_by_bound(classes: Classes, asked: Asked) -> dict[Fraction, int]:
    """How many rows would be left out under each bound that can be kept, where a larger one takes fewer."""
    found: dict[Fraction, int] = {}
    for among in BOUNDS:
        out = _left_out(classes, among, asked)
        if out is not None and int(out.sum()) not in found.values():
            found[among] = int(out.sum())
    return found


def _left_out(classes: Classes, among: Fraction, asked: Asked) -> Counts | None:
    if asked.by_frequency(classes):
        return left_out_eligible(classes, asked.least, among, asked.key)
    return left_out_feasible(classes, asked.least, among)


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


FINEST = 10**9
"""Bounds are taken down to this many parts of one, so that products with counts stay whole numbers."""


def left_out_eligible(classes: Classes, l: int, bound: Fraction, key: Key) -> Counts | None:
    """The fewest rows of each class to leave out so that no value is above one row in ℓ of those that stay.

    Nothing may be forbidden. None where no choice keeps the bound and leaves a row.
    """
    return _fewest(classes.counts, np.zeros(len(classes), dtype=np.int64), bound, key, l=l)


def left_out_feasible(classes: Classes, l: int, bound: Fraction) -> Counts | None:
    """The rows of each class with fewer than ℓ valid values; None if they exceed the bound, or are all."""
    out = classes.counts - largest_feasible_subset(classes, l)
    if out.sum() == classes.n_rows or largest_share_left_out(classes, out) > bound:
        return None
    return out


def topped_up(classes: Classes, out: Counts, bound: Fraction, key: Key) -> Counts | None:
    """The rows left out with the fewest more that keep the bound; None where no choice keeps it."""
    topped = np.zeros(len(classes), dtype=np.int64)
    for here in forbidden_sets(classes):
        found = _fewest(classes.counts[here], out[here], bound, key, places=here)
        if found is None:
            return None
        topped[here] = found
    # With several sensitive attributes a value is a combination, and its parts are more frequent.
    return topped if largest_share_left_out(classes, topped) <= bound else None


def largest_share_left_out(classes: Classes, out: Counts) -> Fraction:
    """The largest share that a value has among the rows left out with the same forbidden set."""
    largest = Fraction(0)
    for here in forbidden_sets(classes):
        rows = int(out[here].sum())
        for codes in classes.parts[classes.values[here]].T if rows else ():
            held = np.bincount(codes, weights=out[here])
            largest = max(largest, Fraction(int(held.max()), rows))
    return largest


def forbidden_sets(classes: Classes) -> list[Counts]:
    """The classes of each forbidden set; inside one, a class is a value."""
    _, of_class = np.unique(classes.forbidden, axis=0, return_inverse=True)
    of_class = of_class.ravel()
    order = np.argsort(of_class, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(of_class[order])) + 1)


def _fewest(
    held: Counts,
    must: Counts,
    bound: Fraction,
    key: Key,
    *,
    l: int | None = None,
    places: Counts | None = None,
) -> Counts | None:
    """How many rows of each value to leave out: at least ``must``, none above the bound, as few as can be.

    With ``l`` no value is above one row in ℓ of those that stay, and some stay.
    """
    n_rows, before = int(held.sum()), int(must.sum())
    totals = np.arange(before, n_rows + 1)  # how many rows are left out in all, every number is tried
    whole = int(bound * FINEST)
    most = whole * totals // FINEST  # the most rows of one value among them
    fits = (must.max(initial=0) <= most) & (totals <= _sum_of_least(held, most))
    if l is not None:
        stay = (n_rows - totals) // l  # the most rows of one value among those that stay
        excess = n_rows - _sum_of_least(held, stay)
        fits &= (stay >= 1) & (held.max(initial=0) - stay <= most) & (excess <= totals)
    if not fits.any():
        return None
    place = int(fits.argmax())
    low = must if l is None else np.maximum(must, held - stay[place])
    high = np.minimum(held, most[place])
    more = int(totals[place] - low.sum())
    return low + _drawn(held - low, high - low, more, key, places)


def _sum_of_least(held: Counts, caps: Counts) -> Counts:
    """Σ min(held, cap) for each cap."""
    ordered = np.sort(held)
    sums = np.concatenate([[0], np.cumsum(ordered)])
    below = np.searchsorted(ordered, caps, side="right")
    return np.asarray(sums[below] + caps * (len(held) - below))


def _drawn(rows: Counts, most: Counts, number: int, key: Key, places: Counts | None) -> Counts:
    """So many of the rows, drawn by the key alike, but at most ``most`` of each value."""
    if not number:
        return np.zeros(len(rows), dtype=np.int64)
    value = np.repeat(np.arange(len(rows)), rows)
    rank = np.arange(len(value)) - np.repeat(np.cumsum(rows) - rows, rows)
    name = (value if places is None else places[value]).astype(np.uint64)
    words = draws(key.subkey("bucketize: rows left out"), np.column_stack([name, name]), rank)
    value = value[np.lexsort((rank, value, words))]
    # The first so many of each value, in the order drawn.
    by_value = np.argsort(value, kind="stable")
    turn = np.empty(len(value), dtype=np.int64)
    turn[by_value] = np.arange(len(value)) - np.repeat(np.cumsum(rows) - rows, rows)
    taken = value[turn < most[value]][:number]
    return np.bincount(taken, minlength=len(rows))
