"""Suppression: which few records hold the whole domain up, and what dropping them would win.

At a given cut there is one largest set of records that is k^m-anonymous. A record with a rare set
can be in no such set of records, so it is dropped; that may make further sets rare, and so on until
none is. Two anonymous sets of records together are anonymous, because supports only grow, so what
is left does not depend on the order of dropping.

Finer cuts need more records dropped. From a valid cut, the node is split that wins most per record
dropped, as long as the total stays within what is allowed. An item of a dropped record is lost as
wholly as if it were published as the root of the hierarchy, and is counted so: dropping must pay.

Which few records keep the cut as coarse as it is, and what they cost everybody else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice, pairwise, repeat
from math import comb

import numpy as np

from tacit.arrays.compiled import Flag
from tacit.data.transactions import Transactions
from tacit.engine.choice import engine_for
from tacit.engine.sets import RareSets, SetCounts
from tacit.methods.generalize_sets.solve.cut import Draft
from tacit.methods.generalize_sets.solve.plan import Plan
from tacit.typing import Codes, Counts

CANDIDATES = 24
"""Of the nodes of the cut, so many of the dearest are considered for a split, unless told otherwise."""

MOST_TRIED = 100_000
"""Up to so many sets of dropped records, counting again what they touch is no recount."""

ENDED = object()
AT_ONCE = 1 << 12
"""Rare sets whose records are dropped at a time: few, because most splits turn out too dear early."""


@dataclass(frozen=True, eq=False)
class Suppression:
    """A cut that is valid for the records that are left."""

    counts: SetCounts
    draft: Draft
    split: int | None
    """The node of the tree whose split made the last records give way."""

    @property
    def cost(self) -> int:
        """What publishing costs, every occurrence of a dropped record counted as the root."""
        tree, left = self.draft.tree, self.counts.occurrences
        published = int((tree.sizes[self.draft.table] * left).sum())
        dropped = int(tree.occurrences.sum() - left.sum())
        return published + dropped * tree.hierarchy.n_leaves

    @property
    def ncp(self) -> float:
        return self.cost / self.draft.tree.total


def suppressions(
    counts: SetCounts,
    draft: Draft,
    *,
    k: int,
    m: int,
    most: int,
    recounts: int | None = None,
    candidates: int = CANDIDATES,
) -> Iterator[Suppression]:
    """From a valid cut, ever finer ones of less cost that hold for all but up to ``most`` records.

    At most so many times, if that is limited, all sets are counted again because records were dropped; the
    nodes whose split makes the fewest sets rare then come first, and others may be left untried.
    """
    current = Suppression(counts, draft, None)
    allowed: Iterator[object] = repeat(None) if recounts is None else iter(range(recounts))
    floor = counts.n_records - most
    # Records that are anonymous at a cut are so at every coarser one. So a node whose split makes too many
    # records give way does so at every finer cut, too.
    too_dear: set[int] = set()
    while True:
        best: Suppression | None = None
        splits = [
            _split(current, node, k=k, m=m)
            for node in current.draft.inner_nodes()[:candidates]
            if node not in too_dear
        ]
        if recounts is not None:
            splits.sort(key=lambda split: len(split[2]))
        for node, tried, rare in splits:
            pays = partial(_pays, current, tried, best)
            left = largest_anonymous(
                current.counts, tried.table, k=k, m=m, rare=rare, floor=floor, pays=pays, recounts=allowed
            )
            if left is None:
                too_dear.add(node)
            elif pays(left):
                best = Suppression(left, tried, node)
        if best is None:
            return
        yield best
        current = best


def _pays(current: Suppression, tried: Draft, best: Suppression | None, left: SetCounts) -> bool:
    """Whether a cut costs less than the current one, and wins more per record dropped than the best so far.

    It does not once it has not: to drop further records costs more.
    """
    found, before, records = Suppression(left, tried, None), current.cost, current.counts.n_records
    if best is None or found.cost >= before:
        return found.cost < before
    won, dropped = before - found.cost, records - left.n_records
    return won * (records - best.counts.n_records) > (before - best.cost) * dropped


def _split(current: Suppression, node: int, *, k: int, m: int) -> tuple[int, Draft, RareSets]:
    """A node, the cut that runs below it, and sets that are rare there; those without a child are common."""
    tried = current.draft.copy()
    tried.split(node)
    children = np.array(tried.tree.children[node], dtype=np.int32)
    return node, tried, current.counts.rare_sets(tried.table, k=k, size=m, among=children, limit=AT_ONCE)


def largest_anonymous(
    counts: SetCounts,
    table: Codes,
    *,
    k: int,
    m: int,
    rare: RareSets | None = None,
    floor: int = 0,
    pays: Callable[[SetCounts], bool] | None = None,
    recounts: Iterator[object] = repeat(None),  # noqa: B008 - it never ends
) -> SetCounts | None:
    """The counts of the largest k^m-anonymous set of records at a cut; None if it has fewer than ``floor``.

    Where what is left does not pay any more, it is given as it is: nobody wants it.
    ``rare`` are sets that are rare there, where these are known. None as well where all sets would have to be
    counted again and ``recounts`` has come to its end.
    """
    if rare is None:
        rare = counts.rare_sets(table, k=k, size=m, limit=AT_ONCE)
    while len(rare):
        left = counts.without(rare.sets, floor=floor)
        if left is None:
            return None
        counts = left
        if pays is not None and not pays(counts):
            return counts
        again = None if len(rare.unseen) else _made_rare(counts, table, k=k, m=m)
        if again is not None:
            rare = again
        elif next(recounts, ENDED) is ENDED:
            return None
        else:
            rare = counts.rare_sets(table, k=k, size=m, limit=AT_ONCE)
    return counts


def _made_rare(counts: SetCounts, table: Codes, *, k: int, m: int) -> RareSets | None:
    """The sets that are rare because records were dropped just now: each was in one of these.

    None where these hold very many sets, so that it counts as counting all transactions again.
    """
    indptr, items = counts.just_dropped
    rows = {tuple(np.unique(table[items[start:end]]).tolist()) for start, end in pairwise(indptr.tolist())}
    if sum(comb(len(row), size) for row in rows for size in range(1, m + 1)) > MOST_TRIED:
        return None
    return counts.rare_sets(table, k=k, size=m, among=np.unique(table[items]))


STEPS = 3
"""How many ever finer cuts are shown."""


@dataclass(frozen=True, eq=False)
class Blockers:
    """Records without which the cut could run below a node, and the penalty that would be left."""

    node: str
    """The label of the last node that could be split without them."""
    records: Counts
    """Their numbers in the original, ascending; for the owner's eyes only."""
    lengths: Counts
    """How many items each of them holds."""
    ncp: float
    """The penalty without them, their own items counted as lost."""

    def __str__(self) -> str:
        what = "1 record" if len(self.records) == 1 else f"{len(self.records)} records"
        return (
            f"Without {what} (the longest holds {self.lengths.max()} items) the NCP would be {self.ncp:.4f}."
        )


