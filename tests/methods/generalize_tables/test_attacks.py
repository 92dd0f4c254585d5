"""Attacks on generalized tables: what is learned from all classes, what local classes tell of finer cells."""

from __future__ import annotations

import random
from itertools import combinations_with_replacement, product

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit
from tacit.data.hierarchy import from_parents
from tacit.engine.local.engine import LocalEngine
from tacit.judging.figures import guess_class
from tacit.methods.generalize_tables.attacks import explain, learn, refine
from tacit.random.key import Key
from tacit.recoding import LOCAL
from tacit.recoding.problem import Problem, Recoded, problem_of
from tacit.recoding.promises import Distinct, Promise
from tacit.recoding.solve import solve
from tests.methods.generalize_tables.random_tables import random_table

KEY = Key.from_seed(5)


def test_a_pair_of_one_woman_and_one_man_is_refined() -> None:
    """k = 2, two rows that differ in sex alone: a reader knows that there is one of each."""
    frame = pl.DataFrame({"sex": ["f", "m"], "age": ["30", "30"]})
    tree = from_parents({"f": "*", "m": "*"})
    table = tacit.table_from_frame(frame, quasi=["sex", "age"], hierarchies={"sex": tree})
    found = tacit.generalize(table, k=2, key=KEY).risk().refinement
    assert found is not None
    assert (found.coarse, found.placed, found.right) == (2, 2, 2)


@given(st.integers(0, 10**6))
def test_what_is_concluded_is_so(seed: int) -> None:
    """Where every combination has fewer than k rows, all conclusions are right."""
    drawn = random_table(random.Random(seed))
    problem = drawn.problem(3)
    solution = solve(problem, LOCAL)
    if solution is None:
        return
    found = refine(solution.recoded, problem, 3)
    assert 0 <= found.right <= found.placed
    if problem.counts.max() < 3:
        assert found.right == found.placed <= found.coarse


def together(shown: list[int]) -> tuple[Recoded, Problem]:
    """Rows of three values in one class: how it is recoded, and the problem."""
    tree = from_parents({"a": "*", "b": "*", "c": "*"})
    frame = pl.DataFrame({"x": [one for one, rows in zip("abc", shown, strict=True) for _ in range(rows)]})
    table = tacit.table_from_frame(frame, quasi="x", hierarchies={"x": tree})
    combinations = LocalEngine().combinations(table, ["x"])
    problem = problem_of(combinations, ["x"], table.hierarchies, lambda held: Promise(sum(shown)))
    one = np.zeros(len(problem.counts), dtype=np.int32)
    return Recoded(one, problem.forest.roots[None, :], np.zeros(1, dtype=np.bool_)), problem


def test_least_counts_are_those_of_all_fillings() -> None:
    """One class below a node of three values: by enumeration, and by the rule."""
    for rows, k in product(range(2, 10), range(2, 6)):
        fillings = [
            counts
            for values in combinations_with_replacement("abc", rows)
            for counts in [[values.count(one) for one in "abc"]]
            if max(counts) < k and sum(count > 0 for count in counts) > 1
        ]
        if fillings:
            least = sum(min(counts[place] for counts in fillings) for place in range(3))
            assert refine(*together(fillings[0]), k).placed == least


def test_a_learner_tells_rows_of_a_class_apart() -> None:
    """Everybody's illness follows from the exact age, classes are of two ages: the learner finds out."""
    draw = random.Random(3)
    ages = [draw.randrange(8) for _ in range(800)]
    frame = pl.DataFrame({"age": [str(age) for age in ages], "ill": [f"i{age % 2}" for age in ages]})
    tree = from_parents(
        {**{str(age): f"g{age // 2}" for age in range(8)}, **{f"g{n}": "*" for n in range(4)}}
    )
    table = tacit.table_from_frame(frame, quasi="age", sensitive="ill", hierarchies={"age": tree})
    release = tacit.generalize(table, k=150, recoding="global", key=KEY)
    found = release.risk().learning
    assert found is not None
    assert {one.people for one in found.surest} == {100}
    stated = guess_class(found.accuracy, chance=found.majority, guesses=800)
    assert release.manifest.risks["learning"]["accuracy"] == stated
    assert "refinement" not in release.manifest.risks
    assert release.risk().refinement is None


