"""Look for what a browser would fetch from elsewhere in the built site: ``python check_site.py DIR``.

Links that a reader follows are fine; scripts, styles, fonts and pictures from another host are not.
"""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path

FETCHED = {
    "script": ("src",), "img": ("src", "srcset"), "source": ("src", "srcset"), "iframe": ("src",),
    "video": ("src", "poster"), "audio": ("src",), "embed": ("src",), "object": ("data",), "image": ("href",),
    "use": ("href",), "link": ("href",),
}  # fmt: skip
OUTSIDE = re.compile(r"^\s*(?:https?:)?//", re.IGNORECASE)
IN_STYLE = re.compile(r"""(?:url\(|@import)\s*['"]?\s*((?:https?:)?//[^'")\s]+)""", re.IGNORECASE)


class Page(HTMLParser):
    """Collects what a page would fetch from another host."""

    def __init__(self) -> None:
        super().__init__()
        self.outside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in FETCHED.get(tag, ()) and value and OUTSIDE.match(value):
                self.outside.append(value)
            if name == "style" and value:
                self.outside += IN_STYLE.findall(value)


def outside_assets(folder: Path) -> list[tuple[Path, str]]:
    """What the pages and styles of a folder fetch from elsewhere."""
    found = []
    for file in sorted(folder.rglob("*.html")):
        page = Page()
        text = file.read_text(encoding="utf-8")
        page.feed(text)
        styles = [
            each
            for style in re.findall(r"<style.*?</style>", text, re.DOTALL)
            for each in IN_STYLE.findall(style)
        ]
        found += [(file, address) for address in page.outside + styles]
    for file in sorted(folder.rglob("*.css")):
        found += [(file, address) for address in IN_STYLE.findall(file.read_text(encoding="utf-8"))]
    return found


def main() -> int:
    folder = Path(sys.argv[1])
    pages = len(list(folder.rglob("*.html")))
    if not pages:
        print(f"There is no page in {folder}.")
        return 1
    found = outside_assets(folder)
    for file, address in found:
        print(f"{file.relative_to(folder)} fetches {address}")
    print(f"{pages} pages, {len(found) or 'nothing'} fetched from elsewhere.")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
