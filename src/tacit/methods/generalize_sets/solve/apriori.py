"""Apriori-based and direct anonymization: fix one rare set after the other, cheapest way first.

A set of nodes that occurs in fewer than k records is fixed by climbing from its nodes to ancestors
that together occur in at least k, at the least rise in NCP. Apriori anonymization (AA [1, Alg. 4])
fixes sets of one node first, then pairs, and so on up to m, so that the larger sets are counted at
a cut that is already coarse; direct anonymization (DA [1, Alg. 3]) fixes sets of all sizes at once.

Where the paper counts every set of nodes at every level beforehand, in a count-tree of expanded
records, only sets at the current cut are counted here. The support of a set further up is asked
for when the set below it turns out to be rare, which few do.

A fixed set needs no second look. When nodes merge, the sets that their common ancestor takes part
in have at least the support of those that they took part in themselves, so once all sets with a
node have been seen to be common, or have been fixed, they stay so. Only sets with a node that is
new, or was not reached yet, are counted again.

[1] M. Terrovitis, N. Mamoulis, P. Kalnis. Privacy-preserving Anonymization of Set-valued Data.
    VLDB 2008.
"""

from __future__ import annotations

import numpy as np

from tacit.engine.sets import SetCounts
from tacit.methods.generalize_sets.solve.cut import Draft
from tacit.typing import Codes, Counts, Progress

AT_ONCE = 1 << 17
"""Rare sets asked for at a time: fixing some does away with most of the others."""

FORBIDDEN = 1 << 60
"""A price no cut can reach."""


def apriori(
    counts: SetCounts, *, k: int, m: int, order: Counts | None = None, progress: Progress | None = None
) -> Draft:
    """A k^m-anonymous cut by apriori anonymization, sizes 1 to m in turn; ``order`` says what comes first."""
    draft = Draft(counts.tree)
    for size in range(1, m + 1):
        if progress is not None:
            progress(f"sets of {size}", (size - 1) / m)
        repair(counts, draft, k=k, size=size, order=order)
    return draft


def direct(counts: SetCounts, *, k: int, m: int) -> Draft:
    """A k^m-anonymous cut by direct anonymization: sets of up to m nodes, all at once."""
    draft = Draft(counts.tree)
    repair(counts, draft, k=k, size=m)
    return draft


def repair(
    counts: SetCounts,
    draft: Draft,
    *,
    k: int,
    size: int,
    among: Codes | None = None,
    order: Counts | None = None,
    forbidden: Codes | None = None,
) -> bool:
    """Move the draft up until no set of up to ``size`` of its nodes is rare.

    ``among`` names the nodes whose sets may be rare, where the others' are known to be common.
    False where that cannot be done without climbing to a ``forbidden`` node.
    """
    while True:
        rare = counts.rare_sets(draft.table, k=k, size=size, among=among, limit=AT_ONCE)
        if not len(rare):
            return True
        new = _fix(counts, draft, _ordered(rare.sets, order), k, forbidden)
        if new is None:
            return False
        again = np.concatenate([new, rare.unseen])
        among = again[draft.present[again]]


def _fix(counts: SetCounts, draft: Draft, sets: Codes, k: int, forbidden: Codes | None) -> Codes | None:
    """Fix rare sets of nodes one after the other; the nodes climbed to, or None where there is no way."""
    from tacit.engine.kernels.combinations import next_whole

    new: list[int] = []
    line = 0
    # A set one of whose nodes has been climbed above is gone; what took its place is counted again.
    while (line := next_whole(sets, draft.present, line)) < len(sets):
        nodes = sets[line]
        prices = draft.prices
        if forbidden is not None:
            prices[forbidden] = FORBIDDEN
        for node in counts.cheapest_lift(nodes[nodes >= 0], prices, k=k).tolist():
            if prices[node] >= FORBIDDEN:
                return None
            if not draft.present[node]:
                draft.climb(node)
                new.append(node)
    return np.array(new, dtype=np.int32)


def _ordered(sets: Codes, order: Counts | None) -> Codes:
    """The sets in the order in which they are to be fixed."""
    if order is None:
        return sets
    places = np.append(np.argsort(order), -1)  # the place of each node, and of "no node"
    return sets[np.lexsort(places[sets].T[::-1])]
