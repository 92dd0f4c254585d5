"""One suite over both engines: the same records and the same figures, however the rows are partitioned."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tacit
from tacit.engine.local.engine import LocalEngine
from tests.engine.cases import Case, random_case
from tests.methods.bucketize.test_join_values import TREE, ward

PARTITIONS = (1, 2, 7, 64)
KEY = tacit.Key.from_seed(11)
ONE_SENSITIVE = [seed for seed in range(375) if seed % 5 != 4]
"""Rules are about one sensitive attribute: the other cases have two."""


@lru_cache(32)
def tables_of(seed: int, engine: tacit.SparkEngine) -> tuple[tacit.Table, tacit.Table]:
    """The table of a random case in memory and on Spark, read once for all that is compared of it."""
    return both_tables(random_case(seed), engine, PARTITIONS[seed % 4])


def both_tables(case: Case, engine: tacit.SparkEngine, partitions: int) -> tuple[tacit.Table, tacit.Table]:
    """The same rows in memory and on Spark, there in so many partitions."""
    local = tacit.read_table(case.frame, **case.roles)
    spread = engine.session.createDataFrame(case.frame.to_arrow()).repartition(partitions)
    return local, tacit.read_table(spread, engine=engine, **case.roles)


def saved(make: Any, folder: Path) -> dict[str, bytes] | str:
    """The published bytes by file name, or the error with the ways out that it tells."""
    try:
        make().save(folder, accept_weak=True)
    except tacit.InfeasibleError as error:
        return f"{error.code}: {error.message} {error.hint}"
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}


def same_release(seed: int, engine: tacit.SparkEngine, tmp_path: Path) -> bool:
    """Bucketize a random table with both engines; whether there was a release to compare."""
    case = random_case(seed)
    local, remote = tables_of(seed, engine)
    here = saved(lambda: tacit.bucketize(local, key=KEY, **case.wish), tmp_path / "here")
    there = saved(lambda: tacit.bucketize(remote, key=KEY, **case.wish), tmp_path / "there")
    assert here == there
    return isinstance(here, dict)


@pytest.mark.parametrize("seed", range(10))
def test_bucketized_releases_are_the_same_bytes(seed, engine, tmp_path) -> None:
    assert same_release(seed, engine, tmp_path)


def test_what_readers_learn_is_the_same(engine) -> None:
    case = random_case(5)
    found = [tacit.bucketize(table, key=KEY, **case.wish).risk() for table in tables_of(5, engine)]
    assert found[0].left_out is not None
    assert found[0] == found[1]


@pytest.mark.slow
@pytest.mark.parametrize("first", range(10, 310, 10))
def test_many_bucketized_releases_are_the_same_bytes(first, engine, tmp_path) -> None:
    made = [same_release(seed, engine, tmp_path / str(seed)) for seed in range(first, first + 10)]
    assert any(made)


@pytest.mark.parametrize("seed", range(10))
def test_counts_are_the_same(seed, engine) -> None:
    local, remote = tables_of(seed, engine)
    names = (*local.roles.quasi, *local.roles.sensitive)
    here, there = LocalEngine().combinations(local, names), engine.combinations(remote, names)
    assert here.texts == there.texts
    np.testing.assert_array_equal(here.codes, there.codes)
    np.testing.assert_array_equal(here.counts, there.counts)
    assert len(local) == len(remote)
    assert local.notes == remote.notes
    assert tacit.profile(local) == tacit.profile(remote)


@pytest.mark.parametrize("seed", range(10))
def test_rules_are_the_same(seed, engine) -> None:
    tables = tables_of(seed, engine)
    mined = [tacit.mine_negative_rules(table, min_expectation=0.5) for table in tables]
    assert mined[0].to_frame().equals(mined[1].to_frame())
    if len(tables[0].roles.sensitive) == 1:
        rules = [tacit.mine_rules(table, min_support=2, min_confidence=0.2) for table in tables]
        assert len(rules[0]) and rules[0].to_frame().equals(rules[1].to_frame())


@pytest.mark.parametrize("seed", ONE_SENSITIVE[:10])
def test_what_rules_disclose_is_the_same(seed, engine, tmp_path) -> None:
    same_disclosure(seed, engine, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(10, 300, 10))
def test_what_many_rules_disclose_is_the_same(first, engine, tmp_path) -> None:
    for seed in ONE_SENSITIVE[first : first + 10]:
        same_disclosure(seed, engine, tmp_path / str(seed))


def same_disclosure(seed: int, engine: tacit.SparkEngine, tmp_path: Path) -> None:
    """What the rules of a random table disclose, and which are safe, with both engines."""
    tables = tables_of(seed, engine)
    found = [tacit.disclose(table, min_support=3, min_confidence=0.3) for table in tables]
    here, there = (one.report().to_dict() | {"seconds": None} for one in found)
    assert here == there
    wish: dict[str, Any] = {"min_support": 3, "min_confidence": 0.3, "max_posterior": 0.9}
    files = [
        saved(lambda table=table: tacit.safe_rules(table, **wish), tmp_path / str(place))
        for place, table in enumerate(tables)
    ]
    assert files[0] == files[1]


@pytest.mark.parametrize("join_values", [False, True])
def test_values_are_joined_and_ways_out_found_alike(join_values, engine, tmp_path) -> None:
    case = Case(ward(), {"quasi": "age, sex", "sensitive": "disease"}, {"l": 3, "join_values": join_values})
    here, there = (
        saved(
            lambda table=table: tacit.bucketize(
                table.with_hierarchies({"disease": TREE}), key=KEY, **case.wish
            ),
            tmp_path / str(place),
        )
        for place, table in enumerate(both_tables(case, engine, 3))
    )
    assert here == there
    assert isinstance(here, dict) if join_values else "7 values become 5" in here


def test_a_contradicted_rule_is_told_alike(engine) -> None:
    said = []
    for table in tables_of(0, engine):
        with pytest.raises(tacit.InputError) as caught:
            tacit.mine_negative_rules(table).with_changes(table, added=["zip=003 => not disease=flu"])
        said.append(str(caught.value))
    assert said[0] == said[1] and "A row with zip=003, disease=flu contradicts" in said[0]


def test_many_ranges_number_buckets_as_one_does(session, tmp_path) -> None:
    case = random_case(20)
    releases = []
    for range_rows in (16, 10**6):
        engine = tacit.SparkEngine(session, range_rows=range_rows)
        _, remote = both_tables(case, engine, 3)
        releases.append(
            saved(
                lambda table=remote, engine=engine: tacit.bucketize(
                    table, key=KEY, engine=engine, l=2, on_infeasible="suppress", max_posterior_suppressed=0.9
                ),
                tmp_path / str(range_rows),
            )
        )
    assert releases[0] == releases[1]


def test_no_key_is_in_a_query_plan(engine) -> None:
    _, remote = both_tables(random_case(0), engine, 2)
    made = tacit.bucketize(
        remote, key=KEY, l=2, form="permuted", on_infeasible="suppress", max_posterior_suppressed=0.9
    )
    plan = made.bucketized._numbered._jdf.queryExecution().toString()
    assert "MapInArrow" in plan
    for purpose in ("rows: content", "rows: places", "rows: exchange", "rows: digest"):
        subkey = KEY.subkey(purpose)
        for word in subkey.words:
            signed = word - (1 << 64) if word >> 63 else word
            assert str(word) not in plan and str(signed) not in plan
        assert subkey.reveal().hex() not in plan
    assert KEY.reveal().hex() not in plan


def test_large_releases_are_judged_on_some_buckets(engine, monkeypatch, tmp_path) -> None:
    monkeypatch.setattr("tacit.methods.bucketize.release.MOST_JUDGED", 20)
    _, remote = both_tables(random_case(2), engine, 2)
    made = tacit.bucketize(remote, key=KEY, l=2, on_infeasible="suppress", max_posterior_suppressed=0.9)
    assert made.one_in > 1
    assert len(made.buckets) < made.bucketized.n_published
    beside = made._anatomy  # of the same rows: nothing is dealt a second time on the cluster
    assert beside is None or len(beside) <= len(made.buckets)
    published = made.save(tmp_path / "release", accept_weak=True)
    assert published.manifest.risks["judged_buckets"] == {"one_in": made.one_in}
