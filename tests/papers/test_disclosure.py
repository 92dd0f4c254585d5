"""What rules give away, quickly: the examples, the sizes, and the trends of Figures 5 to 8."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from papers.disclosure_examples import examples
from papers.experiment import Reproduction, Rows
from papers.run import reproduce

TIMES = ("time with NAR constraints", "time and variables")


@pytest.fixture(scope="module")
def adult(public_data: Path) -> Reproduction:
    (found,) = reproduce(["disclosure"], data=public_data, quick=True)
    return found


@pytest.fixture(scope="module")
def hospital(tmp_path_factory: pytest.TempPathFactory) -> Reproduction:
    """Where the paper's data are not at hand."""
    (found,) = reproduce(["disclosure"], data=tmp_path_factory.mktemp("empty"), quick=True)
    return found


def numbers(found: Rows, name: str) -> list[float]:
    return [float(cell) for cell in found.column(name) if not isinstance(cell, str) and cell is not None]


def test_the_two_examples() -> None:
    first, second = examples()
    assert first.findings[0].agrees is True
    assert (first.findings[1].printed, first.findings[1].ours) == ("3", "5")
    assert "exactly 0.8" in first.findings[1].why
    assert second.findings[0].agrees is True
    assert len(first.rows) == 4 and len(second.rows) == 3


def test_the_sizes_are_the_papers(adult: Reproduction) -> None:
    for label in (
        "people",
        "distinct quasi-identifier combinations",
        "patterns before pruning",
        "NAR constraints after pruning",
        "variables in them",
    ):
        assert adult.finding(label).agrees is True
    assert adult.finding("distinct values of the attributes").ours == "the same but workclass 7"


@pytest.mark.parametrize("data", ["adult", "hospital"])
def test_the_trends_of_figure_5(data: str, request: pytest.FixtureRequest) -> None:
    """D_overall grows with either threshold and falls with the number of rules."""
    found: Reproduction = request.getfixturevalue(data)
    for name in ("figure-5a", "figure-5b"):
        overall = numbers(found.figure(name).rows, "d_overall")
        assert len(overall) >= 3
        assert all(before < after + 1e-9 for before, after in pairwise(overall))
        assert max(numbers(found.figure(name).rows, "residual")) <= 1e-8
    overall = numbers(found.figure("figure-5c").rows, "d_overall")
    assert len(overall) >= 4
    assert all(after < before + 1e-9 for before, after in pairwise(overall))


@pytest.mark.parametrize("data", ["adult", "hospital"])
def test_scores_matter_most_at_a_low_confidence(data: str, request: pytest.FixtureRequest) -> None:
    """Figure 6."""
    curves = request.getfixturevalue(data).figure("figure-6").rows
    gaps = []
    for row in curves.records({"scores": "exact", "nar": True}):
        point = {"scores": "thresholds", "nar": True, "min_confidence": row["min_confidence"]}
        (other,) = curves.records(point)
        gaps.append(float(other["d_overall"]) - float(row["d_overall"]))  # type: ignore[arg-type]
    assert gaps[0] == max(gaps)
    assert gaps[0] > gaps[-1] >= -1e-9


def test_silence_moves_people_and_not_everybody(adult: Reproduction) -> None:
    """Figure 7: hardly any difference overall, more than the paper's 0.13 for the person most concerned."""
    assert adult.finding("silence and everybody together").agrees is True
    top = numbers(adult.figure("figure-7a").rows, "difference")
    assert len(top) == 10 and top == sorted(top, reverse=True) and top[0] > 0.13
    means = numbers(adult.figure("figure-7c").rows, "mean_difference")
    assert means == sorted(means, reverse=True) and means[0] == pytest.approx(top[0])


def test_every_trend_agrees(adult: Reproduction) -> None:
    """What differs is known: a rounded number of rules, the printed list, thresholds not named, times."""
    differ = {each.label for each in adult.findings if each.agrees is False} - set(TIMES)
    assert differ == {
        "rules at support 0.3 and confidence 0.8",
        "distinct values of the attributes",
        "largest difference in D_individual",
    }


def test_other_data_are_not_judged(hospital: Reproduction) -> None:
    assert "hospital" in hospital.data[0] and "TACIT_DATA" in hospital.data[0]
    judged = [each for each in hospital.findings if each.agrees is not None]
    assert {each.label for each in judged} == {
        each.label for figure in examples() for each in figure.findings
    }


def test_every_figure_has_its_chart(adult: Reproduction) -> None:
    drawn = {figure.name for figure in adult.figures if figure.charts}
    assert drawn == {f"figure-{name}" for name in ("5a", "5b", "5c", "6", "7a", "7b", "7c", "8")}
