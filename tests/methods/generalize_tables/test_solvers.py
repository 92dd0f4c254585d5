"""Every solver against the definitions, on small random tables: all states, all partitions."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.arrays.compiled import new_flag
from tacit.recoding import GLOBAL, LOCAL, SUBTREE, Effort
from tacit.recoding.clustering import class_nodes, clusters
from tacit.recoding.dividing import blocks
from tacit.recoding.exchange import dissolved
from tacit.recoding.lattice import Levels
from tacit.recoding.problem import Problem, Recoded, merged
from tacit.recoding.promises import Distinct, EntropyDiversity, OfCounts, Recursive, equal_distance
from tacit.recoding.solve import Work, local_recoding, solve
from tacit.recoding.subtree import descended
from tests.methods.generalize_tables.random_tables import RandomTable, random_table
from tests.oracles import recoding as oracle
from tests.oracles import trees

HALF = Fraction(3, 2)
T = Fraction(41, 100)
"""No distance in a table of so few rows: what is at a limit exactly counts as beyond it."""


def kept(table: RandomTable, k: int, l: int | None, kind: str) -> oracle.Keeps:
    """Whether rows may be a class, by the definitions."""

    def keeps(members: Sequence[int]) -> bool:
        values = [table.values[number] for number in members]
        if len(members) < k:
            return False
        if l is None:
            return True
        if kind == "entropy":
            return oracle.entropy_diverse(values, l)
        if kind == "closeness":
            return oracle.equal_distance(values, table.values) <= T
        if kind == "recursive":
            return oracle.recursive_diverse(values, HALF, l)
        return len(set(values)) >= l

    return keeps


def asked(table: RandomTable, k: int, l: int | None, kind: str) -> Problem:
    if l is None:
        return table.problem(k)
    counts = Counter(table.values)
    part: dict[str, OfCounts] = {
        "distinct": Distinct(l),
        "entropy": EntropyDiversity(l),
        "recursive": Recursive(HALF, l),
        "closeness": equal_distance(T, np.array([counts[value] for value in sorted(counts)])),
    }
    return table.problem(k, part[kind])


KINDS = st.sampled_from(["distinct", "entropy", "recursive", "closeness"])
LS = st.sampled_from([None, None, 2, 3])


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 10**9), st.integers(1, 4), LS, KINDS, st.integers(0, 4), st.sampled_from([1, 6, 10**6]))
def test_a_descent_has_the_least_loss_between_its_bound_and_its_own(
    seed: int, k: int, l: int | None, kind: str, most_out: int, states: int
) -> None:
    table = random_table(random.Random(seed))
    most_out = 0 if l else most_out
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tacit.recoding.subtree.GROUP_STATES", states)
        found = descended(asked(table, k, l, kind), most_suppressed=most_out)
    best = oracle.lattice(table.rows, table.forest, kept(table, k, l, kind), most_out)
    assert (found is None) == (best is None)
    if found is not None and best is not None:
        assert found.bound - 1e-9 <= best <= found.loss + 1e-9
        if states > 6 and l is None:  # one group: its optimum is the optimum
            assert found.bound == pytest.approx(float(best))


@settings(max_examples=120, deadline=None)
@given(st.integers(0, 10**9), st.integers(1, 4), LS, KINDS, st.integers(0, 4))
def test_the_lattice_has_no_better_state(seed: int, k: int, l: int | None, kind: str, most_out: int) -> None:
    table = random_table(random.Random(seed))
    found = solve(asked(table, k, l, kind), GLOBAL, most_suppressed=most_out)
    best = oracle.lattice(table.rows, table.forest, kept(table, k, l, kind), most_out)
    if best is None:
        assert found is None
        return
    assert found is not None and found.proven
    assert found.loss == pytest.approx(float(best), abs=1e-12)
    check_classes(table, asked(table, k, l, kind), found.recoded, kept(table, k, l, kind), most_out)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**9), st.integers(1, 4), LS, KINDS, st.integers(0, 4))
def test_a_cut_loses_no_more_than_levels(seed: int, k: int, l: int | None, kind: str, most_out: int) -> None:
    table = random_table(random.Random(seed))
    problem = asked(table, k, l, kind)
    levels, cut = (solve(problem, how, most_suppressed=most_out) for how in (GLOBAL, SUBTREE))
    assert (levels is None) == (cut is None)
    if levels is not None and cut is not None:
        assert cut.loss <= levels.loss + 1e-12
        check_classes(table, problem, cut.recoded, kept(table, k, l, kind), most_out)
        shown = {}  # a value is published as one node
        for nodes, codes in zip(cut.recoded.nodes[cut.recoded.class_of], problem.codes, strict=True):
            for column, (node, code) in enumerate(zip(nodes, codes, strict=True)):
                assert shown.setdefault((column, code), node) == node


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**9), st.integers(1, 4), LS, KINDS, st.sampled_from(get_args(Effort)))
def test_local_classes_keep_the_promise(seed: int, k: int, l: int | None, kind: str, effort: Effort) -> None:
    table = random_table(random.Random(seed), most_rows=7)
    problem = asked(table, k, l, kind)
    draw = random.Random(seed)
    found = solve(problem, LOCAL, fails=lambda halves, chance: draw.random() < chance, effort=effort)
    keeps = kept(table, k, l, kind)
    assert (found is None) == (not keeps(range(len(table.rows))))
    if found is not None:
        check_classes(table, problem, found.recoded, keeps, 0)
        best = oracle.local(table.rows, table.forest, keeps)
        assert best is not None and found.loss >= float(best) - 1e-12


def test_local_classes_are_mostly_the_best() -> None:
    """Rows alike in everything are never divided; among partitions that keep them together few lose less."""
    best = gap = 0.0
    for seed in range(150):
        draw = random.Random(seed)
        table, k = random_table(draw, most_rows=8), draw.randint(2, 3)
        found = solve(table.problem(k), LOCAL)
        least = oracle.local(table.rows, table.forest, _undivided(table, k))
        assert found is not None and least is not None
        best += found.loss <= float(least) + 1e-12
        gap += found.loss - float(least)
    assert best >= 0.95 * 150
    assert gap / 150 <= 0.002


def _undivided(table: RandomTable, k: int) -> oracle.Keeps:
    def keeps(members: Sequence[int]) -> bool:
        cells = {table.rows[number] for number in members}
        return len(members) >= k and len(members) == sum(row in cells for row in table.rows)

    return keeps


@pytest.mark.parametrize(("most_keys", "direct"), [(1 << 62, 8), (1 << 62, 0), (12, 8), (12, 0)])
def test_combinations_with_the_same_nodes_are_one_class(
    most_keys: int, direct: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Keys that are their own places, hashed ones, and columns one after another all number alike."""
    monkeypatch.setattr("tacit.recoding.problem.MOST_KEYS", most_keys)
    monkeypatch.setattr("tacit.recoding.problem.DIRECT", direct)
    for seed in range(30):
        draw = random.Random(seed)
        problem = random_table(draw, most_rows=60).problem(2)
        levels = Levels(problem)
        state = tuple(draw.randrange(size) for size in levels.shape)
        chosen = np.flatnonzero([draw.random() < 0.8 for _ in problem.counts]).astype(np.int32)
        shown = levels.nodes[levels.starts_at(state) + problem.codes[chosen]].tolist()
        order = list(dict.fromkeys(map(tuple, shown)))
        class_of, rows, members = merged(
            problem, chosen, problem.counts[chosen], levels.starts_at(state), levels.nodes
        )
        assert class_of.tolist() == [order.index(tuple(cells)) for cells in shown]
        for number, cells in enumerate(order):
            alike = [one for one, own in zip(chosen, shown, strict=True) if tuple(own) == cells]
            assert rows[number] == problem.counts[alike].sum() and members[number] == alike[0]


