"""Buckets of nearby rows: the same promise, rows taken from the cells that have them, near ones together."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import tacit
from tacit.data.table import Table, table_from_frame
from tacit.engine.local.engine import LocalEngine
from tacit.errors import UsageError
from tacit.methods.bucketize.judge.risks import vulnerable_rows
from tacit.methods.bucketize.solve.feasibility import largest_feasible
from tacit.methods.bucketize.solve.injector import ROWS_PER_VALUE, Cells, cells_of, near_plan
from tacit.methods.bucketize.solve.plan import Classes, Plan
from tacit.methods.bucketize.verb import bucketize
from tacit.mining.verbs import mine_negative_rules
from tacit.random.key import Key
from tests.cases import parted
from tests.methods.bucketize.random_classes import random_classes
from tests.methods.bucketize.releases import published_bytes
from tests.methods.bucketize.test_plans import check_plan

KEY = Key.from_seed(6)


def random_cells(generator: np.random.Generator, classes: Classes) -> tuple[Cells, np.ndarray, np.ndarray]:
    """A random tree of cells with every row in one of them: (cells, class and rows of each combination)."""
    n_cells = int(generator.integers(1, 8))
    parents = np.array([-1, *(generator.integers(0, cell) for cell in range(1, n_cells))], dtype=np.int32)
    kinds = np.repeat(np.arange(len(classes), dtype=np.int32), classes.counts)
    pairs, rows = np.unique(
        np.column_stack([kinds, generator.integers(0, n_cells, len(kinds))]), axis=0, return_counts=True
    )
    return Cells(parents, pairs[:, 1].astype(np.int32)), pairs[:, 0].astype(np.int32), rows


def made(classes: Classes, l: int, generator: np.random.Generator) -> Plan:
    cells, class_of, rows = random_cells(generator, classes)
    nobody = np.zeros(len(classes), dtype=np.int64)
    plan = near_plan(classes, l, KEY, cells=cells, class_of=class_of, rows_of=rows, suppressed=nobody)
    kind_of, members, n_kinds = plan.kinds(class_of)
    # Every cell gives the rows of each class that it has, no more and no fewer.
    assert np.bincount(members, minlength=n_kinds).tolist() == rows[np.argsort(kind_of)].tolist()
    return plan


def check_many(tables: int, seed: int) -> int:
    generator = np.random.Generator(np.random.PCG64(seed))
    feasible = 0
    for number in range(tables):
        classes = random_classes(generator, most_rows=14, attributes=1 if number % 4 else 2)
        largest = largest_feasible(classes)
        if largest >= 2:
            feasible += 1
            l = int(generator.integers(2, largest + 1))
            check_plan(made(classes, l, generator), classes, l)
    return feasible


@parted(1_500)
def test_random_tables_in_random_cells(seeds: range) -> None:
    assert check_many(len(seeds), seed=20 + seeds.start) > 2 * len(seeds) // 5


@pytest.mark.slow
def test_a_hundred_thousand_random_tables_in_random_cells() -> None:
    assert sum(check_many(10_000, seed=2_000 + batch) for batch in range(10)) > 40_000


def strong(rows: int = 3_000, seed: int = 1) -> Table:
    """Values that depend strongly on the quasi-identifiers, so that cells differ."""
    generator = np.random.Generator(np.random.PCG64(seed))
    town, age = generator.integers(0, 4, rows), generator.integers(20, 70, rows)
    value = (town * 2 + (age > 45) + generator.choice([0, 0, 0, 1, 2, 3], rows)) % 8
    columns = {"town": [f"t{code}" for code in town], "age": age, "value": [f"v{code}" for code in value]}
    return table_from_frame(pl.DataFrame(columns), quasi=["town", "age"], sensitive="value")


def test_cells_split_the_rows_by_quasi_identifiers() -> None:
    table = strong()
    combinations = LocalEngine().combinations(table, ("town", "age", "value"))
    cells = cells_of(combinations, ("town", "age"), 3)
    sizes = np.bincount(cells.of, weights=combinations.counts, minlength=len(cells))
    leaves = np.setdiff1d(np.arange(len(cells)), cells.parents)
    assert len(leaves) > 20 and sizes[leaves].sum() == len(table)
    assert sizes[leaves].min() >= ROWS_PER_VALUE * 3
    # The town has fewest values, so a smallest cell is in one town.
    towns = [len(set(combinations.codes[cells.of == leaf, 0].tolist())) for leaf in leaves]
    assert set(towns) == {1}
    # Rows with the same quasi-identifiers are in the same cell.
    same = {}
    for codes, cell in zip(combinations.codes[:, :2].tolist(), cells.of.tolist(), strict=True):
        assert same.setdefault(tuple(codes), cell) == cell


def test_numbers_are_ordered_as_numbers() -> None:
    frame = pl.DataFrame({"age": [str(age) for age in [5, 9, 10, 11, 100, 102] * 40], "s": ["a", "b"] * 120})
    table = table_from_frame(frame, quasi=["age"], sensitive="s")
    combinations = LocalEngine().combinations(table, ("age", "s"))
    cells = cells_of(combinations, ("age",), 2)
    texts = combinations.texts[0]
    by_cell: dict[int, set[int]] = {}
    for code, cell in zip(combinations.codes[:, 0].tolist(), cells.of.tolist(), strict=True):
        by_cell.setdefault(cell, set()).add(int(str(texts[code])))
    ranges = sorted((min(ages), max(ages)) for ages in by_cell.values())
    assert len(ranges) > 1 and all(high < low for (_, high), (low, _) in pairwise(ranges))


def test_each_choice_of_partners_keeps_the_promise_and_is_stated() -> None:
    table = strong()
    rules = mine_negative_rules(table)
    for partners in ("areas", "near", "any", "paper"):
        release = bucketize(table, l=3, knowledge=rules, partners=partners, key=KEY)
        assert vulnerable_rows(release.buckets, rules, 3) == 0
        assert release.manifest.parameters["partners"] == partners
    assert bucketize(table, l=3, knowledge=rules, key=KEY).manifest.parameters["partners"] == "areas"
    bounded = bucketize(
        table,
        l=3,
        knowledge=rules,
        max_posterior=0.34,
        key=KEY,
        on_infeasible="suppress",
        max_posterior_suppressed=0.9,
    )
    assert bounded.manifest.parameters["partners"] == "any"
    assert "partners" not in bucketize(table, l=3, algorithm="anatomy", key=KEY).manifest.parameters


def test_near_partners_do_not_depend_on_the_order_of_rows(tmp_path: Path) -> None:
    table = strong(900)
    turned = table_from_frame(
        table.to_polars().sample(fraction=1.0, shuffle=True, seed=3), quasi=["town", "age"], sensitive="value"
    )
    one, other = (bucketize(each, l=3, partners="near", key=KEY) for each in (table, turned))
    assert one.plan.cells is not None and len(one.plan.cells) > 1
    assert published_bytes(one, tmp_path / "one") == published_bytes(other, tmp_path / "other")


def test_partners_that_cannot_be_are_refused() -> None:
    table = strong(300)
    with pytest.raises(UsageError, match="belongs to the algorithm 'injector'"):
        bucketize(table, l=2, algorithm="anatomy", partners="near", key=KEY)
    with pytest.raises(UsageError, match="belongs to a release without max_posterior"):
        bucketize(table, l=2, partners="near", max_posterior=0.5, key=KEY)
    with pytest.raises(tacit.TacitError, match="'partners' parameter"):
        bucketize(table, l=2, partners="far", key=KEY)
