"""Rules that give a small group away and promise that they do not: the verifier finds the group."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

import tacit
from tacit_verify import channels
from tacit_verify.channels import small_groups
from tacit_verify.verifying import verify
from tests.methods.disclose.test_channels import COLUMNS, SEVERAL
from tests.soak.random_releases import write


def _checks(folder: Path, original: Path | None = None) -> dict[str, bool | None]:
    return {check.name: check.ok for check in verify(folder, original)}


@pytest.mark.tally("planted faults", "rules")
@pytest.mark.parametrize("case", SEVERAL)
def test_a_false_promise_of_no_small_group_is_caught(case: str, tmp_path: Path) -> None:
    frame, asked, _ = SEVERAL[case]
    frame.write_csv(tmp_path / "people.csv")
    table = tacit.read_table(tmp_path / "people.csv", quasi=COLUMNS[:-1], sensitive="x")
    asked = {"min_confidence": 0.01, "max_posterior": 1.0, "k": 3} | asked
    folder = write(tacit.safe_rules(table, **asked), tmp_path / "out")
    assert _checks(folder, tmp_path / "people.csv")["channels"]
    stated: Any = json.loads((folder / "release.json").read_text())
    stated["risks"]["channels"] = 0
    stated["promise"]["min_group"] = 3
    (folder / "release.json").write_text(
        json.dumps(stated, ensure_ascii=False, sort_keys=True, indent=2) + "\n"
    )
    digest = hashlib.sha256((folder / "rules.json").read_bytes()).hexdigest()
    assert stated["files"]["rules.json"]["sha256"] == digest  # nothing else has changed
    assert [name for name, ok in _checks(folder).items() if ok is False] == ["channels"]


def test_too_many_sums_are_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = {frozenset[tuple[str, str]](): 9, frozenset([("sex", "f")]): 5}
    monkeypatch.setattr(channels, "MOST", 5)
    assert small_groups(counts, {}, 5) == 1
    monkeypatch.setattr(channels, "MOST", 4)
    assert small_groups(counts, {}, 5) is None


def test_whoever_has_neither_of_two_values_is_found() -> None:
    """Of 20 people 12 smoke, 12 drink and 5 do both: one alone does neither."""
    smokes, drinks = ("smokes", "yes"), ("drinks", "yes")
    counts = {frozenset[tuple[str, str]](): 20, frozenset([smokes]): 12, frozenset([drinks]): 12}
    assert small_groups(counts, {}, 5) == 0
    assert small_groups(counts | {frozenset([smokes, drinks]): 5}, {}, 5) == 1
