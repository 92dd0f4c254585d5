"""Frequent itemsets of transactions: the kernel's miner, with names and errors for people."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Literal, cast

import numpy as np

from tacit.data.transactions import Transactions
from tacit.engine.base import ItemsetCounting, WantedItemsets
from tacit.engine.choice import engine_for
from tacit.errors import ResourceError, UsageError
from tacit.mining.itemsets import Itemsets
from tacit.mining.limits import DEFAULT_MAX_ITEMSETS
from tacit.ranges import support_count
from tacit.typing import Progress, Threshold

LARGE = 200_000
"""From so many items in all the transactions on, every core is used unless told otherwise."""


def mine_transactions(
    transactions: Transactions,
    *,
    min_support: Threshold,
    kind: str = "complete",
    min_length: int = 1,
    max_length: int | None = None,
    items: Iterable[str] | None = None,
    containing: Iterable[str] = (),
    max_itemsets: int = DEFAULT_MAX_ITEMSETS,
    threads: int | None = None,
    engine: ItemsetCounting | None = None,
    progress: Progress | None = None,
) -> Itemsets:
    """Every set of items that enough transactions hold; see :func:`tacit.mine_itemsets`."""
    from tacit.engine.itemsets.mine import TooManyItemsets

    required = np.array(transactions.codes_of(containing), dtype=np.int32)
    allowed = None
    if items is not None:
        allowed = np.zeros(transactions.n_items, dtype=np.bool_)
        allowed[list(transactions.codes_of(items))] = True
        if not allowed[required].all():
            raise UsageError(
                "An item that every set must hold is not among the items allowed.",
                code="items-contradict",
                hint="Name it among the items as well, or leave it out of containing.",
            )
    least = support_count(min_support, len(transactions))
    if threads is None:
        threads = (os.cpu_count() or 1) if transactions.n_occurrences >= LARGE else 1
    chosen = cast(Literal["complete", "closed", "maximal"], kind)
    wanted = WantedItemsets(least, chosen, min_length, max_length, allowed, required, max_itemsets)
    found = (engine or engine_for(transactions)).frequent_itemsets(
        transactions, wanted, threads=threads, progress=_share_of(progress)
    )
    if isinstance(found, TooManyItemsets):
        raise _too_many(max_itemsets, least, found.fitting_count, found.fitting_itemsets, len(transactions))
    return Itemsets(transactions.vocabulary, found.offsets, found.items, found.supports, len(transactions))


def _share_of(progress: Progress | None) -> Callable[[float], None] | None:
    if progress is None:
        return None
    return lambda share: progress("Mining itemsets", share)


def _too_many(limit: int, least: int, fitting: int | None, number: int, total: int) -> ResourceError:
    if fitting is None:
        hint = "No support makes them few enough: raise max_itemsets, or bound their length with max_length."
    else:
        share = fitting / max(1, total)
        hint = f"A minimum support of {fitting} ({share:.3g} of the records) gives {number:,} of them."
    return ResourceError(
        f"More than {limit:,} itemsets have a support of at least {least}.",
        code="too-many-itemsets",
        hint=hint,
    )
