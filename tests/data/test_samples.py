"""The made-up samples: what is planted in them is there, and a seed gives the same bytes everywhere."""

from __future__ import annotations

import hashlib
import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tacit.data.table import Table
from tacit.data.transactions import Transactions
from tacit.errors import ParameterError, UsageError
from tacit.io.readers import read_transactions
from tacit.io.samples import (
    CHOICES,
    SAMPLES,
    Draws,
    choice_table,
    find_sample,
    is_sample,
    load_sample,
    poisson_table,
    sample_of_kind,
)
from tacit.io.samples.hospital import DIAGNOSES, hospital, hospital_frame
from tacit.io.samples.supermarket import PLANTED_PATTERNS, PRODUCTS, parents, product_weights, supermarket


@pytest.fixture(scope="module")
def patients() -> pl.DataFrame:
    return hospital_frame(200_000, seed=5)


@pytest.fixture(scope="module")
def baskets() -> Transactions:
    return supermarket(20_000, seed=2)


def digest(data: Table | Transactions | pl.DataFrame) -> str:
    """A digest of the content, independent of types and encodings."""
    if isinstance(data, Transactions):
        names = data.vocabulary
        text = "\n".join(
            " ".join(names[item] for item in part) for part in np.split(data.items, data.indptr[1:-1])
        )
    else:
        text = (data if isinstance(data, pl.DataFrame) else data.to_polars()).write_csv()
    return hashlib.sha256(text.encode()).hexdigest()[:16]


# ----------------------------------------------------------------------- the hospital


NEVER = [
    ("ovarian cancer", pl.col("sex") == "male"),
    ("childbirth", pl.col("sex") == "male"),
    ("childbirth", ~pl.col("age").is_between(15, 49)),
    ("miscarriage", pl.col("sex") == "male"),
    ("miscarriage", ~pl.col("age").is_between(15, 49)),
    ("prostate cancer", pl.col("sex") == "female"),
    ("Alzheimer's disease", pl.col("age") < 40),
    ("hypertension", pl.col("age") < 25),
    ("prostate cancer", pl.col("age") < 25),
    ("gout", pl.col("age") < 15),
    ("ovarian cancer", pl.col("age") < 15),
    ("depression", pl.col("age") < 5),
    ("migraine", pl.col("age") < 5),
    ("chickenpox", pl.col("age") >= 80),
    ("Lyme disease", pl.col("zip").str.slice(0, 3).is_in(["131", "132"])),
]


@pytest.mark.parametrize(("disease", "who"), NEVER)
def test_what_is_impossible_never_happens(patients: pl.DataFrame, disease: str, who: pl.Expr) -> None:
    sick = patients.filter(pl.col("disease") == disease)
    assert sick.height > 1000
    assert sick.filter(who).height == 0
    assert patients.filter(who).height > 10_000


def test_chickenpox_is_mostly_for_children(patients: pl.DataFrame) -> None:
    ages = patients.filter(pl.col("disease") == "chickenpox")["age"]
    assert 0.8 < (ages < 15).mean() < 0.99


def test_shares_are_unequal_and_none_rules(patients: pl.DataFrame) -> None:
    shares = patients["disease"].value_counts()["count"].sort() / patients.height
    assert len(shares) == len(DIAGNOSES) >= 30
    assert 0.005 < shares[0] < 0.02
    assert 0.05 < shares[-1] < 0.1  # so that even ℓ = 10 is within reach


@pytest.mark.parametrize("seed", range(5))
def test_a_thousand_rows_show_what_is_impossible(seed: int) -> None:
    """The expectation of 'male => not ovarian cancer' and the like is above 0.9: the rules can be mined."""
    frame = hospital_frame(1000, seed=seed)
    for disease, who in NEVER[0], NEVER[5], NEVER[6]:  # ovarian and prostate cancer, Alzheimer's
        share = (frame["disease"] == disease).mean()
        matching = frame.filter(who).height
        assert 1 - math.pow(1 - share, matching) >= 0.9, (disease, share, matching)


