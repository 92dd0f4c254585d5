"""Small releases for the tests of the ledger, made with a key as a publisher would make them."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import polars as pl

import tacit
from tacit.data.hierarchy import from_parents
from tacit.random.key import Key

KEY = Key(bytes(range(32)))
OTHER_KEY = Key(bytes(range(1, 33)))


def people(n: int = 60, *, first: int = 0) -> pl.DataFrame:
    """People of whom no two look alike; those of the same number are the same."""
    made = []
    for number in range(first, first + n):
        source = random.Random(number)
        made.append(
            {
                "zip": f"z{number}",
                "age": str(source.randint(20, 60)),
                "disease": source.choice(["flu", "cold", "ulcer", "gout", "asthma"]),
                "pay": source.choice(["low", "middle", "high", "none"]),
            }
        )
    return pl.DataFrame(made)


def bucketized(
    frame: pl.DataFrame | None = None, *, l: int = 2, key: Key = KEY, accept: Any = (), **options: Any
) -> Any:
    roles = {"quasi": ["zip", "age"], "sensitive": "disease"} | options
    table = tacit.table_from_frame(people() if frame is None else frame, **roles)
    return tacit.bucketize(table, l=l, algorithm="anatomy", key=key, accept=accept)


def baskets(n: int = 40, *, first: int = 0) -> tacit.Transactions:
    items = [f"i{number}" for number in range(8)]
    sets = []
    for number in range(first, first + n):
        source = random.Random(number)
        sets.append(source.sample(items, source.randint(1, 4)))
    parents = {item: f"n{number // 2}" for number, item in enumerate(items)}
    parents |= {f"n{number}": "all" for number in range(4)}
    return tacit.transactions_from_sets(sets, hierarchy=from_parents(parents))


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())
