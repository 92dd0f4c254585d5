"""The builders: every value is a leaf, groups are what they say, and labels never clash."""

from __future__ import annotations

import math
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit
from tacit.data.hierarchy import NULL_LABEL, Hierarchy
from tacit.io.hierarchies import (
    build_balanced,
    build_dates,
    build_flat,
    build_intervals,
    build_prefixes,
    show_hierarchy,
)

NUMBERS = st.lists(st.decimals(-1000, 1000, places=3) | st.integers(-1000, 1000), min_size=1, max_size=30)
TEXTS = st.lists(st.text(min_size=1, max_size=5), min_size=1, max_size=30)


def _above(hierarchy: Hierarchy, label: str) -> list[str]:
    return [hierarchy.labels[node] for node in hierarchy.ancestors(hierarchy.index[label])]


def _leaves(hierarchy: Hierarchy) -> list[str]:
    return list(hierarchy.labels[: hierarchy.n_leaves])


@given(NUMBERS, st.decimals(Decimal("0.01"), 100, places=2), st.lists(st.integers(2, 5), max_size=3))
def test_intervals_hold_their_numbers_at_every_level(
    values: list[Decimal | int], width: Decimal, nesting: list[int]
) -> None:
    hierarchy = build_intervals(values, width=width, nesting=nesting)
    assert set(_leaves(hierarchy)) == {str(value) for value in values}
    assert len(set(hierarchy.labels)) == hierarchy.n_nodes
    widths = [Fraction(width) * math.prod(nesting[:level]) for level in range(len(nesting) + 1)]
    if all(Fraction(str(value)).denominator == 1 for value in values) and width == 1:
        widths = widths[1:]
    for one in values:
        above = _above(hierarchy, str(one))
        assert len(above) == len(widths) + 1
        for other in values:
            together = [
                math.floor(Fraction(str(one)) / span) == math.floor(Fraction(str(other)) / span)
                for span in widths
            ]
            others = _above(hierarchy, str(other))
            assert [mine == theirs for mine, theirs in zip(above, others, strict=True)] == [*together, True]


def test_intervals_are_written_as_people_do() -> None:
    ages = build_intervals(["23", "31", None], width=10, nesting=(2, 2))
    assert _above(ages, "23") == ["20-29", "20-39", "0-39", "*"]
    assert _above(ages, NULL_LABEL) == ["*"]
    assert _above(build_intervals([-13, 4], width=5), "-13") == ["-15 to -11", "*"]
    assert _above(build_intervals([0.75, -0.5], width=0.5), "0.75") == ["[0.5, 1)", "*"]
    assert _above(build_intervals([0.1, 0.3], width=0.1), "0.3") == [
        "[0.3, 0.4)",
        "*",
    ]  # 3 * 0.1 > 0.3 in floats
    assert _above(build_intervals(["1", "1.0", "01"], width=10), "1.0") == ["0-9", "*"]
    assert _above(build_intervals(range(5), width=1, nesting=(5,)), "3") == ["0-4", "*"]
    assert _leaves(build_intervals(["10", "9", "NaN"], width=5)) == ["9", "10", NULL_LABEL]
    large = str(2**53 + 1)
    assert _above(build_intervals([large], width=2), large) == [f"{2**53}-{2**53 + 1}", "*"]


@given(TEXTS, st.integers(2, 6))
def test_balanced_groups_are_neighbours_by_position(values: list[str], fanout: int) -> None:
    hierarchy = build_balanced(values, fanout=fanout)
    leaves = _leaves(hierarchy)
    assert sorted(leaves) == sorted(set(values))
    ancestors = [_above(hierarchy, leaf) for leaf in leaves]
    for level in range(len(ancestors[0])):
        size = fanout ** (level + 1)
        for one in range(len(leaves)):
            for other in range(len(leaves)):
                together = one // size == other // size
                assert (ancestors[one][level] == ancestors[other][level]) == together


def test_balanced_orders_whole_numbers_by_size() -> None:
    hierarchy = build_balanced(range(3340), fanout=5)
    assert _leaves(hierarchy) == [str(item) for item in range(3340)]
    levels = [(hierarchy.heights == height).sum() for height in range(hierarchy.heights[hierarchy.root] + 1)]
    assert levels == [3340, 668, 134, 27, 6, 2, 1]
    assert not any(" " in label for label in hierarchy.labels)  # labels are written into lines of items


@given(TEXTS)
def test_prefixes_group_by_prefix(values: list[str]) -> None:
    hierarchy = build_prefixes(values, lengths=[1, 3])
    assert set(_leaves(hierarchy)) == set(values)
    for one in set(values):
        for other in set(values):
            shared = set(_above(hierarchy, one)) & set(_above(hierarchy, other))
            wanted = {0} | {
                length
                for length in (1, 3)
                if len(one) >= length <= len(other)
                and one[:length] == other[:length]
                and not (length >= max(map(len, values)) and min(map(len, values)) == max(map(len, values)))
            }
            assert len(shared) == len(wanted)


