"""The page as a person uses it: a real browser, from the file to the verified download."""

from __future__ import annotations

import csv
import io
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

import tacit
from tacit.surface.catalogue import catalogue_of

from .conftest import Served, leave

PATIENCE = 90_000
"""Milliseconds that a job may take on a busy machine."""


def expect_choosers(page: Any) -> None:
    """Have the browser tell of windows for files from the first: asked for when one opens, it may miss it."""
    page.on("filechooser", lambda _: None)


class Person:
    """Somebody at a browser, with everything the browser asked for and complained about."""

    def __init__(self, browser: Any, served: Served) -> None:
        self.served = served
        self.context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
        cookie = {"name": served.admission.cookie, "value": served.admission.secret, "url": served.address}
        self.context.add_cookies([cookie | {"httpOnly": True, "sameSite": "Strict"}])
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        expect_choosers(self.page)
        self.asked: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on(
            "console", lambda said: self.complaints.append(said.text) if said.type == "error" else None
        )
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", self._told)

    def _told(self, dialog: Any) -> None:
        """A dialog is nothing the page should need; one that nobody answers would block it."""
        self.complaints.append(f"{dialog.type}: {dialog.message}")
        dialog.accept()

    def bring(self, name: str, content: str | bytes) -> None:
        """Choose a file on the start page, and wait until it has been looked at."""
        self.page.goto(self.served.address)
        data = content.encode() if isinstance(content, str) else content
        file = {"name": name, "mimeType": "text/plain", "buffer": data}
        self.page.locator(".drop input").set_input_files(file)
        self.page.wait_for_url("**/data/*")
        self.page.wait_for_selector("#step-2 .tiles, #step-2 .error")

    def go(self, step: int) -> None:
        """Go to a step."""
        self.page.locator(f"#steps a[href='#step-{step}']").click()

    def buckets(self) -> None:
        """Choose buckets, which are not what the page begins with."""
        self.go(4)
        assert self.page.locator("#choice input[value=generalize_table]").is_checked()
        self.page.locator("label.choice", has_text="The table, in buckets").click()

    def make(self) -> None:
        """Press the button, and wait for the outcome."""
        self.go(5)
        self.page.get_by_role("button", name="Make the release").click()
        self.page.wait_for_selector("#step-5 .progress", state="attached")
        self.settled()

    def settled(self) -> None:
        """Wait until no job is watched any more."""
        self.page.wait_for_selector(".progress", state="detached")
        self.page.wait_for_function("() => !document.querySelector('button:disabled')")

    def publish(self, folder: Path) -> Path:
        """Publish what is shown, download it, and unpack it."""
        self.go(7)
        self.page.get_by_role("button", name="Publish").click()
        self.page.wait_for_selector("#step-7 .downloads, #step-7 .error")
        if self.page.locator("#step-7 .error").count():  # the same people were released before
            told = self.page.locator("#step-7 .error .message").inner_text()
            assert "as well" in told and "tacit-page" not in told
            again = self.page.get_by_role("button", name="Publish it all the same")
            again.click()
            self.page.wait_for_selector("#step-7 .error:has-text('must be filled in')")
            assert self.focused() == "reason"
            self.page.get_by_label("Why it is published all the same").fill("a partner asked for both")
            self.page.get_by_label("Who says so").fill("Data office")
            again.click()
            self.page.wait_for_selector("#step-7 .downloads")
            self.complaints[:] = [text for text in self.complaints if "status of 400" not in text]
            assert "earlier release" in self.page.locator("#step-7 .remark").inner_text()
        with zipfile.ZipFile(io.BytesIO(self.download("release.zip"))) as archive:
            archive.extractall(folder)
        (release,) = folder.iterdir()
        return release

    def download(self, name: str) -> bytes:
        with self.page.expect_download() as download:
            self.page.get_by_role("link", name=name).click()
        return Path(download.value.path()).read_bytes()

    def focused(self) -> str:
        return str(self.page.evaluate("document.activeElement.name || document.activeElement.className"))


