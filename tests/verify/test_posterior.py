"""Posteriors and the conditions of optimality, on cells counted by hand."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tacit_verify.posterior import Bounds, Cells, conjunctions, posterior, reader_problems

CELLS: Cells = {("f",): Counter(a=3, b=1), ("m",): Counter(a=1, b=3)}
WOMEN = frozenset({("sex", "f")})


def reader(multiplier: float = 0.0) -> dict[str, Any]:
    """Somebody with a multiplier for women with a, or with none."""
    statement = {"antecedent": {"sex": "f"}, "value": "a", "multiplier": multiplier}
    return {"statements": [statement] if multiplier else [], "closed": []}


def problems(low: float, high: float, multiplier: float, slack: float = 0.0) -> list[str]:
    """What is wrong where half of the four women are expected to have a."""
    found = conjunctions(CELLS, ["sex"], 1, 1)
    even = {labels: {"a": 0.5, "b": 0.5} for labels in CELLS}
    bounds: Bounds = {(WOMEN, "a"): (low, high)}
    return [*reader_problems(CELLS, found, even, bounds, reader(multiplier), slack)]


@pytest.mark.parametrize(
    ("low", "high", "multiplier", "slack"),
    [
        (2, 2, 0.5, 0),
        (2, 4, 0.5, 0),
        (0, 2, -0.5, 0),
        (0, 4, 0, 0),
        (2.5, 4, 0, 0.5),
        (0, 1.5, 0, 0.5),
        (1.5, 4, 1, 0.5),
    ],
)
def test_what_is_within_its_bounds(low: float, high: float, multiplier: float, slack: float) -> None:
    assert problems(low, high, multiplier, slack) == []


@pytest.mark.parametrize(
    ("low", "high", "multiplier", "slack"),
    [(3, 4, 0, 0.5), (0, 1, 0, 0.5), (3, 3, 1, 0), (2, 4, -0.5, 0), (0, 2, 0.5, 0), (1, 4, 0.5, 0.5)],
)
def test_what_is_not(low: float, high: float, multiplier: float, slack: float) -> None:
    assert problems(low, high, multiplier, slack)


def test_conjunctions_are_as_long_and_as_frequent_as_asked_for() -> None:
    cells: Cells = {("f", "1"): Counter(a=2), ("f", "2"): Counter(a=1), ("m", "1"): Counter(b=2)}
    for longest in (1, 2):
        found = conjunctions(cells, ["sex", "age"], 1, longest)
        assert max(map(len, found)) == longest
    assert {*conjunctions(cells, ["sex", "age"], 2, 2)} == {
        frozenset(items)
        for items in (
            [],
            [("sex", "f")],
            [("sex", "m")],
            [("age", "1")],
            [("sex", "f"), ("age", "1")],
            [("sex", "m"), ("age", "1")],
        )
    }


def test_a_large_multiplier_leaves_one_value() -> None:
    found = conjunctions(CELLS, ["sex"], 1, 1)
    assert posterior(CELLS, found, reader(800.0)) == {
        ("f",): {"a": 1.0, "b": 0.0},
        ("m",): {"a": 0.5, "b": 0.5},
    }
