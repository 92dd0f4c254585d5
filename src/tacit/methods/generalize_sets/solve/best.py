"""Many starts: greedy passes that fix rare sets in other orders, and the cheapest of their cuts.

The orders follow from the key and the labels of the hierarchy, so that the same key and the same
data give the same cut as long as the number of starts is the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic

import numpy as np

from tacit.data.hierarchy import ItemTree
from tacit.engine.base import SetCounts
from tacit.methods.generalize_sets.solve.apriori import apriori
from tacit.methods.generalize_sets.solve.draft import Draft
from tacit.methods.generalize_sets.solve.refine import Refiner
from tacit.options import Asked
from tacit.random.key import Key
from tacit.typing import Counts

RESTARTS = 8
"""Starts with another order where neither their number nor a time is given."""

DEAREST = 3
"""After each start so many of the dearest nodes are tried in an exchange."""


@dataclass(frozen=True, eq=False)
class BestCut:
    """The cheapest valid cut met, and how many starts with another order were made."""

    draft: Draft
    restarts: int


def best(counts: SetCounts, asked: Asked, m: int, deadline: float | None) -> BestCut:
    """The cheapest cut of several starts: as many as asked for, and as fit into the time.

    With a time alone, starts are made until it is over, so that the result depends on the machine;
    ``restarts`` makes it the same everywhere as long as the time suffices.
    """
    k, restarts = asked.k, asked.restarts
    if restarts is None and deadline is None:
        restarts = RESTARTS
    refiner = Refiner(counts, k=k, m=m)
    chosen = refiner.exchange(refiner.refine(apriori(counts, k=k, m=m)), deadline=deadline)
    done = 0
    while (restarts is None or done < restarts) and (deadline is None or monotonic() < deadline):
        asked.progress(f"start {done + 1}", None if restarts is None else done / restarts)
        order = keyed_order_of_nodes(counts.tree, asked.key, done)
        found = refiner.refine(apriori(counts, k=k, m=m, order=order))
        found = refiner.exchange(found, dearest=DEAREST, deadline=deadline)
        done += 1
        if found.cost < chosen.cost:
            chosen = found
    return BestCut(chosen, done)


def keyed_order_of_nodes(tree: ItemTree, key: Key, number: int) -> Counts:
    """The number-th order of the tree's nodes: the same for whoever has the key, random for all others."""
    from tacit.random.digests import value_digests
    from tacit.random.keyed import draws, keyed_order

    labels = [tree.hierarchy.labels[node] for node in tree.nodes]
    digests = value_digests(key.subkey("content"), "node", labels)
    ranks = np.zeros(len(labels), dtype=np.int64)  # labels are distinct
    words = draws(key.subkey("order of rare sets"), digests, ranks, label=number)
    return keyed_order(words, digests, ranks)
