"""The supports of some patterns in transactions, counted by name."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.data.transactions import Transactions
from tacit.engine.choice import engine_for


def pattern_supports(transactions: Transactions, patterns: Sequence[frozenset[str]]) -> list[int]:
    """How many transactions hold each pattern; 0 where an item of it occurs in none.

    >>> from tacit.data.transactions import transactions_from_sets
    >>> baskets = transactions_from_sets([{"beer", "diapers"}, {"beer"}])
    >>> pattern_supports(baskets, [frozenset({"beer"}), frozenset({"beer", "wine"})])
    [2, 0]
    """
    known = [place for place, names in enumerate(patterns) if names and names <= transactions.index.keys()]
    codes = [sorted(transactions.index[name] for name in patterns[place]) for place in known]
    counts = engine_for(transactions).set_supports(transactions, codes).tolist()
    found = dict(zip(known, counts, strict=True))
    return [found.get(place, 0) for place in range(len(patterns))]
