"""Errors and notes in the words of the page: the command line names options, the page has fields.

A sentence is written once, with marks where it names an option (:func:`tacit.errors.option`). Whoever has
only the page is told the label of the field instead, and the step where it stands.
"""

from __future__ import annotations

from typing import Any

from tacit.errors import Said, TacitError
from tacit.surface.page.fields import choices, titles

FIELDS = titles() | {"hierarchy": ("Upload a file", 3), "format": ("What it holds", 1)}
"""The label of each option's field, and its step."""
CHOICES = choices() | {("format", "basket"): "baskets", ("format", "dat"): "baskets"}
"""What a field offers for a value that an option has."""
COMMANDS = {"hierarchy build": "in step 3"}
"""Where the page has what a command does."""
HINTS = {
    "hierarchy-needed": "Build one in step 3, or upload a file there.",
    "recipe-key-missing": None,
    "composition": "If that is acceptable, publish it all the same: the manifest will state the figure.",
    "weak-release": "Try other settings in step 4, or publish it all the same.",
}
"""What to do next, where the page offers something else than a recipe or a command."""


def on_the_page(text: str) -> str:
    """A sentence with the page's fields in place of options.

    >>> from tacit.errors import option
    >>> on_the_page(Said(f"Name its encoding with {option('encoding')}."))
    'Name its encoding with “Encoding” in step 1.'
    >>> on_the_page(Said(f"Ask for 2 with {option('on_infeasible', 'suppress')}."))
    'Ask for 2 with “Where the table cannot meet it” in step 4 set to “leave out the rows in the way”.'
    """
    return text.worded(_field) if isinstance(text, Said) else text


def error_on_the_page(error: TacitError) -> dict[str, Any]:
    """An error in the words of the page; a field that was left empty is told as such."""
    told: dict[str, Any] = error.to_dict(on_the_page)["error"]
    if error.code in HINTS:
        told["hint"] = HINTS[error.code]
    if error.code == "recipe-key-missing" and error.option:
        told |= {"message": "This must be filled in.", "field": error.option}
    return told


def _field(name: str, value: str) -> str | None:
    if name in COMMANDS:
        return COMMANDS[name]
    if name not in FIELDS:
        return None
    label, step = FIELDS[name]
    words = CHOICES.get((name, value.strip("'")))
    setting = f"“{words}”" if words else value
    return f"“{label}” in step {step}" + (f" set to {setting}" if setting else "")
