"""Hierarchies made from the values of a column."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from tacit.data.column import encode
from tacit.data.hierarchy import Hierarchy
from tacit.io.hierarchies.automatic import automatic_hierarchy, spans


def tree(values: list[Any]) -> Hierarchy:
    return automatic_hierarchy(encode(pl.Series("column", values)))


def way(found: Hierarchy, leaf: str) -> list[str]:
    return [found.labels[node] for node in found.ancestors(found.index[leaf])]


@pytest.mark.parametrize(
    ("values", "leaf", "above"),
    [
        ([18, 44, 95], "44", ["40-44", "40-49", "40-59", "40-79", "*"]),
        (["18", "44", "95"], "44", ["40-44", "40-49", "40-59", "40-79", "*"]),
        ([0.5, 1.25, 3.0], "1.25", ["[1.2, 1.4)", "[1.2, 1.6)", "[0.8, 1.6)", "[0, 1.6)", "*"]),
        ([-12, 7, 30], "-12", ["-15 to -11", "-20 to -11", "-20 to -1", "-40 to -1", "*"]),
        ([7, 7], "7", ["*"]),
        ([*map(str, range(18, 90)), "90+", "k. A."], "44", ["40-44", "40-49", "40-59", "40-79", "*"]),
        ([*map(str, range(18, 90)), "90+"], "90+", ["*"]),
        ([*map(str, range(18, 90)), "85-89"], "85-89", ["*"]),
        (["2020-05-17", "1999-12-31"], "2020-05-17", ["2020-05", "2020-Q2", "2020", "2020s", "*"]),
        ([f"0{n}" for n in range(1000, 1030)], "01007", ["0100*", "010**", "01***", "0****", "*"]),
        (["G16 4EZ", "EH1 1AA", "W1A 0AX"], "G16 4EZ", ["G16 4**", "G16 ***", "G*", "*"]),
        ([f"{n} 7AB" for n in range(10, 40)], "11 7AB", ["11 7A*", "11 7**", "11****", "1*****", "*"]),
        (["a"] * 60 + ["b"] * 36 + ["c", "d", "e", "f"], "d", ["other", "*"]),
        (["a"] * 60 + ["b"] * 36 + ["c", "d", "e", "f"], "a", ["*"]),
        (["other"] * 60 + ["c", "d"], "d", ["other (group)", "*"]),
        (["a", "b"], "a", ["*"]),
        (["2020-05-17", "2020-99-99"], "2020-99-99", ["*"]),
    ],
)
def test_by_what_values_look_like(values: list[Any], leaf: str, above: list[str]) -> None:
    assert way(tree(values), leaf) == above


def test_a_missing_value_is_a_leaf_of_its_own() -> None:
    for values in ([18, 44, None], ["x", "y", None], ["2020-05-17", None], [None, None]):
        assert way(tree(values), "NaN") == ["*"]


def test_numbers_lose_by_the_width_of_what_is_published() -> None:
    found = tree([20, 24, 40, 118, None])
    shares = spans(found)
    assert shares is not None
    assert shares[found.index["20"]] == shares[found.index["NaN"]] == 0
    assert shares[found.index["20-39"]] == pytest.approx(19 / 98)
    assert shares[found.root] == 1
    assert spans(tree([f"0{n}" for n in range(1000, 1030)])) is None
    assert spans(tree(["a", "b"])) is None and spans(tree([7, None])) is None
    halves, negative = tree([0.5, 1.25, 3.0]), tree([-12, 7, 30])
    for one, label, share in ((halves, "[1.2, 1.6)", 0.16), (negative, "-20 to -11", 9 / 42)):
        widths = spans(one)
        assert widths is not None and widths[one.index[label]] == pytest.approx(share)
