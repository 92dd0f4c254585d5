"""What is promised of sensitive values: against the definitions, and that one exchange costs one of slack."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.data.hierarchy import from_parents
from tacit.knowledge.row_classes import RowClasses
from tacit.recoding import promises
from tacit.recoding.promises import (
    Distinct,
    EntropyDiversity,
    Held,
    OfCounts,
    Recursive,
    equal_distance,
    hierarchical_distance,
    ordered_distance,
)
from tacit.typing import Counts
from tests.oracles import recoding as oracle

TREE = {"a": "p", "b": "p", "c": "q", "d": "q", "p": "*", "q": "*", "e": "*"}
LETTERS = "abcde"
COUNTS = st.lists(st.integers(0, 12), min_size=5, max_size=5).filter(any)


def letters(counts: list[int]) -> list[str]:
    return [letter for letter, count in zip(LETTERS, counts, strict=False) for _ in range(count)]


def slack(part: OfCounts, counts: list[int] | Counts) -> int:
    return int(part.slack(np.array([counts], dtype=np.int64))[0])


@settings(max_examples=200, deadline=None)
@given(COUNTS, st.integers(2, 5), st.sampled_from([Fraction(1, 2), Fraction(1), Fraction(5, 2)]))
def test_diversity_is_as_defined(counts: list[int], l: int, c: Fraction) -> None:
    values = letters(counts)
    assert (slack(Distinct(l), counts) >= 0) == (len(set(values)) >= l)
    assert (slack(EntropyDiversity(l), counts) >= 0) == oracle.entropy_diverse(values, l)
    assert (slack(Recursive(c, l), counts) >= 0) == oracle.recursive_diverse(values, c, l)


@settings(max_examples=100, deadline=None)
@given(COUNTS, COUNTS)
def test_distances_are_as_defined(counts: list[int], others: list[int]) -> None:
    totals = np.array(counts) + np.array(others) + 1  # every value occurs
    values, everybody = letters(counts), letters(totals.tolist())
    tree = from_parents(TREE)
    leaves = tree.leaves_of(list(LETTERS))
    one = np.array([counts], dtype=np.int64)
    t = Fraction(1, 2)
    expected = {
        equal_distance(t, totals): oracle.equal_distance(values, everybody),
        ordered_distance(t, totals): oracle.ordered_distance(values, everybody),
        hierarchical_distance(t, totals, tree, leaves): oracle.hierarchical_distance(values, everybody, TREE),
    }
    for part, distance in expected.items():
        assert part.distances(one)[0] == pytest.approx(float(distance), abs=1e-12)


@pytest.mark.parametrize("most_cells", [1, 12, 1000])
def test_classes_are_counted_some_at_a_time(most_cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table of so many classes and values that all counts do not fit is counted as others are."""
    monkeypatch.setattr(promises, "MOST_CELLS", most_cells)
    generator = np.random.default_rng(1)
    n, n_classes, n_values = 60, 9, len(LETTERS)
    codes = np.arange(n_values, dtype=np.int32)
    kinds = RowClasses(
        attributes=("s",),
        texts=(tuple(LETTERS),),
        parts=codes[:, None],
        values=codes,
        forbidden=np.zeros((n_values, 1), dtype=np.uint64),
        counts=np.ones(n_values, dtype=np.int64),
    )
    combinations = generator.integers(30, size=n).astype(np.int32)
    kinds_of, rows = generator.integers(n_values, size=n).astype(np.int32), generator.integers(1, 9, size=n)
    class_of = generator.permutation(np.arange(30) % n_classes).astype(np.int32)
    expected = np.zeros((n_classes, n_values), dtype=np.int64)
    np.add.at(expected, (class_of[combinations], kinds_of), rows)
    found = list(Held(combinations, kinds_of, rows, kinds).histograms(class_of, n_classes, 0))
    assert [first for first, _ in found] == list(range(0, n_classes, max(1, most_cells // n_values)))
    assert (np.vstack([counts for _, counts in found]) == expected).all()


def _parts() -> list[Callable[[Counts], OfCounts]]:
    tree = from_parents(TREE)
    t = Fraction(2, 5)
    return [
        lambda totals: Distinct(2),
        lambda totals: Distinct(4),
        lambda totals: EntropyDiversity(2),
        lambda totals: EntropyDiversity(3),
        lambda totals: Recursive(Fraction(2), 2),
        lambda totals: Recursive(Fraction(1, 2), 3),
        lambda totals: equal_distance(t, totals),
        lambda totals: ordered_distance(t, totals),
        lambda totals: hierarchical_distance(t, totals, tree, tree.leaves_of(list(LETTERS))),
    ]


@pytest.mark.parametrize("which", range(9))
def test_one_exchange_changes_the_slack_by_one_at_most(which: int) -> None:
    """Where both classes keep the promise; to one that breaks it, an exchange leads from a slack of 0."""
    draw = random.Random(which)
    for _ in range(600):
        counts = [draw.choice([0, 0, 1, 2, 3, 8, 30]) for _ in LETTERS]
        if not any(counts):
            continue
        totals = np.array(counts) + [draw.randint(1, 40) for _ in LETTERS]
        part = _parts()[which](totals)
        gone = draw.choice([place for place, count in enumerate(counts) if count])
        came = draw.randrange(len(LETTERS))
        after = counts.copy()
        after[gone] -= 1
        after[came] += 1
        before, behind = (max(-1, slack(part, one)) for one in (counts, after))
        assert abs(before - behind) <= 1


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 4), min_size=3, max_size=4).filter(any), st.integers(2, 3))
def test_the_slack_of_entropy_is_the_fewest_exchanges_that_break_it(counts: list[int], l: int) -> None:
    """A class with just log ℓ counts as broken, but for the class itself."""
    if not oracle.entropy_diverse(letters(counts), l):
        assert slack(EntropyDiversity(l), counts) == -1
        return
    reached, exchanges = {tuple(counts)}, 0
    while not any(_entropy(one) < math.log(l) + 1e-9 for one in reached):
        reached = {
            tuple(count - (place == gone) + (place == came) for place, count in enumerate(one))
            for one in reached
            for gone in range(len(one))
            for came in range(len(one))
            if one[gone]
        }
        exchanges += 1
    assert slack(EntropyDiversity(l), counts) == max(0, exchanges - 1)


def _entropy(counts: tuple[int, ...]) -> float:
    shares = [count / sum(counts) for count in counts if count]
    return -sum(share * math.log(share) for share in shares)
