"""k^m-anonymity reproduced, quickly: the worked example, the data, and what is said of each figure."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from papers.experiment import Reproduction
from papers.km_experiment import (
    AA,
    DA,
    OA,
    Problem,
    by_frequency,
    grouped,
    outcomes,
    reduced,
)
from papers.km_whole import worked_example
from papers.run import reproduce
from tacit.io.samples.quest import quest


@pytest.fixture(scope="module")
def clicks(public_data: Path) -> Reproduction:
    (found,) = reproduce(["km"], data=public_data, quick=True)
    return found


@pytest.fixture(scope="module")
def stand_in(tmp_path_factory: pytest.TempPathFactory) -> Reproduction:
    """Where none of the paper's data are at hand."""
    (found,) = reproduce(["km"], data=tmp_path_factory.mktemp("empty"), quick=True)
    return found


def test_the_worked_example() -> None:
    figure = worked_example()
    assert [each.agrees for each in figure.findings] == [True] * 4
    assert set(figure.rows.column("cut")) == {"A, b1, b2"}


def test_the_data_are_the_papers(clicks: Reproduction) -> None:
    assert clicks.finding("BMS-WebView-1").agrees is True
    second = clicks.finding("BMS-WebView-2")
    assert "77,512 transactions, 3,340 items, longest 161" in second.ours
    assert any("Not at hand: BMS-POS" in words for words in clicks.data)


def test_the_greedy_algorithms_find_the_optimum_of_small_domains(clicks: Reproduction) -> None:
    for name in ("figure-8", "figure-9", "figure-10"):
        found = clicks.figure(name).rows
        best = {
            (row["records"], row["items"], row["m"]): row["ncp"]
            for row in found.records({"algorithm": OA, "proven": True})
        }
        for algorithm in (DA, AA):
            for row in found.records({"algorithm": algorithm}):
                assert row["ncp"] == best[row["records"], row["items"], row["m"]]


def test_the_loss_depends_on_the_order_of_the_items(clicks: Reproduction) -> None:
    by_id, by_use = (clicks.finding(f"loss on BMS-WebView-1{more}") for more in ("", ", items by frequency"))
    assert by_id.agrees is False and "OA proves" in by_id.why
    assert by_use.agrees is True
    whole = clicks.figure("figure-11").rows.records({"data": "BMS-WebView-1", "order": "item ids"})
    assert {row["algorithm"]: row["ncp"] for row in whole}[OA] == pytest.approx(0.1081, abs=1e-4)
    assert any(row["only_root"] for row in clicks.figure("figure-11").rows.records({"height": 4}))


def test_quest_stands_in(stand_in: Reproduction) -> None:
    assert "Quest" in stand_in.data[0] and "Not at hand: BMS-POS, BMS-WebView-1" in stand_in.data[1]
    examples = {"cut of OA", "cut of DA", "cut of AA", "loss"}
    for each in stand_in.findings:
        assert (each.verdict == "agrees") if each.label in examples else (each.verdict == "other data")
    for name in ("figure-8", "figure-11"):
        assert len(stand_in.figure(name).rows) > 3


def test_small_domains_use_every_item_and_no_other() -> None:
    data = quest(3_000, items=300, average_length=6)
    small = reduced(data, records=1_000, items=12)
    assert len(small) == 1_000 and small.n_items == 12
    assert set(np.unique(small.items)) == set(range(12))
    assert int(small.lengths.max()) <= 12


def test_a_hierarchy_keeps_the_order_given() -> None:
    tree = grouped(["c", "a", "b", "d", "e"], 2)
    assert tree.parents[tree.index["c"]] == tree.parents[tree.index["a"]]
    assert tree.parents[tree.index["b"]] == tree.parents[tree.index["d"]]
    data = by_frequency(quest(500, items=20, average_length=4), 4)
    assert data.hierarchy is not None
    often = np.argsort(-np.bincount(data.items, minlength=data.n_items), kind="stable")[:4]
    parents = {int(data.hierarchy.parents[data.hierarchy.index[data.vocabulary[item]]]) for item in often}
    assert len(parents) == 1
    (outcome,) = outcomes(data, Problem("quest", 5, 2, 4, 20), warm=False)
    assert outcome.algorithm == AA and outcome.height == 4 and outcome.seconds >= 0