def test_the_table_is_the_frame_without_identifiers() -> None:
    table, frame = hospital(3000, seed=9), hospital_frame(3000, seed=9)
    assert table.to_polars().equals(frame.drop("patient_id", "name"))
    assert table.roles.quasi == ("zip", "age", "sex")
    assert table.roles.sensitive == ("disease",)
    assert frame["patient_id"].n_unique() == 3000
    assert frame["patient_id"].str.len_chars().unique().to_list() == [10]
    assert frame["admission"].min().year == 2024 and frame["admission"].max().year == 2025


def test_columns_keep_the_promises_of_a_column() -> None:
    for column in hospital(50, seed=1).source._columns.values():
        assert column.codes.dtype == np.int32 and not column.codes.flags.writeable
        assert column.values.equals(column.values.unique().sort())
        assert (column.counts > 0).all()


def test_hospital_hierarchies_cover_every_value() -> None:
    table = hospital(100_000)
    for name in table.roles.quasi:
        hierarchy = table.hierarchies[name]
        hierarchy.leaves_of(table.column(name).texts)
    assert [int(table.hierarchies[name].heights[-1]) for name in ("zip", "age", "sex")] == [4, 4, 1]
    age = table.hierarchies["age"]
    assert [age.labels[node] for node in age.ancestors(age.index["34"])] == ["30-34", "30-39", "20-39", "*"]


def test_names_go_with_the_sex(patients: pl.DataFrame) -> None:
    first = patients.with_columns(pl.col("name").str.split(" ").list.first())
    assert first.group_by("name").agg(pl.col("sex").n_unique())["sex"].max() == 1
    assert first["name"].n_unique() == 100


# -------------------------------------------------------------------- the supermarket


def test_products_hang_on_four_levels() -> None:
    above = parents()
    assert 140 <= len(product_weights()) <= 160
    assert len({label.lower() for label in above}) == len(above)  # no twins, no label on two levels
    assert not any(character.isspace() for label in above for character in label)
    tree = supermarket(100).hierarchy
    assert tree is not None
    assert set(tree.depths[: tree.n_leaves]) == {4}
    path = [tree.labels[node] for node in tree.ancestors(tree.index["cheddar"])]
    assert path == ["Cheese", "Dairy", "Fresh", "all-products"]
    assert len(PRODUCTS) == 4


def test_every_product_is_bought_with_skewed_frequencies(baskets: Transactions) -> None:
    assert set(baskets.vocabulary) == set(product_weights())
    assert baskets.hierarchy is not None
    baskets.hierarchy.leaves_of(baskets.vocabulary)
    supports = np.sort(baskets.supports)
    assert supports[-1] > 4 * np.median(supports) > 8 * supports[0]
    assert baskets.lengths.min() >= 1 and 5 < baskets.lengths.mean() < 9


@pytest.mark.parametrize("planted", PLANTED_PATTERNS, ids=lambda planted: "+".join(sorted(planted.items)))
def test_planted_patterns_are_there(baskets: Transactions, planted: object) -> None:
    sets = baskets.sets()
    support = sum(planted.items <= one for one in sets)  # type: ignore[attr-defined]
    expected = planted.share * len(sets)  # type: ignore[attr-defined]
    assert support >= expected - 4 * math.sqrt(expected)
    by_chance = len(sets) * math.prod(
        baskets.supports[baskets.index[item]] / len(sets)
        for item in planted.items  # type: ignore[attr-defined]
    )
    assert support > 2 * by_chance


def test_transactions_are_sorted_sets(baskets: Transactions) -> None:
    steps = np.diff(baskets.items)
    inside = np.ones(len(steps), dtype=bool)
    inside[baskets.indptr[1:-1] - 1] = False
    assert (steps[inside] > 0).all()
    assert list(baskets.vocabulary) == sorted(baskets.vocabulary, key=str.encode)


# ------------------------------------------------------------------------- the seeds


def test_same_seed_same_bytes() -> None:
    """Digests written down once: another machine, another numpy must give the same samples."""
    assert digest(hospital_frame(2000, seed=0)) == "899d1a2bea75d85d"
    assert digest(supermarket(2000, seed=0)) == "f6dcce7ecfa0de74"
    assert digest(load_sample("quest:2000")) == "92d146e2414017f0"


