"""Small random transactions under small random hierarchies, from a seeded generator."""

from __future__ import annotations

import random
from dataclasses import dataclass

from tacit.data.hierarchy import from_parents
from tacit.data.transactions import Transactions, transactions_from_sets


@dataclass(frozen=True)
class Baskets:
    """Records and hierarchy as plain Python, and as Tacit holds them."""

    records: list[frozenset[str]]
    parents: dict[str, str]
    transactions: Transactions


def random_baskets(random: random.Random, *, most_records: int = 12, most_items: int = 7) -> Baskets:
    """Up to a dozen records over a tree that is uneven, with nodes of one child and leaves nobody holds."""
    n_items = random.randint(2, most_items)
    parents: dict[str, str] = {}
    level = [f"i{number}" for number in range(n_items)]
    leaves = list(level)
    number = 0
    while len(level) > 1:
        # Some nodes climb by themselves, some wait for the next round, neighbours merge.
        above: list[str] = []
        while level:
            size = random.randint(1, 3)
            taken, level = level[:size], level[size:]
            if len(taken) == 1 and random.random() < 0.7:
                above.append(taken[0])
                continue
            number += 1
            parents |= dict.fromkeys(taken, f"n{number}")
            above.append(f"n{number}")
        level = above
    held = random.sample(leaves, random.randint(2, n_items)) if random.random() < 0.3 else leaves
    length = random.choice([2, 3, 5])
    records = [
        frozenset(
            random.sample(held, min(len(held), random.randint(0 if random.random() < 0.1 else 1, length)))
        )
        for _ in range(random.randint(2, most_records))
    ]
    if random.random() < 0.3:  # records that occur many times
        records += random.choices(records, k=random.randint(1, 6))
    return Baskets(records, parents, transactions_from_sets(records, hierarchy=from_parents(parents)))
