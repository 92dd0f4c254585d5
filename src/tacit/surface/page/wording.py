"""Errors and notes in the words of the page: the command line names options, the page has fields.

A sentence is written once, with marks where it names an option (:func:`tacit.errors.option`). Whoever has
only the page is told the label of the field instead, and the step where it stands.
"""

from __future__ import annotations

from ast import literal_eval
from typing import Any

from tacit.errors import InfeasibleError, Said, TacitError
from tacit.surface.page.fields import choices, ranges, titles, usual

FIELDS = titles() | {"hierarchy": ("Upload a file", 3), "format": ("What it holds", 1)}
"""The label of each option's field, and its step."""
CHOICES = choices() | {("format", "basket"): "baskets", ("format", "dat"): "baskets"}
"""What a field offers for a value that an option has."""
RANGES = ranges()
"""What a field takes, in words, where all fields of this name take the same."""
USUAL = usual()
"""What a field has where nobody says anything."""
CURED_AT = {"format": "layout"}
"""Fields that the page calls otherwise."""
FILL_IN = "This must be filled in."
COMMANDS = {"hierarchy build": "in step 3"}
"""Where the page has what a command does."""
HINTS = {
    "hierarchy-needed": "Let Tacit propose one in step 3, build one there, or upload a file.",
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
    """An error in the words of the page, with its field and what a click mends it with."""
    told: dict[str, Any] = error.to_dict(on_the_page)["error"]
    if error.code in HINTS:
        told["hint"] = HINTS[error.code]
    if error.code == "recipe-key-missing" and error.option:
        told["message"] = FILL_IN
    if error.code == "parameter-range" and error.option in RANGES:
        told["message"] = f"This must be {RANGES[error.option]}. It is {error.value}."
    return told | {"field": error.option, "cures": _cures(error)}


def _cures(error: TacitError) -> list[dict[str, Any]]:
    """The ways to mend an error that need no word of anybody: values for fields, each set a button."""
    ways = [dict(way) for way in error.cures]
    # What the data cannot meet says itself what they can; a hint about it may name half of a way.
    if isinstance(error.hint, Said) and not isinstance(error, InfeasibleError):
        ways += [
            {name: literal_eval(value)} for name, value in error.hint.named() if value and value[0] != "{"
        ]
    if error.code == "parameter-unused" and error.option in FIELDS:
        ways.append({error.option: USUAL.get(error.option, "")})
    return [
        {
            "label": "; ".join(_set(name, str(value)) for name, value in way.items()),
            "step": FIELDS[next(iter(way))][1],
            "fields": {CURED_AT.get(name, name): _typed(name, value) for name, value in way.items()},
        }
        for way in ways
        if set(way) <= set(FIELDS)
    ]


def _set(name: str, value: str) -> str:
    """What a button that fills in a field is called."""
    words = CHOICES.get((name, value)) or value
    return f"Set “{FIELDS[name][0]}” to “{words}”" if value else f"Leave “{FIELDS[name][0]}” out"


def _typed(name: str, value: Any) -> str:
    """A value as its field has it."""
    if name == "format":
        return "baskets"
    return {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)


def _field(name: str, value: str) -> str | None:
    if name in COMMANDS:
        return COMMANDS[name]
    if name not in FIELDS:
        return None
    label, step = FIELDS[name]
    words = CHOICES.get((name, value.strip("'")))
    setting = f"“{words}”" if words else value
    return f"“{label}” in step {step}" + (f" set to {setting}" if setting else "")
