"""Finding a cut under which transactions are k^m-anonymous.

A set of records is k^m-anonymous when every set of one to m items that occurs in a record occurs in
at least k of them: whoever knows up to m items of somebody's record still faces k records [1].
Generalizing items makes it so: the cheapest cut of the hierarchy is sought that does.

The cut of an earlier release serves further records too, but only after a new check of the promise.

[1] M. Terrovitis, N. Mamoulis, P. Kalnis. Privacy-preserving Anonymization of Set-valued Data.
    VLDB 2008.
"""

from __future__ import annotations

import csv
import math
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np

from tacit.data.transactions import Transactions
from tacit.engine.choice import engine_for
from tacit.engine.sets import SetCounts
from tacit.errors import InfeasibleError, InputError, Place, UsageError
from tacit.io.readers.opening import open_bytes
from tacit.io.readers.text import checked_text
from tacit.methods.generalize_sets.estimate import telling_how_long
from tacit.methods.generalize_sets.solve.apriori import apriori, direct
from tacit.methods.generalize_sets.solve.cut import Cut, Draft
from tacit.methods.generalize_sets.solve.optimal import optimal
from tacit.methods.generalize_sets.solve.plan import Plan, smallest_m
from tacit.methods.generalize_sets.solve.refine import DEAREST, Refiner, best
from tacit.methods.generalize_sets.solve.suppress import Suppression, suppressions
from tacit.methods.generalize_sets.verb import AUTO, BEST, DIRECT, OPTIMAL, generalize, with_hierarchy
from tacit.options import Asked, asked_of
from tacit.random.key import load_key
from tacit.ranges import exactly

SPARE = 4
"""A coreset is gathered so that this many times k records can be left out before it must be once more."""


def planned(transactions: Transactions, **options: Any) -> Plan:
    """The plan alone that the verb would carry out with these options.

    >>> from tacit.data.hierarchy import from_parents
    >>> from tacit.data.transactions import transactions_from_sets
    >>> tree = from_parents({"a1": "A", "a2": "A", "b1": "B", "b2": "B", "A": "ALL", "B": "ALL"})
    >>> baskets = [{"a1", "b1", "b2"}, {"a2", "b1"}, {"a2", "b1", "b2"}, {"a1", "a2", "b2"}]
    >>> plan = planned(transactions_from_sets(baskets, hierarchy=tree), k=2, m=2)
    >>> plan.cut.labels, round(plan.ncp, 4)
    (('A', 'b1', 'b2'), 0.2273)
    """
    return solve(settled(asked_of(generalize, transactions, options)))