def test_blocks_are_a_partition() -> None:
    table = random_table(random.Random(3), most_rows=200)
    problem = table.problem(2)
    for largest in (3, 10):
        parts = blocks(problem, largest)
        assert sorted(np.concatenate(parts).tolist()) == list(range(len(problem.counts)))
        assert max(map(len, parts)) <= largest
        assert min(int(problem.counts[part].sum()) for part in parts) >= 2


def test_blocks_with_too_few_rows_still_keep_k() -> None:
    for seed in range(40):
        table = random_table(random.Random(seed), most_rows=60)
        problem = table.problem(3)
        found = local_recoding(problem, epsilon=0.4, work=Work(largest_block=4))
        if found is not None:
            check_classes(table, problem, found, kept(table, 3, None, ""), 0)


def check_classes(
    table: RandomTable, problem: Problem, found: Recoded, keeps: oracle.Keeps, most_out: int
) -> None:
    """Classes keep the promise, cells are ancestors, rows left out are few."""
    combinations = sorted(set(table.rows))
    labels = problem.forest.labels
    shown = {
        cells: None if found.left_out[mine] else tuple(labels[node] for node in found.nodes[mine])
        for cells, mine in zip(combinations, found.class_of, strict=True)
    }
    classes: dict[tuple[str, ...], list[int]] = {}
    out = 0
    for number, row in enumerate(table.rows):
        nodes = shown[row]
        if nodes is None:
            out += 1
            continue
        classes.setdefault(nodes, []).append(number)
        for tree, cell, node in zip(table.forest, row, nodes, strict=True):
            assert node in [cell, *trees.ancestors(tree, cell)]
    assert out <= most_out
    assert all(keeps(members) for members in classes.values())
    counted = Counter(table.rows)
    lost = sum(
        counted[cells]
        * (
            len(table.forest)
            if nodes is None
            else sum(oracle.loss(tree, node) for tree, node in zip(table.forest, nodes, strict=True))
        )
        for cells, nodes in shown.items()
    )
    assert found.loss(problem) == pytest.approx(float(Fraction(lost, len(table.rows) * len(table.forest))))


def test_dissolving_classes_loses_no_more_and_keeps_k() -> None:
    gone = 0
    for seed in range(150):
        problem = random_table(random.Random(seed), most_rows=60).problem(3)
        trees = problem.forest.trees
        before = clusters(problem.nodes, problem.counts, 3, 1 + seed % 3, trees, new_flag())
        after = dissolved(problem.nodes, problem.counts, before, trees, new_flag())
        rows = np.bincount(after, weights=problem.counts)
        assert set(after.tolist()) == set(range(len(rows)))
        assert rows.min() >= min(3, problem.n_rows)
        lost = []
        for class_of in (before, after):
            n_classes = int(class_of.max()) + 1
            nodes = class_nodes(problem.nodes, class_of, n_classes, trees)
            lost.append(Recoded(class_of, nodes, np.zeros(n_classes, dtype=np.bool_)).loss(problem))
        assert lost[1] <= lost[0] + 1e-12
        gone += int(before.max() > after.max())
    assert gone > 5
