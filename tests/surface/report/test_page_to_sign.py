"""The page to sign says in plain sentences what is not promised, and nothing says more than is promised."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import tacit
from tacit.judging.figures import people_up
from tacit.methods.bucketize.judge.risks import vulnerable_rows
from tacit.methods.bucketize.page import plainly
from tacit.mining.verbs import LOW_EXPECTATION, mine_negative_rules
from tacit.random.key import Key
from tacit.release.verification import Told
from tests.surface.report.markup import assert_inert

REPOSITORY = Path(__file__).parents[3]


@pytest.mark.parametrize("owner", (False, True))
def test_whoever_signs_has_read_what_is_not_covered(owner: bool) -> None:
    table = tacit.load_sample("hospital:500")
    release = tacit.bucketize(table, l=3, key=Key(bytes(range(32))))
    more = mine_negative_rules(table, max_length=2, min_expectation=LOW_EXPECTATION)
    below = vulnerable_rows(release.buckets, more, 3)
    assert below > 0
    assert release.risk().release.vulnerable_longer == below
    page = assert_inert(release.report(owner=owner).to_html()).text
    summary = page.partition("Published files, beside")[0]
    shown = f"{below:,} of 500" if owner else f"at most {people_up(below, of=500):,} of 500"
    assert f"from an expectation of 0.75 on, rows with fewer than 3 possible values: {shown}." in summary
    assert "of the rows are alone with the columns that are published as they are" in summary


def test_the_page_to_sign_counts_sensitive_columns_too(tmp_path: Path) -> None:
    """Nobody is alone with quasi-identifiers; with exact incomes beside them nearly everybody is."""
    incomes = [20_000 + place for place in range(97)] + [19_000] * 3
    frame = pl.DataFrame({"sex": ["f", "m"] * 50, "income": incomes})
    table = tacit.table_from_frame(frame, quasi="sex", sensitive="income")
    tacit.generalize(table, k=11, key=Key(bytes(range(32)))).save(tmp_path / "out")
    page = assert_inert(tacit.open_release(tmp_path / "out").report().to_html()).text
    summary = page.partition("Signature")[0]
    assert "0.0 % of the rows are alone with their quasi-identifiers as they stand in the table" in summary
    alone = frame.group_by("sex", "income").len().filter(pl.col("len") == 1).height
    assert f"With sensitive columns beside them (income), {alone} rows are alone ({alone}.0 %)" in summary


@pytest.mark.parametrize("promise", [{}, {"l": 2, "readers": "nothing"}], ids=["k", "l"])
def test_the_page_to_sign_counts_whose_values_a_class_gives_away(
    promise: dict[str, Any], tmp_path: Path
) -> None:
    """Twenty women with flu alone look alike: k rows are no promise about what they have."""
    values = [("f", "flu")] * 20 + [("m", "flu"), ("m", "gout"), ("x", "gout"), ("x", "ulcer")] * 10
    frame = pl.DataFrame(values, schema=["sex", "illness"], orient="row")
    table = tacit.table_from_frame(frame, quasi="sex", sensitive="illness")
    tacit.generalize(table, k=11, **promise, key=Key(bytes(range(32)))).save(
        tmp_path / "out", accept_weak=True
    )
    page = assert_inert(tacit.open_release(tmp_path / "out").report().to_html()).text
    said = "20 rows (33.3 %) are in classes with a single value of illness" in page.partition("Signature")[0]
    assert said == (not promise)


def test_nothing_claims_that_every_rule_is_withstood() -> None:
    claim = re.compile(
        r"(every|all|any)\s+(negative\s+)?rules?\s+(is|are)\s+known|knows\s+(every|all)\s+(negative\s+)?rules?"
    )
    pages = [*REPOSITORY.glob("*.md"), *REPOSITORY.glob("docs/**/*.md"), *REPOSITORY.glob("src/**/*.py")]
    pages += [*REPOSITORY.glob("src/**/*.html"), *REPOSITORY.glob("examples/**/*.ipynb")]
    said = [str(page) for page in pages if claim.search(page.read_text(encoding="utf-8"))]
    assert not said


def test_whom_a_learner_is_surest_about_is_said_in_a_sentence() -> None:
    release = tacit.bucketize(tacit.load_sample("hospital:500"), l=3, key=Key(bytes(range(32)))).complete()
    surest = [
        {"share": 0.01, "people": 100, "right": "above 0.9"},
        {"share": 0.05, "people": 100, "right": "above 0.9"},
        {"share": 0.1, "people": 500, "right": "0.43 to 0.9"},
    ]
    learning = {**release.manifest.risks["learning"], "surest": surest}
    manifest = replace(release.manifest, risks={**release.manifest.risks, "learning": learning})
    said = plainly(Told(name="out", manifest=manifest, checks=()))
    assert said[1] == (
        "Software that learns from the release is right for above 90 % of the 100 people,"
        " 43 % to 90 % of the 500 people it is surest about."
    )
