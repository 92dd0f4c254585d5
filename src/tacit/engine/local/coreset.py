"""A coreset of transactions in memory: of millions, few answer for all, and are counted in less time."""

from __future__ import annotations

import numpy as np

from tacit.arrays.csr import take_rows
from tacit.data.transactions import Transactions
from tacit.engine.base import HeldSets
from tacit.engine.kernels.coreset import coreset_rows, nothing_known
from tacit.typing import Codes, Offsets

LARGE = 500_000
"""From so many transactions on, gathering a coreset costs little beside counting them all."""
PAIRS = 2
"""As long as it is of pairs: to gather one of triples takes several times as long as to count them all."""
TRIED, WORTH = 100_000, 0.75
"""If of the last of so many transactions more than this share would still be kept, all of them are."""


def local_coreset(
    transactions: Transactions, least: int, size: int, dropped: HeldSets
) -> tuple[Offsets, Codes]:
    """A coreset of the transactions without those dropped."""
    indptr, items, n_items = transactions.indptr, transactions.items, transactions.n_items
    if dropped.sets:
        indptr, items = take_rows(indptr, items, np.flatnonzero(~dropped.among(indptr, items)))
    if size > PAIRS:
        return indptr, items
    known = nothing_known(n_items, size, least)
    early = coreset_rows(indptr[: TRIED + 1], items, least, known)
    if len(indptr) > TRIED and early[-TRIED // 4 :].mean() > WORTH:
        return indptr, items
    late = coreset_rows(indptr[len(early) :], items, least, known)
    chosen = np.concatenate([early, late])
    # Once more from the last to the first: what was kept early, when nothing was known, may not be needed.
    indptr, items = take_rows(indptr, items, np.flatnonzero(chosen)[::-1])
    chosen = coreset_rows(indptr, items, least, nothing_known(n_items, size, least))
    return take_rows(indptr, items, np.flatnonzero(chosen))
