"""The ledger on the command line, as a person would use it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tacit.release.composing import rounded
from tacit.surface.cli import main
from tests.release.ledger.making import people

ROLES = ("--quasi", "zip,age", "--sensitive", "disease", "--algorithm", "anatomy", "--quiet")
EXPERIMENT = ("--seed", "1", "--acknowledge-composition")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    people().write_csv(tmp_path / "people.csv")
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(list(arguments))
    said = capsys.readouterr()
    return code, said.out, said.err


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(capsys, *arguments, "--json")[1])
    return found


def test_from_the_first_release_to_forgetting_it(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "No release is on record" in run(capsys, "ledger", "list")[1]
    assert run(capsys, "bucketize", "people.csv", *ROLES, "-l", "2", "-o", "one")[0] == 0
    second = ("bucketize", "people.csv", *ROLES, "-l", "3", "-o", "two")
    code, out, error = run(capsys, *second)
    assert (code, out) == (4, "")
    assert "60 of the 60 people in this release are in the bucketized release in" in error
    assert "--acknowledge-composition" in error
    assert not (here / "two").exists()
    assert printed(capsys, *second)["error"]["code"] == "composition"

    why = ("--reason", "Ein Grund, Straße", "--acknowledged-by", "Data office")
    assert printed(capsys, *second, *why)["error"]["code"] == "parameter-unused"  # of nothing acknowledged
    code, out, _ = run(capsys, *second, "--acknowledge-composition", *why)
    assert code == 0
    published = "".join(path.read_text() for path in (here / "two").iterdir())
    assert "Straße" not in published and "Data office" not in published
    (record,) = (here / "two.private").glob("*/acknowledged.json")
    assert json.loads(record.read_text()) == {"reason": "Ein Grund, Straße", "by": "Data office"}
    assert "Straße" in run(capsys, "ledger", "show", "two")[1]
    assert "Its records are in an earlier release as well: 60 of 60 people." in out
    stated = json.loads((here / "two" / "release.json").read_text())["risks"]["composition"]
    again = printed(capsys, *second, "--overwrite")
    assert again["composition"] == stated

    listed = printed(capsys, "ledger", "list")
    assert [Path(entry["folder"]).name for entry in listed["entries"]] == ["one", "two"]
    held = listed["entries"][1]["composition"]
    assert rounded(held) == stated  # the ledger is the owner's: its figures are exact
    shown = run(capsys, "ledger", "show", "two")[1]
    assert "60, recognized by what they hold" in shown
    assert "60 in a bucketized release" in shown
    table = run(capsys, "ledger", "list")[1]
    assert f"{held['one_candidate_at_least']} (" in table

    assert run(capsys, "ledger", "forget", "one")[0] == 0
    assert run(capsys, "ledger", "forget", "two")[1].startswith("Took 1 release in two off the record.")
    assert run(capsys, "bucketize", "people.csv", *ROLES, "-l", "3", "-o", "three")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("ledger", "show", "nowhere"), "not-in-ledger"),
        (("ledger", "forget", "nowhere"), "not-in-ledger"),
        (("bucketize", "people.csv", *ROLES, "-l", "2", "--acknowledge-composition"), "parameter-unused"),
        (
            ("bucketize", "people.csv", *ROLES, "-l", "2", "-o", "one", *EXPERIMENT),
            "parameter-unused",
        ),
    ],
)
@pytest.mark.tally("bad inputs", "the ledger")
def test_wrong_calls(
    arguments: tuple[str, ...], code: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert printed(capsys, *arguments)["error"]["code"] == code
    assert run(capsys, *arguments)[0] == 2
    assert [path.name for path in here.iterdir()] == ["people.csv"]