def test_of_several_columns_the_learner_states_the_one_it_learns_most_of() -> None:
    """Right about all columns of a row at once is hardly anybody: each is attacked alone."""
    draw = np.random.default_rng(5)
    ages = draw.integers(20, 60, 400)
    illness, noise = ages % 4, draw.integers(0, 20, 400)
    frame = pl.DataFrame({"age": ages, "illness": illness, "noise": noise})
    table = tacit.table_from_frame(frame, quasi="age", sensitive="illness,noise")
    rows, classes = np.arange(400), (ages // 10).astype(np.int32) - 2
    alone = {name: learn(table.with_roles(sensitive=(name,)), rows, classes) for name in ("illness", "noise")}
    found = learn(table, rows, classes)
    assert found == alone["illness"] != alone["noise"]
    assert found is not None and found.majority == np.bincount(illness).max() / 400
    # Where it learns nothing of any, the one it is right about most often: not 5 % where 95 % have no virus.
    frame = pl.DataFrame({"age": ages, "noise": noise, "virus": draw.random(400) < 0.05})
    table = tacit.table_from_frame(frame, quasi="age", sensitive="noise,virus")
    found = learn(table, rows, classes)
    assert found is not None and found.accuracy > 0.8


def test_why_nothing_finer_was_published_tells_values() -> None:
    """Four women and four men, ℓ = 2: sexes are joined, so one of them has one value, and three cannot."""
    frame = pl.DataFrame({"sex": [*"ffffmmmm"], "illness": ["flu"] * 4 + ["flu", "gout", "ulcer", "rash"]})
    tree = from_parents({"f": "*", "m": "*"})
    table = tacit.table_from_frame(frame, quasi=["sex"], sensitive="illness", hierarchies={"sex": tree})
    for recoding in ("global", "subtree"):
        release = tacit.generalize(table, k=2, l=2, readers="nothing", recoding=recoding, key=KEY)
        found = release.risk().minimality
        # Either sex may be the one with flu alone: nobody is narrowed.
        assert found is not None and (found.narrowed, found.right) == (0, 0)
    more = pl.concat([frame, pl.DataFrame({"sex": [*"mm"], "illness": ["gout", "rash"]})])
    table = tacit.table_from_frame(more, quasi=["sex"], sensitive="illness", hierarchies={"sex": tree})
    for recoding in ("global", "subtree"):
        release = tacit.generalize(table, k=2, l=2, readers="nothing", recoding=recoding, key=KEY)
        found = release.risk().minimality
        # No value has six rows, so it is not the men.
        assert found is not None and (found.narrowed, found.right) == (4, 4)
        assert "minimality" not in release.manifest.risks
    assert tacit.generalize(table, k=2, l=2, readers="nothing", key=KEY).risk().minimality is None


@given(st.integers(0, 10**6), st.sampled_from(["global", "subtree"]))
def test_without_rules_what_is_narrowed_is_so(seed: int, recoding: str) -> None:
    drawn = random_table(random.Random(seed))
    problem = drawn.problem(2, Distinct(2))
    solution = solve(problem, recoding)
    if solution is not None:
        found = explain(solution.recoded, problem, solution.levels, 2)
        assert found is not None and found.right == found.narrowed


def test_the_loss_does_not_tell_the_largest_value() -> None:
    """The cells of the largest salary are published as anything: two of them give the same release."""
    stated = []
    for largest in (1_873_512, 1_512_007):
        salaries = [30_000 + 137 * row % 60_000 for row in range(99)]
        people = pl.DataFrame({"sex": ["f", "m"] * 50, "salary": [*salaries, largest]})
        release = tacit.generalize(tacit.table_from_frame(people, quasi="sex,salary"), k=5, key=KEY)
        assert release.kept.loss == pytest.approx(release.solution.loss)
        stated.append((release.table, release.manifest.utility["loss"], release.manifest.utility["columns"]))
    (table, *one), (again, *other) = stated
    assert table.equals(again) and one == other
