"""Hierarchies made from the values of a column."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.data.column import encode
from tacit.data.hierarchy import Hierarchy
from tacit.data.table import table_from_frame
from tacit.io.hierarchies.automatic import automatic_hierarchy, far_apart, spans
from tacit.io.hierarchies.build import build_flat
from tacit.judging.profile import odd_values_notes, profile_table
from tests.cases import cases
from tests.oracles import outlying as oracle


def tree(values: list[Any]) -> Hierarchy:
    return automatic_hierarchy(encode(pl.Series("column", values)))


def way(found: Hierarchy, leaf: str) -> list[str]:
    return [found.labels[node] for node in found.ancestors(found.index[leaf])]


SIXTIES = ["1960s-1970s", "1960s-1990s", "*"]
DRESDEN = [f"0{n}" for n in range(1000, 1030)]
LYON = ["01000", "02100", "13001", "13002", "33000", "69001", "75001"]
WIDER = ["1920s-1930s", "1920s-1950s", "*"]


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
        (
            ["2020-05-17", "1999-12-31"],
            "2020-05-17",
            ["2020-05", "2020-Q2", "2020-H1", "2020", "2020-2024", "2020s", "2020s-2030s", "*"],
        ),
        (
            ["2020-05-17", "2011-12-31"],
            "2020-05-17",
            ["2020-05", "2020-Q2", "2020-H1", "2020", "2020-2024", "2020s", "*"],
        ),
        (
            ["1931-05-17", "2011-12-31"],
            "1931-05-17",
            ["1931-05", "1931-Q2", "1931-H1", "1931", "1930-1934", "1930s", *WIDER],
        ),
        (DRESDEN, "01007", ["0100*", "01000-01019", "01000-01049", "010**", "01***", "0****", "*"]),
        (LYON, "13002", ["1300*", "130**", "13***", "1****", "00000-19999", "00000-49999", "*"]),
        (["001", "002", "009"], "002", ["002-004", "000-004", "00*", "0**", "*"]),
        (["18-24", "25-34", "35-44", "45-54", "55-64", "65+"], "25-34", ["18-34", "18-44", "*"]),
        (["18-24", "25-34", "35-44", "45-54", "55-64", "65+"], "65+", ["45+", "*"]),
        (["<18", "18-24", "25-34", "35+", "no answer"], "<18", ["≤ 24", "*"]),
        (["<18", "18-24", "25-34", "35+", "no answer"], "no answer", ["*"]),
        (["0-4 years", "5-9 years", "10-14 years"], "5-9 years", ["0-9 years", "*"]),
        ([f"{n}-{n + 4}" for n in range(10, 90, 5)], "25-29", ["20-29", "10-29", "10-49", "*"]),
        (["00-950", "01-100", "02-300"], "01-100", ["*"]),
        (["10-19", "15-30", "40+"], "40+", ["*"]),
        (["G16 4EZ", "EH1 1AA", "W1A 0AX"], "G16 4EZ", ["G16 4**", "G16 ***", "G*", "*"]),
        ([f"{n} 7AB" for n in range(10, 40)], "11 7AB", ["11 7A*", "11 7**", "11****", "1*****", "*"]),
        (["a"] * 60 + ["b"] * 36 + ["c", "d", "e", "f"], "d", ["other", "*"]),
        (["a"] * 60 + ["b"] * 36 + ["c", "d", "e", "f"], "a", ["*"]),
        (["other"] * 60 + ["c", "d"], "d", ["other (group)", "*"]),
        (["Other"] * 60 + ["c", "d"], "d", ["other (group)", "*"]),
        (["a", "b"], "a", ["*"]),
        (["2020-05-17", "2020-99-99"], "2020-99-99", ["*"]),
    ],
)
def test_by_what_values_look_like(values: list[Any], leaf: str, above: list[str]) -> None:
    assert way(tree(values), leaf) == above


AGES = [*range(100), *range(20, 80), None]


@settings(max_examples=cases(300))
@given(
    st.lists(st.integers(-30, 30), min_size=2, max_size=130),
    st.lists(st.sampled_from([-9999, -200, 99, 999, 1999]), max_size=5),
)
def test_values_far_from_all_others_are_what_their_definition_says(bulk: list[int], far: list[int]) -> None:
    rows = [Fraction(number, 2) for number in (*bulk, *far)]
    counts = Counter(rows)
    numbers = [Decimal(number.numerator) / number.denominator for number in counts]
    found = far_apart(numbers, np.array(list(counts.values())))
    low, high = oracle.far_apart(rows)
    assert [{Fraction(number) for number in side} for side in found] == [low, high]


def test_a_typing_error_does_not_stretch_the_range() -> None:
    """1999 as an age: without it, 38 is in the same intervals, and these lose as much."""
    clean, found = tree(AGES), tree([*AGES, 1999, 850])
    assert way(found, "38") == way(clean, "38") == ["35-39", "30-39", "20-39", "0-39", "0-79", "*"]
    assert way(found, "1999") == way(found, "850") == ["≥ 160", "*"]
    for rounded in (False, True):
        before, after = spans(clean, rounded=rounded), spans(found, rounded=rounded)
        assert before is not None and after is not None
        assert {label: before[place] for place, label in enumerate(clean.labels)} == {
            label: after[place] for place, label in enumerate(found.labels) if label in clean.index
        }
        assert after[found.index["≥ 160"]] == after[found.root] == 1
        assert after[found.index["1999"]] == 0
    assert way(tree([*AGES, -999]), "-999") == ["< 0", "*"]
    assert way(tree([*(age / 4 for age in range(100)), 1e6]), "1000000.0") == ["≥ 32", "*"]
    assert way(tree([0] * 40 + [7]), "7") == ["6-7", "4-7", "*"]  # no bulk to be far from


def test_the_end_of_an_open_interval_tells_no_value() -> None:
    """Whatever the largest age of the others is, the end is the same rounded number."""
    ends = {way(tree([*range(low, high), 1999]), "1999")[0] for low in range(5) for high in range(90, 101)}
    assert ends == {"≥ 160"}


def test_a_few_texts_do_not_hide_dates() -> None:
    days = [f"{1 + day % 28:02}.{1 + day % 12:02}.{1940 + day % 60}" for day in range(200)]
    assert way(tree([*days, "31.02.1980"]), days[20]) == [
        "1960-09",
        "1960-Q3",
        "1960-H2",
        "1960",
        "1960-1964",
        "1960s",
        *SIXTIES,
    ]
    assert way(tree([*days, "31.02.1980"]), "31.02.1980") == ["*"]
    american = [f"0{1 + day % 9}/{1 + day % 12:02}/2001" for day in range(60)]
    assert way(tree([*american, "01/31/2001"]), "02/02/2001") == [
        "2001-02",
        "2001-Q1",
        "2001-H1",
        "2001",
        "2000-2004",
        "2000s",
        "*",
    ]
    assert "2001-01" in way(tree([*american, "01/31/2001"]), "01/31/2001")  # read month first, all are dates


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ([*map(str, AGES[:-1]), "1999", "850", "-400"], ["'-400'", "'1999'", "'850'", "3 rows"]),
        ([f"19{year}-05-17" for year in range(10, 99)] + ["0199-05-17"], ["'0199-05-17'", "in 1 row:"]),
        ([f"{day:02}.05.1960" for day in range(1, 32)] + ["31.02.1980"], ["'31.02.1980'"]),
        ([f"{day:02}.05.1960" for day in range(1, 32)], []),
        (["flu", "ulcer"], []),
    ],
)
def test_the_owner_is_told_of_odd_values(values: list[str], told: list[str]) -> None:
    table = table_from_frame(pl.DataFrame({"column": values}), quasi="column")
    notes = odd_values_notes(table)
    assert len(notes) == bool(told) and all(word in notes[0] for word in told)
    given = table.with_hierarchies({"column": build_flat(values)})
    assert odd_values_notes(given) == ()
    assert set(profile_table(table).notes) >= set(notes)


@pytest.mark.parametrize("word", ["Infinity", "nan", "1e999", "unknown", "90+"])
def test_a_text_among_numbers_does_not_change_what_they_lose(word: str) -> None:
    """With it, a leaf beside the intervals, every interval loses by its width as before."""
    clean, found = tree(AGES), tree([*(None if age is None else str(age) for age in AGES), word])
    assert way(found, word) == ["*"]
    before, after = spans(clean), spans(found)
    assert before is not None and after is not None
    assert after[found.index[word]] == 0 and after[found.root] == 1
    assert {label: before[place] for place, label in enumerate(clean.labels)} == {
        label: after[place] for place, label in enumerate(found.labels) if label != word
    }
    assert spans(tree(["10", "20", "30", *"abcdefgh"] * 3)) is None  # no column of numbers


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
