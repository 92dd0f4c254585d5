"""The ledger on the page, and releases from the page in the ledger."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

import tacit
from tacit.errors import TacitError
from tacit.release.ledger import Ledger
from tacit.release.store import private_record
from tacit.surface.page.outcome import make_candidate, publish_candidate
from tacit.surface.recipe.load import parse_recipe
from tacit_verify.verifying import verify
from tests.release.ledger.making import bucketized, people

from .conftest import Served, publishing

RECIPE = """
[source]
path = "people.csv"
quasi = ["zip", "age"]
sensitive = ["disease"]

[[release]]
method = "bucketize"
output = "release"
l = 2
"""


def nothing(what: str, share: float | None) -> None:
    """Progress that nobody watches."""


def published(folder: Path) -> dict[str, Any]:
    """What publishing a release on the page says; the page's folder is gone afterwards."""
    run, place = folder / "run", folder / "place"
    run.mkdir(parents=True)
    place.mkdir()
    people().write_csv(run / "people.csv")
    make_candidate(parse_recipe(RECIPE), run, nothing)
    said = publish_candidate(publishing(run, place), nothing)
    shutil.rmtree(folder)
    return said


def test_it_lists_what_was_released(served: Served, tmp_path: Path) -> None:
    empty = served.ask("GET", "/ledger", served.credentials)
    assert b"Nothing is on record yet." in empty.body
    bucketized().save(tmp_path / "<b>one")
    bucketized(l=3).save(tmp_path / "two", acknowledge_composition=True)
    page = served.ask("GET", "/ledger", served.credentials).body.decode()
    assert page.index("/two") < page.index("/&lt;b&gt;one")
    assert "60" in page
    shutil.rmtree(tmp_path / "two")
    assert "/two, which is gone" in served.ask("GET", "/ledger", served.credentials).body.decode()


def test_a_release_of_the_page_stays_measurable(served: Served, tmp_path: Path) -> None:
    assert published(tmp_path / "page") == {"composition": None, "place": None}
    (entry,) = Ledger().read().entries
    assert not Path(entry.folder).exists()
    with pytest.raises(tacit.InfeasibleError) as caught:
        bucketized(l=3).save(tmp_path / "two")
    assert "with one candidate value" in caught.value.message
    assert "cannot be measured" not in caught.value.message
    assert b"downloaded from the page" in served.ask("GET", "/ledger", served.credentials).body


def test_the_dossier_has_what_the_page_was_told(tmp_path: Path) -> None:
    run, place = tmp_path / "run", tmp_path / "place"
    run.mkdir()
    place.mkdir()
    people().write_csv(run / "people.csv")
    make_candidate(parse_recipe(RECIPE), run, nothing)
    with pytest.raises(TacitError) as caught:
        publish_candidate(publishing(run, place, standard="no-such"), nothing)
    assert caught.value.code == "unknown-standard" and not list(place.iterdir())
    stated = {"dataset": "Our <people>", "recipient": "Nobody"}
    publish_candidate(publishing(run, place, facts=stated, standard="ema-0070"), nothing)
    report = (place / "report.html").read_text(encoding="utf-8")
    assert "Our &lt;people&gt;" in report and "against ema-0070" in report


def test_both_downloads_in_one_folder_are_a_release_with_its_private_record(tmp_path: Path) -> None:
    """The verifier finds the record, and with the original nothing stays unchecked."""
    run, place = tmp_path / "run", tmp_path / "place"
    run.mkdir()
    place.mkdir()
    people().write_csv(run / "people.csv")
    coarser = RECIPE.replace('"bucketize"', '"generalize_table"').replace("l = 2", "k = 3\nl = 2")
    make_candidate(parse_recipe(coarser), run, nothing)
    publish_candidate(publishing(run, place), nothing)
    for name in ("release.zip", "private.zip"):
        shutil.unpack_archive(place / name, tmp_path / "unzipped")
    assert private_record(tmp_path / "unzipped" / "people") is not None
    checks = list(verify(tmp_path / "unzipped" / "people", run / "people.csv"))
    assert checks and all(check.ok for check in checks), checks
