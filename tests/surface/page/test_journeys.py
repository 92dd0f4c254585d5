"""Whole ways through the page in a real browser, as somebody goes who has read nothing about it.

``tacit serve`` is started as a person starts it, and everything is done with the mouse alone. In the middle
the page is stopped with Ctrl-C and started again on its project.
"""

from __future__ import annotations

import io
import random
import re
import signal
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from .conftest import leave
from .test_browser import PATIENCE, Person, expect_choosers, person, verified, violations

__all__ = ["person"]

MINUTES = 300
"""Seconds that a whole way may take."""


class Mouse:
    """Somebody with a mouse and nothing else, at a page that is stopped and started again."""

    def __init__(self, browser: Any, project: Path) -> None:
        self.context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.project = project
        self.complaints: list[str] = []
        expect_choosers(self.page)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.started = monotonic()

    @contextmanager
    def serving(self) -> Iterator[None]:
        """The page, from its start to Ctrl-C."""
        command = [sys.executable, "-m", "tacit", "serve", "--no-browser", "--folder", str(self.project)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert process.stdout is not None
            told = re.search(r"http://\S+", process.stdout.readline())
            assert told is not None
            self.page.goto(told.group())
            yield
        finally:
            process.send_signal(signal.SIGINT)
            said, _ = process.communicate(timeout=60)
        assert process.returncode == 0 and "goes on from here" in said

    def press(self, name: str, role: str = "button") -> None:
        """Click on the middle of what is called so, where it is seen."""
        self.click(self.page.get_by_role(role, name=name).filter(visible=True).first)

    def click(self, target: Any) -> None:
        target.wait_for()
        target.scroll_into_view_if_needed()
        box = target.bounding_box()
        self.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    def bring(self, name: str, content: bytes) -> None:
        """Choose a file in the window that opens, and wait until it has been looked at."""
        with self.page.expect_file_chooser() as chooser:
            self.click(self.page.locator(".drop"))
        chooser.value.set_files({"name": name, "mimeType": "text/plain", "buffer": content})
        self.page.wait_for_selector("#step-2 .tiles")

    def settled(self) -> None:
        """Wait until no job is watched any more."""
        self.page.wait_for_selector(".progress", state="detached")
        self.page.wait_for_function("() => !document.querySelector('button:disabled')")

    def download(self, name: str) -> bytes:
        with self.page.expect_download() as download:
            self.press(name, "link")
        return Path(download.value.path()).read_bytes()

    def released(self, folder: Path) -> Path:
        """The release as it is downloaded, unpacked; the verifier finds nothing against it."""
        with zipfile.ZipFile(io.BytesIO(self.download("release.zip"))) as archive:
            archive.extractall(folder)
        (release,) = folder.iterdir()
        assert verified(release)
        return release


@pytest.fixture
def mouse(browser: Any, own_state_folder: None, tmp_path: Path) -> Iterator[Mouse]:
    somebody = Mouse(browser, tmp_path / "project")
    yield somebody
    leave(somebody)
    assert not somebody.complaints
    assert monotonic() - somebody.started < MINUTES


def discharges(rows: int = 400) -> bytes:
    """What a German hospital's system writes: title and total, semicolons, decimal commas, days first."""
    draw = random.Random(3)
    places = ["01067 Dresden", "04109 Leipzig", "80331 München", "50667 Köln"]
    illnesses = ["Grippe", "Angina", "Bronchitis", "Gastritis", "Migräne", "Ödem"]
    lines = ["Entlassungen 2. Quartal", "", "Fallnr;Geburtsdatum;Geschlecht;Ort;Verweildauer;Diagnose"]
    stayed = 0.0
    for number in range(rows):
        born = f"{draw.randint(1, 28):02}.{draw.randint(1, 12):02}.{draw.randint(1940, 2005)}"
        stay = f"{draw.randint(1, 20)},{draw.randint(0, 9)}"
        stayed += float(stay.replace(",", "."))
        lines.append(
            f"F{number:05};{born};{draw.choice('mw')};{draw.choice(places)};{stay};{draw.choice(illnesses)}"
        )
    lines.append(f"Summe;;;;{stayed:.1f};".replace(".", ","))
    return ("\r\n".join(lines) + "\r\n").encode("cp1252")


def orders(customers: int = 300) -> str:
    """A shop's order list, a line for each thing bought."""
    draw = random.Random(4)
    kinds = {
        "Milk": ("whole", "low fat", "oat", "goat"),
        "Bread": ("white", "rye", "spelt"),
        "Beer": ("pale", "dark", "wheat", "smoked"),
    }
    goods = [f"{kind} {sort}" for kind, sorts in kinds.items() for sort in sorts]
    rare = [1 if one.endswith(("goat", "spelt", "smoked")) else 20 for one in goods]
    lines = ["order,date,product,price"]
    for number in range(customers):
        day = f"2024-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
        bought = dict.fromkeys(draw.choices(goods, rare, k=draw.randint(1, 4)))
        lines += [f"{number},{day},{one},{draw.randint(80, 900) / 100}" for one in bought]
    return "\n".join(lines) + "\n"


def test_from_a_german_file_to_a_coarser_table_with_a_dossier(mouse: Mouse, tmp_path: Path) -> None:
    page = mouse.page
    with mouse.serving():
        mouse.bring("Entlassungen.csv", discharges())
        told = page.locator("#step-2").inner_text()
        for found in ("Windows-1252", "decimal commas", "the last line", "Migräne", "80331 München", "400"):
            assert found in told
        assert "Summe" not in told
        mouse.press("Roles and hierarchies →", "link")
        mouse.press("Confirm these roles")
        page.wait_for_selector("#step-4 form", state="attached")
        mouse.settled()
        mouse.press("What to publish →", "link")
        mouse.click(page.locator("label.choice", has_text="The table, coarser"))
        page.wait_for_selector("#steps li:nth-child(4) .summary:has-text('The table, coarser')")
    with mouse.serving():  # the next morning
        mouse.press("Entlassungen.csv", "link")
        assert page.locator("#choice input[name=method]:checked").get_attribute("value") == "generalize_table"
        mouse.press("Make the release")
        page.wait_for_selector("#step-6 .promise")
        mouse.settled()
        assert "11 rows are alike" in page.locator("#step-6 .promise").inner_text()
        assert page.locator("#step-6 .people tbody").count() == 5
        mouse.press("Download →", "link")
        mouse.click(page.get_by_text("For the dossier that somebody signs"))
        # The list opens outside of the page, where a test's mouse does not reach.
        page.get_by_label("Standard").filter(visible=True).select_option(index=1)
        mouse.press("Publish this release")
        page.wait_for_selector("#step-7 .downloads")
        release = mouse.released(tmp_path / "out")
        assert "F00007" not in "".join(path.read_text() for path in release.iterdir())
        assert b"sign" in mouse.download("report.html").lower()
    assert list((tmp_path / "project" / "releases").glob("Entlassungen-*"))


def test_from_an_order_list_to_sets_with_a_tree(mouse: Mouse, tmp_path: Path) -> None:
    page = mouse.page
    with mouse.serving():
        mouse.bring("orders.csv", orders().encode())
        mouse.press("Read it as transactions")
        page.wait_for_selector("#step-2 .tiles:has-text('Different items')")
        mouse.settled()
        mouse.press("Hierarchy →", "link")
        mouse.press("Propose a tree")
        page.wait_for_selector("#step-3 .tree summary:has-text('Beer')")
        mouse.settled()
        mouse.press("What to publish →", "link")
        mouse.press("Make the release")
        page.wait_for_selector("#step-5 .progress .time:has-text('s')")  # stopped while it is made
    with mouse.serving():
        mouse.press("orders.csv", "link")
        page.wait_for_selector("#step-5 .error:has-text('was stopped while this ran')")
        mouse.press("Make the release")
        page.wait_for_selector("#step-6 .promise")
        mouse.settled()
        assert "still faces at least" in page.locator("#step-6 .promise").inner_text()
        mouse.press("Download →", "link")
        mouse.press("Publish this release")
        page.wait_for_selector("#step-7 .downloads")
        mapping = (mouse.released(tmp_path / "out") / "mapping.csv").read_text()
        assert any(f",{kind}" in mapping for kind in ("Milk", "Bread", "Beer"))  # groups, not items


def tab_to(page: Any, name: str, *, most: int = 120) -> None:
    """Go on with the tabulator until what is called so is focused, which must be seen."""
    called = """() => {
        const one = document.activeElement;
        if (!one.matches('a, button, input, select, summary')) return '';
        return (one.innerText || one.closest('label')?.innerText || '').replace(/\\s+/g, ' ');
    }"""
    passed = []
    for _ in range(most):
        page.keyboard.press("Tab")
        passed.append(str(page.evaluate(called))[:30])
        if name in page.evaluate(called):
            mark = "(one) => getComputedStyle(one.matches('input[type=file]') ? one.closest('label') : one)"
            style = page.evaluate(
                f"(() => {{ const style = ({mark})(document.activeElement);"
                " return [style.outlineStyle, style.boxShadow]; })()"
            )
            assert style != ["none", "none"], name
            return
    raise AssertionError(f"{name} is not reached, but {passed}")


def test_with_the_keyboard_alone(person: Person, tmp_path: Path) -> None:
    page, keys = person.page, person.page.keyboard
    page.goto(person.served.address)
    tab_to(page, "Choose a file")
    with page.expect_file_chooser() as chooser:
        keys.press("Enter")
    chooser.value.set_files({"name": "orders.csv", "mimeType": "text/plain", "buffer": orders().encode()})
    page.wait_for_selector("#step-2 .tiles")
    tab_to(page, "Read it as transactions")
    keys.press("Enter")
    page.wait_for_selector("#step-2 .tiles:has-text('Different items')")
    person.settled()
    tab_to(page, "Hierarchy →")
    keys.press("Enter")
    tab_to(page, "Propose a tree")
    keys.press("Enter")
    page.wait_for_selector("#step-3 .tree summary:has-text('Beer')")
    person.settled()
    tab_to(page, "What to publish →")
    keys.press("Enter")
    tab_to(page, "Make the release")
    keys.press("Enter")
    page.wait_for_selector("#step-6 .promise")
    person.settled()
    assert person.focused() == "" and page.evaluate("document.activeElement.id") == "title-6"
    tab_to(page, "Download →")
    keys.press("Enter")
    tab_to(page, "Publish this release")
    keys.press("Enter")
    page.wait_for_selector("#step-7 .downloads")
    person.settled()
    assert violations(page) == []
    tab_to(page, "Download release.zip")
    with page.expect_download() as download:
        keys.press("Enter")
    with zipfile.ZipFile(Path(download.value.path())) as archive:
        archive.extractall(tmp_path / "out")
    (release,) = (tmp_path / "out").iterdir()
    assert verified(release)
    # A copy for a spreadsheet: the list is opened and chosen from with the arrow keys.
    tab_to(page, "CSV")
    keys.press("End")
    tab_to(page, "Make copies")
    keys.press("Enter")
    page.wait_for_selector("#copies a")
    page.set_viewport_size({"width": 360, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