def solve(asked: Asked) -> Plan:
    """A plan to publish the transactions k^m-anonymously at a low loss of detail; greedy cuts are refined."""
    transactions, k, m = asked.transactions, asked.k, asked.m
    most = math.floor(exactly(asked.max_suppressed) * len(transactions))
    counts = engine_for(transactions).set_counts(
        transactions, size=0 if m == AUTO else m, spare=min(most, SPARE * k), flag=asked.flag
    )
    check_feasible(counts, k)
    if counts.n_nonempty == 0:
        return _plan_without_items(counts, asked)
    attempts = smallest_m(counts, asked) if m == AUTO else ()
    m = attempts[-1].m if attempts else m
    size = min(m, transactions.longest)  # nobody knows more items of a record than it has
    draft, told = _search(counts, asked, size)
    chosen = Suppression(counts, draft, None)
    if most:
        for chosen in suppressions(counts, draft, k=k, m=size, most=most):
            asked.report(f"{len(transactions) - chosen.counts.n_records} records suppressed")
    return Plan(
        cut=chosen.draft.cut(),
        k=k,
        m=m,
        algorithm=asked.algorithm,
        suppressed=chosen.counts.suppressed,
        ncp=chosen.ncp,
        attempts=attempts,
        **told,
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


def _search(counts: SetCounts, asked: Asked, m: int) -> tuple[Draft, dict[str, Any]]:
    """A valid cut, and what a plan tells of how it was found."""
    k, total = asked.k, counts.tree.total
    deadline = None if asked.time_budget is None else monotonic() + float(asked.time_budget)
    if asked.algorithm == OPTIMAL:
        optimum = optimal(counts, asked, m, deadline)
        return optimum.draft, {"bound": optimum.bound / total}
    if asked.algorithm == BEST:
        draft, restarts = best(counts, asked, m, deadline)
        return draft, {"restarts": restarts}
    if asked.algorithm == DIRECT:
        greedy = direct(counts, k=k, m=m)
    else:
        greedy = apriori(counts, k=k, m=m, progress=asked.progress)
    refiner = Refiner(counts, k=k, m=m)
    refined = refiner.exchange(refiner.refine(greedy, progress=asked.progress), dearest=DEAREST)
    return refined, {"greedy_ncp": greedy.cost / total}


def _plan_without_items(counts: SetCounts, asked: Asked) -> Plan:
    """The plan for records that are all empty: there is nothing to generalize, and nothing to know."""
    hierarchy = asked.transactions.hierarchy
    return Plan(
        cut=Cut(hierarchy, np.arange(hierarchy.n_leaves, dtype=np.int32)),
        k=asked.k,
        m=1 if asked.m == AUTO else asked.m,
        algorithm=asked.algorithm,
        suppressed=counts.suppressed,
        ncp=0.0,
        bound=0.0,
    )


def settled(given: Asked) -> Asked:
    """The checked arguments of the verb, with a hierarchy, a key where one is needed, and a listener."""
    transactions, key, progress = with_hierarchy(given), given.key, given.progress
    if key is None and (given.algorithm == BEST or given.person is not None):
        key = load_key()
    if progress is not None and given.mapping is None and given.after is None:
        progress = telling_how_long(progress, transactions, k=given.k, m=given.m)
    return Asked(**vars(given) | {"transactions": transactions, "key": key, "progress": progress})


HEADER = ["item", "published_as"]
SHOWN = 5


def plan_for_mapping(asked: Asked, mapping: Path) -> Plan:
    """The plan that publishes the transactions under a mapping file, if they are k^m-anonymous under it."""
    transactions, k, m = asked.transactions, asked.k, asked.m
    if m == AUTO:
        raise UsageError(
            "With a mapping, m must be a number: there is no cut to look for.",
            code="mapping-needs-m",
            hint="Give the m that the release promises.",
        )
    hierarchy = transactions.hierarchy
    published_as = read_mapping(mapping)
    cut = Cut.of_labels(hierarchy, list(dict.fromkeys(published_as.values())))
    moved = [item for item, label in published_as.items() if cut.mapping.get(item, label) != label]
    if moved:
        raise InputError(
            f"The mapping publishes {moved[0]!r} as {published_as[moved[0]]!r}, and the hierarchy has it"
            " elsewhere.",
            code="not-a-cut",
            where=Place(file=str(mapping)),
            hint="Use the hierarchy that the mapping was made with; new items may be added to it.",
        )
    counts = engine_for(transactions).set_counts(transactions, size=m, flag=asked.flag)
    check_feasible(counts, k)
    if counts.n_nonempty:
        size = min(m, transactions.longest)
        rare = counts.rare_sets(Draft.at(counts.tree, cut).table, k=k, size=size, limit=SHOWN)
        if len(rare):
            labels = [
                "{"
                + ", ".join(hierarchy.labels[counts.tree.nodes[node]] for node in nodes if node >= 0)
                + "}"
                for nodes in rare.sets[:SHOWN]
            ]
            raise InfeasibleError(
                f"Under this mapping these records are not {k}^{m}-anonymous: {', '.join(labels)} occur in "
                f"fewer than {k} of them.",
                code="infeasible-mapping",
                where=Place(file=str(mapping)),
                hint="Generalize them on their own (leave the mapping out), or publish them together.",
            )
    return Plan(
        cut=cut,
        k=k,
        m=m,
        algorithm="mapping",
        ncp=cut.ncp(transactions),
        suppressed=counts.suppressed,
    )


def read_mapping(path: Path) -> dict[str, str]:
    """What each item is published as, from a ``mapping.csv``."""
    text = checked_text(open_bytes(path).data, file=str(path)).decode()
    rows = list(csv.reader(text.splitlines()))
    if not rows or rows[0] != HEADER or any(len(row) != len(HEADER) for row in rows):
        raise InputError(
            f"This is not a mapping: expected the columns {', '.join(HEADER)}.",
            code="not-a-mapping",
            where=Place(file=str(path)),
            hint="Use the mapping.csv of a generalized release.",
        )
    return dict(rows[1:])