def blockers(
    transactions: Transactions,
    plan: Plan,
    *,
    recounts: int | None = None,
    candidates: int = CANDIDATES,
    flag: Flag | None = None,
) -> tuple[Blockers, ...]:
    """The records that hold the cut of a plan up, a few more each time; empty where no few records do.

    At most one record in a thousand is looked for beyond those suppressed. With few ``recounts`` and few
    ``candidates``, only such as are found soon.
    """
    left_out = plan.left_out(transactions)
    published = transactions.take(~left_out) if plan.n_suppressed else transactions
    if not len(published.items):
        return ()
    most = max(1, len(published) // 1000)
    counts = engine_for(published).set_counts(published, size=plan.m, spare=most, flag=flag)
    draft = Draft.at(counts.tree, plan.cut)
    size = min(plan.m, int(published.lengths.max()))
    numbers = np.flatnonzero(~left_out)
    found = []
    steps = suppressions(counts, draft, k=plan.k, m=size, most=most, recounts=recounts, candidates=candidates)
    # The cut of an earlier release may be coarser than these records need: then nobody holds it up.
    for step in islice((step for step in steps if step.counts.n_records < len(published)), STEPS):
        assert step.split is not None, "every step splits a node"
        records = numbers[step.counts.suppressed.rows(published)]
        label = counts.tree.hierarchy.labels[counts.tree.nodes[step.split]]
        found.append(Blockers(label, records, transactions.lengths[records], step.ncp))
    return tuple(found)
