"""Releases that nobody should want say so, first of all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tacit
from tacit.random.key import Key
from tacit.release import Manifest
from tacit.release.kinds import check_strong
from tacit.surface.cli import main


@pytest.mark.parametrize(
    ("kind", "risks", "utility", "said"),
    [
        ("bucketized", {"posterior": {"largest": 0.846}}, {}, "85% sure"),
        ("bucketized", {"posterior": {"largest": 0.62}}, {}, None),
        ("bucketized", {"posterior": None}, {}, None),
        ("rules", {"max_posterior": 0.999}, {}, "100% sure"),
        ("generalized", {}, {"published_items": 1}, "no detail is left"),
        ("generalized", {}, {"published_items": 2}, None),
        ("generalized_table", {}, {"loss": 1.0}, "100% of the detail"),
        ("generalized_table", {}, {"loss": 0.2}, None),
        ("hidden", {}, {}, None),
    ],
)
def test_what_is_warned_of(kind: str, risks: dict, utility: dict, said: str | None) -> None:
    found = Manifest(kind, "any", {}, {}, {}, risks, utility).warnings
    assert len(found) == (said is not None)
    assert said is None or said in found[0]


def test_the_command_warns_at_the_top(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "people.csv"
    table.write_text("age,town\n" + "".join(f"{20 + row},t{row}\n" for row in range(6)))
    assert main(["generalize", str(table), "--quasi", "age,town", "-k", "6"]) == 0
    assert capsys.readouterr().out.startswith("Warning: 100% of the detail is lost")


def test_a_weak_release_is_published_only_if_that_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "people.csv"
    table.write_text("age,town\n" + "".join(f"{20 + row},t{row}\n" for row in range(6)))
    command = [
        "generalize",
        str(table),
        "--quasi",
        "age,town",
        "-k",
        "6",
        "-o",
        str(tmp_path / "out"),
        "--json",
    ]
    assert main(command) == 4
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "weak-release"
    assert not (tmp_path / "out").exists()
    assert main([*command, "--accept-weak"]) == 0
    assert (tmp_path / "out" / "release.json").is_file()


def test_an_experiment_and_a_limit_that_was_asked_for_need_no_word_more(tmp_path: Path) -> None:
    table = tacit.load_sample("hospital:200")
    weak = tacit.bucketize(table, l=2, algorithm="anatomy", key=Key.from_seed(1))
    assert weak.complete().manifest.warnings
    weak.save(tmp_path / "experiment")
    promised = Manifest("rules", "any", {}, {"max_posterior": 0.9}, {}, {"max_posterior": 0.9})
    assert promised.warnings
    check_strong(promised)
