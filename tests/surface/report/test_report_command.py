"""``tacit report`` as a person uses it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tacit.surface.cli import main
from tests.surface.report.markup import assert_inert
from tests.surface.report.releases import MAKERS, save


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save(MAKERS["hidden"](), tmp_path_factory.mktemp("command") / "baskets").folder


def test_the_report_is_written_beside_the_release(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(release)]) == 0
    assert f"{release}.html" in capsys.readouterr().out
    assert_inert(Path(f"{release}.html").read_text(encoding="utf-8"))
    assert main(["report", str(release)]) == 6
    assert main(["report", str(release), "--overwrite"]) == 0


def test_json_says_where_and_whether(
    release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "report.html"
    assert main(["report", str(release), "--owner", "-o", str(file), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said == {
        "file": str(file),
        "releases": [str(release)],
        "ok": True,
        "for_owner": True,
        "bytes": file.stat().st_size,
    }


def test_wrong_places_are_refused(release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(tmp_path)]) == 3
    assert main(["report", str(release), "-o", str(release / "report.html")]) == 6
    assert "nothing but the release" in capsys.readouterr().err
    assert sorted(path.name for path in release.iterdir()) == ["release.json", "transactions.dat"]
    assert main(["report"]) == 2


def test_a_refused_release_is_reported_with_exit_code_7(tmp_path: Path) -> None:
    folder = save(MAKERS["generalized"](), tmp_path / "sets").folder
    with (folder / "mapping.csv").open("a") as file:
        file.write("\n")
    assert main(["report", str(folder)]) == 7
    assert "Do not sign." in Path(f"{folder}.html").read_text(encoding="utf-8")


def test_several_releases_are_set_side_by_side(release: Path, tmp_path: Path) -> None:
    other = save(MAKERS["hidden"](), tmp_path / "other").folder
    file = tmp_path / "both.html"
    assert main(["report", str(release), str(other), "-o", str(file)]) == 0
    document = assert_inert(file.read_text(encoding="utf-8"))
    assert "baskets" in document.text
    assert "other" in document.text
    assert document.tags("svg")
    assert main(["report", str(release), str(other), "--owner", "-o", str(tmp_path / "no.html")]) == 2
