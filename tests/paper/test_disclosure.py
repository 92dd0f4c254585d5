"""What the rules of the Adult data disclose: counts published, or worked out independently."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import tacit
from papers.disclosure_curves import rules_curve, threshold_curve, top_differences
from tacit.data.table import Table
from tacit.io.samples.public import adult
from tacit.methods.disclose.rules_file import written_rule
from tacit.methods.disclose.solve.inference import infer
from tacit.methods.disclose.solve.knowledge import RuleScores, Silence
from tacit.methods.disclose.solve.population import population_of, thresholds_of
from tacit.methods.disclose.solve.published import published_rules
from tacit.mining.mine import mine_table_rules

QUASI = (
    "workclass",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "native-country",
    "education",
)


@pytest.fixture(scope="module")
def salary(public_data: Path) -> Table:
    return adult(part="train").with_roles(quasi=QUASI, sensitive=("salary",))


def test_constraints_at_the_papers_thresholds(salary: Table) -> None:
    found = tacit.disclose(salary, min_support=0.1, min_confidence=0.6)
    assert len(found.population) == 7_722
    assert found.n_patterns == 766_582
    assert (found.n_rules, found.n_nar, found.nar_variables) == (110, 449, 281_014)
    assert found.certificate.residual <= 1e-8
    assert found.d_overall == pytest.approx(0.1385, rel=0.005)
    assert found.without_nar is not None


@pytest.mark.parametrize(
    ("confidence", "scores", "nar", "overall"),
    [
        (0.6, "exact", False, 0.1412),
        (0.6, "thresholds", True, 0.1978),
        (0.6, "thresholds", False, 0.2019),
        (0.9, "exact", True, 0.1801),
    ],
)
def test_overall_divergence(salary: Table, confidence: float, scores: str, nar: bool, overall: float) -> None:
    found = tacit.disclose(
        salary, min_support=0.1, min_confidence=confidence, scores=scores, nar=nar, compare_nar=False
    )
    assert found.d_overall == pytest.approx(overall, rel=0.005)
    assert found.certificate.residual <= 1e-8
    if confidence == 0.9:
        assert (found.n_rules, found.n_nar, found.nar_variables) == (49, 752, 461_168)


@pytest.mark.ci
def test_many_rules_at_a_low_support(salary: Table) -> None:
    found = tacit.disclose(salary, min_support=0.02, min_confidence=0.6, compare_nar=False)
    assert (found.n_rules, found.n_nar, found.nar_variables) == (1_332, 2_623, 614_936)
    assert found.d_overall == pytest.approx(0.0756, rel=0.005)
    assert found.certificate.residual <= 1e-8


def test_all_patterns_give_the_same_answer_as_the_pruned_ones(salary: Table) -> None:
    people = population_of(salary)
    thresholds = thresholds_of(0.1, 0.6, people.n_rows)
    rules = published_rules(people, mine_table_rules(salary, min_support=0.1, min_confidence=0.6))
    everything = Silence(people, rules, thresholds, pruned=False)
    constraints = everything.constraints(people)
    assert len(constraints) + len(rules) == 766_582
    assert constraints.n_variables + len(rules.units) == 3_938_220
    pruned = infer(people, [RuleScores(rules), Silence(people, rules, thresholds)])
    whole = infer(people, [RuleScores(rules), everything])
    np.testing.assert_allclose(whole.posterior, pruned.posterior, atol=1e-8)


FIRST = (
    "Doctorate Male -, Masters Female -, Doctorate Female +, Bachelors Male -, Masters Female +, "
    "Doctorate Male +, "
    "Masters Female +, Doctorate Female +, Masters Female +, Doctorate Female +, Masters Female +, "
    "Doctorate Female +"
)
PRINTED = [
    written_rule("education=Doctorate => salary=50K+  support=0.42 confidence=0.83"),
    written_rule("education=Doctorate & gender=Female => salary=50K+  support=0.33 confidence=1"),
    written_rule("gender=Female => salary=50K+  support=0.67 confidence=0.89"),
]


def _table(text: str) -> Table:
    rows = [row.split() for row in text.split(", ")]
    columns = {
        "education": [row[0] for row in rows],
        "gender": [row[1] for row in rows],
        "salary": [f"50K{row[2]}" for row in rows],
    }
    return tacit.table_from_frame(pl.DataFrame(columns), quasi=["education", "gender"], sensitive="salary")


def _posterior(found: object, value: str, **who: str) -> float:
    place = next(n for n in range(len(found.population)) if found.combination(n) == who)  # type: ignore[attr-defined]
    return float(found.posterior[place, found.population.values.index(value)])  # type: ignore[attr-defined]


def test_example_1_without_silence() -> None:
    found = tacit.disclose(_table(FIRST), rules=PRINTED, nar=False)
    assert _posterior(found, "50K+", education="Doctorate", gender="Male") == pytest.approx(0.5, abs=1e-12)
    assert _posterior(found, "50K+", education="Doctorate", gender="Female") == 1.0


def test_example_1_with_silence_is_contradictory() -> None:
    """At a confidence of exactly .8 Masters is a rule too, so the printed list cannot be complete."""
    with pytest.raises(tacit.InputError) as caught:
        tacit.disclose(_table(FIRST), rules=PRINTED, min_support=0.3, min_confidence=0.8, complete=True)
    assert caught.value.code == "knowledge-inconsistent"
    assert "education = Masters ⇒ salary = 50K+ is not a rule" in caught.value.message
    assert len(tacit.mine_rules(_table(FIRST), min_support=0.3, min_confidence=0.8)) == 5


def test_example_2_is_settled_by_silence() -> None:
    table = _table("Doctorate Female +, Doctorate Male +, Masters Female -")
    found = tacit.disclose(table, min_support=0.6, min_confidence=0.9)
    assert found.n_rules == 1
    assert _posterior(found, "50K-", education="Masters", gender="Female") == 1.0
    alone = tacit.disclose(table, min_support=0.6, min_confidence=0.9, nar=False)
    assert _posterior(alone, "50K-", education="Masters", gender="Female") == pytest.approx(0.5)


def test_the_trends_of_the_figures(salary: Table) -> None:
    """Figure 5(a) and 6: D_overall grows with the confidence; scores matter most where it is low."""
    points = threshold_curve(
        salary, supports=[0.1], confidences=[0.6, 0.75, 0.9], scores=["exact", "thresholds"]
    )
    exact = [point.d_overall for point in points if point.scores == "exact"]
    withheld = [point.d_overall for point in points if point.scores == "thresholds"]
    assert exact == sorted(exact)
    assert all(point.residual <= 1e-8 for point in points)
    gaps = [told - kept for told, kept in zip(withheld, exact, strict=True)]
    assert min(gaps) > 0
    assert gaps[0] > gaps[-1]


def test_more_supports_and_more_rules(salary: Table) -> None:
    """Figures 5(b) and 5(c): D_overall grows with the support threshold and falls with the rules."""
    points = threshold_curve(salary, supports=[0.05, 0.1, 0.2], confidences=[0.6], nar=[False])
    overall = [point.d_overall for point in points]
    assert overall == sorted(overall)
    points = rules_curve(salary, counts=[10, 40, 80, 110], min_support=0.1, min_confidence=0.6)
    assert [point.rules for point in points] == [10, 40, 80, 110]
    overall = [point.d_overall for point in points]
    assert overall == sorted(overall, reverse=True)


def test_silence_hardly_moves_the_whole_but_some_people(salary: Table) -> None:
    """Figure 7: the overall divergence hardly changes, that of some people by more than a tenth."""
    differences = top_differences(salary, min_support=0.1, min_confidence=0.6)
    assert differences[0] > 0.13
    means = [differences[:count].mean() for count in (1, 10, 100, 500)]
    assert means == sorted(means, reverse=True)


def test_ninety_five_people_follow_for_certain(salary: Table) -> None:
    """Inclusion and exclusion over rules about thousands: what is left are few, and none earns more."""
    left = (
        (pl.col("marital-status") == "Never-married")
        & (pl.col("race") != "White")
        & (pl.col("native-country") != "United-States")
        & ~pl.col("relationship").is_in(["Own-child", "Not-in-family"])
    )
    people = salary.to_polars().filter(left)
    assert (len(people), people["salary"].unique().to_list()) == (95, ["<=50K"])
    found = tacit.disclose(salary, min_support=0.1, min_confidence=0.6, compare_nar=False)
    certain = found.posterior.max(axis=1) > 1 - 1e-9
    assert int(found.population.people[certain].sum()) == 95
    for place in np.flatnonzero(certain).tolist():
        who = found.combination(place)
        assert who["marital-status"] == "Never-married"
        assert who["race"] != "White" and who["native-country"] != "United-States"
        assert who["relationship"] not in ("Own-child", "Not-in-family")
    first = found.most_exposed(1, bounds=1)[0]
    assert (first.lower, first.upper) == (1.0, 1.0)
    assert len(first.responsible) == 13
    assert all("Never-married" in cause.statement for cause in first.responsible)
