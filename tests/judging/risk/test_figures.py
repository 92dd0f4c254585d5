"""The figures of a table against their definitions, and against numbers that others document."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacit
from tacit.errors import TacitError
from tacit.judging.risk.classes import classes_of
from tacit.judging.risk.measure import expected_inverse
from tacit.judging.risk.uniques import find_uniques, intrusion, special_uniques
from tests.oracles import risk as oracle

ROWS = st.lists(
    st.tuples(*(st.integers(0, top) for top in (1, 2, 3, 2)), st.integers(0, 4)), min_size=1, max_size=25
)
QUASI = (0, 1, 2, 3)


def table_of(rows: list[tuple[Any, ...]]) -> tacit.Table:
    names = [f"q{place}" for place in range(len(rows[0]) - 1)]
    frame = pl.DataFrame(rows, schema=[*names, "s"], orient="row")
    return tacit.table_from_frame(frame, quasi=names, sensitive="s")


@settings(max_examples=80, deadline=None)
@given(ROWS)
def test_every_figure_is_what_its_definition_says(rows: list[tuple[int, ...]]) -> None:
    found = tacit.risk(table_of(rows), max_size="unlimited")
    assert found["k"] == oracle.k(rows, QUASI)
    assert found["prosecutor"] == pytest.approx(1 / oracle.k(rows, QUASI))
    assert found["prosecutor_average"] == pytest.approx(float(oracle.average_risk(rows, QUASI)))
    for n in (5, 11, 20):
        assert found.figure(f"pk{n}").people == oracle.below(rows, QUASI, n)
    assert found.figure("unique").people == len(oracle.unique(rows, QUASI))
    assert found.figure("unique_values").people == len(oracle.unique(rows, (*QUASI, 4)))
    assert found["l"] == oracle.distinct_l(rows, QUASI, 4)
    assert found["entropy_l"] == pytest.approx(oracle.entropy_l(rows, QUASI, 4))
    assert found["recursive_c"] == pytest.approx(oracle.recursive_c(rows, QUASI, 4))
    assert found["t"] == pytest.approx(oracle.closeness(rows, QUASI, 4, ordered=False))
    assert found["t_ordered"] == pytest.approx(oracle.closeness(rows, QUASI, 4, ordered=True))
    assert found["beta"] == pytest.approx(oracle.beta(rows, QUASI, 4))
    for one in found.subsets:
        columns = [int(name[1:]) for name in one.columns]
        assert one.people == len(oracle.unique(rows, columns))


@settings(max_examples=80, deadline=None)
@given(ROWS, st.sampled_from([lambda n: 4 * n + 3, lambda n: 0.5 * n + 9, lambda n: f"2024-01-{n + 9:02}"]))
def test_numbers_and_days_are_known_however_they_are_read(
    rows: list[tuple[int, ...]], written: Callable[[int], object]
) -> None:
    """A file of text gives the figures of order that typed columns do: "9" comes before "11"."""
    typed = table_of([(*row[:4], written(row[4])) for row in rows])
    texts = table_of([(*row[:4], str(written(row[4]))) for row in rows])
    plain = table_of(rows)
    for table in (typed, texts):
        assert tacit.risk(table)["t_ordered"] == pytest.approx(tacit.risk(plain)["t_ordered"])


@settings(max_examples=80, deadline=None)
@given(ROWS, st.integers(1, 4))
def test_special_uniques_are_minimal(rows: list[tuple[int, ...]], size: int) -> None:
    table = table_of(rows)
    classes = classes_of(table, table.roles.quasi, ())
    special = special_uniques(find_uniques(classes, size))
    sets = [one for held in oracle.minimal_uniques(rows, QUASI, size).values() for one in held]
    assert list(special.by_size) == [sum(len(one) == width for one in sets) for width in range(1, size + 1)]
    scores = oracle.suda_scores(rows, QUASI, size)
    assert sorted(special.scores[special.scores > 0]) == sorted(score for score in scores if score)


@pytest.mark.parametrize("fraction", [0.01, 0.05, 0.3, 0.7, 0.99])
@pytest.mark.parametrize("size", [1, 2, 3, 7, 20, 100, 101])
def test_the_chance_with_a_sample_is_the_mean_of_the_negative_binomial(size: int, fraction: float) -> None:
    if size > 20 and fraction < 0.3:
        pytest.skip("the terms of the law are too small for a float")
    found = expected_inverse(np.array([size]), fraction)[0]
    assert found == pytest.approx(oracle.expected_inverse(size, fraction), rel=1e-9)


def test_the_chance_with_a_sample_is_finite_for_large_classes() -> None:
    found = expected_inverse(np.array([1, 10**3, 10**6]), 0.05)
    assert found[0] == pytest.approx(-0.05 * np.log(0.05) / 0.95)
    assert found[1:] == pytest.approx([0.05 / 10**3, 0.05 / 10**6], rel=2e-3)
    assert expected_inverse(np.array([4]), 1.0)[0] == 0.25


def test_a_population_gives_the_sizes_of_classes() -> None:
    sample = pl.DataFrame({"age": [30, 30, 40], "sex": ["f", "f", "m"]})
    everybody = pl.DataFrame({"age": [30] * 4 + [40] * 2, "sex": ["f"] * 4 + ["m"] * 2})
    table = tacit.table_from_frame(sample, quasi="age,sex")
    found = tacit.risk(table, population=tacit.table_from_frame(everybody))
    assert found["journalist"] == 0.5
    assert found["marketer"] == pytest.approx((2 / 4 + 1 / 2) / 3)
    with pytest.raises(TacitError) as caught:
        tacit.risk(table, population=tacit.table_from_frame(everybody.head(4)))
    assert caught.value.code == "population-too-small"


# SDC Practice Guide (IHSN/World Bank, sdcpractice.readthedocs.io), tables 4.1 and 4.5: ten people with their
# weights, and what sdcMicro gives for them.
PRACTICE = [
    ("Urban", "Female", "Secondary incomplete", "Employed", 180),
    ("Urban", "Female", "Secondary incomplete", "Employed", 180),
    ("Urban", "Female", "Primary incomplete", "Non-LF", 215),
    ("Urban", "Male", "Secondary complete", "Employed", 76),
    ("Rural", "Female", "Secondary complete", "Unemployed", 186),
    ("Urban", "Male", "Secondary complete", "Employed", 76),
    ("Urban", "Female", "Primary complete", "Non-LF", 180),
    ("Urban", "Male", "Post-secondary", "Unemployed", 215),
    ("Urban", "Female", "Secondary incomplete", "Non-LF", 186),
    ("Urban", "Female", "Secondary incomplete", "Non-LF", 76),
]
PRACTICE_RISKS = [0.0054, 0.0054, 0.0251, 0.0126, 0.0282, 0.0126, 0.0290, 0.0251, 0.0074, 0.0074]


def test_sdcmicro_documented_individual_and_global_risk() -> None:
    groups = oracle.classes(PRACTICE, QUASI)
    risks = []
    for row in PRACTICE:
        held = groups[row[:4]]
        fraction = len(held) / sum(one[4] for one in held)
        risks.append(float(expected_inverse(np.array([len(held)]), fraction)[0]))
    # The guide prints 0.0282 for the fifth person, and 0.0283 is what its formula gives.
    assert risks == pytest.approx(PRACTICE_RISKS, abs=1.01e-4)
    assert sum(round(one, 4) == printed for one, printed in zip(risks, PRACTICE_RISKS, strict=True)) >= 9
    assert sum(risks) / 10 == pytest.approx(0.01582, abs=5e-6)


def test_sdcmicro_documented_special_uniques() -> None:
    table = table_of([(*row[:4], "x") for row in PRACTICE])
    classes = classes_of(table, table.roles.quasi, ())
    uniques = find_uniques(classes, 4)
    special = special_uniques(uniques)
    assert sorted(special.scores) == [6, 6, 10, 12]  # original_scores=TRUE

    def older(columns: int, size: int) -> float:
        """The scores of original_scores=FALSE, which the guide's last column was made with."""
        from math import comb

        return (2 ** (columns - size) - 1) / comb(columns, size)

    scores = special_uniques(uniques, score=older).scores
    found = intrusion(scores, classes.sizes, 4, 0.01)
    assert sorted(found) == pytest.approx([0.0051, 0.0051, 0.0088, 0.0107], abs=5e-5)


