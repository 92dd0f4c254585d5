"""Errors and notes in the words of the page: the command line names options, the page has fields.

A sentence is written once, for Python and the command line, as ``encoding= (--encoding)``. Whoever has
only the page is told the label of the field instead, and the step where it stands.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tacit.surface.page.fields import choices, titles

FIELDS = titles() | {"hierarchy": ("Upload a file", 3)}
"""The label of each option's field, and its step."""
CHOICES = choices()
"""What a field offers for a value that an option has."""
PHRASES = (
    (
        "name the format: --format basket where commas are between them, --format dat for blanks",
        "choose baskets under “What it holds” in step 1",
    ),
    (
        'Name a file in the source, or a rule: hierarchy = { by = "balanced", fanout = 5 }.',
        "Build one in step 3, or upload a file there.",
    ),
    (" or query= (--query 'SELECT …')", ""),
)
"""What the page offers in another way, or not at all."""
_PYTHON_FIRST = re.compile(r"\b([a-z_]+)=(\S*) \(--[^)]*\)")
_OPTION_FIRST = re.compile(r"--[a-z-]+(?: \S+)? \(([a-z_]+)=([^)\s]*)\)")
_OPTION_ONLY = re.compile(r"\(--([a-z-]+)\)")
_BUILD = re.compile(r" with 'tacit hierarchy build[^']*'")


def on_the_page(text: str) -> str:
    """A sentence with the page's fields in place of options.

    >>> on_the_page("Name its encoding with encoding= (--encoding).")
    'Name its encoding with “Encoding” in step 1.'
    >>> on_the_page("Ask for 2 with --on-infeasible suppress (on_infeasible='suppress').")
    'Ask for 2 with “Where the table cannot meet it” in step 4 set to “leave out the rows in the way”.'
    """
    for phrase, words in PHRASES:
        text = text.replace(phrase, words)
    for pattern in (_PYTHON_FIRST, _OPTION_FIRST):
        text = pattern.sub(lambda found: _field(found[1], found[2]) or found[0], text)
    text = _OPTION_ONLY.sub(_bare, text)
    return _BUILD.sub(" in step 3", text)


def error_on_the_page(error: Mapping[str, Any]) -> dict[str, Any]:
    """An error as sent, in the words of the page; a field that was left empty is told as such."""
    told = dict(error)
    if told.get("code") == "recipe-key-missing" and told.get("option"):
        return told | {"message": "This must be filled in.", "hint": None, "field": told["option"]}
    for part in ("message", "hint"):
        if told.get(part):
            told[part] = on_the_page(told[part])
    return told


def _field(name: str, value: str) -> str | None:
    if name not in FIELDS:
        return None
    label, step = FIELDS[name]
    words = CHOICES.get((name, value.strip("'")))
    setting = f"“{words}”" if words else value
    return f"“{label}” in step {step}" + (f" set to {setting}" if setting else "")


def _bare(found: re.Match[str]) -> str:
    words = _field(found[1].replace("-", "_"), "")
    return f"({words})" if words else found[0]
