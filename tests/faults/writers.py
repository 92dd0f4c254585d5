"""Everything that writes: a release of each kind, and the commands that write one file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl

import tacit
from tacit.data.hierarchy import from_parents
from tacit.errors import VerificationError
from tacit.mining.rules import write_listing
from tacit.random.key import Key
from tacit.release.published import Release
from tacit_verify.verifying import verify

KEY = Key.from_seed(11)
CANARY = "Zaphod Beeblebrox"
"""A name of the input, in a column that is dropped."""

Save = Callable[..., object]
"""Writes the target it is given; ``overwrite=True`` replaces what is there."""


def release_writers() -> dict[str, Save]:
    """A release of each kind, made once; saving it is what is tried."""
    return {name: made.save for name, made in example_releases().items()}


def file_writers() -> dict[str, Save]:
    """What writes one file, by the name of the file."""
    table, baskets = example_table(), example_baskets()
    tree = tacit.build_flat(["a", "b", "c"])
    itemsets = tacit.mine_itemsets(baskets, min_support=2)
    return {
        "mined.csv": lambda path, **how: write_listing([itemsets.to_frame()], path, **how),
        "mined.json": lambda path, **how: write_listing([itemsets.to_frame()], path, **how),
        "sample.csv": lambda path, **how: tacit.write_table(table, path, **how),
        "sample.csv.gz": lambda path, **how: tacit.write_table(table, path, **how),
        "sample.dat": lambda path, **how: tacit.write_transactions(baskets, path, **how),
        "sample.jsonl": lambda path, **how: tacit.write_transactions(baskets, path, **how),
        "hierarchy.csv": lambda path, **how: tacit.write_hierarchy(tree, path, **how),
    }


def verify_here(folder: Path, original: Path | None = None) -> None:
    """The verifier without a process of its own: thousands of runs follow."""
    failed = [check for check in verify(folder, original) if check.ok is False]
    if failed:
        raise VerificationError(str(failed), code="verification-failed")


def example_releases() -> dict[str, Release]:
    table, baskets = example_table(), example_baskets()
    return {
        "bucketize": tacit.bucketize(table, l=2, key=KEY),
        "bucketize, permuted": tacit.bucketize(table, l=2, form="permuted", key=KEY),
        "generalize": tacit.generalize(baskets, k=2, m=2, key=KEY),
        "hide": tacit.hide(baskets, patterns=[{"beer", "chips"}], min_support=3, key=KEY),
        "rules": tacit.safe_rules(table, min_support=3, min_confidence=0.2, max_posterior=0.9),
    }


def example_table() -> tacit.Table:
    frame = pl.DataFrame(
        {
            "name": [f"{CANARY} {number}" for number in range(24)],
            "zip": [f"z{number % 3}" for number in range(24)],
            "sex": ["f", "m"] * 12,
            "illness": [f"v{(number * 7 + number // 5) % 4}" for number in range(24)],
        }
    )
    return tacit.table_from_frame(frame, quasi=["zip", "sex"], sensitive="illness", identifiers=["name"])


def example_baskets() -> tacit.Transactions:
    sets = [{"beer", "chips"}, {"beer", "chips", "milk"}, {"milk", "tea"}, {"tea"}, {"beer", "tea"}] * 4
    parents = {"beer": "drinks", "tea": "drinks", "milk": "drinks", "chips": "food"}
    tops = dict.fromkeys(("drinks", "food"), "*")
    return tacit.transactions_from_sets(sets, hierarchy=from_parents(parents | tops))