@pytest.fixture
def person(browser: Any, served: Served) -> Iterator[Person]:
    somebody = Person(browser, served)
    yield somebody
    leave(somebody)
    outside = [url for url in somebody.asked if not url.startswith((served.address + "/", "data:"))]
    assert not outside, "a request left this computer"
    assert not somebody.complaints


def verified(release: Path, original: Path | None = None) -> bool:
    """Whether the independent verifier, run as anybody could, finds nothing that speaks against a release."""
    command = [sys.executable, "-I", "-m", "tacit_verify", str(release)]
    command += [] if original is None else ["--original", str(original)]
    return subprocess.run(command, capture_output=True, check=False).returncode in (0, 8)


def patients(rows: int = 300, *, seed: int = 5) -> str:
    """A hospital's table with names, as text."""
    table = tacit.load_sample(f"hospital:{rows}", seed=seed)
    assert isinstance(table, tacit.Table)
    columns = [table.column(name) for name in ("zip", "age", "sex", "disease")]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["patient name", *(column.name for column in columns)])
    texts = [[column.texts[code] for code in column.codes.tolist()] for column in columns]
    writer.writerows((f"Person {row}", *values) for row, values in enumerate(zip(*texts, strict=True)))
    return text.getvalue()


def baskets(count: int = 600, *, seed: int = 5) -> tuple[str, str]:
    """A supermarket's baskets, and its product hierarchy."""
    from tacit.io.hierarchies import hierarchy_text

    sample = tacit.load_sample(f"supermarket:{count}", seed=seed)
    assert isinstance(sample, tacit.Transactions) and sample.hierarchy is not None
    names, ends = sample.vocabulary, sample.indptr.tolist()
    rows = [sample.items[start:end].tolist() for start, end in pairwise(ends)]
    return "".join(" ".join(names[item] for item in row) + "\n" for row in rows), hierarchy_text(
        sample.hierarchy
    )


def test_a_table_from_upload_to_verified_downloads(person: Person, tmp_path: Path) -> None:
    page, text = person.page, patients()
    person.bring("patients.csv", text)
    assert "can be picked out" in page.locator("#step-2 .advice").inner_text()
    assert page.locator("select[data-column='patient name']").input_value() == "drop"

    # Roles: guessed, confirmed; then a hierarchy by rule, seen as a tree.
    page.locator("#step-next").click()
    page.get_by_role("button", name="Confirm these roles").click()
    page.wait_for_selector("#step-4 form", state="attached")
    page.locator("#step-3 summary", has_text="age").click()
    box = page.locator("#step-3 details", has=page.locator("summary", has_text="age")).first
    box.get_by_label("Width of the narrowest").fill("10")
    box.get_by_role("button", name="Build it").click()
    page.wait_for_selector("#step-3 .badge:has-text('by intervals')")
    assert page.locator("#step-3 .tree summary", has_text="30-39").count() == 1

    person.buckets()
    person.make()
    assert "at least 3 different values" in page.locator("#step-6 .promise").inner_text()
    first = page.locator("#step-6 .compare").first.inner_text()
    for width in (360, 640, 1280):  # with tables and plots as well
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width

    # Another parameter: both runs side by side.
    person.go(4)
    page.get_by_label("Possible values everybody keeps").filter(visible=True).fill("4")
    page.get_by_label("Possible values everybody keeps").filter(visible=True).press("Enter")
    page.wait_for_selector("#step-6 .promise:has-text('at least 4')")
    person.settled()
    assert "l = 3" in page.locator("#step-6").inner_text()
    assert page.locator("#step-6 td.before").first.inner_text().split("\n")[0] in first

    release = person.publish(tmp_path / "table")
    (tmp_path / "patients.csv").write_text(text)
    assert verified(release, tmp_path / "patients.csv")
    assert "Person 7" not in "".join(path.read_text() for path in release.iterdir())
    assert b"<script" not in person.download("report.html")

    # The recipe beside the same file gives the same bytes.
    from tacit.surface.recipe.load import parse_recipe
    from tacit.surface.recipe.run import run_recipe

    recipe = parse_recipe(person.download("recipe.toml").decode())
    again = run_recipe(recipe, base=tmp_path).folders[0]
    files = {path.name for path in release.iterdir()}
    assert files == {path.name for path in Path(again).iterdir()} >= {"qit.csv", "st.csv", "release.json"}
    assert all((release / name).read_bytes() == (Path(again) / name).read_bytes() for name in files)

    # Rules of the same table: a second release of the same people has to be acknowledged.
    person.go(4)
    page.locator("label.choice", has_text="Rules mined from it").click()
    page.get_by_label("Least support of a rule").fill("8")
    page.get_by_label("Least confidence of a rule").fill("0.1")
    page.get_by_label("Largest posterior").last.fill("0.6")
    person.make()
    assert ": Rules · " in page.locator("#step-6 .aside").inner_text()
    release = person.publish(tmp_path / "rules")
    assert {path.name for path in release.iterdir()} == {"rules.json", "release.json"}
    assert verified(release, tmp_path / "patients.csv")