def test_prefixes_of_postal_and_diagnosis_codes() -> None:
    assert _above(build_prefixes(["13053", "14850"]), "13053") == ["1305*", "130**", "13***", "1****", "*"]
    codes = build_prefixes(["A01", "A01.1", "A01.12", "B2"])
    assert _above(codes, "A01.12") == ["A01.1*", "A01*", "A0*", "A*", "*"]
    assert _above(codes, "A01") == ["A01*", "A0*", "A*", "*"]
    starred = build_prefixes(["13", "1*", "*"])
    assert _above(starred, "13") == ["1* (group)", "* (all)"]


@given(st.lists(st.dates(), min_size=1, max_size=30))
def test_dates_follow_the_calendar(days: list[date]) -> None:
    hierarchy = build_dates(days)
    for day in days:
        decade = f"{day.year // 10 * 10:04}s"
        assert _above(hierarchy, str(day)) == [
            f"{day:%Y}".rjust(4, "0") + f"-{day:%m}",
            f"{day.year:04}",
            decade,
            "*",
        ]
    assert _leaves(hierarchy) == [str(day) for day in sorted(set(days))]


def test_dates_known_to_the_month_the_year_or_the_minute() -> None:
    hierarchy = build_dates(["2020", "2020-05", "2020-05-01", "2020-05-01 10:00", None])
    assert _above(hierarchy, "2020") == ["2020 (year)", "2020s", "*"]
    assert _above(hierarchy, "2020-05")[0] == "2020-05 (month)"
    assert _above(hierarchy, "2020-05-01 10:00")[:2] == ["2020-05-01 (day)", "2020-05 (month)"]
    assert _above(hierarchy, "2020-05-01")[0] == "2020-05-01 (day)"
    other = build_dates(["17.05.2020"], date_format="%d.%m.%Y")
    assert _above(other, "17.05.2020") == ["2020-05", "2020", "2020s", "*"]


def test_flat_has_one_level() -> None:
    assert build_flat(["b", "a", None, "*"]).labels == ("*", "a", "b", NULL_LABEL, "* (all)")


def test_ten_thousand_days_build_in_order() -> None:
    days = [date(1990, 1, 1) + timedelta(days=number) for number in range(10_000)]
    hierarchy = build_dates(days)
    assert hierarchy.n_leaves == 10_000
    assert _leaves(hierarchy)[:2] == ["1990-01-01", "1990-01-02"]


@pytest.mark.parametrize(
    ("build", "code"),
    [
        (lambda: build_intervals(["a", "1"], width=1), "hierarchy-not-numbers"),
        (lambda: build_intervals(["inf"], width=1), "hierarchy-not-numbers"),
        (lambda: build_intervals(["1e999999999"], width=1), "hierarchy-not-numbers"),
        (lambda: build_intervals(["1"], width=0), "parameter-range"),
        (lambda: build_intervals(["1"], width=float("nan")), "parameter-range"),
        (lambda: build_intervals(["1"], width=1, nesting=(1,)), "parameter-range"),
        (lambda: build_balanced(["1"], fanout=1), "parameter-range"),
        (lambda: build_balanced(["1"], fanout=True), "parameter-range"),
        (lambda: build_prefixes(["1"], lengths=[0]), "parameter-range"),
        (lambda: build_dates(["2021-02-29"]), "hierarchy-not-dates"),
        (lambda: build_dates(["17.05.2020"]), "hierarchy-not-dates"),
        (lambda: build_flat([]), "hierarchy-empty"),
        (lambda: build_balanced([], fanout=2), "hierarchy-empty"),
        (lambda: build_intervals([], width=2), "hierarchy-empty"),
        (lambda: build_prefixes([]), "hierarchy-empty"),
        (lambda: build_dates([]), "hierarchy-empty"),
        (lambda: show_hierarchy(build_flat(["a"]), depth=0), "parameter-range"),
    ],
)
def test_what_cannot_be_built_is_said(build: object, code: str) -> None:
    with pytest.raises(tacit.TacitError) as caught:
        build()  # type: ignore[operator]
    assert caught.value.code == code


def test_nothing_but_nulls_is_a_tree_of_one_leaf() -> None:
    assert build_balanced([None], fanout=2).labels == (NULL_LABEL, "*")


def test_a_tree_is_shown_in_few_lines() -> None:
    shown = str(show_hierarchy(build_balanced(range(1000), fanout=10), depth=2, most=3)).splitlines()
    assert shown[:4] == [
        "*  (1000 leaves)",
        "├── 0..99  (100 leaves)",
        "│   ├── 0..9  (10 leaves)",
        "│   ├── 10..19  (10 leaves)",
    ]
    assert shown[-1] == "└── … and 7 more"
    chain = build_prefixes(["a" * 90])
    assert len(str(show_hierarchy(chain)).splitlines()) == 21
    assert "\n" not in str(show_hierarchy(build_flat(["two\nlines"]))).splitlines()[1].strip()
