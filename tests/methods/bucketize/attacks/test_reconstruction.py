"""Published figures are no oracle: no table of 24 rows can be told from them."""

from __future__ import annotations

import json
from hashlib import blake2b
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import tacit
from tacit.judging.figures import two_digits
from tacit.methods.bucketize.figures import stated_risks
from tacit.methods.bucketize.judge.measured import exact_risks
from tacit.methods.bucketize.judge.risks import judge_buckets
from tacit.methods.bucketize.judge.utility import SELECTIVITY, query_errors
from tacit.methods.bucketize.release import BucketizedRelease
from tacit.mining.verbs import mine_negative_rules
from tacit.random.key import Key
from tests.methods.bucketize.attacks.reconstruction import Reader

QUASI = ("age", "zip", "sex")
RUNS = [*range(2), *(pytest.param(run, marks=pytest.mark.slow) for run in range(2, 20))]
PUBLIC = 0


def released(run: int, folder: Path) -> tuple[BucketizedRelease, Reader]:
    """24 patients who all look different, in 8 buckets of 3."""
    source = np.random.default_rng(run)
    looks = source.choice(80, size=24, replace=False)
    patients = pl.DataFrame(
        {
            "age": [str(20 + 10 * (look % 8)) for look in looks],
            "zip": [f"47{look // 8 % 5}" for look in looks],
            "sex": ["fm"[look // 40] for look in looks],
            "disease": source.permutation(np.repeat([f"disease {number}" for number in range(6)], 4)),
        }
    )
    table = tacit.table_from_frame(patients, quasi=QUASI, sensitive="disease")
    key = Key(blake2b(bytes([run]), digest_size=32).digest())
    release = tacit.bucketize(table, l=3, algorithm="anatomy", key=key)
    release.save(folder / "release", acknowledge_composition=True)
    reader = Reader.of(folder / "release", QUASI, "disease")
    assert reader.n_tables == 1_679_616
    return release, reader


def test_exact_figures_of_public_queries_name_everybody(tmp_path: Path) -> None:
    release, reader = released(0, tmp_path)
    figures = {
        number: query_errors(
            release.buckets, None, dimensions=[number], selectivity=SELECTIVITY, queries=100, seed=PUBLIC
        )[0].uniform
        for number in (1, 2, 3)
    }
    (found,) = reader.fitting(figures, PUBLIC, rounded=False)
    guessed = reader.table(found).table
    columns = (*QUASI, "disease")
    shown = [
        sorted(zip(*(np.array(table.column(name).texts)[table.column(name).codes] for name in columns)))  # noqa: B905
        for table in (guessed, release.original)
    ]
    assert shown[0] == shown[1], "everybody is named, and rightly"


@pytest.mark.parametrize("run", RUNS)
def test_rounded_figures_fit_many_tables(run: int, tmp_path: Path) -> None:
    """Rounding holds by itself, if the key should become known."""
    release, reader = released(run, tmp_path)
    exact = release.figures["utility"]["count_queries_by_dimensions"]
    figures = {error["dimensions"]: two_digits(error["uniform"]) for error in exact}
    assert len(reader.fitting(figures, PUBLIC, rounded=True)) != 1
    drawn = release.asked.key.subkey("figures: counting queries").words
    assert len(reader.fitting(figures, drawn, rounded=True)) > 10


def test_of_few_people_nothing_is_stated_about_counts(tmp_path: Path) -> None:
    """What an error is expected to be differs from table to table, whatever queries were drawn.

    A reader who weighed the tables of 8 people by it was right about 70 % of them, where 50 % was stated.
    """
    released(1, tmp_path)
    stated = json.loads((tmp_path / "release" / "release.json").read_text())["utility"]
    assert stated == {"count_queries": None, "grid": {"count_queries": "two digits"}}


def test_what_does_not_depend_on_the_key_is_the_same_for_every_table(tmp_path: Path) -> None:
    _, reader = released(1, tmp_path)
    published = json.loads((tmp_path / "release" / "release.json").read_text())["risks"]
    found = []
    for picks in np.random.default_rng(1).integers(0, 6, size=(12, 8)):
        table = reader.table(picks)
        rules = mine_negative_rules(table.table)
        longer = mine_negative_rules(table.table, max_length=2)
        exact = exact_risks(judge_buckets(table, rules, longer, 3), table, rules)
        found.append(exact)
        assert stated_risks(exact, recountable=False) == published
    assert len({str(exact) for exact in found}) > 1, "exactly, they differ"