def test_baskets_from_upload_to_verified_downloads(person: Person, tmp_path: Path) -> None:
    page, (text, products) = person.page, baskets()
    person.bring("baskets.dat", text)
    person.go(3)
    wrong = products.replace("milk;", "milc;", 1) if "milk;" in products else products.split("\n", 1)[1]
    upload = page.locator("#step-3 input[type=file]")
    upload.set_input_files({"name": "bad.csv", "mimeType": "text/csv", "buffer": wrong.encode()})
    page.wait_for_selector("#step-3 .error")
    assert "bad.csv" in page.locator("#step-3 .error").inner_text()
    upload.set_input_files({"name": "products.csv", "mimeType": "text/csv", "buffer": products.encode()})
    page.wait_for_selector("#step-3 .badge:has-text('products.csv')")
    assert page.locator("#step-3 .tree summary", has_text="Drinks").count() >= 1

    # The page is left in the middle of a job, and finds it again.
    person.go(5)
    page.get_by_role("button", name="Make the release").click()
    page.wait_for_selector("#step-5 .progress")
    page.reload()
    page.wait_for_selector("#step-5 .progress")
    page.wait_for_selector("#step-6 .promise")
    person.settled()
    assert "still faces at least 5 records" in page.locator("#step-6 .promise").inner_text()
    assert verified(person.publish(tmp_path / "sets"))

    person.go(4)
    page.locator("label.choice", has_text="without a secret").click()
    page.get_by_label("Patterns and rules that must not be found").fill("beer, diapers")
    page.get_by_label("Least support of a pattern").fill("0.02")
    person.make()
    assert "cannot be mined" in page.locator("#step-6 .promise").inner_text()
    assert "beer" not in page.locator("#step-5 .runs").inner_text()
    release = person.publish(tmp_path / "hidden")
    (tmp_path / "baskets.dat").write_text(text)
    assert verified(release, tmp_path / "baskets.dat")


def test_a_bad_file_shows_the_error_at_its_place(person: Person) -> None:
    page = person.page
    person.bring("ragged.csv", "age,disease\n41,flu\n42,flu,<b>what is this</b>\n43,cold\n")
    error = page.locator("#step-2 .error")
    assert error.get_attribute("role") == "alert"
    assert "ragged.csv, line 3" in error.inner_text() and "/tmp" not in error.inner_text()
    assert error.locator(".here").inner_text().split("\n")[0].strip().startswith("3")
    assert "<b>what is this</b>" in error.locator(".here").inner_text()
    assert person.focused() == "error"
    # The file can be read another way without being brought again.
    page.get_by_role("link", name="how the file is read").click()
    page.get_by_label("What it holds").select_option("baskets")
    page.get_by_role("button", name="Read it again").click()
    page.wait_for_selector("#step-2 .tiles")
    assert "Different items" in page.locator("#step-2").inner_text()


