"""The demo's reports in a real browser: nothing is fetched, nothing complains, everything fits.

The browser is Debian's chromium, driven by playwright; where it is absent the tests are skipped, unless
CI is set, which has it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tacit.surface.demo import run

REPORTS = (
    *("release-patients.html", "release-baskets.html", "release-hidden.html", "rules.html"),
    *("release-patients.owner.html", "release-hidden.owner.html", "rules.owner.html"),
)
PAPER = {"width": 658, "height": 1001}
"""What is left of an A4 sheet inside the margins, in CSS pixels."""


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """The folder of the demo, and what it said."""
    folder = tmp_path_factory.mktemp("demo")
    said: list[str] = []
    run(folder, said.append)
    return folder, said


def test_the_demo_lists_its_reports(reports: tuple[Path, list[str]]) -> None:
    folder, said = reports
    for name in REPORTS:
        assert (folder / name).is_file()
        assert any(str(folder / name) in line for line in said)


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_in_the_browser(reports: tuple[Path, list[str]], browser: Any, name: str) -> None:
    address = (reports[0] / name).as_uri()
    page = browser.new_page(viewport={"width": 1000, "height": 800})
    asked: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(address)
    assert asked == [address]

    assert page.locator("h1").count() == 1
    assert page.locator("svg").count() >= 1
    # At 200 % zoom the page has half the width; a phone has 320 pixels. Neither scrolls sideways.
    for width in (1000, 500, 320):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.emulate_media(color_scheme="dark")
    dark = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert dark == "rgb(20, 24, 27)"

    # On paper it is black on white, and the summary, with its title, is one sheet.
    page.set_viewport_size(PAPER)
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    summary = page.locator("#section-1").bounding_box()
    assert summary["y"] + summary["height"] <= PAPER["height"]
    following = page.evaluate("getComputedStyle(document.querySelector('#section-2')).breakBefore")
    assert following == "page"
    assert asked == [address]
    assert complaints == []
    page.close()
