"""Singling out, linkability and inference: what the attacks reach, and what they must tell apart."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacit
from tacit.errors import TacitError
from tacit.judging.risk.criteria import measure_criteria
from tacit.judging.risk.matching import covered_by
from tests.oracles import risk as oracle

NAMES = ["age", "sex", "town", "disease"]
QUASI = NAMES[:3]


def fits(published: oracle.Row, person: oracle.Row) -> bool:
    return all(
        text == value or ((test := covered_by(str(text))) is not None and test(str(value)))
        for text, value in zip(published, person, strict=True)
    )


def table(rows: list[tuple[str, ...]]) -> tacit.Table:
    frame = pl.DataFrame(rows, schema=NAMES, orient="row")
    return tacit.table_from_frame(frame, quasi=QUASI, sensitive="disease")


PERSON = st.tuples(
    st.sampled_from(["30", "34", "38"]), st.sampled_from("fm"), st.sampled_from("xyz"), st.sampled_from("abc")
)
PUBLISHED = st.tuples(
    st.sampled_from(["30", "34", "30-34", "*"]),
    st.sampled_from("fm*"),
    st.sampled_from("xyz*"),
    st.sampled_from("abc"),
)


@settings(max_examples=60)
@given(st.lists(PUBLISHED, min_size=1, max_size=8), st.lists(PERSON, min_size=1, max_size=8))
def test_attacks_are_what_their_definition_says(
    published: list[tuple[str, ...]], people: list[tuple[str, ...]]
) -> None:
    found = measure_criteria(table(published), table(people), None, group=None, tolerance=0)
    wanted = [
        attack(published, people, fits) for attack in (oracle.singled_out, oracle.linked, oracle.inferred)
    ]
    assert [one.attack for one in found] == pytest.approx(wanted)
    assert [one.why for one in found] == ["no control"] * 3 and all(one.ok is None for one in found)


def people(seed: int, rows: int) -> list[tacit.Table]:
    """Three groups of the same population, with nobody in common."""
    source = np.random.default_rng(seed)
    n = 3 * rows
    town = source.geometric(0.05, n) % 40
    frame = pl.DataFrame(
        {
            "age": source.integers(18, 90, n).astype(str),
            "sex": source.choice(["f", "m"], n),
            "town": town.astype(str),
            "disease": np.where(source.random(n) < 0.5, town % 4, source.integers(0, 8, n)).astype(str),
        }
    )
    parts = [frame[start : start + rows] for start in (0, rows, 2 * rows)]
    return [tacit.table_from_frame(part, quasi=QUASI, sensitive="disease") for part in parts]


def verdicts(released: tacit.Table, seed: int, rows: int = 1200) -> list[bool | None]:
    original, control, other = people(seed, rows)
    released = {"raw": original, "independent": other}[released] if isinstance(released, str) else released
    return [one.ok for one in tacit.risk(released, original=original, control=control, max_size=1).criteria]


@pytest.mark.parametrize(
    "seed", [1, pytest.param(range(20), marks=pytest.mark.ci)], ids=["once", "twenty times"]
)
def test_raw_data_fail_and_independent_data_pass(seed: int | range) -> None:
    seeds = [seed] if isinstance(seed, int) else list(seed)
    raw = [verdicts("raw", one) for one in seeds]  # type: ignore[arg-type]
    assert raw == [[False] * 3] * len(seeds)
    other = [verdicts("independent", one) for one in seeds]  # type: ignore[arg-type]
    # A 95 % interval lies above 0 once in forty, where there is no risk: of 60 intervals, not more than 5.
    assert sum(one is False for found in other for one in found) <= (0 if len(seeds) == 1 else 5)


def test_a_bucketized_table_gives_values_by_bucket() -> None:
    rows = [("30", "f", "x", "a"), ("30", "m", "x", "b"), ("34", "f", "y", "a"), ("34", "m", "y", "b")]
    frame = pl.DataFrame([(*row, row[2]) for row in rows], schema=[*NAMES, "group"], orient="row")
    released = tacit.table_from_frame(frame, quasi=QUASI, sensitive="disease")
    found = measure_criteria(released, table(rows), None, group="group", tolerance=0)
    assert found[0].attack == 1.0  # the quasi-identifiers are published exactly
    assert found[2].attack == pytest.approx(0.5)  # two values in each bucket


def test_the_same_twice_and_a_tolerance() -> None:
    original, control, _ = people(3, 400)
    first = tacit.risk(original, original=original, control=control).to_dict()["criteria"]
    again = tacit.risk(original, original=original, control=control).to_dict()["criteria"]
    assert first == again
    loose = tacit.risk(original, original=original, control=control, tolerance=0.99).criteria
    assert all(one.ok for one in loose)


def test_columns_must_be_there(tmp_path: Path) -> None:
    original, _, _ = people(3, 50)
    original.to_polars().drop("town").write_csv(tmp_path / "other.csv")
    with pytest.raises(TacitError) as caught:
        tacit.risk(original, original=tmp_path / "other.csv")
    assert caught.value.code == "original-columns"
    with pytest.raises(TacitError) as caught:
        tacit.risk(original, control=original)
    assert caught.value.code == "parameter-unused"


@pytest.mark.parametrize("more", [0, 60], ids=["no control", "a smaller control group"])
def test_singling_out_and_linking_count_everybody_in_the_original(
    more: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """How many rows fit exactly one of a few people says nothing of all of them."""
    monkeypatch.setattr("tacit.judging.risk.criteria.MOST", 50)
    original, control, _ = people(5, 300)
    rows = [tuple(row) for row in original.to_polars().iter_rows()]
    published = [("*" if place % 2 else row[0], *row[1:]) for place, row in enumerate(rows)]
    found = measure_criteria(
        table(published),
        original,
        control.take(np.arange(more)) if more else None,
        group=None,
        tolerance=0,
    )
    assert found[0].attack == pytest.approx(oracle.singled_out(published, rows, fits))
    drawn = [rows[place] for place in _drawn(300, 50)]
    assert found[1].attack == pytest.approx(oracle.linked(published, drawn, fits, among=rows))
    if more:
        compared = [rows[place] for place in _drawn(300, more)]
        assert found[0].compared == pytest.approx(oracle.singled_out(published, compared, fits))
        assert found[0].compared != pytest.approx(found[0].attack)
        control_rows = [tuple(row) for row in control.to_polars().iter_rows()][:more]
        other = oracle.singled_out(published, control_rows, fits)
        assert found[0].control == pytest.approx(other)
        assert found[0].risk == pytest.approx((found[0].compared - other) / (1 - other))  # type: ignore[operator]


def _drawn(rows: int, some: int) -> list[int]:
    """The rows that are drawn, always alike."""
    return sorted(np.random.default_rng(20140410).choice(rows, some, replace=False).tolist())
