"""How much a reader may be assumed to know: the smallest m beyond which knowing more tells little."""

from __future__ import annotations

from dataclasses import dataclass

from tacit.engine.base import SetCounts
from tacit.methods.generalize_sets.solve.apriori import repair
from tacit.methods.generalize_sets.solve.draft import Draft
from tacit.methods.generalize_sets.solve.refine import Refiner
from tacit.ranges import as_fraction
from tacit.typing import Progress, Threshold


@dataclass(frozen=True, slots=True)
class Attempt:
    """A value of m, the NCP it costs, and what knowing one item more does to the release."""

    m: int
    ncp: float
    narrowed: int
    """Records that some m + 1 of their published items narrow below k."""
    records: int


def smallest_m(
    counts: SetCounts, *, k: int, max_narrowed: Threshold, longest: int, progress: Progress | None = None
) -> tuple[Attempt, ...]:
    """Values of m from 1 upwards, until knowing m + 1 items narrows few enough of the records below k.

    The last one is the answer. ``max_narrowed`` is the share of all records that may be narrowed.
    At ``longest``, the length of the longest record, there is no item more to know.
    """
    share = as_fraction(max_narrowed)
    assert share is not None, "the caller has checked the range"
    draft, attempts = Draft(counts.tree), []
    for m in range(1, longest + 1):
        if progress is not None:
            progress(f"m = {m}", None)
        repair(counts, draft, k=k, size=m)
        refined = Refiner(counts, k=k, m=m).refine(draft)
        narrowed = counts.narrowed(refined.table, k=k, size=m + 1)
        attempts.append(Attempt(m, refined.cost / counts.tree.total, narrowed, counts.n_records))
        if narrowed <= share * counts.n_records:
            break
    return tuple(attempts)
