"""Rules at the very edge of what is allowed: the verifier does not accuse them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tacit
from tacit_verify.release import Release
from tacit_verify.rules import _form_problems
from tacit_verify.verifying import verify
from tests.soak.random_releases import write

PEOPLE = 36
FEWEST = 2
"""The smallest support: a town has exactly so many people."""


def table(folder: Path) -> tacit.Table:
    """Everybody lives in one country, and everybody of two towns has one illness; one of them is tiny."""
    lines = ["country,town,sex,illness"]
    for number in range(PEOPLE):
        town, sex = f"t{number % 4}", "fm"[number // 4 % 2]
        illness = "flu" if town == "t0" else ("flu", "cold", "gout")[(number // 3 + number // 11) % 3]
        lines.append(f"de,{town},{sex},{illness}")
    lines += ["de,t9,f,gout"] * FEWEST
    (folder / "original.csv").write_text("\n".join(lines) + "\n")
    return tacit.read_table(folder / "original.csv", quasi=["country", "town", "sex"], sensitive="illness")


def test_certain_rules_and_rules_about_everybody(tmp_path: Path) -> None:
    release = tacit.safe_rules(table(tmp_path), min_support=FEWEST, min_confidence=0.1, max_posterior=1.0)
    folder = write(release, tmp_path / "out")
    text = (folder / "rules.json").read_text()
    assert f'"matching": {PEOPLE + FEWEST}' in text and '"country"' in text
    assert '"matching": 9' in text and '"support": 9' in text  # everybody of the first town
    assert f'"matching": {FEWEST}' in text
    assert [check for check in verify(folder, tmp_path / "original.csv") if check.ok is False] == []


@pytest.mark.parametrize("k", range(2, 10))
def test_groups_of_exactly_k_are_no_channel(k: int, tmp_path: Path) -> None:
    """Groups of many sizes follow from these rules, so that for some k there is one of exactly k people."""
    release = tacit.safe_rules(
        table(tmp_path), min_support=FEWEST, min_confidence=0.1, max_posterior=1.0, k=k, channels="report"
    )
    folder = write(release, tmp_path / "out")
    assert [check for check in verify(folder, tmp_path / "original.csv") if check.ok is False] == []


def _first(content: dict[str, Any]) -> dict[str, Any]:
    return content["rules"][0]  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda c: None, None),
        (lambda c: c.update(rows=c.pop("rows")), "fields stand in another order"),
        (lambda c: _first(c).update(value=_first(c).pop("value")), "fields stand in another order"),
        (
            lambda c: c["rules"][1]["antecedent"].update(sex=c["rules"][1]["antecedent"].pop("sex")),
            "a rule names its columns in another order",
        ),
        (lambda c: c["quasi"].reverse(), "a rule names its columns in another order"),
        (lambda c: c["quasi"].append("zip"), "its quasi-identifiers are not those of the reader"),
        (lambda c: c.update(sensitive="sex"), "a column has two roles"),
        (lambda c: c["values"].reverse(), "its values are not in order"),
        (
            lambda c: c["distribution"].update(a=c["distribution"].pop("a")),
            "the distribution is of other values",
        ),
        (lambda c: _first(c).pop("support"), "a rule has one score of two"),
        (lambda c: _first(c).update(antecedent={}), "a rule is empty or too long"),
        (lambda c: c.update(max_length=1), "a rule is empty or too long"),
        (lambda c: _first(c).update(value="c"), "a rule names an unknown value"),
        (lambda c: c["rules"].reverse(), "a rule is there twice, or not in the order of the rules' text"),
        (
            lambda c: c["rules"].append(c["rules"][1]),
            "a rule is there twice, or not in the order of the rules' text",
        ),
    ],
)
def test_a_file_of_rules_has_one_form(change: Callable[[dict[str, Any]], object], said: str | None) -> None:
    scores = {"matching": 3, "support": 2}
    content = {
        "rows": 5, "quasi": ["sex", "age"], "sensitive": "illness", "values": ["a", "b"],
        "min_support": "2", "min_support_count": 2, "min_confidence": "0.5", "max_length": None,
        "complete": True,
        "rules": [
            {"antecedent": {"age": "1"}, "value": "a"} | scores,
            {"antecedent": {"sex": "f", "age": "2"}, "value": "b"} | scores,
        ],
        "distribution": {"a": 3, "b": 2},
    }  # fmt: skip
    change(content)
    release = Release(Path(), "", {"reader": {"quasi": ["sex", "age"]}})
    assert next(_form_problems(release, content), None) == said
