"""Injector: the paper's nine patients, its Figure 4 on Adult, and figures from elsewhere.

[1] T. Li, N. Li. Injector: Mining Background Knowledge for Data Anonymization. ICDE 2008.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tacit.data.table import Table
from tacit.engine.local.engine import LocalEngine
from tacit.errors import InfeasibleError
from tacit.io.samples.public import adult
from tacit.methods.bucketize.judge.buckets import buckets_of
from tacit.methods.bucketize.judge.risks import learning_attack, valid_value_counts, vulnerable_rows
from tacit.methods.bucketize.judge.utility import query_errors, rule_error
from tacit.methods.bucketize.release import anatomy_beside
from tacit.methods.bucketize.verb import bucketize
from tacit.mining.verbs import mine_negative_rules
from tacit.random.key import Key
from tests.methods.bucketize.releases import patients

MALE = "sex=M => not disease=Ovarian Cancer"


@pytest.fixture(scope="module")
def people(public_data: Path) -> Table:
    return adult(path=public_data / "adult")


def test_table_two_leaves_its_first_group_open() -> None:
    """Row 3 can only have prostate cancer, which leaves rows 1 and 2 ovarian cancer."""
    table = patients()
    rules = mine_negative_rules(table, rules=[MALE], min_expectation=0.99)
    assert [str(rule) for rule in rules] == ["sex = M ⇒ ¬ disease = Ovarian Cancer"]
    printed = buckets_of(table, np.array([1, 1, 1, 2, 2, 2, 3, 3, 3], dtype=np.int32))
    valid = valid_value_counts(printed, rules)
    assert (np.flatnonzero(valid < 2) + 1).tolist() == [1, 2, 3]
    assert valid.tolist() == [1, 1, 1, 2, 2, 2, 2, 2, 2]


def test_injector_leaves_no_patient_open() -> None:
    table = patients()
    rules = mine_negative_rules(table, rules=[MALE], min_expectation=0.99)
    for seed in range(20):
        release = bucketize(table, l=2, knowledge=rules, key=Key.from_seed(seed))
        assert vulnerable_rows(release.buckets, rules, 2) == 0


@pytest.mark.parametrize("l", [3, pytest.param(6, marks=pytest.mark.ci)])
@pytest.mark.parametrize("expectation", [0.75, 0.95])
def test_figure_four(people: Table, l: int, expectation: float) -> None:
    """No vulnerable row for Injector, hundreds to thousands for Anatomy (the benchmark has ten keys)."""
    rules = mine_negative_rules(people, min_expectation=expectation)
    key = Key.from_seed(l)
    release = bucketize(people, l=l, knowledge=rules, key=key)
    assert vulnerable_rows(release.buckets, rules, l) == 0
    beside = anatomy_beside(people, l, LocalEngine(), key)
    assert beside is not None
    assert 100 < vulnerable_rows(buckets_of(people, beside.groups), rules, l) < 10_000


def test_figures_six_to_eight_at_one_setting(people: Table) -> None:
    """Below Anatomy in counting queries, the confidence of rules, rules lost, and what a learner gets."""
    rules = mine_negative_rules(people)
    key = Key.from_seed(1)
    mine = bucketize(people, l=3, knowledge=rules, key=key).buckets
    beside = anatomy_beside(people, 3, LocalEngine(), key)
    assert beside is not None
    theirs = buckets_of(people, beside.groups)
    errors = [
        query_errors(buckets, None, dimensions=[4], selectivity=0.05, queries=500)[0].uniform
        for buckets in (mine, theirs)
    ]
    assert errors[0] < errors[1]
    ours, anatomys = (rule_error(buckets, None, min_conviction=1.01) for buckets in (mine, theirs))
    assert ours.confidence < anatomys.confidence
    assert ours.false_negatives < anatomys.false_negatives
    # The share of rules found wrongly is larger; both errors together are smaller.
    assert ours.false_positives + ours.false_negatives < anatomys.false_positives + anatomys.false_negatives


def test_a_learner_gains_less_from_near_partners(people: Table) -> None:
    """Whom a reader has learned to tell apart is not put together: fewer right guesses than any other way."""
    rules = mine_negative_rules(people)
    key = Key.from_seed(1)
    beside = anatomy_beside(people, 3, LocalEngine(), key)
    assert beside is not None
    near, anywhere, paper = (
        learning_attack(bucketize(people, l=3, knowledge=rules, partners=partners, key=key).buckets)
        for partners in ("near", "any", "paper")
    )
    anatomys = learning_attack(buckets_of(people, beside.groups))
    assert near is not None and anywhere is not None and paper is not None and anatomys is not None
    assert near.accuracy < paper.accuracy < anywhere.accuracy < anatomys.accuracy


def test_learning_beats_one_guess_in_l(public_data: Path) -> None:
    """A quick attack elsewhere guessed right for 66 % at ℓ = 3, where one in ℓ says 33 %."""
    table = adult(part="train", path=public_data / "adult")
    beside = anatomy_beside(table, 3, LocalEngine(), Key.from_seed(1))
    assert beside is not None
    attack = learning_attack(buckets_of(table, beside.groups))
    assert attack is not None
    assert attack.baseline == pytest.approx(1 / 3, abs=0.001)
    assert attack.accuracy == pytest.approx(0.66, abs=0.04)


def test_rules_of_two_attributes(people: Table) -> None:
    """Corrected, they leave ℓ = 5 feasible, and 6 without two rows; uncorrected, they forbid too much."""
    corrected = mine_negative_rules(people, max_length=2, correction="bonferroni")
    key = Key.from_seed(2)
    with pytest.raises(InfeasibleError, match="The largest feasible ℓ is 5") as refused:
        bucketize(people, l=6, knowledge=corrected, key=key)
    # Both rows in the way are named by what they hold and cannot hold.
    assert "2 rows can have fewer" in str(refused.value)
    assert "2 rows with 'Prof-specialty' that cannot have" in str(refused.value)
    # Both hold the same value, so that to leave them out would tell it: no bound allows that.
    with pytest.raises(InfeasibleError, match="100 % hold one value"):
        bucketize(
            people, l=6, knowledge=corrected, key=key, on_infeasible="suppress", max_posterior_suppressed=0.9
        )
    with pytest.raises(InfeasibleError) as raised:
        bucketize(people, l=6, knowledge=mine_negative_rules(people, max_length=2), key=key)
    assert "No ℓ of 2 or more is feasible." in str(raised.value) and "Prof-specialty" in str(raised.value)
