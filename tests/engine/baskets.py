"""Random transactions with a secret: equal ones, empty ones, awkward names, values that go along."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

import tacit
from tacit.data.column import encode

NAMES = ["beer", "whole milk", "tea, green", 'a "b"', "Ärger", "10", "9", "z", "rye", "0", "bread", "gin"]
WARDS = ["north", "", None, "Ärzte"]


@dataclass(frozen=True, kw_only=True)
class Baskets:
    """Transactions, the values beside them if there are any, and what is asked of a method."""

    records: list[list[str]]
    wards: list[str | None] | None
    wish: dict[str, Any]
    hierarchy: tacit.Hierarchy | None = None

    def here(self) -> tacit.Transactions:
        """The transactions in memory."""
        column = None if self.wards is None else encode(pl.Series("ward", self.wards, dtype=pl.String))
        return tacit.transactions_from_sets(self.records, sensitive=column, hierarchy=self.hierarchy)

    def there(self, engine: tacit.SparkEngine, partitions: int) -> tacit.Transactions:
        """The transactions on Spark, in so many partitions."""
        rows: list[Any] = [(items,) for items in self.records]
        schema, options = "items array<string>", {}
        if self.wards is not None:
            rows = list(zip(self.records, self.wards, strict=True))
            schema, options = "items array<string>, ward string", {"sensitive": "ward"}
        frame = engine.session.createDataFrame(rows, schema).repartition(partitions)
        return tacit.read_transactions(frame, engine=engine, hierarchy=self.hierarchy, **options)


def random_hiding(seed: int) -> Baskets:
    """The case of a seed."""
    random = np.random.default_rng(seed)
    names = NAMES if seed % 3 else [str(number) for number in range(3, 15)]
    names = names[: int(random.integers(6, 13))]
    chances = np.sort(random.dirichlet(np.ones(len(names))) + 0.02)[::-1]
    size, longest = int(random.integers(40, 120)), min(len(names), 7)
    records = [
        random.choice(names, int(random.integers(0, longest)), replace=False, p=chances / chances.sum())
        for _ in range(size)
    ]
    records += [records[place] for place in random.integers(0, size, size // 2)]
    common = sorted(names, key=lambda name: -sum(name in record for record in records))[:5]
    pairs = list(combinations(common, 2))
    chosen = [pairs[place] for place in random.permutation(len(pairs))]
    wish: dict[str, Any] = {
        "patterns": [set(chosen[0]), {*chosen[1], *chosen[2]}, *([{common[0]}] if seed % 5 == 4 else [])],
        "min_support": (int(random.integers(3, 9)), float(random.integers(3, 9)) / 100)[seed % 2],
        "policy": ("certified", "exact", "certified", "paper")[seed % 4],
        "targets": ("drawn", "limit")[seed % 5 == 2],
        "decoys": int(seed % 3 == 1),
    }
    if wish["policy"] != "exact":
        wish["confidence"] = (0.5, 0.95)[seed % 2]
    if seed % 3 != 1:  # a rule, to be hidden by its support or by thinning it
        left, right = chosen[3]
        wish["patterns"].append(({left}, {right}))
        wish["min_confidence"] = (0.2, 0.5)[seed % 2]
    wards = (
        None if seed % 4 != 2 else [WARDS[place] for place in random.integers(0, len(WARDS), len(records))]
    )
    return Baskets(records=[list(map(str, record)) for record in records], wards=wards, wish=wish)
