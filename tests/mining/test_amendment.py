"""Rules of the user: how they are written, and when they are refused."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.data.table import Table, table_from_frame
from tacit.errors import InputError
from tacit.mining.amendment import read_lines
from tacit.mining.knowledge import NegativeRule
from tacit.mining.verbs import mine_negative_rules


@pytest.fixture
def patients() -> Table:
    rows = [("male", "flu")] * 5 + [("female", "flu")] * 3 + [("female", "ovarian cancer")] * 2
    return table_from_frame(
        pl.DataFrame(rows, schema=["sex", "disease"], orient="row"), quasi="sex", sensitive="disease"
    )


@pytest.mark.parametrize(
    "line",
    [
        "sex=male => not disease=ovarian cancer",
        "sex = male ⇒ ¬ disease = ovarian cancer",
        "  sex=male=>not ovarian cancer   # by nature",
        '"sex" = "male" => not "ovarian cancer"',
    ],
)
def test_a_rule_may_be_written_in_several_ways(patients: Table, line: str) -> None:
    rules = mine_negative_rules(patients, min_expectation=0.99, rules=[line])
    assert [str(rule) for rule in rules if rule.given] == ["sex = male ⇒ ¬ disease = ovarian cancer"]


def test_what_is_printed_can_be_read_back(patients: Table) -> None:
    mined = mine_negative_rules(patients, min_expectation=0.5)
    assert len(mined) == 1
    given = mine_negative_rules(patients, min_expectation=0.99, rules=str(mined))
    assert [str(rule) for rule in given] == [str(rule) for rule in mined]
    assert all(rule.given for rule in given)


def test_rules_come_from_a_file_with_comments(patients: Table, tmp_path: Path) -> None:
    file = tmp_path / "rules.txt"
    file.write_text("# what everybody knows\n\nsex=male => not disease=ovarian cancer\n")
    assert len(mine_negative_rules(patients, min_expectation=0.99, rules=file)) == 1


def test_a_dropped_rule_is_gone_and_remembered(patients: Table) -> None:
    line = "sex=male => not disease=ovarian cancer"
    rules = mine_negative_rules(patients, min_expectation=0.5, drop_rules=[line])
    assert len(rules) == 0
    assert rules.dropped == ("sex = male ⇒ ¬ disease = ovarian cancer",)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("sex=female => not disease=flu", "rule-contradicted"),
        ("sex=male => disease=flu", "rule-malformed"),
        ("sex=male", "rule-malformed"),
        ("sex male => not flu", "rule-malformed"),
        ("=> not disease=flu", "rule-empty"),
        ("age=12 => not disease=flu", "rule-unknown"),
        ("sex=unknown => not disease=flu", "rule-unknown"),
        ("sex=* => not disease=flu", "rule-unknown"),
        ("sex=male => not disease=plague", "rule-unknown"),
        ("sex=male => not colour=red", "rule-unknown"),
        ("sex=male & sex=female => not disease=flu", "rule-attribute-twice"),
    ],
)
def test_a_rule_that_cannot_be_used_is_refused_with_its_line(patients: Table, line: str, code: str) -> None:
    with pytest.raises(InputError) as caught:
        mine_negative_rules(patients, rules=["# a comment", line])
    assert caught.value.code == code
    assert caught.value.where is not None and caught.value.where.line == 2


def test_a_rule_given_twice_is_refused(patients: Table) -> None:
    with pytest.raises(InputError, match="twice"):
        mine_negative_rules(patients, rules=["sex=male => not ovarian cancer"] * 2)


def test_dropping_what_is_not_there_is_refused(patients: Table) -> None:
    with pytest.raises(InputError, match="not among"):
        mine_negative_rules(patients, min_expectation=0.99, drop_rules=["sex=male => not ovarian cancer"])


def test_lines_know_their_items() -> None:
    (line,) = read_lines('age=40-49 & "a & b" = "x=y" => not s')
    assert line.items == (("age", "40-49"), ("a & b", "x=y"))
    assert (line.attribute, line.value) == (None, "s")


NAMES = st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp")), min_size=1, max_size=6)


@given(NAMES, NAMES, NAMES, NAMES)
def test_a_printed_rule_is_read_back(name: str, label: str, attribute: str, value: str) -> None:
    rule = NegativeRule(((name, label),), attribute, value, 3, 0, 0.9, given=False, may_be_chance=False)
    (line,) = read_lines([str(rule)])
    assert (line.items, line.attribute, line.value) == (rule.when, attribute, value)
