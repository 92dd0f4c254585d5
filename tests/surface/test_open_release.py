"""What a recipient counts in a release, against the data that it was made from."""

from __future__ import annotations

from itertools import permutations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit
from tacit.data.hierarchy import from_parents
from tacit.errors import TacitError
from tacit.surface.counting import count_buckets, count_rows, count_sets

PEOPLE = st.lists(
    st.tuples(st.sampled_from(["30", "31", "38"]), st.sampled_from("fm"), st.sampled_from("abc")),
    min_size=1,
    max_size=6,
)
TREE = from_parents({"30": "30-34", "31": "30-34", "38": "35-39", "30-34": "*", "35-39": "*"}, name="age")


def of(people: list[tuple[str, str, str]], age: str, sex: str | None = None, value: str | None = None) -> int:
    return sum(one[0] == age and sex in (None, one[1]) and value in (None, one[2]) for one in people)


@given(PEOPLE, st.data())
def test_the_true_number_is_within_the_limits_of_a_generalized_table(
    people: list[tuple[str, str, str]], data: st.DataObject
) -> None:
    up = {"30": ["30", "30-34", "*"], "31": ["31", "30-34", "*"], "38": ["38", "35-39", "*"]}
    rows = [(data.draw(st.sampled_from(up[age])), sex, value) for age, sex, value in people]
    frame = pl.DataFrame(rows, schema=["age", "sex", "disease"], orient="row")
    for age in ("30", "38"):
        found = count_rows(frame, {"age": age, "sex": "f"}, {"age": TREE})
        assert found.low <= of(people, age, "f") <= found.high
        assert found.low <= found.estimate <= found.high


def test_a_published_hierarchy_ends_in_intervals() -> None:
    tree = from_parents({"0-19": "0-39", "20-39": "0-39", "0-39": "*", "40-59": "*"}, name="age")
    frame = pl.DataFrame({"age": ["0-39", "20-39", "*"]})
    found = count_rows(frame, {"age": (20, 29)}, {"age": tree})
    assert found.estimate == pytest.approx(10 / 40 + 10 / 20 + 10 / 60)
    assert (found.low, found.high) == (0, 3)


def test_a_generalized_value_counts_by_its_share() -> None:
    frame = pl.DataFrame({"age": ["30-39", "30-39", "35", "*"]})
    found = count_rows(frame.head(3), {"age": (30, 34)}, {})
    assert (found.estimate, found.low, found.high) == (1.0, 0, 2)
    assert found.error == pytest.approx((2 * 0.25) ** 0.5)
    assert str(count_rows(frame.head(3), {"age": (30, 39)}, {})) == "3"
    with pytest.raises(TacitError) as caught:
        count_rows(frame, {"age": "30"}, {})
    assert caught.value.code == "value-not-listed"
    with pytest.raises(TacitError):
        count_rows(frame, {"sex": "f"}, {})


@given(PEOPLE)
def test_the_estimate_of_buckets_is_the_mean_over_all_ways_to_deal(
    people: list[tuple[str, str, str]],
) -> None:
    """One bucket: over every order of its values, the mean and the limits are those that are told."""
    rows = pl.DataFrame(
        [(one[0], one[1], "1") for one in people], schema=["age", "sex", "group"], orient="row"
    )
    values = pl.DataFrame(
        [("1", one[2], "1") for one in people], schema=["group", "disease", "count"], orient="row"
    )
    found = count_buckets(
        rows, values, {"sex": "f", "disease": ["a", "b"]}, group="group", sensitive=["disease"]
    )
    ways = [
        sum(one[1] == "f" and value in "ab" for one, value in zip(people, order, strict=True))
        for order in permutations([one[2] for one in people])
    ]
    mean = sum(ways) / len(ways)
    assert found.estimate == pytest.approx(mean)
    assert (found.low, found.high) == (min(ways), max(ways))
    assert found.error == pytest.approx((sum((one - mean) ** 2 for one in ways) / len(ways)) ** 0.5)


def test_sets_count_by_their_groups() -> None:
    records = tacit.transactions_from_sets([{"Bread", "milk"}, {"Bread"}, {"milk"}])
    members = {"Bread": ["rye", "wheat"], "milk": ["milk"]}
    found = count_sets(records, ["rye", "milk"], members)
    assert (found.estimate, found.low, found.high) == (0.5, 0, 1)
    assert count_sets(records, ["milk"], members).low == 2
    with pytest.raises(TacitError):
        count_sets(records, ["beer"], members)
