"""The experiment on hiding patterns, quickly: what the text claims, and what holds here in spite of it."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from papers.experiment import Reproduction
from papers.hiding_experiment import (
    CERTIFIED,
    EXACT,
    EXACT_LIMIT,
    SWA,
    SWA_LARGEST,
    Setting,
    choose_seeds,
    compare,
    experiment,
    public_subjects,
    text_settings,
)
from papers.run import reproduce
from papers.writing import write

Row = dict[str, str]


@pytest.fixture(scope="module")
def reproduced() -> Reproduction:
    """One quick run without any published data."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("TACIT_DATA", raising=False)
        (found,) = reproduce(["hiding"], quick=True)
    assert any("Not at hand: T10I4D100K" in words for words in found.data)
    return found


@pytest.fixture(scope="module")
def output(reproduced: Reproduction, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What was written of it."""
    return write([reproduced], tmp_path_factory.mktemp("reproduced"), page="hiding").folder


def rows(output: Path, name: str) -> list[Row]:
    with (output / "hiding" / f"{name}.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def curve(rows: list[Row], method: str, x: str, y: str) -> list[float]:
    chosen = [row for row in rows if row["method"] == method]
    return [float(row[y]) for row in sorted(chosen, key=lambda row: float(row[x]))]


def test_a_page_and_the_files_of_every_figure(output: Path) -> None:
    html = (output / "hiding.html").read_text(encoding="utf-8")
    for name in ("Figure 2", "Figure 3", "Figure 4", "Figure 5", "Figure 6", "Section 5", "supermarket"):
        assert name in html
    files = {path.name for path in (output / "hiding").iterdir()}
    for number in (3, 4, 5):
        assert {f"figure-{number}-{letter}.svg" for letter in "abcd"} | {f"figure-{number}.csv"} <= files
    assert {"figure-6-a.svg", "figure-6-b.svg", "figure-2.csv", "supermarket.csv", "table-1.csv"} <= files


def test_the_printed_products(reproduced: Reproduction) -> None:
    for label in ("Figure 2, left", "Figure 2, right", "section 3.2.2"):
        assert reproduced.finding(label).agrees is True


def test_the_confidence(output: Path) -> None:
    """Figure 3: a larger confidence hides more and costs more."""
    measured = rows(output, "figure-3")
    assert (
        curve(measured, "paper", "C", "hiding_failure")[0]
        > curve(measured, "paper", "C", "hiding_failure")[-1]
    )
    for name in ("misses_cost", "dissimilarity"):
        few, many = curve(measured, "paper", "C", name)
        assert few < many
    assert curve(measured, "certified", "C", "hiding_failure")[-1] == 0
    assert curve(measured, "certified", "C", "weakness")[-1] == 0


def test_hidden_for_certain_where_windows_leave_much_to_be_inferred(output: Path) -> None:
    """Figures 4 to 6: certified and exact fail nowhere; nothing is ever added."""
    for name in ("figure-4", "figure-5", "figure-6", "supermarket"):
        for row in rows(output, name):
            assert float(row["artificial_patterns"]) == 0
            if row["method"].startswith(("certified", "exact")):
                assert float(row["hiding_failure"]) == float(row["weakness"]) == 0
    measured = rows(output, "figure-4")
    assert max(curve(measured, SWA.name, "RS", "weakness")) > 0.1
    assert max(curve(measured, "paper", "RS", "weakness")) > 0.1
    for method in (CERTIFIED.name, EXACT.name, SWA.name):
        for name in ("misses_cost", "dissimilarity"):
            few, many = curve(measured, method, "RS", name)
            assert few < many
    measured = rows(output, "figure-6")
    misses = curve(measured, CERTIFIED.name, "RL2", "misses_cost")
    assert misses[0] > misses[-1]


def test_windows_fail_where_their_threshold_is_not_tied_to_the_support(output: Path) -> None:
    failures = [float(row["hiding_failure"]) for row in rows(output, "disclosure-threshold")]
    assert failures[0] == 0
    assert failures[-1] > 0.1


def test_fewer_misses_than_windows_at_the_limit(reproduced: Reproduction) -> None:
    found = reproduced.finding(f"misses cost, {EXACT_LIMIT.name} against {SWA.name}")
    assert found.agrees is True


def test_what_differs_says_why(reproduced: Reproduction) -> None:
    assert reproduced.finding("probabilities by C").agrees is False
    assert "Lemma 1" in str(reproduced.finding("probabilities by C").why)
    assert "Lemma 2" in str(reproduced.finding("weakness at C = 0.95").why)
    assert all(each.agrees is True or each.why for each in reproduced.findings)


def test_settings_and_seeds_on_published_data(public_data: Path) -> None:
    """On Groceries the shares are reached, and the exact policy at the limit loses less than windows."""
    data = next(each for each in public_subjects(public_data) if each.name == "Groceries")
    settings = text_settings(quick=True)
    assert len(settings) == len(set(settings)) == 5
    setting = Setting(share=0.02)
    assert {len(seed) for seed in choose_seeds(data.itemsets, setting)} == {2, 3}
    outcomes = list(experiment(data, [setting], [EXACT_LIMIT, SWA, SWA_LARGEST]))
    reached = outcomes[0].risks.sensitive / len(data.itemsets)
    assert reached == pytest.approx(0.02, rel=0.1)
    for theirs in (SWA, SWA_LARGEST):
        found = compare(outcomes, EXACT_LIMIT, theirs)
        assert [match.won for match in found] == [True]


def test_no_published_data_no_subjects(tmp_path: Path) -> None:
    assert list(public_subjects(None)) == list(public_subjects(tmp_path)) == []
