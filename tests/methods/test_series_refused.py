"""A series that cannot go on, of whatever kind: refused with what to do, and nothing is written."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tacit.surface.cli import main
from tests.methods.bucketize.series import chain, people
from tests.methods.chains import set_chain, tables
from tests.methods.test_cohort_series import baskets

EVERYBODY = people(np.random.default_rng(4), 500)
TABLE = "--quasi sex,age --sensitive disease --person id"
COMMANDS = {
    "buckets": f"bucketize next.csv {TABLE} -l 2",
    "tables": f"generalize next.csv {TABLE} -k 2 --recoding global --hierarchies trees",
    "sets": "generalize next.csv --record who --item item --person who -k 2 -m 2 --hierarchy items.csv",
}
"""How a series of each kind is continued; the key of their tests is that of the seed 11."""


@pytest.fixture(scope="module", params=COMMANDS)
def begun(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """Two releases of a series, r1 and r2, the data of the third, and what the command needs beside them."""
    place = tmp_path_factory.mktemp(request.param)
    frames = [EVERYBODY[:350], EVERYBODY[100:450]]
    now = EVERYBODY[150:]
    if request.param == "buckets":
        chain(frames, place)
    elif request.param == "tables":
        tables(frames, place, (60, 3), recoding="global")
    else:
        set_chain([baskets(0, 350), baskets(100, 450)], place, (40, 5))
        rows = [(who, item) for who, items in baskets(150, 500).items() for item in items]
        now = pl.DataFrame(rows, schema=["who", "item"], orient="row")
    now.write_csv(place / "next.csv")
    (place / "trees").mkdir()
    ages = "".join(f"{age};{age // 10}x;*\n" for age in range(20, 60))
    (place / "trees" / "age.csv").write_text(ages)
    (place / "items.csv").write_text("".join(f"i{item};g{item // 3};*\n" for item in range(9)))
    return request.param, place


def repeats(here: Path) -> None:
    """The last person once more, under another spelling of the same identifier."""
    lines = (here / "next.csv").read_text().splitlines()
    (here / "next.csv").write_text("\n".join([*lines, lines[-1].replace("p", " P", 1)]) + "\n")


def without(name: str) -> Callable[[Path], None]:
    return lambda here: shutil.rmtree(here / name)


def changed(here: Path) -> None:
    """A published file with a line more."""
    (file,) = [one for one in (here / "r2").iterdir() if one.name in ("qit.csv", "table.csv", "mapping.csv")]
    file.write_text(file.read_text() + file.read_text().splitlines()[-1] + "\n")


def others(here: Path) -> None:
    """Nobody is who they were."""
    (here / "next.csv").write_text((here / "next.csv").read_text().replace("p", "q"))


def another(here: Path) -> None:
    """Another table: a column is called otherwise; or sets under another tree."""
    (here / "next.csv").write_text((here / "next.csv").read_text().replace("sex", "gender"))
    (here / "items.csv").write_text("".join(f"i{item};g{item % 3};*\n" for item in range(9)))


FAULTS: dict[str, tuple[Callable[[Path], None], str, set[str]]] = {
    "an identifier that repeats": (repeats, "", {"series-person-repeats"}),
    "no private record of the last release": (without("r2.private"), "", {"series-record-missing"}),
    "no private record of the first release": (without("r1.private"), "", {"series-record-missing"}),
    "the release of another table": (another, "", {"series-other-table", "not-a-cut"}),
    "other people": (others, "", {"series-nobody"}),
    "another key": (lambda here: None, "--seed 12", {"series-other-key"}),
    "a release that is not what was published": (changed, "", {"series-broken"}),
    "a first release that is gone": (without("r1"), "", {"series-broken"}),
}


def copied(place: Path, here: Path) -> Path:
    """A series in another folder, as if it had been made there: its records name the folders of the chain."""
    shutil.copytree(place, here)
    for record in here.glob("r*.private/**/series.json"):
        record.write_text(record.read_text().replace(str(place), str(here)))
    return here


@pytest.mark.parametrize("fault", FAULTS)
def test_a_series_that_cannot_go_on_is_refused_and_nothing_is_written(
    begun: tuple[str, Path], fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    kind, here = begun[0], copied(begun[1], tmp_path / "here")
    monkeypatch.chdir(here)
    spoil, more, codes = FAULTS[fault]
    spoil(here)
    before = sorted(here.rglob("*"))
    command = COMMANDS[kind].replace("sex", "gender") if spoil is another else COMMANDS[kind]
    words = f"{command} --after r2 --output r3 --json {more or '--seed 11'}".split()
    exit_code = main(words)
    error = json.loads(capsys.readouterr().out)["error"]
    assert (exit_code, error["code"] in codes) in ((2, True), (3, True)), (exit_code, error)
    assert error["hint"]
    assert sorted(here.rglob("*")) == before


def test_a_series_that_was_moved_goes_on(
    begun: tuple[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind, place = begun
    monkeypatch.chdir(copied(place, tmp_path / "here").rename(tmp_path / "moved"))
    assert main(f"{COMMANDS[kind]} --after r2 --output r3 --seed 11 --quiet".split()) == 0
    assert main(["series", "verify", "r3"]) in (0, 8)
