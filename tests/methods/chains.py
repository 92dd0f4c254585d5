"""Chains of generalized tables and sets about the same people, for tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from tacit.data.hierarchy import Hierarchy, from_parents
from tacit.data.table import Table, table_from_frame
from tacit.data.transactions import Transactions
from tacit.io.readers import read_transactions
from tacit.methods.generalize_sets.verb import generalize as generalize_sets
from tacit.methods.generalize_tables.verb import generalize as generalize_tables
from tacit.random.key import Key
from tacit.release.published import Release
from tests.methods.bucketize.series import put

KEY = Key.from_seed(11)
AGES = from_parents(
    {str(age): f"{age // 10}x" for age in range(20, 60)} | {f"{tens}x": "*" for tens in range(2, 6)},
    name="age",
)
ITEMS = from_parents(
    {f"i{item}": f"g{item // 3}" for item in range(9)} | {f"g{group}": "*" for group in range(3)}
)


def table(frame: pl.DataFrame, *, hierarchies: Mapping[str, Hierarchy] | None = None) -> Table:
    found = table_from_frame(frame, quasi=["sex", "age"], sensitive="disease")
    return found.with_hierarchies({"age": AGES} if hierarchies is None else hierarchies)


def tables(
    frames: Sequence[pl.DataFrame], place: Path, ks: Sequence[int], **options: Any
) -> tuple[list[Any], list[Path]]:
    """The releases of some tables, each after the one before, and their folders."""
    asked = {"key": KEY, "person": "id", "recoding": "subtree"} | options
    releases, folders = list[Any](), list[Path]()
    for number, (frame, k) in enumerate(zip(frames, ks, strict=True), start=1):
        after = folders[-1] if folders else None
        releases.append(generalize_tables(table(frame), k=k, after=after, **asked))
        folders.append(put(releases[-1], place / f"r{number}"))
    return releases, folders


def sets(held: Mapping[str, Sequence[str]], *, hierarchy: Hierarchy = ITEMS) -> Transactions:
    rows = [(person, item) for person, items in held.items() for item in items]
    frame = pl.DataFrame(rows, schema={"who": pl.String, "item": pl.String}, orient="row")
    return read_transactions(frame, record="who", item="item", hierarchy=hierarchy)


def set_chain(
    chain: Sequence[Mapping[str, Sequence[str]]], place: Path, ks: Sequence[int], m: int = 2, **options: Any
) -> tuple[list[Any], list[Path]]:
    """The releases of some sets, each after the one before, and their folders."""
    asked = {"key": KEY, "person": "who", "m": m} | options
    releases, folders = list[Any](), list[Path]()
    for number, (held, k) in enumerate(zip(chain, ks, strict=True), start=1):
        after = folders[-1] if folders else None
        releases.append(generalize_sets(sets(held), k=k, after=after, **asked))
        folders.append(put(releases[-1], place / f"r{number}"))
    return releases, folders


def saved(release: Release, folder: Path) -> Path:
    return release.save(folder).folder