def test_without_a_mouse_in_a_small_window_with_bad_parameters(person: Person) -> None:
    page = person.page
    page.goto(person.served.address)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    for _ in range(7):
        page.keyboard.press("Tab")
    assert "supermarket" in page.evaluate("document.activeElement.textContent")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    page.wait_for_selector("#step-4 form", state="attached")
    person.go(4)
    assert page.evaluate("document.activeElement.textContent").startswith("What to publish")
    for width in (360, 640, 1280):  # a telephone, and a screen at 200 %
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    nameless = """() => [...document.querySelectorAll('input, select, textarea, button, a')]
        .filter((one) => one.checkVisibility() && !one.labels?.length && !one.textContent.trim()
            && !one.getAttribute('aria-label') && !one.getAttribute('aria-labelledby'))
        .map((one) => one.outerHTML)"""
    assert page.evaluate(nameless) == []

    field = page.get_by_label("Fewest records a reader faces")
    field.fill("1")
    field.press("Enter")
    page.wait_for_selector("#step-4 .error")
    assert "must be a whole number, 2 or more" in page.locator("#step-4 .error").inner_text()
    assert field.get_attribute("aria-invalid") == "true" and person.focused() == "k"
    page.locator("label.choice", has_text="without a secret").click()
    page.get_by_role("button", name="Make the release").click()
    page.wait_for_selector("#step-4 .error:has-text('must be filled in')")
    assert person.focused() == "patterns"
    page.get_by_label("Patterns and rules that must not be found").fill("beer, dragons")
    assert page.locator(".error:visible").count() == 0  # whoever mends it need not read on
    page.get_by_role("button", name="Make the release").click()
    page.wait_for_selector("#step-4 .error:has-text('dragons')")  # found by the worker, shown at the field
    assert person.focused() == "patterns"
    refused = [text for text in person.complaints if "status of 400" in text]
    assert len(refused) == 2  # the browser itself notes what the server refused
    person.complaints[:] = [text for text in person.complaints if text not in refused]


def test_a_job_is_cancelled_and_a_crash_is_shown(person: Person) -> None:
    page, served = person.page, person.served
    page.goto(served.address)
    page.get_by_role("button", name="A hospital").click()
    page.wait_for_selector("#step-4 form", state="attached")
    person.go(5)
    page.get_by_role("button", name="Make the release").click()
    page.wait_for_selector("#step-5 .progress")
    (job,) = [job for job in served.session.jobs.all.values() if job.kind == "run" and not job.over]
    while job.process is None:
        page.wait_for_timeout(20)
    process = job.process
    before = monotonic()
    page.get_by_role("button", name="Cancel").click()
    page.wait_for_selector("#step-5 .badge.cancelled")
    assert job.ended is not None and job.ended - before < 2
    assert process.returncode is not None and not job.folder.exists()
    assert "Cancelled" in page.locator("#announcer").inner_text()

    page.get_by_role("button", name="Make the release").click()
    page.wait_for_selector("#step-5 .progress")
    (job,) = [job for job in served.session.jobs.all.values() if job.kind == "run" and not job.over]
    while job.process is None:
        page.wait_for_timeout(20)
    job.process.kill()
    page.wait_for_selector("#step-5 .error")
    assert "SIGKILL" in page.locator("#step-5 .error").inner_text()
    page.goto(served.address)
    files = page.locator("#files").inner_text()
    assert "hospital" in files and "cancelled" in files and "failed" in files
    with page.expect_navigation():
        page.get_by_role("button", name=re.compile("Remove hospital")).first.click()


HOSTILE = '<img src=x onerror="alert(1)">'


