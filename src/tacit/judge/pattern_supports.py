"""The supports of some patterns in transactions, counted by name."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.data.transactions import Transactions
from tacit.kernels.contained import count_sets, index_sets
from tacit.kernels.interrupt import interruptible


def pattern_supports(transactions: Transactions, patterns: Sequence[frozenset[str]]) -> list[int]:
    """How many transactions hold each pattern; 0 where an item of it occurs in none.

    >>> from tacit.data.transactions import transactions_from_sets
    >>> baskets = transactions_from_sets([{"beer", "diapers"}, {"beer"}])
    >>> pattern_supports(baskets, [frozenset({"beer"}), frozenset({"beer", "wine"})])
    [2, 0]
    """
    known = [place for place, names in enumerate(patterns) if names and names <= transactions.index.keys()]
    codes = [sorted(transactions.index[name] for name in patterns[place]) for place in known]
    offsets = np.concatenate([[0], np.cumsum([len(one) for one in codes])]).astype(np.int64)
    flat = np.array([code for one in codes for code in one], dtype=np.int32)
    sets = index_sets(offsets, flat, transactions.supports)
    counts = interruptible(count_sets, transactions.indptr, transactions.items, sets).tolist()
    found = dict(zip(known, counts, strict=True))
    return [found.get(place, 0) for place in range(len(patterns))]
