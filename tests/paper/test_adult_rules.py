"""Rules of the Adult data: counts published, or worked out independently, for this project."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tacit.data.table import Table
from tacit.engine.local.engine import LocalEngine
from tacit.io.samples.public import adult
from tacit.mining.conjunctions import attributes_of, conjunctions
from tacit.mining.mine import mine_table_rules
from tacit.mining.verbs import mine_negative_rules

SALARY_QUASI = (
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
def train(public_data: Path) -> Table:
    return adult(part="train")


@pytest.fixture(scope="module")
def whole(public_data: Path) -> Table:
    return adult(part="all")


@pytest.fixture(scope="module")
def salary(train: Table) -> Table:
    return train.with_roles(quasi=SALARY_QUASI, sensitive=("salary",))


def test_the_data_are_those_of_the_papers(train: Table, whole: Table) -> None:
    assert (len(train), len(whole)) == (30_162, 45_222)


def test_single_attribute_rules_on_the_training_rows(train: Table) -> None:
    found = [len(mine_negative_rules(train, min_expectation=e)) for e in (0.75, 0.80, 0.85, 0.90, 0.95)]
    assert found == [39, 37, 33, 25, 15]


def test_single_attribute_rules_on_all_rows(whole: Table) -> None:
    found = [len(mine_negative_rules(whole, min_expectation=e)) for e in (0.75, 0.80, 0.85, 0.90, 0.95)]
    assert found == [32, 29, 26, 24, 20]


def test_longer_rules_on_all_rows(whole: Table) -> None:
    assert len(mine_negative_rules(whole, min_expectation=0.9, max_length=2)) == 1_433
    assert len(mine_negative_rules(whole, min_expectation=0.9, max_length=None)) == 11_949


def test_two_rules_the_paper_names(whole: Table) -> None:
    found = {str(rule) for rule in mine_negative_rules(whole, min_expectation=0.9)}
    assert "workclass = Government ⇒ ¬ occupation = Priv-house-serv" in found
    assert "education = Doctorate ⇒ ¬ occupation = Handlers-cleaners" in found


def test_rows_by_number_of_forbidden_values(whole: Table) -> None:
    rules = mine_negative_rules(whole, min_expectation=0.9)
    rows = rules.histogram(LocalEngine().combinations(whole, whole.roles.quasi))
    shares = np.append(rows[:5], rows[5:].sum()) / len(whole)
    assert [f"{100 * share:.1f}" for share in shares] == ["0.0", "76.1", "20.3", "1.5", "2.0", "0.0"]


def test_every_pattern_of_the_salary_table(salary: Table) -> None:
    combinations = LocalEngine().combinations(salary, [*SALARY_QUASI, "salary"])
    attributes = attributes_of(salary, SALARY_QUASI, hierarchies=False)
    found = sum(len(block) for block in conjunctions(combinations, attributes, "salary", min_count=1))
    assert found * 2 == 766_582
    assert len(LocalEngine().combinations(salary, SALARY_QUASI)) == 7_722


@pytest.mark.parametrize(
    ("support", "confidence", "rules"), [(0.1, 0.6, 110), (0.02, 0.6, 1_332), (0.1, 0.9, 49)]
)
def test_rules_of_the_salary_table(salary: Table, support: float, confidence: float, rules: int) -> None:
    found = mine_table_rules(
        salary,
        min_support=support,
        min_confidence=confidence,
        max_length=None,
    )
    assert len(found) == rules
