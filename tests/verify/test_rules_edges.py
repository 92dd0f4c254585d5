"""Rules at the very edge of what is allowed: the verifier does not accuse them."""

from __future__ import annotations

from pathlib import Path

import pytest

import tacit
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
