"""The dossier: the page to sign says what was stated and makes nothing up; it is printed to PDF."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import polars as pl
import pytest

import tacit
from tacit.methods import BY_KIND
from tacit.release.kinds import kind_of
from tacit.surface.catalogue import catalogue, catalogue_of
from tacit.surface.cli import main
from tacit.surface.dossier import GERMAN_FIGURES, LEARNS, Facts
from tacit.surface.reporting import risk_report
from tests.surface.report.markup import assert_inert
from tests.surface.test_catalogue import texts

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
    from tacit.surface.cli.documents import FactFlags, stated_facts

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
    monkeypatch.setattr("tacit.showing.page.find_browser", lambda: None)
    assert main(["risk", str(table), "--quasi", "age", "--report", str(tmp_path / "d.pdf")]) == 5
    assert "print it from there" in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "d.pdf").exists()


def test_it_is_printed_with_page_numbers(table: Path, tmp_path: Path) -> None:
    from tacit.showing.page import find_browser

    if find_browser() is None:
        pytest.skip("no browser that prints is installed")
    found = tacit.risk(tacit.read_table(table, quasi="age,sex", sensitive="disease"), standard="ema-0070")
    file = risk_report(found, facts=FACTS).save(tmp_path / "dossier.pdf")
    assert file.read_bytes().startswith(b"%PDF-")
    assert file.read_bytes().count(b"/Type /Page") >= 4 or b"/Type/Page" in file.read_bytes()


def english_texts() -> set[str]:
    """The sentences of the dossier in English, but for those that are filled in."""
    told = {name: part for name, part in catalogue_of("en").items() if name not in ("page", "glossary")}
    found = {text for _, text in texts(told) if " " in text and "{" not in text}
    return found | {says for _, says, *_ in catalogue_of("en")["glossary"]["words"].values()}


def test_a_german_dossier_is_german_where_it_does_not_say_otherwise(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = tacit.bucketize(tacit.load_sample("hospital:200"), l=3, key=tacit.Key.from_seed(1))
    made.save(tmp_path / "out")
    arguments = ["report", str(tmp_path / "out"), "--dataset", "Aufnahmen", "--language", "de"]
    assert main([*arguments, "-o", str(tmp_path / "a.html")]) == 0
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert '<html lang="de">' in page and "Zu unterschreiben" in page
    assert "Jede Zeile könnte mindestens 3 verschiedene Werte von disease haben." in page
    german = re.sub(r'<div lang="en">.*?\n</div>\n</section>', "", page, flags=re.DOTALL)
    assert page.count('<div lang="en">') >= 7 and '<div lang="en">' not in german
    plain = html.unescape(re.sub(r"<[^>]+>", " ", german))
    assert [text for text in english_texts() if text in plain] == []
    capsys.readouterr()
    assert main([*arguments[:-1], "tlh", "-o", str(tmp_path / "b.html")]) == 2
    assert "one of 'en', 'de'" in capsys.readouterr().err


@pytest.mark.parametrize("kind", sorted(BY_KIND))
def test_every_kind_has_a_promise_in_german(kind: str) -> None:
    assert kind_of(kind).german is not kind_of(kind).promise
    assert set(GERMAN_FIGURES) == {name for names in LEARNS.values() for name in names}
