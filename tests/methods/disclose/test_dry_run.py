"""What a dry run says of a problem: all of its constraints, and about what it would cost."""

from __future__ import annotations

import json
from pathlib import Path
from time import process_time

import pytest

import tacit
from tacit.io.samples.hospital import hospital
from tacit.methods.disclose.make import START_UP, DisclosureSize
from tacit.methods.disclose.make import disclosure_size as size_of
from tacit.methods.disclose.solve.knowledge import Fact
from tacit.options import asked_of
from tacit.surface.cli import main

TABLE = hospital(rows=2000)
THRESHOLDS = {"min_support": 5, "min_confidence": 0.1}


def size(**known: object) -> DisclosureSize:
    return size_of(asked_of(tacit.disclose, TABLE, THRESHOLDS | known))


def test_as_large_as_the_problem_itself() -> None:
    found, wanted = size(), tacit.disclose(TABLE, **THRESHOLDS)
    assert (found.rules, found.nar, found.nar_variables) == (
        wanted.n_rules,
        wanted.n_nar,
        wanted.nar_variables,
    )
    assert (found.other, found.other_variables) == (0, 0)
    assert "other constraints" not in str(found)


def test_everything_a_reader_knows_is_counted(tmp_path: Path) -> None:
    values = len({str(value) for value in TABLE.to_polars()["disease"]})
    told = size(distribution=True, facts=[Fact((("sex", "male"),), "childbirth", high=0)])
    assert told.other == values + 1
    assert "other constraints" in str(told)
    release = tacit.bucketize(TABLE, l=2, algorithm="anatomy", key=tacit.Key.from_seed(1))
    release.save(tmp_path / "release")
    assert size(bucketized=tmp_path / "release").other > told.other


def test_a_list_taken_for_complete_is_silent_about_more() -> None:
    rules = tacit.mine_rules(TABLE, **THRESHOLDS)
    some = rules.where(lift=4)
    assert 0 < len(some) < len(rules)
    withheld = size_of(asked_of(tacit.disclose, TABLE, {"rules": some}))
    believed = size_of(asked_of(tacit.disclose, TABLE, {"rules": some, "complete": True}))
    assert believed.nar >= withheld.nar + len(rules) - len(some)


def test_the_time_is_of_the_right_size() -> None:
    """Within a factor of thirty, on a problem of thousands of constraints from silence."""
    tacit.disclose(TABLE, **THRESHOLDS, compare_nar=False)
    started = process_time()
    tacit.disclose(TABLE, **THRESHOLDS, compare_nar=False)
    assert size().seconds_estimate - START_UP < 30 * (process_time() - started)


def test_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "facts.txt").write_text("sex=male => not childbirth\n")
    command = ["disclose", "sample:hospital", "--min-support", "5", "--min-confidence", "0.1", "--dry-run"]
    assert main([*command, "--facts", str(tmp_path / "facts.txt"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["other"] == 1
    (tmp_path / "facts.txt").write_text("nonsense\n")
    assert main([*command, "--facts", str(tmp_path / "facts.txt"), "--json"]) == 3
