"""Parameter ranges and thresholds: exact at the boundary, one sentence for every refusal."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import ParameterError
from tacit.ranges import (
    OneOf,
    Optional,
    Range,
    Share,
    Support,
    Whole,
    check,
    parse_threshold,
    support_count,
)


@pytest.mark.parametrize("value", [0, 1, -5, True, 2.0, "2", None, math.nan, math.inf])
def test_what_is_no_whole_number_from_two_up_is_refused(value: object) -> None:
    with pytest.raises(ParameterError, match=r"must be an int in the range \[2, inf\)\. Got "):
        check("generalize", {"k": Whole(2)}, k=value)


@pytest.mark.parametrize(
    ("range_", "inside", "outside"),
    [
        (Whole(2, 5), [2, 5], [1, 6, 2.5]),
        (Share(), [1, 0.1, Decimal("1.0")], [0, 1.01, math.nan, math.inf, True, "0.5"]),
        (Share(open_low=False), [0, 0.0], [-0.0001]),
        (Share(0, math.inf), [7, 1e300], [0]),
        (Share(open_high=True), [0.999], [1]),
        (Support(), [1, 10**9, 1.0, 0.01, Decimal("0.5")], [0, -1, 0.0, 1.5, True, math.nan]),
        (OneOf(("a", "b")), ["a"], ["c", 1, None]),
        (Optional(Whole(1)), [None, 1], [0, False]),
    ],
)
def test_ranges_hold_what_they_say(range_: Range, inside: list[object], outside: list[object]) -> None:
    assert all(range_.holds(value) for value in inside)
    assert not any(range_.holds(value) for value in outside)


@given(st.integers(1, 10_000), st.integers(1, 10**6))
def test_a_share_becomes_the_smallest_count_that_reaches_it(hundredths: int, total: int) -> None:
    share = Decimal(hundredths) / 10_000
    count = support_count(share, total)
    assert Fraction(count, total) >= Fraction(hundredths, 10_000)
    assert count == 1 or Fraction(count - 1, total) < Fraction(hundredths, 10_000)
    assert support_count(float(share), total) == count


@pytest.mark.parametrize(
    ("text", "value"), [("1", 1), ("1.0", Decimal("1.0")), ("0.07", Decimal("0.07")), ("25", 25)]
)
def test_a_count_and_a_share_are_told_apart_as_typed(text: str, value: object) -> None:
    parsed = parse_threshold(text)
    assert parsed == value and type(parsed) is type(value)


def test_what_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="expected a count"):
        parse_threshold("few")
