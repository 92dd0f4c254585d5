"""Random tables for both engines: awkward values, missing ones, kept columns, two sensitive attributes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

WORDS = ["flu", "cold", "a, b", 'say "ah"', "Ärger", "ulcer", "", "line\nend", "zoster", "gout"]


@dataclass(frozen=True)
class Case:
    """A table, the roles of its columns, and how it is to be bucketized."""

    frame: pl.DataFrame
    roles: dict[str, Any]
    wish: dict[str, Any]


def random_case(seed: int) -> Case:
    """The case of a seed."""
    random = np.random.default_rng(seed)
    rows = int(random.integers(12, 90))
    columns: dict[str, Any] = {
        "zip": [f"{code:03}" for code in random.integers(0, 6, rows)],
        "age": random.integers(20, 26, rows),
        "sex": _words(random, ["m", "f", None], rows),
        "disease": _words(random, WORDS[: int(random.integers(4, 11))], rows),
        "drug": _words(random, ["none", "some", "many", "all", None], rows),
        "note": random.integers(0, 3, rows) / 4,
        "name": [f"person {number}" for number in range(rows)],
    }
    two = seed % 5 == 4
    roles: dict[str, Any] = {
        "quasi": ("zip", "age", "sex")[: int(random.integers(1, 4))],
        "sensitive": ("disease", "drug") if two else ("disease",),
        "keep": ("note",) if seed % 3 == 1 else (),
        "identifiers": ("name",),
        "nulls": ("own", "suppress")[seed % 4 == 3],
    }
    wish: dict[str, Any] = {
        "l": 2 + int(seed % 2),
        "algorithm": "anatomy" if seed % 6 == 5 else "injector",
        "form": ("qit", "permuted")[seed % 2],
        "on_infeasible": "suppress",
        "max_posterior_suppressed": 0.9,
    }
    if wish["algorithm"] == "injector":
        wish["partners"] = ("areas", "near", "any", "paper")[seed % 4]
    return Case(pl.DataFrame(columns), roles, wish)


def _words(random: np.random.Generator, words: list[Any], rows: int) -> list[Any]:
    chances = random.dirichlet(np.ones(len(words)))
    return [words[place] for place in random.choice(len(words), rows, p=chances)]