def test_markup_in_names_and_values_is_inert(person: Person) -> None:
    page = person.page
    rows = [f'"{HOSTILE.replace(chr(34), chr(34) * 2)}",sex,"</script><b>disease</b>"']
    rows += [f'"<i>{row % 7}</i>",{"mf"[row % 2]},"{{{{ {row % 4} }}}}"' for row in range(60)]
    person.bring(f"{HOSTILE}{{{{7*7}}}}.csv", "\n".join(rows) + "\n")
    assert HOSTILE in page.locator("#step-1 h2").text_content() and "{{7*7}}" in page.title()
    person.go(3)
    selects = page.locator("#step-3 select")
    for place, role in enumerate(("quasi", "quasi", "sensitive")):
        selects.nth(place).select_option(role)
    page.get_by_role("button", name=re.compile("roles")).click()
    page.wait_for_selector("#step-4 form", state="attached")
    page.locator("#step-3 summary", has_text="onerror").click()
    box = page.locator("#step-3 details", has=page.locator("summary", has_text="onerror")).first
    box.get_by_label("Build one by rule").select_option("flat")
    box.get_by_role("button", name="Build it").click()
    page.wait_for_selector("#step-3 .tree li:has-text('<i>3</i>')")
    person.buckets()
    page.get_by_label("Possible values everybody keeps").filter(visible=True).fill("2")
    person.make()
    assert "</script><b>disease</b>" in page.locator("#step-6 .promise").inner_text()
    made = "document.querySelectorAll('main img, main b, main i, main script').length"
    assert page.evaluate(made) == 0
    assert "49" not in page.title()


def test_a_change_that_is_not_applied_blocks_the_run_and_tabs_agree(person: Person) -> None:
    page = person.page
    person.bring("patients.csv", patients(120))
    person.go(3)
    page.get_by_role("button", name="Confirm these roles").click()
    page.wait_for_selector("#step-4 form", state="attached")
    other = person.context.new_page()
    other.goto(page.url)
    page.locator("select[data-column='sex']").select_option("none")
    assert page.locator("form.pending").count() == 1
    person.go(4)
    page.get_by_role("button", name="Make the release").click()
    page.wait_for_selector("#step-5 .error:has-text('the roles of the columns')")
    page.get_by_role("button", name="Take it back").click()
    assert page.locator("form.pending").count() == 0
    assert page.locator("select[data-column='sex']").input_value() == "quasi"
    page.locator("select[data-column='sex']").evaluate("list => list.value = 'none'")
    person.go(4)
    page.get_by_role("button", name="Make the release").click()
    page.get_by_role("button", name="Apply it").click()
    other.wait_for_selector("select[data-column='sex']:has(option[value=none]:checked)", state="attached")
    person.settled()
    # What is typed is there in the other tab, and after a reload.
    person.buckets()
    page.get_by_label("Possible values everybody keeps").filter(visible=True).fill("2")
    page.get_by_label("Possible values everybody keeps").filter(visible=True).blur()
    other.wait_for_function("() => document.querySelector('#choice [name=l]').value === '2'")
    page.reload()
    assert page.locator("#choice [name=l]").first.input_value() == "2"
    # Closing asks where something is pending.
    asked: list[str] = []
    other.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    other.locator("#steps a[href='#step-3']").click()
    other.locator("select[data-column='age']").select_option("none")
    other.goto(person.served.address)
    assert asked == ["beforeunload"]


