"""Pages: self-contained, without script, the same bytes each time, and values that stay values."""

from __future__ import annotations

from tacit.showing.chart import Chart, bar_chart
from tacit.showing.page import (
    Block,
    Bullets,
    Code,
    DataTable,
    Facts,
    Figure,
    Figures,
    Page,
    Section,
    Signature,
    Verdict,
    Words,
    fragment,
    stylesheet,
)
from tests.surface.report.markup import HOSTILE, assert_inert


def _chart(name: str) -> Chart:
    return bar_chart([{"what": name, "y": 1}], x="what", y="y", title=name, caption=name)


def _blocks(text: str) -> list[Block]:
    return [
        Words(text),
        Bullets((text,)),
        Figures([Figure(text, text, text, text)]),
        Facts([(text, text)], text),
        DataTable([text, text], [[text, 1]], text),
        _chart(text),
        Verdict(True, text),
        Code(text),
        Signature((text,)),
    ]


def test_a_page_is_one_inert_file() -> None:
    for text in HOSTILE:
        page = Page(text, text, [Section(text, _blocks(text), own_page=True)], text, contents=True)
        document = assert_inert(page.to_html())
        policy = document.tags("meta")[1]
        assert policy["http-equiv"] == "Content-Security-Policy"
        assert (policy["content"] or "").startswith("default-src 'none'")
        if text.isprintable():
            assert " ".join(text.split()) in document.text
        assert page.to_html() == page.to_html()


def test_headings_and_tables_say_what_they_are() -> None:
    page = Page("One", "two", [Section("Three", [DataTable(["name", "n"], [["a", 1200]], "Cap")])])
    document = assert_inert(page.to_html())
    assert [tag for tag, _ in document.elements if tag in ("h1", "h2")] == ["h1", "h2"]
    assert [attributes["scope"] for attributes in document.tags("th")] == ["col", "col", "row"]
    assert document.tags("td") == [{"class": "number"}]
    assert document.tags("html") == [{"lang": "en"}]
    assert "1,200" in document.text


def test_a_verdict_is_told_in_words() -> None:
    assert "Kept." in fragment([Verdict(True, "31 checks")])
    assert "Broken." in fragment([Verdict(False, "31 checks")])
    assert "Not checked in full." in fragment([Verdict(None, "31 checks")])


def test_a_fragment_brings_its_style_or_leaves_it_to_the_page_around() -> None:
    assert stylesheet() in fragment([Words("one")])
    assert "<style>" not in fragment([Words("one")], style=False)
    assert_inert(f"<html>{fragment(_blocks(HOSTILE[0]), title=HOSTILE[1])}</html>")
    assert "</" not in stylesheet()


def test_a_chart_stands_beside_its_numbers() -> None:
    html = fragment([_chart("rows")])
    assert "<svg" in html
    assert "<details>" in html
