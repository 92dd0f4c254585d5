"""Releases side by side: in Python and on the command line."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

import tacit
from tacit.random.key import Key
from tacit.release import read_manifest
from tacit.surface.cli import main
from tests.keys import secret_key
from tests.release.ledger.making import baskets, bucketized

SEED = Key.from_seed(1)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A few releases of two sources."""
    folder = tmp_path_factory.mktemp("releases")
    bucketized(l=2, key=SEED).save(folder / "two")
    bucketized(l=3, key=SEED).save(folder / "three")
    tacit.generalize(baskets(), k=3, m=1, key=SEED).save(folder / "sets")
    tacit.generalize(baskets(30), k=3, m=2, key=SEED).save(folder / "fewer")
    for name, pair in (("hidden", ["i0", "i1"]), ("other", ["i2", "i3"])):
        tacit.hide(baskets(), patterns=[pair], min_support=2, key=SEED).save(folder / name)
    return folder


def run(*arguments: object, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    code = main([str(argument) for argument in arguments])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_figures_are_those_of_the_manifests(folders: Path) -> None:
    found = tacit.compare(folders / "two", folders / "three")
    assert found.ok
    assert [release.name for release in found.releases] == ["two", "three"]
    for release in found.releases:
        manifest = read_manifest(Path(release.folder))
        assert release.promise == manifest.promise_words
        assert release.records == 60
        assert release.bytes == sum((Path(release.folder) / name).stat().st_size for name in manifest.files)
        assert release.risk["unique"] == manifest.risks["unique"]
        assert release.risk["learning"] is None, "nothing is said of fewer than 100 people"
        assert release.utility["query_error"] is None, "nor of fewer than 1,000 rows"
        assert release.seconds is not None
        assert release.seconds > 0
    shown = str(found)
    assert "Largest posterior" in shown
    assert "two was made with a seed" in shown
    assert found.plane().data[0][0] == "two"


def test_an_auditor_has_no_times(folders: Path, tmp_path: Path) -> None:
    for name in ("two", "three"):
        shutil.copytree(folders / name, tmp_path / name)
    found = tacit.compare(tmp_path / "two", tmp_path / "three")
    assert [release.seconds for release in found.releases] == [None, None]
    assert "CPU seconds" not in str(found)
    both = tacit.compare(tmp_path / "two", folders / "two")
    assert [release.name.split("/")[-1] for release in both.releases] == ["two", "two"]
    assert len({release.name for release in both.releases}) == 2
    assert "CPU seconds" in str(both)


def test_each_kind_has_figures(folders: Path) -> None:
    sets = tacit.compare(folders / "sets", folders / "fewer")
    assert sets.releases[0].risk["narrowed"] is not None
    assert "not have the same number of records" in "".join(sets.notes)
    hidden = tacit.compare(folders / "hidden", folders / "other")
    assert hidden.releases[0].utility["dissimilarity"] > 0
    for found in (sets, hidden):
        assert found.plane().to_svg().startswith("<svg")
        assert "<h1" in found.page().to_html()


def test_rules(tmp_path: Path) -> None:
    table = tacit.load_sample("hospital:500")
    for name, least in (("few", 15), ("many", 5)):
        release = tacit.safe_rules(table, min_support=least, min_confidence=0.05, max_posterior=0.3)
        release.save(tmp_path / name, acknowledge_composition=True)
    few, many = tacit.compare(tmp_path / "few", tmp_path / "many").releases
    assert few.risk["posterior"] <= many.risk["posterior"] <= 0.3  # type: ignore[operator]
    assert 0 < few.utility["rules"] < many.utility["rules"]  # type: ignore[operator]


def test_different_kinds_are_compared_by_what_both_have(folders: Path) -> None:
    found = tacit.compare(folders / "two", folders / "sets")
    assert "different kinds" in found.notes[0]
    assert all(not release.risk and not release.utility for release in found.releases)
    assert "published bytes" in str(found)
    assert "Risk and use" not in found.page().to_html()
    with pytest.raises(tacit.UsageError) as caught:
        found.plane()
    assert caught.value.code == "kinds-differ"


def test_a_release_that_fails_is_marked(
    folders: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(folders / "two", tmp_path / "bad")
    (tmp_path / "bad" / "st.csv").write_text("group,disease,count\n1,flu,60\n")
    code, out, _ = run("compare", tmp_path / "bad", folders / "three", capsys=capsys)
    assert code == 7
    assert "REFUSED" in out
    assert "bad is refused by the verifier" in out


def test_what_the_verifier_leaves_open_is_not_called_verified(folders: Path, tmp_path: Path) -> None:
    """The words are those of ``tacit verify``."""
    tacit.generalize(baskets(), k=3, m=1, key=secret_key(3)).save(tmp_path / "whole")
    for name, told in (("whole", "kept"), ("hidden", "part not checked")):
        folder = tmp_path / name if told == "kept" else folders / name
        found = tacit.compare(folder, folders / "sets")
        assert found.releases[0].verdict == tacit.verify(folder).verdict
        assert re.search(rf"^ *promise +{told}  ", str(found), re.MULTILINE)
        last = str(tacit.verify(folder)).splitlines()[-1]
        assert (f"{name}: {last}" in found.notes) == (told != "kept")


def test_command(folders: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run("compare", folders / "two", folders / "three", "--json", capsys=capsys)
    printed: dict[str, Any] = json.loads(out)
    assert code == 0
    assert printed["ok"] is True
    assert [release["name"] for release in printed["releases"]] == ["two", "three"]
    assert printed["releases"][0]["risk"]["unique"] == 1.0
    for name in ("plane.svg", "plane.html"):
        place = tmp_path / name
        assert run("compare", folders / "two", folders / "three", "--plot", place, capsys=capsys)[0] == 0
        assert "Rows alone" in place.read_text()
        code, _, error = run("compare", folders / "two", folders / "three", "--plot", place, capsys=capsys)
        assert code == 6
        assert "The output exists" in error
    again = ("compare", folders / "two", folders / "three", "--plot", tmp_path / "plane.svg", "--overwrite")
    assert run(*again, capsys=capsys)[0] == 0


@pytest.mark.parametrize(
    ("arguments", "exit_code", "code"),
    [
        (["{two}"], 2, "nothing-to-compare"),
        ([], 2, "nothing-to-compare"),
        (["{two}", "{two}"], 2, "same-release-twice"),
        (["{two}", "{two}/../two"], 2, "same-release-twice"),
        (["{two}", "{two}/qit.csv"], 3, "release-not-found"),
        (["{two}", "{two}/nowhere"], 3, "release-not-found"),
        (["{two}", "{empty}"], 3, "release-not-found"),
        (["{two}", "{broken}"], 3, "release-not-found"),
        (["{two}", "{three}", "--plot", "{empty}/plane.png"], 2, "plot-format"),
        (["{two}", "{three}", "--plot", "{empty}/plane"], 2, "plot-format"),
        (["{two}", "{three}", "--plot", "{two}/plane.svg"], 6, "output-in-release"),
        (["{two}", "{three}", "--overwrite"], 2, "parameter-unused"),
        (["{two}", "{sets}", "--plot", "{empty}/plane.svg"], 2, "kinds-differ"),
    ],
)
@pytest.mark.tally("bad inputs", "compare")
def test_bad_input(
    arguments: list[str],
    exit_code: int,
    code: str,
    folders: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "release.json").write_text("{}")
    places = {name: folders / name for name in ("two", "three", "sets")}
    places |= {name: tmp_path / name for name in ("empty", "broken")}
    told = run("compare", *(text.format(**places) for text in arguments), "--json", capsys=capsys)
    assert told[0] == exit_code
    assert json.loads(told[1])["error"]["code"] == code
    assert list((tmp_path / "empty").iterdir()) == []