def test_sdcmicro_tested_contributions() -> None:
    # sdcMicro's tests/testthat/test_suda2.R: a = (2, 1, 1), b = (0, 3, 0), c = (0, 6, 0).
    table = table_of([(2, 0, 0, "x"), (1, 3, 6, "x"), (1, 0, 0, "x")])
    found = tacit.risk(table, max_size="unlimited")
    assert found.minimal[0] == 3  # a = 2; b = 3 and c = 6 of the second row


def test_arx_documented_example() -> None:
    # ARX, TestRiskMetrics.java: average 1 and highest 1 before 2-anonymity, 3/7 and 0.5 after.
    before = [
        (34, "male", "81667"), (45, "female", "81675"), (66, "male", "81925"), (70, "female", "81931"),
        (34, "female", "81931"), (70, "male", "81931"), (45, "male", "81931"),
    ]  # fmt: skip
    after = [("<50" if age < 50 else ">=50", "*", zipcode[:3] + "**") for age, _, zipcode in before]
    for rows, average, highest in ((before, 1.0, 1.0), (after, 0.42857142857142855, 0.5)):
        found = tacit.risk(table_of([(*row, "x") for row in rows]))
        assert found["prosecutor_average"] == average and found["prosecutor"] == highest


def test_arx_documented_adult(public_data: Path) -> None:
    # ARX, TestRiskMetrics.java on its adult.csv: average risk 0.6465751607983555, unique 0.5142895.
    names = "age,workclass,fnlwgt,education,education-num,marital-status,occupation,relationship,race,sex"
    columns = [*names.split(","), "gain", "loss", "hours", "native-country", "salary"]
    path = public_data / "adult" / "adult.data"
    frame = pl.read_csv(path, has_header=False, new_columns=columns, infer_schema=False)
    frame = frame.with_columns(pl.all().str.strip_chars()).filter(~pl.any_horizontal(pl.all() == "?"))
    quasi = "sex,age,race,marital-status,education,native-country,workclass,occupation,salary"
    found = tacit.risk(tacit.table_from_frame(frame, quasi=quasi))
    assert found.rows == 30162
    assert found["prosecutor_average"] == 0.6465751607983555
    assert int(found["unique"] * 10000) == int(0.5142895033485844 * 10000)
    assert found["prosecutor"] == 1.0


def test_roles_are_guessed_and_said(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("age,sex,disease\n30,f,flu\n40,m,ulcer\n")
    found = tacit.risk(tacit.read_table(str(tmp_path / "people.csv")))
    assert found.quasi == ("age", "sex") and found.sensitive == ("disease",)
    assert "guessed" in found.notes[-1]


def test_kept_columns_are_known_to_readers() -> None:
    frame = pl.DataFrame({"age": [30, 30], "town": ["a", "b"]})
    assert tacit.risk(tacit.table_from_frame(frame, quasi="age", keep="town"))["k"] == 1