@pytest.mark.parametrize("name", ["hospital:500", "supermarket:500", "quest:500"])
def test_other_seed_other_sample(name: str) -> None:
    assert digest(load_sample(name)) == digest(load_sample(name))
    assert digest(load_sample(name)) != digest(load_sample(name, seed=1))


def test_a_larger_sample_begins_as_the_smaller() -> None:
    """Not promised for the transactions, but handy for tables: rows are drawn one after the other."""
    small, large = hospital_frame(1000, seed=4), hospital_frame(5000, seed=4)
    assert large.head(1000).equals(small)


# ------------------------------------------------------------------- draws, and names


def test_choice_table_gives_every_choice_its_share() -> None:
    table = choice_table([1, 0, 2, 5])
    assert len(table) == CHOICES
    assert np.bincount(table).tolist() == [8192, 0, 16384, 40960]


def test_draws_have_their_distributions() -> None:
    draws, count = Draws(11, "test"), 200_000
    error = 5 / math.sqrt(count)
    exponential, normal, poisson = draws.exponential(count), draws.normal(count), draws.poisson(3.5, count)
    below = draws.below(10, count)
    assert abs(exponential.mean() - 1) < error and abs(exponential.std() - 1) < 2 * error
    assert abs(normal.mean()) < error and abs(normal.std() - 1) < error
    assert abs(poisson.mean() - 3.5) < 2 * error and abs(poisson.var() - 3.5) < 8 * error
    assert np.abs(np.bincount(below, minlength=10) / count - 0.1).max() < error and below.max() == 9
    assert np.abs(np.bincount(draws.halves(count) >> 12, minlength=16) / count - 1 / 16).max() < error


def test_poisson_table_is_the_distribution() -> None:
    from scipy.stats import poisson

    for mean in (0.0, 0.3, 4.0, 14.0, 250.0):
        table = poisson_table(mean)
        expected = poisson.cdf(np.arange(len(table)), mean)
        assert np.abs(table / 2.0**32 - expected).max() < 1e-9


def test_samples_are_listed_and_found() -> None:
    assert [sample.name for sample in SAMPLES][:3] == ["hospital", "supermarket", "quest"]
    assert all(sample.help.endswith(".") for sample in SAMPLES)
    assert find_sample("sample:hospital:20000")[1] == 20000
    assert find_sample("supermarket")[1] == 5000
    assert find_sample("adult")[1] is None
    assert len(load_sample("hospital")) == 1000


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("hopsital", "unknown-sample"),
        ("", "unknown-sample"),
        ("adult:500", "sample-size"),
        ("hospital:", "sample-size"),
        ("hospital:0", "sample-size"),
        ("hospital:-5", "sample-size"),
        ("hospital:1e6", "sample-size"),
    ],
)
def test_a_wrong_name_or_size_is_a_usage_error(name: str, code: str) -> None:
    with pytest.raises(UsageError) as caught:
        load_sample(name)
    assert caught.value.code == code
    assert caught.value.hint


@pytest.mark.parametrize(
    "call", [lambda: hospital(0), lambda: hospital(10, seed=-1), lambda: supermarket(True)]
)
def test_a_size_or_seed_out_of_range_is_refused(call: object) -> None:
    with pytest.raises(ParameterError):
        call()  # type: ignore[operator]


def test_a_sample_is_read_where_a_file_could_be() -> None:
    assert read_transactions("sample:supermarket:200").sets() == supermarket(200).sets()
    assert len(sample_of_kind("sample:hospital:70", "table")) == 70
    for wrong in (
        lambda: read_transactions("sample:hospital"),
        lambda: sample_of_kind("sample:quest", "table"),
    ):
        with pytest.raises(UsageError) as caught:
            wrong()
        assert caught.value.code == "sample-kind"
    with pytest.raises(UsageError):
        read_transactions("sample:quest:10", record="basket")
    assert not is_sample(Path("sample:quest")) and not is_sample("samples.csv")
