"""Injector reproduced, quickly: the nine patients, the mined rules, and what is said of each figure."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from papers.experiment import Reproduction
from papers.injector import FULL
from papers.injector_experiment import (
    ANATOMY,
    INJECTOR,
    METHODS,
    PRINTED,
    Setting,
    errors,
    release,
    vulnerable,
)
from papers.injector_tables import MINED, figure_3, nine_patients
from papers.run import reproduce
from papers.sources import find_adult
from tacit.io.samples.hospital import hospital
from tacit.methods.bucketize.judge.risks import vulnerable_rows
from tacit.mining.verbs import mine_negative_rules


@pytest.fixture(scope="module")
def stand_in(tmp_path_factory: pytest.TempPathFactory) -> Reproduction:
    """Where Adult is not at hand."""
    (found,) = reproduce(["injector"], data=tmp_path_factory.mktemp("empty"), quick=True)
    return found


def test_the_nine_patients() -> None:
    figure = nine_patients()
    assert figure.rows.column("valid_in_table_2") == (1, 1, 1, 2, 2, 2, 2, 2, 2)
    assert all(int(str(cell)) >= 2 for cell in figure.rows.column("valid_in_injector"))
    assert [each.agrees for each in figure.findings] == [True, True]


def test_the_mined_rules_stand_beside_the_papers(public_data: Path) -> None:
    adult = find_adult(public_data, part="train")
    assert adult is not None
    figure = figure_3([adult])
    mine = figure.rows.records({"data": "Adult, 30,162 rows"})
    assert [row["rules"] for row in mine] == [39, 37, 33, 25, 15]
    assert [row["rules"] for row in figure.rows.records({"data": "paper"})] == [
        each for each, _ in MINED.values()
    ]
    for row in mine:
        shares = [float(str(row[name])) for name in ("N0", "N1", "N2", "N3", "N4", "N5_or_more")]
        assert sum(shares) == pytest.approx(100)
    assert [each.verdict for each in figure.findings] == ["differs", "differs"]


def test_every_way_is_measured_at_every_setting(stand_in: Reproduction) -> None:
    asked = stand_in.figure("figure-8").rows
    settings = {
        (row["l"], row["min_expectation"], row["dimensions"], row["selectivity"]) for row in asked.records()
    }
    assert len(asked) == len(settings) * len(METHODS)
    assert set(asked.column("method")) == set(METHODS)
    assert all(0 <= float(str(cell)) <= 1 for cell in asked.column("learner"))
    open_rows = stand_in.figure("figure-4").rows
    for row in open_rows.records():
        assert (row["vulnerable"] == 0) == (row["method"] != ANATOMY)
    assert stand_in.finding("vulnerable rows of Injector").agrees is True


def test_other_data_are_not_compared(stand_in: Reproduction) -> None:
    assert "not at hand" in stand_in.data[0]
    for each in stand_in.findings:
        if each.label.startswith(("COUNT", "confidence", "σ", "time")):
            assert each.verdict == "other data" and each.why
    assert not any(figure.name == "table-3" for figure in stand_in.figures)


def test_the_full_run_varies_one_thing_at_a_time() -> None:
    settings = FULL.queried(6)
    assert {(one.l, one.min_expectation) for one in settings} == {
        *((l, 0.9) for l in (3, 4, 5, 6)),
        *((6, each) for each in (0.75, 0.8, 0.85, 0.95)),
    }
    sizes = next(one.queries for one in settings if (one.l, one.min_expectation) == (6, 0.9))
    assert set(sizes) == {
        *((number, 0.07) for number in (2, 3, 4, 5, 6)),
        *((4, s) for s in (0.03, 0.05, 0.1)),
    }
    # Of three quasi-identifiers nobody can ask four.
    assert max(number for one in FULL.queried(3) for number, _ in one.queries) == 3


def test_means_are_over_the_keys() -> None:
    table = hospital(2_000)
    rules = mine_negative_rules(table)
    (mean,) = (one.vulnerable for one in vulnerable(table, [Setting(l=4)], keys=3) if one.method == ANATOMY)
    each = [vulnerable_rows(release(table, rules, 4, seed, ANATOMY), rules, 4) for seed in range(3)]
    assert mean == pytest.approx(np.mean(each)) and len(set(each)) > 1
    found = {
        one.method: one for one in errors(table, [Setting(l=3, queries=((2, 0.1),))], keys=1, queries=50)
    }
    assert found[INJECTOR].count_uniform < found[PRINTED].count_uniform
