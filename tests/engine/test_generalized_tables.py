"""Generalized tables: the same bytes from rows on Spark as from rows in memory, in every recoding."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import tacit
from tacit.errors import ResourceError
from tacit_verify import verdict_of, verify
from tests.engine.test_both_engines import KEY, saved, tables_of

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
