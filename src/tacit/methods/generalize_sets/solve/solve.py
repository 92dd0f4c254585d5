"""Finding a cut under which transactions are k^m-anonymous.

A set of records is k^m-anonymous when every set of one to m items that occurs in a record occurs in
at least k of them: whoever knows up to m items of somebody's record still faces k records [1].
Generalizing items makes it so: the cheapest cut of the hierarchy is sought that does.

[1] M. Terrovitis, N. Mamoulis, P. Kalnis. Privacy-preserving Anonymization of Set-valued Data.
    VLDB 2008.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tacit.arrays.interrupt import Flag
from tacit.data.transactions import Transactions
from tacit.engine.base import SetCounting, SetCounts
from tacit.engine.choice import engine_for
from tacit.errors import InfeasibleError, UsageError
from tacit.methods.generalize_sets.solve.apriori import apriori, direct
from tacit.methods.generalize_sets.solve.best import DEAREST, best
from tacit.methods.generalize_sets.solve.cut import Cut
from tacit.methods.generalize_sets.solve.draft import Draft
from tacit.methods.generalize_sets.solve.optimal import optimal
from tacit.methods.generalize_sets.solve.plan import Attempt, Plan, smallest_m
from tacit.methods.generalize_sets.solve.refine import Refiner
from tacit.methods.generalize_sets.solve.suppress import Suppression, suppressions
from tacit.methods.generalize_sets.verb import generalize
from tacit.options import check_ranges, options_of
from tacit.random.key import Key
from tacit.ranges import as_fraction
from tacit.typing import Progress, Threshold

SPARE = 4
"""A coreset is gathered so that this many times k records can be left out before it must be once more."""


def solve(
    transactions: Transactions,
    *,
    k: int,
    m: int | Literal["auto"],
    algorithm: str = "apriori",
    max_suppressed: Threshold = 0,
    max_narrowed: Threshold = 0.05,
    key: Key | None = None,
    restarts: int | None = None,
    time_budget: float | None = None,
    progress: Progress | None = None,
    engine: SetCounting | None = None,
    flag: Flag | None = None,
) -> Plan:
    """A plan to publish the transactions k^m-anonymously at a low loss of detail.

    ``algorithm`` is ``"apriori"`` (greedy, sets of one item first), ``"direct"`` (greedy, all sizes at
    once), ``"optimal"`` (exact, with proof) or ``"best"`` (greedy from several keyed starts). The
    greedy cuts are refined. ``time_budget`` bounds the seconds of ``"optimal"`` and ``"best"``;
    ``restarts`` fixes the number of starts of ``"best"``, which also needs a ``key``.
    ``max_suppressed`` is the share of records that may be left out where that pays. With
    ``m="auto"``, m is raised until some m + 1 items narrow at most the share ``max_narrowed`` of the
    records to fewer than k.

    >>> from tacit.data.hierarchy import from_parents
    >>> from tacit.data.transactions import transactions_from_sets
    >>> tree = from_parents({"a1": "A", "a2": "A", "b1": "B", "b2": "B", "A": "ALL", "B": "ALL"})
    >>> baskets = [{"a1", "b1", "b2"}, {"a2", "b1"}, {"a2", "b1", "b2"}, {"a1", "a2", "b2"}]
    >>> plan = solve(transactions_from_sets(baskets, hierarchy=tree), k=2, m=2)
    >>> plan.cut.labels, round(plan.ncp, 4)
    (('A', 'b1', 'b2'), 0.2273)
    """
    check_ranges("generalize", options_of(generalize), locals())
    share = as_fraction(max_suppressed)
    assert share is not None, "its range has been checked"
    most = math.floor(share * len(transactions))
    engine = engine_for(transactions) if engine is None else engine
    counts = engine.set_counts(
        transactions, size=0 if m == "auto" else m, spare=min(most, SPARE * k), flag=flag
    )
    check_feasible(counts, k)
    if counts.n_nonempty == 0:
        return _plan_without_items(transactions, counts, k, 1 if m == "auto" else m, algorithm)
    longest = transactions.longest
    attempts: tuple[Attempt, ...] = ()
    if m == "auto":
        attempts = smallest_m(counts, k=k, max_narrowed=max_narrowed, longest=longest, progress=progress)
        m = attempts[-1].m
    size = min(m, longest)  # nobody knows more items of a record than it has
    found = _search(counts, k, size, algorithm, key, restarts, time_budget, progress)
    chosen = Suppression(counts, found.draft, None)
    if most:
        for chosen in suppressions(counts, found.draft, k=k, m=size, most=most):
            if progress is not None:
                progress(f"{len(transactions) - chosen.counts.n_records} records suppressed", None)
    return Plan(
        cut=chosen.draft.cut(),
        k=k,
        m=m,
        algorithm=algorithm,
        ncp=chosen.ncp,
        greedy_ncp=found.greedy_ncp,
        bound=found.bound,
        restarts=found.restarts,
        suppressed=chosen.counts.suppressed,
        attempts=attempts,
    )


def check_feasible(counts: SetCounts, k: int) -> None:
    """Refuse a k that even the root of the hierarchy cannot meet, and name the largest that it can."""
    if counts.n_records >= k and (counts.n_nonempty >= k or counts.n_nonempty == 0):
        return
    holding = "" if counts.n_nonempty == counts.n_records else f", of which {counts.n_nonempty} hold an item"
    feasible = counts.n_nonempty
    raise InfeasibleError(
        f"A published item must occur in at least k = {k} records; there are {counts.n_records}{holding}.",
        code="infeasible-k",
        option="k",
        cures=[{"k": feasible}] if feasible > 1 else [],
        hint=f"The largest feasible k is {feasible}." if feasible > 1 else "No k of 2 or more is feasible.",
    )


@dataclass(frozen=True, eq=False)
class _Found:
    draft: Draft
    greedy_ncp: float | None = None
    bound: float | None = None
    restarts: int | None = None


def _search(
    counts: SetCounts,
    k: int,
    m: int,
    algorithm: str,
    key: Key | None,
    restarts: int | None,
    seconds: float | None,
    progress: Progress | None,
) -> _Found:
    total = counts.tree.total
    if algorithm == "optimal":
        optimum = optimal(counts, k=k, m=m, seconds=seconds, progress=progress)
        return _Found(optimum.draft, bound=optimum.bound / total)
    if algorithm == "best":
        if key is None:
            raise UsageError("The algorithm 'best' makes random choices and needs a key.", code="key-needed")
        chosen = best(counts, k=k, m=m, key=key, restarts=restarts, seconds=seconds, progress=progress)
        return _Found(chosen.draft, restarts=chosen.restarts)
    if algorithm == "direct":
        greedy = direct(counts, k=k, m=m)
    else:
        greedy = apriori(counts, k=k, m=m, progress=progress)
    refiner = Refiner(counts, k=k, m=m)
    refined = refiner.exchange(refiner.refine(greedy, progress=progress), dearest=DEAREST)
    return _Found(refined, greedy_ncp=greedy.cost / total)


def _plan_without_items(
    transactions: Transactions, counts: SetCounts, k: int, m: int, algorithm: str
) -> Plan:
    """The plan for records that are all empty: there is nothing to generalize, and nothing to know."""
    hierarchy = transactions.hierarchy
    assert hierarchy is not None, "the tree of the items has been made"
    return Plan(
        cut=Cut(hierarchy, np.arange(hierarchy.n_leaves, dtype=np.int32)),
        k=k,
        m=m,
        algorithm=algorithm,
        ncp=0.0,
        greedy_ncp=None,
        bound=0.0,
        restarts=None,
        suppressed=counts.suppressed,
        attempts=(),
    )
