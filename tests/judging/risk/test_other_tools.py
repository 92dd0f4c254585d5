"""Releases of other tools and of ours: generalized values are understood, sets are measured."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacit
from tacit.data.hierarchy import from_parents
from tacit.engine.choice import engine_for
from tacit.errors import TacitError
from tacit.judging.risk.classes import classes_of
from tacit.judging.risk.matching import covered_by, covering, matches
from tacit.random.key import Key
from tacit.surface.cli import main


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("30-39", ["30", "34", "39", "39.0"], ["29", "40", "x", "nan"]),
        ("30–39", ["34"], ["40"]),
        ("-5--1", ["-5", "-1"], ["0"]),
        ("[30, 40[", ["30", "39.9"], ["40"]),
        ("[30, 40]", ["40"], ["41"]),
        ("(30; 40)", ["31"], ["30", "40"]),
        (">=50", ["50"], ["49"]),
        (">50", ["51"], ["50"]),
        ("<50", ["49"], ["50"]),
        ("≤50", ["50"], ["51"]),
        ("90+", ["90", "101"], ["89"]),
        ("13***", ["13001", "13***"], ["14001", "130010", "1300"]),
        ("13*", ["13001", "130"], ["14001"]),
        ("1*0", ["110", "1x0"], ["1110"]),
        ("2024-06", ["2024-06", "2024-06-19"], ["2024-07-01", "2023-06-19"]),
        ("2024-Q2", ["2024-04-01", "2024-06-30"], ["2024-07-01", "2024-03-31"]),
        ("2024-H1", ["2024-01-01", "2024-06-30"], ["2024-07-01", "2023-03-31"]),
        ("2020-2024", ["2020-01-01", "2024-12", "2022"], ["2025-01-01", "2019-12-31"]),
        ("18-34", ["18-24", "25-34", "30"], ["25-44", "65+", "< 18"]),
        ("≤ 24", ["< 18", "18-24"], ["18-34", "35+"]),
        ("01000-04999", ["01067", "04103"], ["06108", "x"]),
        ("2024-Q4 (quarter)", ["2024-10-01", "2024-12"], ["2024-09-30"]),
        ("2024", ["2024", "2024-01-31"], ["2025-01-31", "20241"]),
        ("1990s", ["1990-01-01", "1999-12-31", "1990"], ["2000-01-01"]),
        ("{f, m}", ["f", "m"], ["x"]),
        ("*", ["anything"], []),
        ("*****", ["13001"], []),
    ],
)
def test_a_value_is_understood_by_its_form(text: str, inside: list[str], outside: list[str]) -> None:
    test = covered_by(text)
    assert test is not None
    assert all(map(test, inside)) and not any(map(test, outside))


@pytest.mark.parametrize("text", ["34", "Basel", "A-B", "2020-01-31", "39-30", "non-smoker", "<none>", "C++"])
def test_a_plain_value_stands_for_itself(text: str) -> None:
    test = covered_by(text)
    assert test is None


def test_a_hierarchy_says_what_is_below_a_value() -> None:
    tree = from_parents({"flu": "lung", "asthma": "lung", "lung": "any", "ulcer": "any"}, name="disease")
    test = covered_by("lung", tree)
    assert test is not None and test("flu") and not test("ulcer")
    assert covered_by("flu", tree) is None


def test_the_leaves_of_a_published_hierarchy_may_be_intervals() -> None:
    tree = from_parents({"0-19": "0-39", "20-39": "0-39", "0-39": "*", "40-59": "*"}, name="age")
    for text, inside, outside in (("0-39", "33", "40"), ("20-39", "33", "19"), ("*", "99", None)):
        test = covered_by(text, tree)
        assert test is not None and test(inside) and not (outside and test(outside))


def test_suppressed_cells_stand_for_everything() -> None:
    assert [list(one) for one in covering([None, "a"], ["a", "b"])] == [[0, 1], [0]]
    assert [list(one) for one in covering([None], ["a", None])] == [[1]]


AGES = st.sampled_from(["30", "34", "38", "30-34", "35-39", "30-39", "*"])


@given(
    st.lists(st.tuples(AGES, st.sampled_from(["f", "m", "*"])), min_size=1, max_size=12),
    st.lists(
        st.tuples(st.sampled_from(["30", "34", "38"]), st.sampled_from(["f", "m"])), min_size=1, max_size=12
    ),
)
def test_matches_are_those_of_every_pair(
    published: list[tuple[str, str]], people: list[tuple[str, str]]
) -> None:
    released = tacit.table_from_frame(
        pl.DataFrame(published, schema=["age", "sex"], orient="row"), quasi="age,sex"
    )
    original = tacit.table_from_frame(pl.DataFrame(people, schema=["age", "sex"], orient="row"))
    classes = classes_of(released, ("age", "sex"), ())
    held = engine_for(original).combinations(original, ("age", "sex"))
    found = {which: set(rows.tolist()) for which, rows in matches(classes, held, {})}
    for which in range(len(classes)):
        texts = [classes.texts[place][classes.codes[place][which]] for place in range(2)]
        wanted = set()
        for row in range(len(held)):
            values = [held.texts[place][held.codes[row, place]] for place in range(2)]
            pairs = zip(texts, values, strict=True)
            if all(
                text == value or ((test := covered_by(text or "")) is not None and test(value))
                for text, value in pairs
            ):
                wanted.add(row)
        assert found.get(which, set()) == wanted


def test_a_table_that_arx_made(tmp_path: Path) -> None:
    """ARX writes intervals with its own brackets, and stars for records that it suppressed."""
    rows = [("[30, 40[", "81***", "flu")] * 3 + [("[40, 50[", "81***", "ulcer")] * 2 + [("*", "*", "flu")]
    pl.DataFrame(rows, schema=["age", "zipcode", "disease"], orient="row").write_csv(
        tmp_path / "arx.csv", separator=";"
    )
    everybody = [(str(age), zipcode) for age in range(30, 50) for zipcode in ("81667", "81925")]
    people = pl.DataFrame(everybody, schema=["age", "zipcode"], orient="row")
    people.write_csv(tmp_path / "people.csv")
    table = tacit.read_table(tmp_path / "arx.csv", delimiter=";")
    found = tacit.risk(table, population=tmp_path / "people.csv")
    assert found.quasi == ("age", "zipcode") and found.sensitive == ("disease",)
    assert found["k"] == 1  # the suppressed record is in a class of its own
    assert found["journalist"] == pytest.approx(1 / 20)
    assert found["marketer"] == pytest.approx((3 / 20 + 2 / 20 + 1 / 40) / 6)


BASKETS = st.lists(st.sets(st.sampled_from("abcde"), min_size=1, max_size=4), min_size=1, max_size=9)


@settings(max_examples=30)
@given(BASKETS)
def test_sets_are_measured_by_their_definition(baskets: list[set[str]]) -> None:
    found = tacit.risk(tacit.transactions_from_sets(baskets))
    for size in (1, 2, 3):
        held = {one: sum(set(one) <= basket for basket in baskets) for one in _sets(baskets, size)}
        fewest = min([found.threshold, *held.values()])
        assert found[f"k{size}"] == fewest
        alone = sum(any(held[one] == 1 for one in held if set(one) <= basket) for basket in baskets)
        assert found.figure(f"unique{size}").people == alone


def _sets(baskets: list[set[str]], size: int) -> set[tuple[str, ...]]:
    """The sets of up to so many items that somebody has."""
    return {
        one
        for basket in baskets
        for width in range(1, size + 1)
        for one in combinations(sorted(basket), width)
    }


KEY = Key(bytes(range(32)))


def people() -> tacit.Table:
    source = np.random.default_rng(3)
    frame = pl.DataFrame(
        {
            "age": source.integers(30, 34, 120),
            "sex": source.choice(["f", "m"], 120),
            "disease": source.choice(["flu", "ulcer", "cold", "burn"], 120),
        }
    )
    return tacit.table_from_frame(frame, quasi="age,sex", sensitive="disease")


def test_a_generalized_table_of_ours_is_measured(tmp_path: Path) -> None:
    tacit.generalize(people(), k=5, key=KEY).save(tmp_path / "out")
    found = tacit.risk(str(tmp_path / "out"), standard="cdc-covid")
    assert found["k"] >= 5 and found.sensitive == ("disease",)
    assert main(["risk", str(tmp_path / "out"), "--standard", "ema-0070", "--gate", "--quiet"]) in (0, 9)


@pytest.mark.ci
def test_our_own_releases_are_measured(tmp_path: Path) -> None:
    table = people()
    baskets = tacit.transactions_from_sets([{"a", "b"}] * 6 + [{"a"}] * 3 + [{"b", "c"}] * 6)
    made = {
        "bucketized": tacit.bucketize(table, l=2, key=KEY),
        "hidden": tacit.hide(baskets, patterns=[{"a", "b"}], min_support=5, key=KEY),
        "rules": tacit.safe_rules(table, min_support=20, min_confidence=0.2, max_posterior=0.95),
    }
    for kind, release in made.items():
        release.save(tmp_path / kind, acknowledge_composition=True)
    buckets = tacit.risk(tmp_path / "bucketized")
    assert buckets.rows == 120 and buckets["l"] >= 2 and buckets["k"] >= 1
    hidden = tacit.risk(tmp_path / "hidden")
    assert hidden["k1"] >= 1 and hidden.rows == 15
    with pytest.raises(TacitError) as caught:
        tacit.risk(tmp_path / "rules")
    assert caught.value.code == "no-published-rows"


def test_the_command_takes_sets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "baskets.dat").write_text("a b\na b\na c\n")
    assert main(["risk", str(tmp_path / "baskets.dat"), "--quiet"]) == 0
    assert "Fewest records that share 2 items" in capsys.readouterr().out
