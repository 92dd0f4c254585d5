"""Generalized tables: the same bytes from rows on Spark as from rows in memory, in every recoding."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import tacit
from tacit.engine.local.engine import LocalEngine
from tacit.errors import ResourceError
from tacit_verify import verdict_of, verify
from tests.engine.cases import random_case
from tests.engine.test_both_engines import KEY, both_tables, saved, tables_of

ASKED: list[dict[str, Any]] = [
    {},
    {"l": 2},
    {"t": 0.5},
    {"entropy_l": 2},
    {"recoding": "cells", "l": 2, "readers": "nothing"},
    {"recoding": "global", "max_suppressed": 0.2},
    {"recoding": "global", "l": 2},
    {"recoding": "subtree"},
]


@pytest.mark.parametrize("place", range(len(ASKED)))
def test_generalized_tables_are_the_same_bytes(place: int, engine, tmp_path: Path) -> None:
    made = 0
    for seed in (place, place + 8):
        found = [
            saved(
                lambda table=table: tacit.generalize(table, k=3, key=KEY, **ASKED[place]),
                tmp_path / f"{seed} {name}",
            )
            for name, table in zip(("here", "there"), tables_of(seed, engine), strict=True)
        ]
        assert found[0] == found[1]
        if isinstance(found[1], dict):
            made += 1
            folder = tmp_path / f"{seed} there"
            assert verdict_of(verify(folder)) != "broken"
            (record,) = folder.with_name(f"{folder.name}.private").iterdir()
            assert not (record / "rows.txt").exists()
    assert made


def test_one_row_of_each_person(engine, tmp_path: Path) -> None:
    draw = random.Random(3)
    people = tacit.load_sample("hospital:200").to_polars()
    people = people.with_columns(who=pl.Series([f"p{draw.randrange(60)}" for _ in range(200)]))
    roles: dict[str, Any] = {"quasi": ["zip", "age", "sex"], "sensitive": "disease"}
    there = engine.session.createDataFrame(people.to_arrow()).repartition(3)
    tables = tacit.read_table(people, **roles), tacit.read_table(there, engine=engine, **roles)
    found = [
        saved(lambda table=table: tacit.generalize(table, k=3, person="who", key=KEY), tmp_path / str(place))
        for place, table in enumerate(tables)
    ]
    assert isinstance(found[0], dict) and found[0] == found[1]


def test_more_rows_than_fit_are_refused(engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tacit.methods.generalize_tables.make.MOST_HERE", 5)
    with pytest.raises(ResourceError) as caught:
        tacit.generalize(tables_of(0, engine)[1], k=2, key=KEY)
    assert caught.value.code == "spark-too-many"


@pytest.mark.parametrize("seed", range(5))
def test_rows_packed_into_numbers_are_counted_alike(
    seed: int, engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tacit.io.spark.source.MANY_ROWS", 0)
    monkeypatch.setattr("tacit.io.spark.source.LARGEST", (1 << 62, 40, 1)[seed % 3])
    local, remote = both_tables(random_case(seed), engine, 3)
    names = (*local.roles.quasi, *local.roles.sensitive)
    here, there = LocalEngine().combinations(local, names), engine.combinations(remote, names)
    np.testing.assert_array_equal(here.codes, there.codes)
    np.testing.assert_array_equal(here.counts, there.counts)
    distinct = remote.distinct(names, 1_000_000)
    assert distinct is not None and distinct.times is not None
    np.testing.assert_array_equal(distinct.times, here.counts)
    again = LocalEngine().combinations(distinct, names[::-1])
    np.testing.assert_array_equal(again.codes, LocalEngine().combinations(local, names[::-1]).codes)
    np.testing.assert_array_equal(again.counts, LocalEngine().combinations(local, names[::-1]).counts)
    for name in names:
        np.testing.assert_array_equal(distinct.column(name).counts, local.column(name).counts)


def test_the_ledger_knows_everybody_published(engine) -> None:
    """Rows that stand for several are made again for it, those left out are not."""
    local, remote = tables_of(5, engine)
    found = []
    for table in (local, remote):
        release = tacit.generalize(table, k=3, recoding="global", max_suppressed=0.3, key=KEY)
        records = release.records()
        assert records is not None
        found.append(sorted(records.digests(KEY, local.roles.quasi).tolist()))
        assert release.table.height == len(records)
    assert found[0] == found[1]


def test_large_tables_are_learned_from_alike(engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tacit.judging.learning.MOST_ROWS", 7)
    monkeypatch.setattr("tacit.judging.queries.MANY_ROWS", 0)
    monkeypatch.setattr("tacit.recoding.clustering.MANY", 0)
    for seed, recoding in ((5, "local"), (6, "cells")):
        here, there = (
            tacit.generalize(table, k=3, recoding=recoding, key=KEY) for table in tables_of(seed, engine)
        )
        assert here.manifest == there.manifest
        assert here.risk() == there.risk()
        assert here.utility().count_queries == there.utility().count_queries
        assert here.utility().entropy == pytest.approx(there.utility().entropy)
