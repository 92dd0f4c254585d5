"""The dossier: the page to sign says what was stated and makes nothing up; it is printed to PDF."""

from __future__ import annotations

import json
import re
from pathlib import Path

import polars as pl
import pytest

import tacit
from tacit.surface.cli.app import main
from tacit.surface.dossier.catalogue import catalogue
from tacit.surface.dossier.facts import Facts
from tacit.surface.reporting import risk_report
from tests.surface.report.markup import assert_inert

FACTS = Facts(
    dataset="Admissions <2025>",
    releaser="Registry office",
    purpose="Research",
    recipient="University",
    release_model="agreement",
    date="2026-11-16",
    review="2027-11-16",
)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    frame = pl.DataFrame({"age": ["30-39"] * 12, "sex": ["f"] * 12, "disease": ["flu", "cold"] * 6})
    frame.write_csv(tmp_path / "people.csv")
    return tmp_path / "people.csv"


def first_page(html: str) -> str:
    text = assert_inert(html).text
    return text.partition(catalogue()["scenarios"]["says"])[0]


def test_the_page_to_sign_has_every_fact(table: Path) -> None:
    read = tacit.read_table(table, quasi="age,sex", sensitive="disease")
    found = tacit.risk(read, standard="ema-0070")
    page = first_page(risk_report(found, facts=FACTS, source=table).to_html())
    for stated in (
        "Admissions <2025>",
        "Registry office",
        "Research",
        "University",
        "agreement",
        "2026-11-16",
    ):
        assert stated in page
    assert re.search(r"\b[0-9a-f]{64}\b", page)
    assert "Passes against ema-0070" in page and "Signature" in page
    assert "0.0 % of the rows are alone" in page


def test_what_is_not_said_is_not_made_up(table: Path) -> None:
    found = tacit.risk(tacit.read_table(table, quasi="age,sex", sensitive="disease"))
    page = first_page(risk_report(found).to_html())
    assert page.count(catalogue()["not_said"]) >= 8  # six facts, the hash, what recipients have, the review
    assert catalogue()["summary"]["no_standard"] in page
    assert not re.search(r"20\d\d-\d\d-\d\d", page)


def test_the_annexes_say_where_each_question_is_answered(table: Path) -> None:
    read = tacit.read_table(table, quasi="age,sex", sensitive="disease")
    text = assert_inert(risk_report(tacit.risk(read)).to_html()).text
    for annex in ("expert", "dpia"):
        for asked, _ in catalogue()["annex"][annex]["rows"]:
            assert asked in text
    assert catalogue()["annex"]["not_tried"] in text  # no original, no control
    tried = tacit.risk(read, original=read, control=read)
    assert catalogue()["annex"]["not_tried"] not in assert_inert(risk_report(tried).to_html()).text


def test_facts_come_from_flags_and_recipes(table: Path, tmp_path: Path) -> None:
    from tacit.surface.cli.reports import FactFlags, stated_facts

    recipe = tmp_path / "recipe.toml"
    recipe.write_text(
        '[source]\npath = "people.csv"\n[[release]]\nmethod = "hide"\noutput = "o"\npatterns = ["a, b"]\n'
        'min_support = 2\n[dossier]\ndataset = "From the recipe"\npurpose = "Research"\n'
    )
    stated = stated_facts(FactFlags(purpose="Teaching"), recipe)
    assert (stated.dataset, stated.purpose) == ("From the recipe", "Teaching")


def test_a_risk_run_becomes_a_dossier(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "dossier.html"
    command = ["risk", str(table), "--quasi", "age,sex", "--report", str(file), "--dataset", "Ours", "--json"]
    assert main(command) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == 12
    assert "Ours" in first_page(file.read_text(encoding="utf-8"))
    assert main(command) == 6  # it is there


def test_without_a_browser_it_says_how_to_print(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tacit.showing.pdf.find_browser", lambda: None)
    assert main(["risk", str(table), "--quasi", "age", "--report", str(tmp_path / "d.pdf")]) == 5
    assert "print it from there" in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "d.pdf").exists()


def test_it_is_printed_with_page_numbers(table: Path, tmp_path: Path) -> None:
    from tacit.showing.pdf import find_browser

    if find_browser() is None:
        pytest.skip("no browser that prints is installed")
    found = tacit.risk(tacit.read_table(table, quasi="age,sex", sensitive="disease"), standard="ema-0070")
    file = risk_report(found, facts=FACTS).save(tmp_path / "dossier.pdf")
    assert file.read_bytes().startswith(b"%PDF-")
    assert file.read_bytes().count(b"/Type /Page") >= 4 or b"/Type/Page" in file.read_bytes()
