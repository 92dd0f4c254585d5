"""Refinement: give back detail that a greedy choice took away without need.

A greedy pass fixes each rare set by itself, so a node climbed to early may have become needless
through a later climb. Each node of the cut is therefore tried one level finer, and what stays valid
is kept. If splitting a node makes a set rare, the set stays rare at every finer cut, so a node that
failed once has failed for good, and one pass gives a cut below which no other is valid.

An exchange goes further: a dear node is split although that makes sets rare, these are fixed in
other ways, and the whole is kept if it costs less.

With many starts, greedy passes fix rare sets in other orders, and the cheapest of their cuts is taken. The
orders follow from the key and the labels of the hierarchy, so that the same key, data and number of starts
give the same cut.
"""

from __future__ import annotations

import heapq
from time import monotonic

import numpy as np

from tacit.data.hierarchy import ItemTree
from tacit.engine.sets import SetCounts
from tacit.methods.generalize_sets.solve.apriori import apriori, repair
from tacit.methods.generalize_sets.solve.cut import Draft
from tacit.options import Asked
from tacit.random.key import Key
from tacit.typing import Codes, Counts, Progress

WITNESSES = 6
"""So many rare sets are kept to show that a node cannot be split."""


class Refiner:
    """Refines valid cuts of the same counts, and remembers why nodes could not be split."""

    def __init__(self, counts: SetCounts, *, k: int, m: int) -> None:
        self.counts = counts
        self.k = k
        self.m = m
        self._witnesses: dict[int, list[Codes]] = {}

    def refine(self, draft: Draft, *, progress: Progress | None = None) -> Draft:
        """A valid cut at or below the given valid one, at which no node can be split; it costs no more."""
        tree, draft = draft.tree, draft.copy()
        waiting = [(-int(tree.steps[node]), node) for node in draft.inner_nodes()]
        heapq.heapify(waiting)
        while waiting:
            _, node = heapq.heappop(waiting)
            if self.splits(draft, node):
                draft.split(node)
                for child in tree.children[node]:
                    if child >= tree.n_items:
                        heapq.heappush(waiting, (-int(tree.steps[child]), child))
            if progress is not None:
                progress("refining", None)
        return draft

    def exchange(self, draft: Draft, *, dearest: int | None = None, deadline: float | None = None) -> Draft:
        """A valid cut that costs no more, by exchanges until none of the ``dearest`` nodes gives one."""
        failed: set[int] = set()
        while True:
            waiting = [node for node in draft.inner_nodes()[:dearest] if node not in failed]
            if not waiting or (deadline is not None and monotonic() >= deadline):
                return draft
            better = self.exchanged(draft, waiting[0])
            if better is None:
                failed.add(waiting[0])
            else:
                draft, failed = better, set()

    def exchanged(self, draft: Draft, node: int) -> Draft | None:
        """A cheaper valid cut that goes below a node of the given valid one; None where none is found."""
        tried = draft.copy()
        tried.split(node)
        children = np.array(draft.tree.children[node], dtype=np.int32)
        above = np.array(draft.tree.path(node), dtype=np.int32)
        if not repair(self.counts, tried, k=self.k, size=self.m, among=children, forbidden=above):
            return None
        tried = self.refine(tried)
        return tried if tried.cost < draft.cost else None

    def splits(self, draft: Draft, node: int) -> bool:
        """Whether a valid cut stays valid with the children of one of its nodes in the node's place."""
        tried = draft.copy()
        tried.split(node)
        # A set that was rare is rare still, and shows at every cut that runs at or below its nodes.
        if any(tried.runs_below(witness) for witness in self._witnesses.get(node, ())):
            return False
        # Sets without a child of the node are as they were.
        children = np.array(draft.tree.children[node], dtype=np.int32)
        rare = self.counts.rare_sets(tried.table, k=self.k, size=self.m, among=children, limit=WITNESSES)
        if not len(rare):
            return True
        self._witnesses[node] = [
            self._witness(rare.sets[line], children) for line in spread(len(rare), WITNESSES)
        ]
        return False

    def _witness(self, nodes: Codes, children: Codes) -> Codes:
        """A rare set raised as high as it stays rare, so that it speaks for as many cuts as it can."""
        nodes = nodes[nodes >= 0]
        others_first = nodes[np.argsort(np.isin(nodes, children), kind="stable")]
        return self.counts.highest_rare(others_first, k=self.k, start=0)


def spread(count: int, most: int) -> list[int]:
    """Up to ``most`` of the numbers below ``count``, spread evenly over them."""
    return sorted(set(np.linspace(0, count - 1, most).astype(int).tolist()))


RESTARTS = 8
"""Starts with another order where neither their number nor a time is given."""

DEAREST = 3
"""After each start so many of the dearest nodes are tried in an exchange."""


def best(counts: SetCounts, asked: Asked, m: int, deadline: float | None) -> tuple[Draft, int]:
    """The cheapest cut of several starts, and how many: as many as asked for, and as fit into the time.

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
        asked.report(f"start {done + 1}", None if restarts is None else done / restarts)
        order = keyed_order_of_nodes(counts.tree, asked.key, done)
        found = refiner.refine(apriori(counts, k=k, m=m, order=order))
        found = refiner.exchange(found, dearest=DEAREST, deadline=deadline)
        done += 1
        if found.cost < chosen.cost:
            chosen = found
    return chosen, done


def keyed_order_of_nodes(tree: ItemTree, key: Key, number: int) -> Counts:
    """The number-th order of the tree's nodes: the same for whoever has the key, random for all others."""
    from tacit.random.digests import value_digests
    from tacit.random.keyed import draws, keyed_order

    labels = [tree.hierarchy.labels[node] for node in tree.nodes]
    digests = value_digests(key.subkey("content"), "node", labels)
    ranks = np.zeros(len(labels), dtype=np.int64)  # labels are distinct
    words = draws(key.subkey("order of rare sets"), digests, ranks, label=number)
    return keyed_order(words, digests, ranks)
