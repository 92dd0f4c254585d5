"""Cells kept or empty in large tables: every class has k rows, is as fine as it says, and loses little."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tacit.data.table import table_from_frame
from tacit.engine.local.engine import LocalEngine
from tacit.recoding import CELLS
from tacit.recoding.clustering import can_be_emptied
from tacit.recoding.coarser import with_hierarchies
from tacit.recoding.problem import Problem, problem_of
from tacit.recoding.promises import Promise
from tacit.recoding.solve import local_recoding


def random_problem(seed: int, rows: int, k: int) -> Problem:
    """A table of two to five columns of one to nine values, some of them common."""
    draw = np.random.default_rng(seed)
    columns = {
        f"q{number}": np.minimum(draw.geometric(0.4, rows), draw.integers(1, 10)).astype(str)
        for number in range(draw.integers(2, 6))
    }
    table = table_from_frame(pl.DataFrame(columns), quasi=list(columns))
    table, trees, costs = with_hierarchies(table, CELLS)
    combinations = LocalEngine().combinations(table, table.roles.quasi)
    return problem_of(combinations, table.roles.quasi, trees, lambda held: Promise(k), costs=costs)


@pytest.mark.parametrize("seed", range(40))
def test_classes_keep_k_and_lose_no_more_than_clusters(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    k = 2 + seed % 4
    problem = random_problem(seed, 20 + 9 * seed, k)
    clustered = local_recoding(problem, epsilon=0.4)
    monkeypatch.setattr("tacit.recoding.clustering.MANY", 0)
    assert can_be_emptied(problem)
    found = local_recoding(problem, epsilon=0.4)
    assert found is not None and clustered is not None
    rows = np.bincount(found.class_of, weights=problem.counts, minlength=len(found.nodes))
    assert rows.min() >= k
    shown = found.nodes[found.class_of]
    roots = problem.forest.roots[None, :]
    assert ((shown == problem.nodes) | (shown == roots)).all()
    alone = problem.counts >= k
    if rows[found.class_of[alone]].sum() == problem.counts[alone].sum():  # nothing was left to join them
        assert (shown[alone] == problem.nodes[alone]).all()
    assert found.loss(problem) <= 1.25 * clustered.loss(problem) + 0.02


def test_classes_lose_less_than_clusters_on_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    problems = [random_problem(seed, 3_000, 5) for seed in range(100, 108)]
    clustered = sum(local_recoding(problem, epsilon=0.4).loss(problem) for problem in problems)  # type: ignore[union-attr]
    monkeypatch.setattr("tacit.recoding.clustering.MANY", 0)
    assert all(map(can_be_emptied, problems))
    emptied = sum(local_recoding(problem, epsilon=0.4).loss(problem) for problem in problems)  # type: ignore[union-attr]
    assert emptied <= clustered


def test_what_is_left_over_joins_a_class(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tacit.recoding.clustering.MANY", 0)
    frame = pl.DataFrame({"a": ["x"] * 3 + ["y"], "b": ["u"] * 3 + ["v"]})
    table = table_from_frame(frame, quasi=["a", "b"])
    table, trees, _ = with_hierarchies(table, CELLS)
    combinations = LocalEngine().combinations(table, ["a", "b"])
    found = local_recoding(problem_of(combinations, ["a", "b"], trees, lambda held: Promise(2)), epsilon=0.4)
    assert found is not None
    assert found.class_of.tolist() == [0, 0]


def test_few_combinations_are_clustered() -> None:
    assert not can_be_emptied(random_problem(3, 50, 2))
