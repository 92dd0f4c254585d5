"""Findings, rows and figures: what a reproduced paper is made of."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from papers.experiment import OTHER_DATA, Figure, Finding, Rows
from tacit.showing.chart import line_chart


@dataclass(frozen=True)
class Point:
    c: float
    overall: float
    scores: str


POINTS = [Point(0.6, 0.1, "exact"), Point(0.9, 0.2, "exact"), Point(0.6, 0.3, "withheld")]


def test_a_number_agrees_within_what_is_asked() -> None:
    same = Finding.number("rules", printed=1337, ours=1337, why="counted")
    near = Finding.number("patterns", printed=766_000, ours=766_582, within=0.001, why="counted")
    far = Finding.number("rules", printed=1337, ours=1332, why="counted")
    assert [each.agrees for each in (same, near, far)] == [True, True, False]
    assert (near.printed, near.ours, near.why) == ("766,000", "766,582", "")
    assert (far.verdict, far.why, far.reason) == ("differs", "counted", "counted")


def test_a_claim_about_other_data_is_not_judged() -> None:
    found = Finding.claim("trend", printed="grows", ours="falls", holds=False, why="x")
    promise = Finding.claim("promise", printed="kept", ours="kept", holds=True, why="x", anywhere=True)
    assert promise.why == ""
    figure = Figure("figure-6", "Figure 6", "", Rows.of(POINTS), findings=(found, promise))
    assert figure.judged(published=True) == figure
    other, same = figure.judged(published=False).findings
    assert (other.agrees, other.verdict, other.why, other.reason) == (None, "other data", OTHER_DATA, "")
    assert same == promise


def test_a_difference_needs_a_reason() -> None:
    with pytest.raises(ValueError, match="does not say why"):
        Finding("rules", "3", "5", False)
    with pytest.raises(ValueError, match="does not say why"):
        Finding("rules", "3", "5", None)


def test_rows_of_objects() -> None:
    rows = Rows.of(POINTS)
    assert rows.columns == ("c", "overall", "scores")
    assert len(rows) == 3
    assert rows.column("overall") == (0.1, 0.2, 0.3)
    assert rows.records({"scores": "withheld"}) == [{"c": 0.6, "overall": 0.3, "scores": "withheld"}]
    with pytest.raises(ValueError, match="at least one"):
        Rows.of([])


def test_panels_are_named_after_their_figure() -> None:
    rows = Rows.of(POINTS)
    chart = line_chart(rows.records(), x="c", y="overall", title="D", caption="D by c.", series="scores")
    one = Figure("figure-6", "Figure 6", "", rows, charts=(chart,))
    two = Figure("figure-6", "Figure 6", "", rows, charts=(chart, chart))
    assert [name for name, _ in one.panels] == ["figure-6"]
    assert [name for name, _ in two.panels] == ["figure-6-a", "figure-6-b"]
    assert Figure("figure-2", "Figure 2", "", rows).panels == ()
