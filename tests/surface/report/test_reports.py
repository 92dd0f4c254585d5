"""The report of each kind of release: it shows every figure, leaks nothing, and says when not to sign."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import tacit
from tacit.errors import InputError, OutputError
from tacit.release.verification import Verification
from tacit.showing.layout import number
from tacit.surface.reporting import SavedRelease, report_path
from tests.surface.report.markup import HOSTILE, assert_inert
from tests.surface.report.releases import MAKERS, SECRET, hostile_releases, plain_baskets, save

KINDS = tuple(MAKERS)


@dataclass(frozen=True)
class Made:
    """A saved release, what the verifier says of it, and its reports for everybody and for the owner."""

    release: SavedRelease
    checked: Verification
    public: str
    owners: str


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Made]:
    """A release of each kind with its reports."""
    found = {}
    for kind, make in MAKERS.items():
        release = tacit.open_release(save(make(), tmp_path_factory.mktemp("releases") / kind).folder)
        checked = release.verify()
        owners = release.report(owner=True, verified=checked)
        found[kind] = Made(release, checked, release.report().to_html(), owners.to_html())
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_is_one_inert_file_and_the_same_each_time(made: dict[str, Made], kind: str) -> None:
    assert_inert(made[kind].public)
    assert_inert(made[kind].owners)
    again = made[kind].release.report(owner=True, verified=made[kind].checked)
    assert again.ok
    assert again.to_html() == made[kind].owners


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_shows_everything_that_the_manifest_states(made: dict[str, Made], kind: str) -> None:
    manifest = made[kind].release.manifest
    text = assert_inert(made[kind].public).text
    for sentence in (manifest.promise_words, manifest.reader_words, manifest.limits, *manifest.notes):
        assert " ".join(sentence.split()) in text
    stated = [manifest.parameters, manifest.promise, manifest.risks, manifest.utility]
    figures = list(_leaves(stated))
    assert len(figures) > 10
    for figure in figures:
        assert number(figure) in text, figure
    for name, file in manifest.files.items():
        assert name in text
        assert file.sha256 in text
    for version in manifest.versions.values():
        assert version in text


@pytest.mark.parametrize("kind", KINDS)
def test_the_verifier_is_really_run(made: dict[str, Made], kind: str) -> None:
    text = assert_inert(made[kind].public).text
    for check in made[kind].checked.checks:
        assert check.name in text
    words = {"kept": "Kept.", "not checked": "Not checked in full."}
    assert words[made[kind].checked.verdict] in text
    assert "Broken." not in text


@pytest.mark.parametrize("kind", ("generalized", "hidden"))
def test_a_release_that_is_refused_is_not_to_be_signed(kind: str, tmp_path: Path) -> None:
    folder = save(MAKERS[kind](), tmp_path / kind).folder
    first = next(path for path in sorted(folder.iterdir()) if path.name != "release.json")
    first.write_bytes(first.read_bytes() + b"\n")
    report = tacit.open_release(folder).report()
    assert not report.ok
    text = assert_inert(report.to_html()).text
    assert "Do not sign." in text
    assert "Signature" not in text


def test_who_may_sign(made: dict[str, Made]) -> None:
    assert "Name and role Date Signature" in assert_inert(made["generalized"].public).text
    assert "Signature" not in assert_inert(made["generalized"].owners).text
    seeded = assert_inert(made["hidden"].public).text
    assert "Not for publication" in seeded
    assert "Signature" not in seeded


def test_a_report_for_everybody_keeps_the_secret(made: dict[str, Made]) -> None:
    public, owners = made["hidden"].public, made["hidden"].owners
    names = ", ".join(sorted(SECRET))
    assert names not in public
    assert names in owners
    assert "For the owner only" in owners
    assert "For the owner only" not in public
    details = [check.detail for check in made["hidden"].checked.checks if "marked" in check.name]
    assert details
    assert not any(detail in public for detail in details)


def test_earlier_releases_of_the_same_records_are_told(tmp_path: Path) -> None:
    release = tacit.hide(plain_baskets(), patterns=[SECRET], min_support=10)
    save(tacit.generalize(plain_baskets(), k=3, m=1), tmp_path / "first")
    save(release, tmp_path / "second")
    text = assert_inert(tacit.open_release(tmp_path / "second").report().to_html()).text
    assert text.count("Its records are in an earlier release as well") == 2


def test_exact_figures_of_rules_and_other_releases_are_the_owners(made: dict[str, Made]) -> None:
    assert "Missing scores tell a reader" in made["rules"].owners
    assert "Missing scores tell a reader" not in made["rules"].public
    assert "Anatomy" in made["bucketized"].owners
    assert "Anatomy" not in made["bucketized"].public.replace("<dt>Anatomy</dt>", "")  # the glossary's


def test_an_owners_report_is_for_the_owner(made: dict[str, Made], tmp_path: Path) -> None:
    report = made["hidden"].release.report(owner=True, verified=made["hidden"].checked)
    place = report.save(tmp_path / "report.html")
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    with pytest.raises(OutputError):
        report.save(tmp_path / "report.html")
    report.save(tmp_path / "report.html", overwrite=True)
    assert stat.S_IMODE(place.stat().st_mode) == 0o600


def test_without_its_record_a_release_has_no_owners_report(made: dict[str, Made], tmp_path: Path) -> None:
    alone = tmp_path / "alone"
    alone.mkdir()
    for file in made["hidden"].release.folder.iterdir():
        (alone / file.name).write_bytes(file.read_bytes())
    assert tacit.open_release(alone).report().ok
    with pytest.raises(InputError, match="private record"):
        tacit.open_release(alone).report(owner=True)
    with pytest.raises(InputError, match="no release here"):
        tacit.open_release(tmp_path)


def test_a_release_is_reported_before_it_is_saved() -> None:
    release = MAKERS["bucketized"]()
    report = release.report()
    assert report.ok
    assert release.manifest.promise_words in report.to_html()
    assert "Valid values per row" in report.to_html()
    assert "<html" not in report._repr_html_()


def test_names_and_values_that_hold_markup_are_text(tmp_path: Path) -> None:
    for kind, release in hostile_releases().items():
        save(release, tmp_path / kind)
        saved = tacit.open_release(tmp_path / kind)
        assert HOSTILE[0] in assert_inert(saved.report(owner=True).to_html()).text


def test_a_report_lies_beside_its_release() -> None:
    assert report_path(Path("out/patients")) == Path("out/patients.html")
    assert report_path(Path("out/patients"), owner=True) == Path("out/patients.owner.html")


def _leaves(value: Any) -> Iterator[Any]:
    """The single figures of a part of a manifest; a cut is drawn, not listed."""
    if isinstance(value, dict):
        for name, part in value.items():
            if name != "cut":
                yield from _leaves(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _leaves(part)
    else:
        yield value
