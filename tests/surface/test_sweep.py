"""Sweeps: risk on thresholds that never move, what cannot be met marked, by command as in Python."""

from __future__ import annotations

import json
from collections import Counter

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacit
from tacit.data.table import table_from_frame
from tacit.errors import TacitError
from tacit.judging.risk.matching import surer_than
from tacit.surface.cli import main
from tacit.surface.sweep import Try, recommended

ROWS = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from("xy"), st.sampled_from("123")), min_size=1, max_size=30
)


@settings(max_examples=60, deadline=None)
@given(ROWS, st.sampled_from([1 / 3, 0.5, 0.8]), st.booleans())
def test_surer_than(rows: list[tuple[str, str, str]], limit: float, grouped: bool) -> None:
    names = ["group", "q", "s"]
    frame = pl.DataFrame(rows, schema=names, orient="row")
    table = table_from_frame(frame, quasi=["q"], keep=["group"], sensitive=["s"])
    (said,) = surer_than(table, "group" if grouped else None, [limit])
    place = 0 if grouped else 1
    unsafe = 0
    for row in rows:
        alike = Counter(other[2] for other in rows if other[place] == row[place])
        unsafe += max(alike.values()) / alike.total() > limit
    assert said == pytest.approx(unsafe / len(rows))


def test_what_cannot_be_met_and_what_to_begin_with_are_marked() -> None:
    table = tacit.load_sample("hospital:300", seed=4)
    found = tacit.sweep(table, l=[2, 30], k=[5])
    first, second, coarse = found.tries
    # The reader knows the rules, so that a few may be likelier than one half at ℓ = 2.
    assert first.infeasible is None and first.above_half is not None and first.above_half < 0.1
    assert second.infeasible is not None and second.risk is None
    assert coarse.method == "generalize_table" and coarse.loss is not None
    assert found.recommended is not None and found.tries[found.recommended].infeasible is None
    assert "infeasible" in str(found) and "recommended" in str(found)
    assert {row[0] for row in found.chart().data} >= {first.risk}


def test_sets_and_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sweep", "sample:supermarket:200", "-k", "2,5", "-m", "1,2", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [one["settings"] for one in told["tries"]] == [{"k": k, "m": m} for k in (2, 5) for m in (1, 2)]
    assert all(one["risk"] == 0 for one in told["tries"] if one["settings"]["m"] == 2)
    assert told["tries"][told["recommended"]]["risk"] == 0


def test_one_row_of_each_person_is_tried() -> None:
    rows = tacit.load_sample("hospital:300", seed=4).to_polars().with_row_index("person")
    roles = {"quasi": ["zip", "age", "sex"], "sensitive": ["disease"]}
    alone = tacit.sweep(table_from_frame(rows, **roles), k=[5], l=[2])
    twice = tacit.sweep(table_from_frame(pl.concat([rows, rows]), **roles), k=[5], l=[2], person="person")
    for one, other in zip(alone.tries, twice.tries, strict=True):
        assert other.loss == pytest.approx(one.loss, rel=0.5)
    with pytest.raises(TacitError) as caught:
        tacit.sweep(tacit.load_sample("supermarket:50"), person="person")
    assert caught.value.code == "wrong-data"


@pytest.mark.parametrize(
    ("asked", "code"),
    [({"l": [1]}, "parameter-range"), ({"k": []}, "nothing-to-try"), ({"m": [0]}, "parameter-range")],
)
def test_what_cannot_be_tried(asked: dict[str, list[int]], code: str) -> None:
    with pytest.raises(TacitError) as caught:
        tacit.sweep(tacit.load_sample("hospital:50"), **asked)
    assert caught.value.code == code


def test_a_bad_flag(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sweep", "sample:hospital:50", "-l", "2,x"]) == 2
    assert "'l' parameter" in capsys.readouterr().err


def test_the_safest_is_recommended_then_the_one_that_loses_least() -> None:
    tries = [
        Try("bucketize", {"l": 2}, risk=0.1, above_half=0.1, loss=0.0),
        Try("bucketize", {"l": 3}, risk=0.3, above_half=0.0, loss=0.3),
        Try("bucketize", {"l": 4}, risk=0.4, above_half=0.0, loss=0.2),
        Try("bucketize", {"l": 5}, risk=0.4, above_half=0.0, above_third=0.1, loss=0.1),
        Try("bucketize", {"l": 9}, infeasible="no"),
    ]
    assert recommended(tries) == 2
    assert recommended(tries[3:]) == 0
    assert recommended(tries[4:]) is None
