"""Parameter ranges and thresholds: exact at the boundary, one sentence for every refusal."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import ParameterError
from tacit.ranges import (
    Either,
    File,
    Letters,
    Lines,
    ListOf,
    OneOf,
    Optional,
    Range,
    Share,
    Strings,
    Support,
    Switch,
    Unlimited,
    Whole,
    Words,
    check,
    parse_threshold,
    support_count,
)

WORDS = {"type": "array", "items": {"type": "string", "minLength": 1}}
ANY = {"type": "string", "enum": ["unlimited"]}


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


RANGES: list[tuple[Range, list[tuple[str, object]], dict[str, object]]] = [
    (Whole(2, 5), [("3", 3), ("2.5", "2.5"), ("x", "x")], {"type": "integer", "minimum": 2, "maximum": 5}),
    (
        Share(open_high=True),
        [("0.5", Decimal("0.5")), ("half", "half")],
        {"type": "number", "exclusiveMinimum": 0.0, "exclusiveMaximum": 1.0},
    ),
    (
        Support(),
        [("25", 25), ("0.01", Decimal("0.01")), ("few", "few")],
        {"anyOf": [Whole(1).schema(), Share().schema()]},
    ),
    (OneOf(("a", "b")), [("a", "a"), ("c", "c")], {"type": "string", "enum": ["a", "b"]}),
    (Optional(Whole(1)), [("1", 1)], {"type": "integer", "minimum": 1}),
    (Unlimited(Whole(1)), [("2", 2), ("unlimited", "unlimited")], {"anyOf": [Whole(1).schema(), ANY]}),
    (Switch(), [("yes", True), ("no", False), ("perhaps", "perhaps")], {"type": "boolean"}),
    (Words(), [("word", "word")], {"type": "string", "minLength": 1}),
    (Letters(), [(" ", " ")], {"type": "string"}),
    (File(), [("a.csv", "a.csv")], {"type": "string", "minLength": 1}),
    (Lines(), [("a\n\n b ", ("a", "b"))], {"anyOf": [Words().schema(), WORDS]}),
    (Strings(), [("a, b", ("a", "b"))], WORDS),
    (ListOf(Whole(1), "[1]"), [("1, 2", (1, 2))], {"type": "array", "items": Whole(1).schema()}),
    (
        Either(Whole(1), OneOf(("auto",))),
        [("3", 3), ("auto", "auto")],
        {"anyOf": [Whole(1).schema(), OneOf(("auto",)).schema()]},
    ),
]


@pytest.mark.parametrize(("range_", "read", "schema"), RANGES, ids=lambda value: type(value).__name__)
def test_a_range_reads_text_and_is_a_schema(
    range_: Range, read: list[tuple[str, object]], schema: dict[str, object]
) -> None:
    for text, value in read:
        assert range_.read(text) == value
    assert range_.schema() == schema
    assert str(range_)


def test_lines_are_a_file_or_lines_and_never_numbers() -> None:
    assert all(
        Lines().holds(value) for value in ("a.txt", Path("a.txt"), ["a"], [{"a", "b"}], frozenset("a"))
    )
    assert not any(Lines().holds(value) for value in (3, None, [1], b"bytes", " "))
    assert Strings().holds({"a"}) and not Strings().holds("a")
    assert all(Unlimited(Whole(1)).holds(value) for value in (None, "unlimited", 1))
    assert not any(Unlimited(Whole(1)).holds(value) for value in (0, "limited"))
    assert all(Either(Whole(1), OneOf(("auto",))).holds(value) for value in (1, "auto"))
    assert not Either(Whole(1), OneOf(("auto",))).holds(0)


def test_a_choice_names_its_words_and_one_word_is_no_choice() -> None:
    assert str(OneOf(("a", "b"))) == "one of 'a', 'b'"
    assert str(OneOf(("auto",))) == "'auto'"


def test_a_range_says_which_ends_belong_to_it() -> None:
    assert str(Share()) == "a number in the range (0, 1]"
    assert str(Share(open_low=False, open_high=True)) == "a number in the range [0, 1)"
