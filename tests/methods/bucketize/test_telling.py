"""Columns that undo a promise are refused, whatever they are called and however they are written."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from zlib import crc32

import numpy as np
import polars as pl
import pytest

import tacit
from tacit.data.table import Table, table_from_frame
from tacit.engine.choice import engine_for
from tacit.errors import InfeasibleError, UsageError
from tacit.io.samples import load_sample
from tacit.judging.telling import telling
from tacit.methods.bucketize.verb import bucketize
from tacit.mining.verbs import mine_negative_rules
from tacit.random.key import Key
from tests.oracles.learning import guesses, right_share

KEY = Key.from_seed(7)
QUASI = ["zip", "age", "sex"]
NAMES = ("Anna", "Ben", "Carla", "David", "Eva", "Faruk", "Greta", "Hans")
STREETS = ("Hill Road", "Mill Lane", "High Street", "Park Avenue")
Planted = Callable[[str, int, Random], str]
"""A value of a planted column from the disease, the number of the row and a source of chance."""


def code(disease: str) -> str:
    return f"{chr(65 + len(disease) % 7)}{crc32(disease.encode()) % 10_000:04}"


def sometimes(share: float, value: str, other: str, random: Random) -> str:
    return value if random.random() < share else other


PLANTED: dict[str, Planted] = {
    "a copy": lambda disease, row, random: disease,
    "in capitals": lambda disease, row, random: f" {disease.upper()} ",
    "recoded": lambda disease, row, random: code(disease),
    "numbered": lambda disease, row, random: str(crc32(disease.encode())),
    "recoded, with a case number": lambda disease, row, random: f"{code(disease)}-{row:05}",
    "a case number, recoded": lambda disease, row, random: f"{row:05}/{code(disease)}",
    "a copy with a suffix": lambda disease, row, random: f"{disease} ({row})",
    "a copy in 19 of 20": lambda disease, row, random: sometimes(0.95, code(disease), "Z99", random),
    "a copy in 3 of 4": lambda disease, row, random: sometimes(0.75, code(disease), f"Z{row % 9}", random),
    "a copy in half": lambda disease, row, random: sometimes(0.5, code(disease), f"Z{row % 9}", random),
    "a drug for each": lambda disease, row, random: f"{code(disease)} {random.choice(('10', '20'))} mg",
    "certain for one group": lambda disease, row, random: (
        "special" if disease == "depression" else random.choice(("north", "south"))
    ),
    "an amount that follows": lambda disease, row, random: str(
        100 * (sum(map(ord, disease)) % 97) + random.randrange(100)
    ),
    "a note that names it": lambda disease, row, random: f"treated for {disease} since May, room {row % 50}",
    "letters of the doctor": lambda disease, row, random: (
        f"Dear {random.choice(NAMES)}, your results of {row} are in. Please call {random.choice(NAMES)}."
    ),
    "addresses": lambda disease, row, random: f"{row} {random.choice(STREETS)}",
    "names": lambda disease, row, random: f"{random.choice(NAMES)} {random.choice(NAMES)}son{row}",
    "telephones": lambda disease, row, random: f"+49 170 {1_000_000 + 7919 * row}",
    "mail": lambda disease, row, random: f"{random.choice(NAMES).lower()}{row}@example.org",
    "case numbers": lambda disease, row, random: f"P{random.randrange(10**9):09}",
}


def planted(column: str, *, role: str = "keep", rows: int = 1000) -> Table:
    patients = load_sample(f"hospital:{rows}").to_polars()
    random = Random(column)
    diseases = patients["disease"].to_list()
    made = [PLANTED[column](disease, row, random) for row, disease in enumerate(diseases)]
    frame = patients.with_columns(pl.Series("extra", made))
    if role == "quasi":
        return table_from_frame(frame, quasi=[*QUASI, "extra"], sensitive="disease")
    return table_from_frame(frame, quasi=QUASI, sensitive="disease", keep="extra")


@pytest.mark.parametrize("column", PLANTED)
def test_none_of_the_planted_columns_passes_silently(column: str) -> None:
    assert len(PLANTED) == 20
    with pytest.raises(InfeasibleError, match="'extra'") as refused:
        bucketize(planted(column), l=3, key=KEY)
    assert refused.value.code in ("column-twin", "column-predicts", "column-free-text")
    assert "--accept extra=" in str(refused.value.hint)


@pytest.mark.parametrize("column", list(PLANTED)[:8])
def test_a_twin_is_refused_as_a_quasi_identifier_as_well(column: str) -> None:
    with pytest.raises(InfeasibleError, match="'extra'") as refused:
        bucketize(planted(column, role="quasi"), l=3, key=KEY)
    assert refused.value.code == "column-twin"


def test_a_twin_in_a_table_of_twelve_rows_is_noticed() -> None:
    frame = pl.DataFrame({"sex": ["f", "m"] * 6, "code": ["1", "2", "3"] * 4, "s": ["a", "b", "c"] * 4})
    with pytest.raises(InfeasibleError, match="one to one"):
        bucketize(table_from_frame(frame, quasi=["sex"], sensitive="s", keep=["code"]), l=2, key=KEY)


@pytest.mark.parametrize(
    ("sample", "sensitive", "harmless", "telling_ones"),
    [
        ("hospital", "disease", ["zip", "age", "sex", "admission"], ["ward"]),
        ("hospital:5000", "disease", ["zip", "age", "sex", "admission"], ["ward"]),
        pytest.param(
            "adult",
            "occupation",
            [
                *("age", "workclass", "education", "marital-status", "relationship", "race", "sex"),
                *("capital-gain", "capital-loss", "hours-per-week", "native-country", "salary", "fnlwgt"),
            ],
            [],
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "adult", "education", ["age", "workclass", "occupation", "race"], ["education-num"],
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "adult", "marital-status", ["workclass", "education", "race", "sex", "salary"], ["relationship"],
            marks=pytest.mark.slow,
        ),
    ],
)  # fmt: skip
def test_harmless_columns_of_the_samples_are_not_refused(
    sample: str, sensitive: str, harmless: list[str], telling_ones: list[str]
) -> None:
    table = load_sample(sample)
    assert isinstance(table, Table)
    engine = engine_for(table)
    for l in (2, 3, 6):
        for name in (*harmless, *telling_ones):
            found = telling(engine.combinations(table, [name, sensitive]), l, kept=True)
            assert (found is not None) == (name in telling_ones), (name, l, found)


def test_unrelated_columns_are_hardly_ever_refused() -> None:
    generator = np.random.Generator(np.random.PCG64(8))
    refused = 0
    for number in range(200):
        rows = int(generator.integers(10, 400))
        width = int(generator.integers(2, 40))
        frame = pl.DataFrame(
            {
                "sex": ["f"] * rows,
                "extra": [f"{'xyz'[code % 3]}{code}" for code in generator.integers(0, width, rows)],
                "s": [f"v{code}" for code in generator.integers(0, 5 + number % 5, rows)],
            }
        )
        if frame["extra"].n_unique() > rows / 2:
            continue  # mostly different texts are refused for what they are
        table = table_from_frame(frame, quasi=["sex"], sensitive="s", keep=["extra"])
        refused += telling(engine_for(table).combinations(table, ["extra", "s"]), 3, kept=True) is not None
    assert refused <= 1


def test_a_reason_publishes_the_column_and_is_published_itself(tmp_path: Path) -> None:
    table = load_sample("hospital").with_roles(keep=("ward",))
    with pytest.raises(InfeasibleError) as refused:
        bucketize(table, l=3, key=KEY)
    assert refused.value.code == "column-predicts"
    reason = "the audit compares wards, and the board agreed"
    rules = mine_negative_rules(table, min_expectation=0.99)
    release = bucketize(table, l=3, key=KEY, accept={"ward": reason}, knowledge=rules)
    saved = release.save(tmp_path / "out")
    manifest = json.loads((tmp_path / "out" / "release.json").read_text())
    assert manifest["parameters"]["accepted"] == {"ward": reason}
    assert reason in tacit.open_release(saved.folder).report().page._repr_html_()


@pytest.mark.parametrize("name", ["admission", "zip", "ward", "no such column"])
def test_a_reason_that_does_nothing_is_refused(name: str) -> None:
    table = load_sample("hospital").with_roles(keep=("admission",))
    with pytest.raises(UsageError) as refused:
        bucketize(table, l=3, key=KEY, accept={name: "because"})
    assert refused.value.code == "accept-unused"


@pytest.mark.parametrize(
    "wish",
    [
        *(pytest.param(each, marks=pytest.mark.ci) for each in ({}, {"partners": "any"})),
        {"algorithm": "anatomy"},
    ],
    ids=str,
)
def test_the_learner_counts_a_kept_column_like_a_plain_one_does(wish: dict[str, str]) -> None:
    table = load_sample("hospital").with_roles(keep=("ward",))
    # At the usual 0.9 the rules about wards and silence about others name somebody, and that is refused.
    rules = None if wish.get("partners") == "any" else mine_negative_rules(table, min_expectation=0.99)
    release = bucketize(table, l=3, key=KEY, accept={"ward": "measured here"}, knowledge=rules, **wish)
    rows = release.bucketized.published
    cells = list(
        zip(
            *([str(column.texts[code]) for code in column.codes[rows]] for column in table.known), strict=True
        )
    )
    held = [table.sensitive[0].texts[code] for code in table.sensitive[0].codes[rows]]
    assert len(cells[0]) == 4
    plain = guesses(cells, release.bucketized.groups[rows].tolist(), held)
    stated = release.risk().release.learning
    assert stated is not None
    assert abs(stated.accuracy - right_share(plain, held)) <= 0.03
    for surest in stated.surest:  # of a hundred people each: three standard errors
        assert abs(surest.right - right_share(plain, held, surest.people)) <= 0.12
