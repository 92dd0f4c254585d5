"""Reading the HTML and SVG that reports are made of, as strictly as the tests need."""

from __future__ import annotations

from html.parser import HTMLParser
from xml.etree import ElementTree

HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "</style><script>alert(1)</script>",
    "</title></svg><script>alert(1)</script>",
    '"><a href="javascript:alert(1)">',
    "{{ 7 * 7 }}",
    "a.b[0]\\'",
    "datum.x + 1",
    "\x00\x0b\x1b",
    "&amp; <![CDATA[ ]]>",
)
"""Names and values that try to be something else than text."""

_VOID = {"meta", "br", "hr", "img", "link", "input"}


class Document(HTMLParser):
    """A document's elements and text; a tag that does not close what is open is an error."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert not self._open, f"left open: {self._open}"

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def tags(self, name: str) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.elements if tag == name]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in _VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open and self._open[-1] == tag, f"</{tag}> closes {self._open[-1:]}"
        self._open.pop()

    def handle_data(self, data: str) -> None:
        if not self._open or self._open[-1] not in ("style", "title"):
            self.words.append(data)


def assert_inert(html: str) -> Document:
    """Refuse a document that runs a script, fetches anything or lets a value become an element."""
    document = Document(html)
    tags = {tag for tag, _ in document.elements}
    assert not tags & {"script", "img", "iframe", "object", "embed", "link", "base", "form", "use", "image"}
    for tag, attributes in document.elements:
        for name, value in attributes.items():
            assert not name.startswith("on"), (tag, name)
            if name in ("href", "src", "xlink:href", "action", "style") and value is not None:
                assert value.startswith("#"), (tag, name, value)
    assert "url(" not in html
    assert "@import" not in html
    return document


def as_xml(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)
