"""One catalogue for each language: the same keys, the same places to fill in, terms that are said once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tacit.surface.catalogue import LANGUAGES, catalogue, catalogue_of, glossary, speaking, spoken
from tests.conftest import REPOSITORY

OTHERS = [language for language in LANGUAGES if language != "en"]


def texts(told: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """Every text of a catalogue with its place; those of a list by their number."""
    if isinstance(told, str):
        yield place, told
    else:
        named = told.items() if isinstance(told, dict) else enumerate(told)
        for name, one in named:
            yield from texts(one, f"{place}.{name}")


def without_spellings(language: str) -> dict[str, str]:
    """The texts of a language but for further spellings of terms, of which each has its own number."""
    found = dict(texts(catalogue_of(language)))
    return {
        place: one for place, one in found.items() if not re.search(r"\.words\.\w+\.([2-9]|\d\d)$", place)
    }


@pytest.mark.parametrize("language", OTHERS)
def test_every_text_is_there_in_every_language(language: str) -> None:
    assert list(without_spellings(language)) == list(
        without_spellings("en")
    )  # lists on the page follow the order


@pytest.mark.parametrize("language", OTHERS)
def test_what_is_filled_in_is_the_same_in_every_language(language: str) -> None:
    other = without_spellings(language)
    for place, text in without_spellings("en").items():
        assert sorted(re.findall(r"\{\w+\}", text)) == sorted(re.findall(r"\{\w+\}", other[place])), place


ALIKE = {
    "SHA-256",
    "Standard",
    "k",
    "ℓ",
    "t",
    "m",
    "β",
    "ε",
    "k^m",
    "f, F",
    "Anatomy",
    "NCP",
    "Manifest",
    "Dossier",
    "Name",
    "F2",
    "",
}
"""What is the same in both languages."""


@pytest.mark.parametrize("language", OTHERS)
def test_no_text_was_left_in_english(language: str) -> None:
    other = without_spellings(language)
    places = re.compile(r"rows\.\d+\.1$")  # of annexes: the section that answers
    left = {
        place
        for place, text in without_spellings("en").items()
        if other[place] == text and text.casefold() not in {one.casefold() for one in ALIKE}
    }
    assert {place for place in left if not places.search(place)} <= {".glossary.words.differential.0"}


PAGE = REPOSITORY / "src" / "tacit" / "surface" / "page"
TEMPLATES = [
    *(PAGE / "templates").glob("*.html"),
    *(REPOSITORY / "src" / "tacit" / "methods").glob("*/form.html"),
]
BY_NAME = r"\.(states|methods|layouts|choices|kinds|reasons|builders|buttons)\.|\.advice\.\w_start$"
"""Texts that are looked up by a name that the data have."""


def in_templates() -> set[tuple[str, ...]]:
    """The texts of the page that templates name, as ``say.steps.label``."""
    told = " ".join(one.read_text(encoding="utf-8") for one in TEMPLATES)
    named = {tuple(found.split(".")[1:]) for found in re.findall(r"\bsay(?:\.\w+)+", told)}
    return {name[:-1] if name[-1] in ("format", "items") else name for name in named}


def test_templates_name_texts_that_are_there() -> None:
    assert len(in_templates()) > 150
    for name in in_templates():
        found: Any = catalogue_of("en")["page"]
        for part in name:
            assert part in found, name
            found = found[part]


def test_every_text_of_the_page_is_used() -> None:
    files = (*PAGE.glob("*.py"), *PAGE.glob("static/*.js"), PAGE.parent / "catalogue.py")
    told = [one.read_text(encoding="utf-8") for one in files]
    quoted = set(re.findall(r'"(\w+)"|\b(?:say|tree)\.(\w+)', " ".join(told)))
    used = {name for pair in quoted for name in pair} | {name[-1] for name in in_templates()}
    for place, _ in texts(catalogue_of("en")["page"], ".page"):
        name = [part for part in place.split(".") if not part.isdigit()][-1]
        assert name in used or re.search(BY_NAME, place), place


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda one: f"{one.parent.name}/{one.name}")
def test_a_template_has_no_words_of_its_own(template: Path) -> None:
    """What is left without tags and what is filled in: names, signs, and what is typed as it stands."""
    told = re.sub(r"<(code|svg)\b.*?</\1>", "", template.read_text(encoding="utf-8"), flags=re.DOTALL)
    told = re.sub(r"\{%.*?%\}|\{\{.*?\}\}", "", told, flags=re.DOTALL)
    labels = re.findall(r'(?:aria-label|title|placeholder|data-applies)="([^"]*)"', told)
    left = " ".join([re.sub(r"<[^>]*>", " ", told), *labels])
    assert set(re.findall(r"[^\W\d_]{2,}", left)) <= {"Tacit"}


def test_a_language_is_spoken_inside_the_block_alone() -> None:
    assert spoken() == "en"
    with speaking("de"):
        assert catalogue()["summary"]["title"] == "Zu unterschreiben"
        assert "Quasi-Identifikator" in glossary()
    assert catalogue()["summary"]["title"] == "To sign" and "quasi-identifier" in glossary()


def test_a_term_is_said_once() -> None:
    """The reference, the dossier and the page take what a term means from the catalogue."""
    page = (REPOSITORY / "docs" / "reference" / "glossary.md").read_text(encoding="utf-8")
    assert "```{glossary-words}" in page
    assert not any(says in page for says in glossary().values())
    assert len(set(glossary().values())) == len(glossary()) > 30
