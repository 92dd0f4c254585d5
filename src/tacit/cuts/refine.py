"""Refinement: give back detail that a greedy choice took away without need.

A greedy pass fixes each rare set by itself, so a node climbed to early may have become needless
through a later climb. Each node of the cut is therefore tried one level finer; what stays valid is
kept. If splitting a node makes a set rare, the set stays rare at every finer cut, so a node that
failed once has failed for good, and one pass is enough for a cut below which no other is valid.

An exchange goes further: a dear node is split although that makes sets rare, these are fixed in
other ways, and the whole is kept if it costs less.
"""

from __future__ import annotations

import heapq
from time import monotonic

import numpy as np

from tacit.cuts.apriori import repair
from tacit.cuts.draft import Draft
from tacit.engine.base import SetCounts
from tacit.typing import Codes, Progress


def refine(counts: SetCounts, draft: Draft, *, k: int, m: int, progress: Progress | None = None) -> Draft:
    """A valid cut at or below the given valid one, at which no node can be split; it never costs more.

    Nodes whose split gives back most are tried first.
    """
    tree, draft = draft.tree, draft.copy()
    waiting = [(-int(tree.steps[node]), node) for node in draft.inner_nodes()]
    heapq.heapify(waiting)
    while waiting:
        _, node = heapq.heappop(waiting)
        if splits(counts, draft, node, k=k, m=m):
            draft.split(node)
            for child in tree.children[node]:
                if child >= tree.n_items:
                    heapq.heappush(waiting, (-int(tree.steps[child]), child))
        if progress is not None:
            progress("refining", None)
    return draft


def exchange(
    counts: SetCounts,
    draft: Draft,
    *,
    k: int,
    m: int,
    dearest: int | None = None,
    deadline: float | None = None,
) -> Draft:
    """A valid cut that costs no more, found by exchanging nodes until none of the ``dearest`` (all) can be.

    No exchange is begun after the ``deadline``, by the clock of :func:`time.monotonic`.
    """
    failed: set[int] = set()
    while True:
        waiting = [node for node in draft.inner_nodes()[:dearest] if node not in failed]
        if not waiting or (deadline is not None and monotonic() >= deadline):
            return draft
        better = exchanged(counts, draft, waiting[0], k=k, m=m)
        if better is None:
            failed.add(waiting[0])
        else:
            draft, failed = better, set()


def splits(counts: SetCounts, draft: Draft, node: int, *, k: int, m: int) -> bool:
    """Whether a valid cut stays valid with the children of one of its nodes in the node's place."""
    tried = draft.copy()
    tried.split(node)
    # Sets without a child of the node are as they were.
    children = np.array(draft.tree.children[node], dtype=np.int32)
    return not len(counts.rare_sets(tried.table, k=k, size=m, among=children, limit=1))


def exchanged(counts: SetCounts, draft: Draft, node: int, *, k: int, m: int) -> Draft | None:
    """A cheaper valid cut that goes below a node of the given valid one; None where none is found."""
    tried = draft.copy()
    tried.split(node)
    children: Codes = np.array(draft.tree.children[node], dtype=np.int32)
    above = np.array(draft.tree.path(node), dtype=np.int32)
    if not repair(counts, tried, k=k, size=m, among=children, forbidden=above):
        return None
    tried = refine(counts, tried, k=k, m=m)
    return tried if tried.cost < draft.cost else None
