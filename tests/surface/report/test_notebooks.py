"""Results in a notebook: every kind shows itself as inert HTML."""

from __future__ import annotations

from typing import Any

import pytest

import tacit
from tests.surface.report.markup import assert_inert
from tests.surface.report.releases import MAKERS, hostile_releases


@pytest.fixture(scope="module")
def results() -> list[Any]:
    patients, baskets = tacit.load_sample("hospital:100"), tacit.load_sample("supermarket:100")
    rules = tacit.mine_rules(patients, min_support=4, min_confidence=0.1)
    disclosed = tacit.disclose(patients, rules=rules)
    found: list[Any] = [tacit.profile(patients), tacit.profile(baskets), rules, disclosed, disclosed.report()]
    found += [tacit.mine_negative_rules(patients), tacit.mine_itemsets(baskets, min_support=0.1)]
    for release in [*(make() for make in MAKERS.values()), *hostile_releases().values()]:
        found.append(release)
        if release.manifest.kind != "rules":
            found += [release.risk(), release.utility()]  # type: ignore[attr-defined]
    return found


def test_every_result_shows_itself(results: list[Any]) -> None:
    for result in results:
        html = result._repr_html_()
        document = assert_inert(f"<html>{html}</html>")
        assert document.text, type(result)
        assert document.tags("table") or document.tags("dl") or document.tags("svg"), type(result)
        assert html == result._repr_html_()


def test_what_says_that_it_is_to_be_printed_prints_itself(results: list[Any]) -> None:
    asking = [result for result in results if "print it to see it" in repr(result)]
    assert len(asking) > 10
    for result in asking:
        assert "\n" in str(result) and "print it to see it" not in str(result), type(result)


def test_what_has_no_layout_is_shown_as_text() -> None:
    from tacit.surface.reporting import as_html

    assert "&lt;nothing&gt;" in as_html("<nothing>")
