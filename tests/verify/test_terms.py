"""What a manifest may hold, at the edges: what is just allowed, and what just is not."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from tacit_verify.terms import gain, misfits, missing, percents, share, tens, two_digits, usual

EDGES: dict[Callable[[Any], bool], tuple[list[Any], list[Any]]] = {
    two_digits: ([0, 0.0, 12, 120, 0.012, 1.0], [123, 0.123, -1, -0.5, math.nan, math.inf, True, "1", None]),
    usual: (
        ["n/a", "not applicable", "no answer was given", "----", "not applicable" + 16 * "-"],
        ["-----", "no answer was given yet", "not applicable" + 17 * "-", "flu"],
    ),
    missing: (["abcdefghijkl", "n/a"], ["abcdefghijklm", "a b", "a1", "a\n", 5, None]),
    gain: ([1e-9, 0.5, 1, 10, 10.0], [0, 0.0, -1, 10.5, 11, math.inf, "1", None]),
    tens: ([0, 10, 120, 9900], [5, 15, 123, 1230, -10, 10.0, True, "10"]),
    share: ([0.0, 0.5, 1.0], [-0.1, 1.5, 2.0, 0, 1, math.nan, "x", None]),
    percents: ([0.0, 0.25, 1.0], [0.255, 0.251, 1.25, 1, "x"]),
}  # fmt: skip


@pytest.mark.parametrize("check", EDGES, ids=lambda check: check.__name__)
def test_numbers_and_words_at_the_edges(check: Callable[[Any], bool]) -> None:
    allowed, refused = EDGES[check]
    assert [value for value in allowed if not check(value)] == []
    assert [value for value in refused if check(value)] == []


@pytest.mark.parametrize(
    "wanted, allowed, refused",
    [
        (int, [0, 1, (1 << 53) - 1], [-1, 1 << 53, 1.0, True, "1", None]),
        (float, [0.5, -0.5, 3], [math.inf, math.nan, -1, True, "1"]),
        (None, [None], [0, "", False]),
        (bool, [True, False], [0, 1, "true", None]),
        ({"a", 1}, ["a", 1], ["b", 2, True, ["a"], None]),
        ((int, None), [3, None], ["3", 0.5]),
        ([int], [[], [1], [1, 2, 3]], [5, "1", [1, "2"], {"1": 1}]),
        ([int, 2], [[], [1, 2]], [[1, 2, 3]]),
        ({"a": int, "b?": str}, [{"a": 1}, {"a": 1, "b": "x"}], [{}, {"b": "x"}, {"a": 1, "c": 2}, [1], 5]),
        ({"*": int}, [{}, {"x": 1, "y": 2}], [{"x": "1"}]),
    ],
)
def test_what_does_not_fit_is_said(wanted: Any, allowed: list[Any], refused: list[Any]) -> None:
    assert [value for value in allowed if any(misfits(value, wanted, "it"))] == []
    assert [value for value in refused if not any(misfits(value, wanted, "it"))] == []
