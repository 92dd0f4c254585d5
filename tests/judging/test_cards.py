"""Cards of columns and what a reader finds, against definitions written out row by row."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacit
from tacit.data.table import table_from_frame
from tacit.judging.cards import BARS, column_cards, singling
from tacit.judging.risk.matching import found

ROWS = st.lists(st.tuples(*(st.sampled_from("abc") for _ in range(4))), min_size=1, max_size=25)
NAMES = ("p", "q", "r", "s")


def alone(rows: list[tuple[str, ...]], places: tuple[int, ...]) -> float:
    """The share of rows that share some columns with no other."""
    held = Counter(tuple(row[place] for place in places) for row in rows)
    return sum(held[tuple(row[place] for place in places)] == 1 for row in rows) / len(rows)


@settings(max_examples=40, deadline=None)
@given(ROWS)
def test_singling(rows: list[tuple[str, ...]]) -> None:
    table = table_from_frame(pl.DataFrame(rows, schema=list(NAMES), orient="row"), quasi=list(NAMES))
    said = singling(table, NAMES)
    assert said is not None
    assert said.everything == pytest.approx(alone(rows, (0, 1, 2, 3)))
    for place, name in enumerate(NAMES):
        others = tuple(other for other in range(4) if other != place)
        assert said.without[name] == pytest.approx(alone(rows, others))
    for one in said.best:
        places = tuple(NAMES.index(name) for name in one.columns)
        assert one.share == pytest.approx(alone(rows, places))
        assert one.share == pytest.approx(
            max(alone(rows, some) for some in combinations(range(4), len(places)))
        )
    assert [len(one.columns) for one in said.best] == [1, 2, 3]
    for card, place in zip(column_cards(table), range(4), strict=True):
        assert card.alone == pytest.approx(alone(rows, (place,)))
        assert {bar.label: bar.rows for bar in card.bars} == Counter(row[place] for row in rows)


def test_without_quasi_identifiers_nobody_is_singled_out() -> None:
    assert singling(table_from_frame(pl.DataFrame({"a": [1]}), keep=["a"]), ()) is None
    one = singling(table_from_frame(pl.DataFrame({"a": ["x"]}), quasi=["a"]), ["a"])
    assert one is not None and one.everything == 1 and one.without == {"a": 1.0}


def test_a_column_of_numbers_is_shown_in_intervals() -> None:
    frame = pl.DataFrame({"age": [*range(100), None], "sex": ["f"] * 60 + ["m"] * 41})
    age, sex = column_cards(table_from_frame(frame, quasi=["age", "sex"]))
    assert age.kind == "number" and len(age.bars) == BARS and sum(bar.rows for bar in age.bars) == 100
    assert [bar.rows for bar in age.bars] == [10] * 10 and age.others == 0
    assert (sex.kind, sex.bars[0].label, sex.bars[0].rows, sex.examples) == ("text", "f", 60, ("f", "m"))


def test_codes_are_no_numbers_but_numbers_in_text_are() -> None:
    frame = pl.DataFrame({"zip": ["01067", "10115"], "age": ["34", "7"], "word": ["a", "7"]})
    cards = column_cards(table_from_frame(frame, quasi=["zip", "age", "word"]))
    assert [card.kind for card in cards] == ["text", "number", "text"]


def test_many_values_leave_some_without_a_bar() -> None:
    (card,) = column_cards(
        table_from_frame(pl.DataFrame({"a": [f"v{n:02}" for n in (0, *range(30))]}), quasi=["a"])
    )
    assert len(card.bars) == BARS and card.bars[0].rows == 2 and card.others == 20


def test_what_a_reader_finds() -> None:
    frame = pl.DataFrame(
        {
            "age": ["30-39", "30-39", "40-49", "30-39"],
            "sex": ["f", "f", "f", "*"],
            "ill": ["flu", "cold", "flu", "burn"],
        }
    )
    table = table_from_frame(frame, quasi=["age", "sex"], sensitive=["ill"])
    told = found(table, {"age": "34", "sex": "f", "not published": "1"})
    assert told.rows == 3 and told.values == {"ill": ("burn", "cold", "flu")}
    assert {look["sex"] for look in told.looks} == {"f", "*"}
    assert found(table, {"age": "34", "sex": "m"}).values == {"ill": ("burn",)}
    assert found(table, {"age": "70", "sex": "f"}).rows == 0


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1 << 20))
def test_everybody_finds_what_the_promise_says(seed: int) -> None:
    """In a bucketized release, the values that a reader finds hold the person's own and ℓ others at least."""
    original = tacit.load_sample("hospital:60", seed=seed)
    assert isinstance(original, tacit.Table)
    release = tacit.bucketize(original, l=2, key=tacit.Key.from_seed(seed), form="permuted")
    published = table_from_frame(
        release.table, quasi=["zip", "age", "sex"], keep=["group"], sensitive=["disease"], twins="keep"
    )
    columns = {name: original.column(name) for name in ("zip", "age", "sex", "disease")}
    for row in range(0, 60, 7):
        person = {name: columns[name].texts[columns[name].codes[row]] for name in columns}
        told = found(published, {name: person[name] for name in ("zip", "age", "sex")}, "group")
        assert told.rows >= 1 and person["disease"] in told.values["disease"]
        assert len(told.values["disease"]) >= 2


def test_days_are_drawn_over_time_and_names_not_at_all() -> None:
    days = [f"20{year:02}-0{month}-1{year % 10}" for year in range(24) for month in (1, 5)]
    frame = pl.DataFrame({"day": days, "name": [f"P{row}" for row in range(48)], "odd": ["2024-13-01"] * 48})
    day, name, odd = column_cards(table_from_frame(frame))
    assert (day.kind, name.kind, odd.kind) == ("date", "text", "text")
    starts = [bar.label for bar in day.bars]
    assert starts == sorted(starts) and starts[0] == min(days) and sum(bar.rows for bar in day.bars) == 48
    first = sum(start < starts[1] for start in days)
    assert day.bars[0].rows == first
    assert name.bars == () and name.others == 48 and name.alone == 1  # ten bars of one row say nothing
