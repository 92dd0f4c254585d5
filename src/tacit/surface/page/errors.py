"""Errors and notes as the page tells them: in its own words, with the lines around, as 4xx JSON.

The command line names options, the page has fields. A sentence is written once, with marks where it names an
option (:func:`tacit.errors.option`). Whoever has only the page is told the label of the field instead, and
the step where it stands.
"""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from tacit.errors import InfeasibleError, Place, Said, TacitError, shorten, unforeseen
from tacit.methods import METHODS, TABLE, TRANSACTIONS
from tacit.ranges import Range, Share, Support, Whole
from tacit.surface.page.forms import NOT_HERE, field, options_in, reading_fields
from tacit.surface.page.guard import TOO_LARGE
from tacit.surface.reading import MEANT_FOR

_ID = re.compile("[0-9a-f]{16}")
STATUS = {2: 400, 3: 422, 4: 409, 5: 413, 6: 409, 7: 422, 9: 409, 130: 409}
"""The HTTP status of each class of errors, by its exit code."""


async def refuse(request: Request, error: Exception) -> Response:
    """An error raised on purpose, as the page shows it."""
    assert isinstance(error, TacitError)
    status = 413 if error.code == TOO_LARGE else STATUS.get(error.exit_code, 500)
    return JSONResponse({"error": error_on_the_page(error)}, status_code=status)


async def refuse_address(request: Request, error: Exception) -> Response:
    """An address or a method that is not there; its text names nothing that was sent."""
    status = int(getattr(error, "status_code", 404))
    words = {404: "There is nothing at this address.", 405: "This address does not take that method."}
    told = TacitError(
        words.get(status, "The request could not be understood."),
        code={404: "not-found", 405: "wrong-method"}.get(status, "bad-request"),
    )
    return JSONResponse(told.to_dict(), status_code=status, headers=getattr(error, "headers", None))


async def confess(request: Request, error: Exception) -> Response:
    """A defect of ours; its text may hold data, so only its kind is shown."""
    return JSONResponse(defect(error).to_dict(), status_code=500)


def defect(error: BaseException) -> TacitError:
    """The error for what nobody foresaw, and for too little memory."""
    way = "Give it less data, or run it on a larger machine with 'tacit run'."
    see = "Download the recipe and run it with 'tacit run --debug' to see where, and please report it."
    return unforeseen(error, less=way, see=see)


