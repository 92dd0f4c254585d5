"""How diverse and how far from everybody's the values of a class are, on examples counted by hand."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from tacit_verify import distances
from tacit_verify.distances import Tree, distance, edges_of, entropy_diverse, guess_problems, way

DEEP: Tree = {"a": "x", "b": "x", "c": "y", "d": "y", "x": "*", "y": "*", "*": None}
STAR: Tree = {"a": "*", "b": "*", "*": None}
CHAIN: Tree = {"a": "x", "b": "x", "x": "*", "c": "y", "y": "*", "*": None}
"""Above c alone stands a node, which is no higher than c."""
HIERARCHICAL = {"distance": "hierarchical"}
ORDERED = {"distance": "ordered", "order": {"s": ["a", "b", "c"]}}


@pytest.mark.parametrize(
    ("promise", "tree", "one", "other", "far"),
    [
        (HIERARCHICAL, DEEP, "a", "b", Fraction(1, 2)),
        (HIERARCHICAL, DEEP, "a", "d", 1),
        (HIERARCHICAL, STAR, "a", "b", 1),
        (HIERARCHICAL, CHAIN, "a", "b", Fraction(1, 2)),
        (HIERARCHICAL, CHAIN, "b", "c", 1),
        (ORDERED, {}, "a", "b", Fraction(1, 2)),
        (ORDERED, {}, "c", "a", 1),
        ({"distance": "equal"}, {}, "a", "b", 1),
        ({"distance": "equal"}, {}, "a", "a", 0),
    ],
)
def test_from_one_value_to_another(
    promise: dict[str, Any], tree: Tree, one: str, other: str, far: Fraction
) -> None:
    values = sorted(tree.keys() - tree.values()) if tree else ["a", "b", "c"]
    edges = edges_of(promise, tree, "s", values)
    assert distance(Counter({one: 2}), Counter({other: 3}), edges) == far


def test_a_part_is_carried() -> None:
    edges = edges_of(ORDERED, {}, "s", ["a", "b", "c"])
    assert distance(Counter("aab"), Counter("aabccc"), edges) == Fraction(5, 12)


def test_entropy_at_its_bound() -> None:
    assert all([entropy_diverse([1, 1], 2), entropy_diverse([5, 5, 5], 3), entropy_diverse([3, 3, 3], 2)])
    assert not entropy_diverse([2, 1], 2) and not entropy_diverse([12_000, 11_999], 2)


def test_a_hierarchy_that_goes_round_is_an_error() -> None:
    assert way(DEEP, "a") == ["a", "x", "*"]
    with pytest.raises(ValueError, match="goes round"):
        way({"a": "b", "b": "a"}, "a")


def test_guesses_about_a_part_of_the_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """The share by chance is of that part; how many the surest are follows from its rows."""
    monkeypatch.setattr(distances, "ATTACKED", 1_000)
    held = [Counter("aab"), Counter("abc")] * 200
    surest = [{"share": share, "people": people} for share, people in ((0.01, 100), (0.05, 100), (0.1, 100))]
    stated = {"rows": 600, "majority": 0.5, "baseline": 0.123, "surest": surest}
    assert [*guess_problems({"learning": stated}, held)] == []
    whole = stated | {"rows": 1200, "surest": [*surest[:2], {"share": 0.1, "people": 120}]}
    assert [*guess_problems({"learning": whole}, held)] == ["learning states baseline otherwise than counted"]
    right = whole | {"baseline": (5 / 9 + 3 / 9) / 2}
    assert [*guess_problems({"learning": right, "rule_guesses": None}, held)] == []
    assert [*guess_problems({"learning": right | {"surest": surest}}, held)]
    assert [*guess_problems({"learning": right | {"rows": 1201}}, held)]
    monkeypatch.setattr(distances, "ATTACKED", 1_200)
    assert [*guess_problems({"learning": stated}, held)] == ["learning is of 600 rows, and there are 1200"]