def violations(page: Any) -> list[str]:
    """What axe has against the page as it stands, in the light and in the dark."""
    import axe_playwright_python

    page.evaluate((Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8"))
    found = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        for one in page.evaluate("async () => (await axe.run()).violations"):
            found += [f"{scheme}: {one['id']} at {node['target']}" for node in one["nodes"]]
    return found


def test_axe_finds_nothing_on_any_page_or_step(person: Person) -> None:
    page = person.page
    page.goto(person.served.address)
    assert violations(page) == []
    page.goto(f"{person.served.address}/ledger")
    assert violations(page) == []
    page.get_by_role("button", name="Deutsch").click()
    page.wait_for_selector("html[lang=de]")
    assert violations(page) == []
    page.goto(person.served.address)
    assert "Daten veröffentlichen" in page.locator("h1").inner_text()
    assert violations(page) == []
    page.get_by_role("button", name="English").click()
    page.wait_for_selector("html[lang=en]")
    person.bring("patients.csv", patients(120))
    person.go(3)
    assert violations(page) == []
    page.get_by_role("button", name="Confirm these roles").click()
    page.wait_for_selector("#step-4 form", state="attached")
    person.make()
    for step in range(1, 8):
        person.go(step)
        page.evaluate(
            "document.querySelectorAll('details').forEach((one) => { one.name = ''; one.open = true; })"
        )
        assert violations(page) == [], step
        term = page.locator("main .card:not(.away) .term, footer .term").first
        term.focus()
        assert violations(page) == [], step  # with what it explains
        assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    _in_german(person)
    person.go(6)
    page.get_by_role("link", name="Look through the whole release").click()
    page.wait_for_selector("#title-table")
    assert violations(page) == []
    page.set_viewport_size({"width": 360, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def _in_german(person: Person) -> None:
    """The steps of a table with a run, and its hierarchy as it is edited, in German; then English again."""
    page, say = person.page, catalogue_of("de")["page"]
    page.get_by_role("button", name="Deutsch").click()
    page.wait_for_selector("html[lang=de]")
    assert page.locator("#steps .title").all_inner_texts() == say["steps"]["titles"]
    headings = ["patients.csv", say["profile"]["title"], say["steps"]["titles"][2], say["choice"]["title"]]
    headings += [*say["steps"]["titles"][4:6], say["downloads"]["title"]]
    for step, heading in enumerate(headings, start=1):
        person.go(step)
        assert page.locator(f"#title-{step}").inner_text() == heading
        page.evaluate(
            "document.querySelectorAll('details').forEach((one) => { one.name = ''; one.open = true; })"
        )
        assert violations(page) == [], step
        assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    person.go(3)
    page.get_by_role("button", name=say["hierarchy"]["propose"]).first.click()
    page.get_by_role("button", name=say["hierarchy"]["edit"]).first.click()
    page.get_by_role("button", name="Rückgängig").wait_for()  # which is to be seen
    page.locator(".workshop .told", has_text=re.compile(r"\d+ Werte in \d+ Gruppen\.")).wait_for()
    assert violations(page) == []
    page.get_by_role("button", name="English").click()
    page.wait_for_selector("html[lang=en]")


def test_rules_are_left_out_and_settings_are_tried(person: Person, tmp_path: Path) -> None:
    page = person.page
    person.bring("patients.csv", patients())
    (tmp_path / "patients.csv").write_text(patients())
    person.go(3)
    page.get_by_role("button", name="Confirm these roles").click()
    page.wait_for_selector("#step-4 form", state="attached")
    person.settled()

    # All mined rules, each with a tick; without one, the promise says what it no longer holds against.
    person.buckets()
    page.locator("#rules-bucketize > summary").click()
    page.get_by_role("button", name="Show the rules").filter(visible=True).click()
    page.wait_for_selector("#rules-bucketize .rules li")
    table = tacit.read_table(tmp_path / "patients.csv", quasi=["zip", "age", "sex"], sensitive="disease")
    mined = {str(rule) for rule in tacit.mine_negative_rules(table)}
    boxes = page.locator("#rules-bucketize [data-line]")
    assert {box.get_attribute("data-line") for box in boxes.all()} == mined
    line = boxes.first.get_attribute("data-line")
    boxes.first.click()
    page.wait_for_selector("#rules-bucketize .remark:has-text('Rules left out: 1.')")
    assert page.locator("#rules-bucketize .badge").inner_text() == f"{len(mined) - 1} of {len(mined)}"
    assert not boxes.first.is_checked() and person.focused() == ""  # it is still at the box
    assert violations(page) == []
    page.emulate_media(color_scheme="light")
    page.reload()
    person.go(4)
    assert page.locator("#choice [name=knowledge_drop_rules]").first.input_value() == line
    person.make()
    assert "Rules left out: 1." in page.locator("#step-6 .remark").first.inner_text()

    # A range of settings: a point and a row for each that can be met, one recommended; one is taken over.
    person.go(4)
    page.get_by_role("button", name="Try a range of settings").click()
    page.wait_for_selector("#step-4 .curve svg")
    person.settled()
    rows = page.locator("#step-4 tr:has(form)")
    drawn = page.locator("#step-4 .curve svg").text_content()
    assert rows.count() >= 4
    names = [name.removesuffix("recommended").strip() for name in rows.locator("th").all_inner_texts()]
    assert [name for name in names if name not in drawn] == []
    assert page.locator("#step-4 .badge:has-text('recommended')").count() == 1
    assert violations(page) == []
    last = rows.last
    name = last.locator("th").inner_text()
    last.get_by_role("button").click()
    page.wait_for_selector("#choice input[value=generalize_table]:checked")
    assert page.locator("#choice [name=k]").filter(visible=True).input_value() in name
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280


def explained(page: Any) -> str:
    """What the coach says now."""
    return str(page.locator("#coach").inner_text()) if page.locator("#coach").is_visible() else ""


def test_the_coach_explains_advises_mends_and_runs_are_compared(person: Person) -> None:
    page = person.page
    person.bring("patients.csv", patients(120))
    person.go(3)
    page.get_by_role("button", name="Confirm these roles").click()
    page.wait_for_selector("#step-4 form", state="attached")

    # A term explains itself on focus, on hover and at a tap, at a telephone's width too.
    person.go(2)
    term = page.locator("#step-2 .term", has_text="quasi-identifiers")
    for width in (1280, 360):
        page.set_viewport_size({"width": width, "height": 800})
        term.focus()
        assert "may know of a person" in explained(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.keyboard.press("Escape")
        assert explained(page) == ""
        term.blur()
        term.hover()
        assert "may know of a person" in explained(page)
        page.mouse.move(1, 1)
        page.wait_for_selector("#coach", state="hidden")
        term.click()
        assert "may know of a person" in explained(page)
        page.keyboard.press("Escape")
        term.blur()
    said = page.evaluate(
        "(id) => document.getElementById(id).textContent", term.get_attribute("aria-describedby")
    )
    assert "may know of a person" in said

    # What ℓ could be, computed; taken over with a click.
    page.set_viewport_size({"width": 1280, "height": 900})
    person.buckets()
    page.get_by_text("What should ℓ be?").filter(visible=True).click()
    advice = page.locator("details.coach[open]")
    assert re.search(r"At most \d+ is possible here", advice.inner_text())
    field = page.get_by_label("Possible values everybody keeps").filter(visible=True)
    field.fill("60")
    advice.get_by_role("button", name=re.compile("Use ")).click()
    assert field.input_value() in ("2", "3")

    # What cannot be met is mended with a click, and the run is made.
    field.fill("60")
    field.press("Enter")
    page.wait_for_selector("#step-4 .error button")
    page.locator("#step-4 .error button", has_text="Possible values everybody keeps").click()
    page.wait_for_selector("#step-6 .promise")
    person.settled()
    assert "60" not in page.locator("#step-6 .promise").inner_text()

    # Two more runs, one of them with a name; all three side by side. Run 1 could not be made.
    for name, value in (("the usual", "2"), ("", "3")):
        person.go(4)
        field.fill(value)
        person.go(5)
        page.get_by_label("Name of this run").fill(name)
        person.make()
    assert "the usual" in page.locator("#step-5 .runs").inner_text()
    person.go(5)
    page.locator("#step-5 .rename summary").first.click()
    page.get_by_label("New name of Run 3").fill("stricter")
    page.get_by_role("button", name="Keep").filter(visible=True).click()
    page.wait_for_selector("#step-5 .runs:has-text('stricter')")
    person.go(6)
    for box in page.locator(".compare-with input[type=checkbox]").all():
        box.check()
    page.get_by_role("button", name="Compare").click()
    page.wait_for_selector("#step-6 thead th:nth-child(4)")
    heads = page.locator("#step-6 .compare thead th").all_inner_texts()
    assert heads[1:4] == ["stricter", "the usual", "Run 2"]
    marks = set(page.locator("#step-6 .compare .better, #step-6 .compare .worse").all_text_contents())
    assert marks == {"better", "worse"}
    assert violations(page) == []
