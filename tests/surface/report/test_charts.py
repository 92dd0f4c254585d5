"""Charts: well-formed pictures that hold their numbers, and labels that stay labels."""

from __future__ import annotations

import json

import polars
import pytest

from tacit.showing.chart import PALETTE, Chart, bar_chart, line_chart, scatter_chart, tree_chart
from tests.surface.report.markup import HOSTILE, as_xml

SVG = "{http://www.w3.org/2000/svg}"
WORDS = {"title": "Error by k", "caption": "The error grows with k."}


def _charts(words: dict[str, str], names: tuple[str, ...]) -> list[Chart]:
    rows = [
        {names[0]: place + 1, "y": place / 10, names[1]: name, "words": name}
        for name in names
        for place in range(3)
    ]
    bars = [{"what": name, "y": place + 1} for place, name in enumerate(names)]
    nodes = [{"node": "root", "parent": None, "mark": False}]
    nodes += [{"node": name, "parent": "root", "mark": True} for name in names]
    return [
        line_chart(rows, x=names[0], y="y", series=names[1], baseline=0.1, **words),
        bar_chart(bars, x="what", y="y", horizontal=True, baseline=1, baseline_label=names[0], **words),
        bar_chart(bars, x="what", y="y", series="what", **words),
        scatter_chart(rows, x=names[0], y="y", series=names[1], label="words", **words),
        tree_chart(nodes, **words),
    ]


@pytest.mark.parametrize("place", range(5))
def test_a_picture_is_well_formed_and_says_what_it_shows(place: int) -> None:
    chart = _charts(WORDS, ("first", "second"))[place]
    picture = as_xml(chart.to_svg())
    assert picture.tag == f"{SVG}svg"
    assert picture.attrib["role"] == "img"
    assert [picture[0].tag, picture[0].text] == [f"{SVG}title", WORDS["title"]]
    assert [picture[1].tag, picture[1].text] == [f"{SVG}desc", WORDS["caption"]]
    drawn = [element.text for element in picture.iter(f"{SVG}text")]
    assert any("first" in (text or "") for text in drawn)
    assert chart.to_svg() == chart.to_svg()
    json.dumps(chart.to_dict(), allow_nan=False)


def test_labels_that_hold_markup_are_text() -> None:
    for chart in _charts({"title": HOSTILE[1], "caption": HOSTILE[2]}, HOSTILE):
        picture = as_xml(chart.to_svg())
        tags = {element.tag.removeprefix(SVG) for element in picture.iter()}
        assert tags <= {"svg", "g", "path", "line", "text", "title", "desc", "rect", "defs", "clipPath"}
        for element in picture.iter():
            assert not any(name.startswith("on") or "href" in name for name in element.attrib)
        drawn = {element.text for element in picture.iter(f"{SVG}text")}
        assert HOSTILE[0] in drawn


def test_text_and_axes_take_the_colour_around_them() -> None:
    picture = as_xml(_charts(WORDS, ("first", "second"))[0].to_svg())
    assert {element.attrib["fill"] for element in picture.iter(f"{SVG}text")} == {"currentColor"}
    strokes = {element.attrib.get("stroke") for element in picture.iter()} - {None}
    assert strokes <= {"currentColor", "transparent", *PALETTE}


def test_the_palette_stands_out_on_white_and_on_dark() -> None:
    for colour in PALETTE:
        for paper in ("#ffffff", "#14181b"):
            assert _contrast(colour, paper) >= 3, (colour, paper)


def test_numbers_come_back_as_they_went_in() -> None:
    frame = polars.DataFrame({"k": [2, 5], "loss": [0.125, None], "who": ["a,b", 'c"']})
    chart = line_chart(frame, x="k", y="loss", **WORDS)
    assert chart.columns == ("k", "loss", "who")
    assert chart.data == ((2, 0.125, "a,b"), (5, None, 'c"'))
    gap = line_chart([{"k": 1, "loss": float("nan")}], x="k", y="loss", **WORDS)
    assert gap.data == ((1, None),)


def test_a_column_that_is_not_there_is_named() -> None:
    with pytest.raises(ValueError, match="'loss'"):
        line_chart([{"k": 1}], x="k", y="loss", **WORDS)


def test_nothing_to_draw_is_an_empty_picture() -> None:
    as_xml(bar_chart([], x="what", y="y", **WORDS).to_svg())
    as_xml(tree_chart([], **WORDS).to_svg())


def _contrast(one: str, other: str) -> float:
    """The contrast of two colours, as the accessibility guidelines define it (WCAG 2.2)."""
    high, low = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
