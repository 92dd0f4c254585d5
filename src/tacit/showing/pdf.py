"""A page printed to PDF by a browser that is installed, without a network."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

from tacit.errors import ResourceError

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
