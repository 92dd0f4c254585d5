"""Small random instances of hiding, from a seeded generator, solved by the package's own parts."""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction

from tacit.data.transactions import Transactions, transactions_from_sets
from tacit.engine.local.sets import LocalSanitizer
from tacit.methods.hide.solve.patterns import Secret, read_secret
from tacit.methods.hide.solve.solve import Plan, Wish, solve
from tacit.mining.itemsets import Itemsets
from tacit.mining.mine import mine_transactions
from tacit.random.key import Key


@dataclass(frozen=True)
class Instance:
    """Transactions, what is frequent in them, and some of it named as secret."""

    records: list[frozenset[str]]
    transactions: Transactions
    itemsets: Itemsets
    secret: Secret
    least: int

    def seeds(self) -> list[frozenset[str]]:
        names = self.transactions.vocabulary
        return [frozenset(names[item] for item in pattern) for pattern in self.secret.patterns]

    def plan(self, key: Key, **asked: object) -> tuple[Plan, LocalSanitizer]:
        sanitizer = LocalSanitizer(self.transactions, key)
        wish = Wish(
            **{
                "least": self.least,
                "bound": Fraction(self.least),
                "confidence": Fraction(95, 100),
                "targets": "limit",
                **asked,
            }
        )
        made = solve(self.secret, self.itemsets, self.transactions.supports, sanitizer, key, wish)
        return made, sanitizer


def random_instance(draw: random.Random, *, singles: bool = False, most: int = 80) -> Instance:
    """Transactions with something frequent in them; up to three frequent patterns are secret."""
    while True:
        n_items = draw.randint(3, 8)
        names = [f"i{number}" for number in range(n_items)]
        weights = [draw.random() ** 0.7 for _ in names]
        records = [
            frozenset(name for name, weight in zip(names, weights, strict=True) if draw.random() < weight)
            for _ in range(draw.randint(10, most))
        ]
        transactions = transactions_from_sets(records)
        least = max(2, round(len(records) * draw.uniform(0.1, 0.5)))
        itemsets = mine_transactions(transactions, min_support=least, min_length=2, threads=1)
        if not len(itemsets):
            continue
        chosen: list[object] = [itemsets[draw.randrange(len(itemsets))] for _ in range(draw.randint(1, 3))]
        frequent_items = [
            name for name, item in transactions.index.items() if transactions.supports[item] >= least
        ]
        if singles and draw.random() < 0.5:
            chosen.append({draw.choice(frequent_items)})
        return Instance(records, transactions, itemsets, read_secret(chosen, transactions), least)


def left_over(instance: Instance, sanitizer: LocalSanitizer, removed: object) -> list[frozenset[str]]:
    """What is left of the records, in their order, as sets of names."""
    indptr, items = sanitizer.rows(removed)  # type: ignore[arg-type]
    names = instance.transactions.vocabulary
    return [
        frozenset(names[item] for item in items[first:end].tolist())
        for first, end in zip(indptr[:-1].tolist(), indptr[1:].tolist(), strict=True)
    ]
