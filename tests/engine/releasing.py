"""A release of each method from a file, with Spark or in this process, and the files to make it from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import tacit

KEY = tacit.Key.from_seed(11)


def bucketized(source: Path, engine: tacit.SparkEngine | None = None) -> Callable[[], Any]:
    table = tacit.read_table(source, engine=engine, quasi="zip, age, sex", sensitive="disease")
    return lambda: tacit.bucketize(table, l=3, key=KEY)


def generalized(source: Path, engine: tacit.SparkEngine | None = None) -> Callable[[], Any]:
    baskets = tacit.read_transactions(source, engine=engine, hierarchy=source.with_suffix(".csv"))
    return lambda: tacit.generalize(baskets, k=5, m=2, key=KEY)


def hidden(source: Path, engine: tacit.SparkEngine | None = None) -> Callable[[], Any]:
    baskets = tacit.read_transactions(source, engine=engine)
    patterns = source.with_suffix(".txt").read_text().splitlines()
    return lambda: tacit.hide(baskets, patterns=patterns, min_support=30, key=KEY)


MAKING = {"bucketize": bucketized, "generalize": generalized, "hide": hidden}


def people(folder: Path) -> tuple[Path, Path]:
    """A table of people, for this process and for Spark."""
    file = folder / "people.parquet"
    tacit.load_sample("hospital:5000").to_polars().write_parquet(file)
    return file, file


def baskets(folder: Path) -> tuple[Path, Path]:
    """Transactions in one file and in six parts, each beside their hierarchy and what is secret of them."""
    sample = tacit.load_sample("quest:3000")
    lines = [" ".join(sorted(names)) + "\n" for names in sample.sets()]
    whole, parts = folder / "whole.dat", folder / "parts.dat"
    whole.write_text("".join(lines))
    parts.mkdir()
    for part in range(6):
        (parts / f"part-{part}.dat").write_text("".join(lines[part::6]))
    groups = "".join(f"{item};tens-{item // 10};all\n" for item in range(1000))
    pairs = tacit.mine_itemsets(sample, min_support=40, min_length=2, max_length=2)
    secret = "".join(", ".join(pair.items) + "\n" for pair in list(pairs)[:5])
    for file in (whole, parts):
        file.with_suffix(".csv").write_text(groups)
        file.with_suffix(".txt").write_text(secret)
    return whole, parts