def placed(error: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """An error as sent, with the files of the private folder under the names the user gave them."""
    told = dict(error)
    for path, name in names.items():
        stem = Path(path).stem
        for part in ("message", "hint"):
            if told.get(part):
                told[part] = told[part].replace(path, name)
                if _ID.fullmatch(stem):  # a hierarchy is called after its file, which the server named
                    told[part] = told[part].replace(repr(stem), repr(name))
    where = dict(told.get("where") or {})
    if where.get("file") in names:
        where["file"] = names[where["file"]]
    told["where"] = where or None
    return told


AROUND = 2
WIDTH = 160
LAST = 200_000
"""The last line worth looking for: reading on would keep the person waiting."""


def excerpt(where: Place, encoding: str = "utf-8") -> list[dict[str, Any]]:
    """The line of the place and two on either side, each with its number; none where it is no text file."""
    if where.file is None or where.line is None or where.line > LAST:
        return []
    path = Path(where.file)
    if not path.is_file() or path.suffix in (".gz", ".zst"):
        return []
    first = max(1, where.line - AROUND)
    try:
        with path.open(encoding=encoding, errors="replace") as file:
            lines = list(islice(file, first - 1, where.line + AROUND))
    except (OSError, LookupError):
        return []
    return around(lines, where.line, first)


def around(lines: Sequence[str], line: int, first: int = 1) -> list[dict[str, Any]]:
    """A line and two on either side, of lines that begin with the number ``first``."""
    return [
        {
            "number": number,
            "text": shorten(text.rstrip("\r\n").replace("\0", "␀"), WIDTH),
            "here": number == line,
        }
        for number, text in enumerate(lines, start=first)
        if abs(number - line) <= AROUND
    ]


OPTIONS = [
    *MEANT_FOR[TABLE].values(),
    *MEANT_FOR[TRANSACTIONS].values(),
    *(option for method in METHODS.values() for option in options_in(method).values()),
]
"""Every option of reading and of releases."""
FIELDS = {
    **{one["name"]: (one["label"], 1) for one in reading_fields()},
    **{
        option.name: (option.says.title, 4)
        for method in METHODS.values()
        for option in options_in(method).values()
        if option.name not in NOT_HERE
    },
    "hierarchy": ("Upload a file", 3),
    "format": ("What it holds", 1),
}
"""The label of each option's field, and its step."""
CHOICES = {
    **{
        (option.name, {"yes": "True", "no": "False"}.get(value, value)): words
        for option in OPTIONS
        for value, words in option.says.values
    },
    ("format", "basket"): "baskets",
    ("format", "dat"): "baskets",
}
"""What a field offers for a value that an option has."""
USUAL = {option.name: str(field(option.name, option)["usual"]) for option in OPTIONS}
"""What a field has where nobody says anything."""
YES_NO = {"True": "yes", "False": "no"}
"""What a field has for what an option is."""
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
    if error.code == "parameter-range":
        ranges = [getattr(one.range, "inner", one.range) for one in OPTIONS if one.name == error.option]
        wanted, *others = {_range_words(one) for one in ranges} or {""}
        if wanted and not others:  # all fields of this name take the same
            told["message"] = f"This must be {wanted}. It is {error.value}."
    return told | {"field": error.option, "cures": _cures(error)}


def _cures(error: TacitError) -> list[dict[str, Any]]:
    """The ways to mend an error that need no word of anybody: values for fields, each set a button."""
    ways = [dict(way) for way in error.cures]
    # What the data cannot meet says itself what they can; a hint about it may name half of a way.
    if isinstance(error.hint, Said) and not isinstance(error, InfeasibleError):
        ways += [
            {name: literal_eval(value)} for name, value in error.hint.named() if value and value[0] != "{"
        ]
    if error.code == "parameter-unused" and error.option is not None and error.option in FIELDS:
        ways.append({error.option: USUAL.get(error.option, "")})
    return [
        {
            "label": "; ".join(_set(name, str(value)) for name, value in way.items()),
            "step": FIELDS[next(iter(way))][1],
            "fields": dict(
                ("layout", "baskets") if name == "format" else (name, YES_NO.get(str(value), str(value)))
                for name, value in way.items()
            ),
        }
        for way in ways
        if set(way) <= set(FIELDS)
    ]


def _set(name: str, value: str) -> str:
    """What a button that fills in a field is called."""
    words = CHOICES.get((name, value)) or value
    return f"Set “{FIELDS[name][0]}” to “{words}”" if value else f"Leave “{FIELDS[name][0]}” out"


def _field(name: str, value: str) -> str | None:
    if name in COMMANDS:
        return COMMANDS[name]
    if name not in FIELDS:
        return None
    label, step = FIELDS[name]
    words = CHOICES.get((name, value.strip("'")))
    setting = f"“{words}”" if words else value
    return f"“{label}” in step {step}" + (f" set to {setting}" if setting else "")


def _range_words(wanted: Range) -> str:
    if isinstance(wanted, Whole):
        below = "" if wanted.high is None else f" and {wanted.high:,} at most"
        return f"a whole number, {wanted.low:,} or more{below}"
    if isinstance(wanted, Share):
        low = f"{'above' if wanted.open_low else 'from'} {wanted.low:g}"
        high = f"{'below' if wanted.open_high else 'at most'} {wanted.high:g}"
        return f"a number {low}" + ("" if wanted.high == float("inf") else f" and {high}")
    if isinstance(wanted, Support):
        return "a count such as 25, or a share such as 0.01"
    return ""
