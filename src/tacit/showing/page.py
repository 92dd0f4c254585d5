"""Pages: results laid out as one self-contained HTML file that reads, prints and is kept like a letter.

A page is made of sections, a section of blocks: words, figures with their baselines, facts, tables,
charts, a verdict. There is no script in it and nothing is fetched: a Content-Security-Policy in the file
forbids both. Every text is escaped by the template engine, so that values, column names and file names
stay what they are. The same blocks make the notebook representation of results. A browser that is installed
prints a page to PDF, without a network.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from tacit.errors import ResourceError
from tacit.showing.chart import Cell, Chart

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


@dataclass(frozen=True)
class Words:
    """Paragraphs of text, set apart by empty lines."""

    text: str
    tone: str = "plain"
    """``plain``, ``lead`` (what matters most), ``note`` (smaller, muted) or ``warning``."""

    @property
    def paragraphs(self) -> list[str]:
        return [part.strip() for part in self.text.split("\n\n") if part.strip()]


@dataclass(frozen=True)
class Bullets:
    """A list of sentences."""

    items: tuple[str, ...]


@dataclass(frozen=True)
class Figure:
    """One number that matters: what it is, what it would be without, what it means."""

    label: str
    value: str
    baseline: str = ""
    meaning: str = ""


@dataclass(frozen=True)
class Figures:
    """A few figures side by side."""

    figures: Sequence[Figure]


@dataclass(frozen=True)
class Facts:
    """Names with their values, such as parameters and versions."""

    pairs: Sequence[tuple[str, str]]
    caption: str = ""


@dataclass(frozen=True)
class DataTable:
    """A table; columns of numbers are set to the right, the first column names the row."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""

    def __init__(self, header: Iterable[str], rows: Iterable[Sequence[Cell]], caption: str = "") -> None:
        object.__setattr__(self, "header", tuple(header))
        object.__setattr__(self, "rows", tuple(tuple(_shown(cell) for cell in row) for row in rows))
        object.__setattr__(self, "caption", caption)

    @property
    def numeric(self) -> tuple[bool, ...]:
        """Which columns hold numbers alone."""
        return tuple(
            any(row[place] for row in self.rows) and all(_is_number(row[place]) for row in self.rows)
            for place in range(len(self.header))
        )


@dataclass(frozen=True)
class Verdict:
    """Whether a promise is kept, in words as well as in colour; None where part of it was not checked."""

    ok: bool | None
    text: str
    label: str = ""
    """What is said in place of "Kept", "Broken" or "Not checked in full"."""


@dataclass(frozen=True)
class Code:
    """Commands or a file, letter for letter."""

    text: str


@dataclass(frozen=True)
class Signature:
    """Empty lines to sign on."""

    lines: tuple[str, ...] = ("Name and role", "Date", "Signature")


Block = Words | Bullets | Figures | Facts | DataTable | Chart | Verdict | Code | Signature


@dataclass(frozen=True)
class Section:
    """A heading with blocks under it; with ``own_page`` it starts a new sheet of paper."""

    title: str
    blocks: Sequence[Block]
    own_page: bool = field(default=False, kw_only=True)
    language: str = field(default="", kw_only=True)
    """The language of its blocks, where it is not that of the page."""


@dataclass(frozen=True)
class Page:
    """A page: the same sections always give the same bytes.

    >>> page = Page("Patients", "One release", [Section("Promise", [Words("At least <3> values.")])])
    >>> "&lt;3&gt;" in page.to_html()
    True
    """

    title: str
    subtitle: str
    sections: Sequence[Section]
    footer: str = ""
    contents: bool = field(default=False, kw_only=True)
    """Whether a list of the sections stands below the title."""
    language: str = field(default="en", kw_only=True)

    def to_html(self) -> str:
        """The page as one file that needs nothing else."""
        return _environment().get_template("page.html").render(page=self, style=_style())

    def _repr_html_(self) -> str:
        return fragment([block for section in self.sections for block in section.blocks], title=self.title)


def fragment(blocks: Iterable[Block], *, title: str = "", style: bool = True) -> str:
    """Some blocks as a piece of HTML, for a notebook or for another page.

    Without ``style`` the piece has no stylesheet of its own: the page around it brings :func:`stylesheet`.
    """
    template = _environment().get_template("fragment.html")
    return template.render(blocks=list(blocks), title=title, style=_style() if style else "")


@cache
def stylesheet() -> str:
    """The stylesheet of pages and fragments; every rule of it is about what is inside ``.tacit``."""
    return (files("tacit.showing") / "templates" / "page.css").read_text(encoding="utf-8")


def _style() -> Markup:
    from markupsafe import Markup

    return Markup(stylesheet())  # ours: a selector such as "a > b" must not be escaped


def templates(*places: tuple[str, str]) -> Environment:
    """The templates in folders of packages; all that they show is escaped, and none goes without a value."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    loader = ChoiceLoader([PackageLoader(package, folder) for package, folder in places])
    return Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )


@cache
def _environment() -> Environment:
    from markupsafe import Markup

    environment = templates(("tacit.showing", "templates"))
    environment.filters["kind"] = lambda block: type(block).__name__
    environment.filters["picture"] = lambda chart: Markup(chart.to_svg())  # drawn here, its labels escaped
    # The numbers of a chart as a table, where they are few enough to be read.
    environment.filters["as_table"] = lambda chart: (
        DataTable(chart.columns, chart.data, chart.title) if len(chart.data) <= _READABLE else None
    )
    environment.filters["unbroken"] = lambda text: text.replace(" %", "\N{NO-BREAK SPACE}%")
    return environment


_READABLE = 200


def _shown(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, int):
        return f"{cell:,}"
    return f"{cell:.4g}" if isinstance(cell, float) else cell


def _is_number(text: str) -> bool:
    words = text.translate(str.maketrans("−", "-", "–±%,")).split()
    try:
        list(map(float, words))
    except ValueError:
        return False
    return True


BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "microsoft-edge",
    "microsoft-edge-stable",
    "msedge",
    "chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)
SECONDS = 180


def find_browser() -> str | None:
    """The first of the browsers that can print, or None."""
    return next((found for name in BROWSERS if (found := shutil.which(name))), None)


def print_pdf(html: str) -> bytes:
    """The page as a PDF.

    Raises ResourceError where no browser is installed, or the one that is does not print.
    """
    browser = find_browser()
    if browser is None:
        raise _not_printed("A PDF is printed by Chromium, Chrome or Edge, and none of them was found.")
    with tempfile.TemporaryDirectory() as folder:
        page, printed = Path(folder) / "page.html", Path(folder) / "page.pdf"
        page.write_text(html, encoding="utf-8")
        command = [
            browser,
            "--headless",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--host-resolver-rules=MAP * ~NOTFOUND",  # nothing is fetched, whatever happens
            f"--user-data-dir={folder}/profile",
            "--no-pdf-header-footer",
            f"--print-to-pdf={printed}",
            *(["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []),
            page.as_uri(),
        ]
        with suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(command, capture_output=True, timeout=SECONDS, check=False)
        if not printed.is_file() or not printed.stat().st_size:
            raise _not_printed("The browser did not print the page.")
        return printed.read_bytes()


def _not_printed(message: str) -> ResourceError:
    return ResourceError(
        message,
        code="not-printed",
        hint="Write the report as an .html file instead, open it in any browser and print it from there.",
    )
